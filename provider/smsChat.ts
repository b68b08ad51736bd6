import type * as pulumi from "@pulumi/pulumi";
import type { Input } from "@pulumi/pulumi";
import { defined } from "./base/json";
import { defineResource, type ResourceClass } from "./engine/defineResource";
import { asJson } from "./engine/inputs";

/**
 * The arguments of an {@link SmsChat} (interface 4.2). Changing the agent, the workspace, one of the two numbers or
 * `sendKey` replaces the chat, which sends another SMS and ends the old chat. No other change sends anything, except
 * setting `retryUnresolved` while it is unknown whether the chat was started.
 */
export interface SmsChatArgs {
  /**
   * The ID of the chat's workspace, an integer. Set it here or in the settings.
   * @default the `agent-platform:workspaceId` setting
   * @change replaces the chat, which sends another SMS
   */
  readonly workspaceId?: Input<number | undefined>;
  /**
   * The ID of the agent that runs the chat, in the form `chat_agent_<id>`.
   * @change replaces the chat, which sends another SMS
   */
  readonly agentId: Input<string>;
  /**
   * The number that sends the SMS, in international format.
   * @change replaces the chat, which sends another SMS
   */
  readonly fromNumber: Input<string>;
  /**
   * The number that receives the SMS, in international format.
   * @change replaces the chat, which sends another SMS
   */
  readonly toNumber: Input<string>;
  /**
   * Arbitrary JSON to store with the chat, at most 65,536 characters.
   * @default not sent
   * @change recorded, not sent, because the API cannot change a chat
   */
  readonly metadata?: Input<Record<string, Input<unknown>> | undefined>;
  /** Variables for the agent: a map from name to JSON value. @default not sent @change recorded, not sent */
  readonly serviceDynamicVariables?: Input<Record<string, Input<unknown>> | undefined>;
  /**
   * A string of your choice, which is never sent to the platform. Change it to start the chat again.
   * @default none
   * @change replaces the chat, which sends another SMS and ends the old chat
   */
  readonly sendKey?: Input<string | undefined>;
  /**
   * The `chatId` of a chat that has already started. If set, the resource records that chat, and no SMS is sent. Set
   * this when you create the resource, or later if the chat is unresolved (AGP-041). At any other time, changing this
   * argument alone has no effect.
   * @default the chat is started
   * @change none; while it is unknown whether the chat was started, setting this replaces the resource and sends
   * nothing
   */
  readonly adopt?: Input<string | undefined>;
  /**
   * Starts an unresolved chat by repeating its request, which sends the SMS. Set this to the ID in the AGP-041 message,
   * but only after you have found that no chat was started.
   * @default nothing is sent again
   * @change none; while it is unknown whether the chat was started, setting this to the resource's ID replaces the
   * resource and sends the request once
   */
  readonly retryUnresolved?: Input<string | undefined>;
}

/**
 * An outbound SMS chat (interface 4.2, 4.4). Creating it sends an SMS; deleting it ends the chat. Changing the agent,
 * the workspace, either number or `sendKey` replaces it, which sends another SMS and ends the old chat. The resource's
 * ID is the `chatId`. The outputs hold what the platform returned when the chat was created (interface 2.4), and are
 * never updated later.
 */
export interface SmsChat extends pulumi.CustomResource {
  readonly workspaceId: pulumi.Output<number>;
  readonly agentId: pulumi.Output<string>;
  readonly fromNumber: pulumi.Output<string>;
  readonly toNumber: pulumi.Output<string>;
  readonly metadata: pulumi.Output<Record<string, unknown> | undefined>;
  readonly serviceDynamicVariables: pulumi.Output<Record<string, unknown> | undefined>;
  readonly sendKey: pulumi.Output<string | undefined>;
  /** The ID of the chat, which is included in the request that ends the chat. */
  readonly chatId: pulumi.Output<string>;
  /** The version of the agent that runs the chat. */
  readonly version: pulumi.Output<number | undefined>;
  /** The status of the chat when it was created. */
  readonly status: pulumi.Output<string | undefined>;
  /** The type of the chat. The API mentions only `web_chat`. */
  readonly type: pulumi.Output<string | undefined>;
  /** The chat's custom attributes, as the platform returned them. They may have any names and values. */
  readonly customAttributes: pulumi.Output<Record<string, unknown> | undefined>;
  /** When the chat was started (ISO 8601). */
  readonly startedAt: pulumi.Output<string | undefined>;
  /** When the chat ended (ISO 8601). Absent if the chat had not ended when the platform responded. */
  readonly endedAt: pulumi.Output<string | undefined>;
  /** The chat's transcript, as returned when the chat was started. */
  readonly transcript: pulumi.Output<string | undefined>;
  /** The chat's messages, as returned when the chat was started, each with `content`, `name` and `toolCalls`. */
  readonly messages: pulumi.Output<unknown[] | undefined>;
  /** The cost of the chat; the API does not specify the unit. */
  readonly chatCost: pulumi.Output<Record<string, unknown> | undefined>;
  /** The platform's analysis of the chat. */
  readonly chatAnalysis: pulumi.Output<Record<string, unknown> | undefined>;
  /** The variables collected by the agent, as returned when the chat was started. */
  readonly collectedDynamicVariables: pulumi.Output<Record<string, unknown> | undefined>;
  /** The variables that override the agent's own variables. */
  readonly overrideDynamicVariables: pulumi.Output<Record<string, unknown> | undefined>;
  /** The base URL (origin and path) of the platform that the chat belongs to. */
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
  // These outputs are always secret, because the platform may echo the chat's secret arguments in them.
  [
    "customAttributes",
    "transcript",
    "messages",
    "chatAnalysis",
    "collectedDynamicVariables",
    "overrideDynamicVariables",
  ],
);
