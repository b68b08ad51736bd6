import type * as pulumi from "@pulumi/pulumi";
import type { Input } from "@pulumi/pulumi";
import { defined } from "./base/json";
import { defineResource, type ResourceClass } from "./engine/defineResource";
import { asJson } from "./engine/inputs";

/**
 * The arguments of an {@link SmsChat} (interface 4.2). Who talks to whom replaces, which ends the old chat and sends an SMS again; the
 * rest never sends.
 */
export interface SmsChatArgs {
  /** Workspace of the chat, an integer. Set it here or as a setting. @default the setting `agent-platform:workspaceId` @change replaces: an SMS is sent */
  readonly workspaceId?: Input<number | undefined>;
  /** The agent that runs the chat, `chat_agent_<id>`. @change replaces: an SMS is sent */
  readonly agentId: Input<string>;
  /** The number that the SMS comes from, in international format. @change replaces: an SMS is sent */
  readonly fromNumber: Input<string>;
  /** The number that gets the SMS, in international format. @change replaces: an SMS is sent */
  readonly toNumber: Input<string>;
  /**
   * Free-form JSON, at most 65,536 characters.
   * @default not sent
   * @change recorded, not sent: there is no call to change a chat
   */
  readonly metadata?: Input<Record<string, Input<unknown>> | undefined>;
  /** Variables given to the agent: a map from name to JSON value. @default not sent @change recorded, not sent */
  readonly serviceDynamicVariables?: Input<Record<string, Input<unknown>> | undefined>;
  /** Any text, never sent: the one way to say "send again". @default none @change replaces: this chat is ended, an SMS is sent */
  readonly sendKey?: Input<string | undefined>;
  /**
   * The ID of a chat that has already started. If set, nothing is sent. Read at create or while the chat is unresolved.
   * @default the chat is started
   * @change none; while the chat is unresolved it replaces, and nothing is sent
   */
  readonly adopt?: Input<string | undefined>;
  /**
   * The unresolved id whose one retry is allowed (after a request of unknown outcome).
   * @default nothing is sent again
   * @change none; while the chat is unresolved and this is its id, it replaces, and the request is sent once
   */
  readonly retryUnresolved?: Input<string | undefined>;
}

/**
 * An outbound SMS chat (interface 4.2, 4.4). Creating it sends an SMS; deleting it ends the chat. Who talks to whom and
 * `sendKey` replace it, which ends the old chat and sends again; nothing else ever sends. Its id is the chatId. Its outputs are
 * what the platform returned when it was created (interface 2.4); they are never read again.
 */
export interface SmsChat extends pulumi.CustomResource {
  readonly workspaceId: pulumi.Output<number>;
  readonly agentId: pulumi.Output<string>;
  readonly fromNumber: pulumi.Output<string>;
  readonly toNumber: pulumi.Output<string>;
  readonly metadata: pulumi.Output<Record<string, unknown> | undefined>;
  readonly serviceDynamicVariables: pulumi.Output<Record<string, unknown> | undefined>;
  readonly sendKey: pulumi.Output<string | undefined>;
  /** The chat: what the end of it names. */
  readonly chatId: pulumi.Output<string>;
  /** Version of the agent that runs the chat, an integer. */
  readonly version: pulumi.Output<number | undefined>;
  /** Status of the chat when it was created. */
  readonly status: pulumi.Output<string | undefined>;
  /** Kind of the chat; the interface names `web_chat` alone. */
  readonly type: pulumi.Output<string | undefined>;
  /** Free-form values. */
  readonly customAttributes: pulumi.Output<Record<string, unknown> | undefined>;
  /** When the chat was started (ISO 8601). */
  readonly startedAt: pulumi.Output<string | undefined>;
  /** When the chat was ended (ISO 8601); absent while it runs. */
  readonly endedAt: pulumi.Output<string | undefined>;
  /** What was said by the time of the response; never read again. */
  readonly transcript: pulumi.Output<string | undefined>;
  /** Messages by the time of the response: `content`, `name`, `toolCalls`; never read again. */
  readonly messages: pulumi.Output<unknown[] | undefined>;
  /** Cost of the chat, in a unit that is not specified. */
  readonly chatCost: pulumi.Output<Record<string, unknown> | undefined>;
  /** Analysis of the chat. */
  readonly chatAnalysis: pulumi.Output<Record<string, unknown> | undefined>;
  /** Variables that the agent collected. */
  readonly collectedDynamicVariables: pulumi.Output<Record<string, unknown> | undefined>;
  /** Variables that override others. */
  readonly overrideDynamicVariables: pulumi.Output<Record<string, unknown> | undefined>;
  /** The platform that has the chat: origin and path of the base URL. */
  readonly endpoint: pulumi.Output<string>;
}

export const SmsChat: ResourceClass<SmsChatArgs, SmsChat> = defineResource(
  "SmsChat",
  {
    workspaceId: undefined,
    agentId: undefined,
    fromNumber: undefined,
    toNumber: undefined,
    metadata: undefined,
    serviceDynamicVariables: undefined,
    sendKey: undefined,
    chatId: undefined,
    version: undefined,
    status: undefined,
    type: undefined,
    customAttributes: undefined,
    startedAt: undefined,
    endedAt: undefined,
    transcript: undefined,
    messages: undefined,
    chatCost: undefined,
    chatAnalysis: undefined,
    collectedDynamicVariables: undefined,
    overrideDynamicVariables: undefined,
    endpoint: undefined,
  },
  (args) =>
    defined({
      ...args,
      metadata: asJson(args.metadata),
      serviceDynamicVariables: asJson(args.serviceDynamicVariables),
    }),
  // Whatever a chat was given may come back in these.
  [
    "customAttributes",
    "transcript",
    "messages",
    "chatAnalysis",
    "collectedDynamicVariables",
    "overrideDynamicVariables",
  ],
);
