import type { Input } from "@pulumi/pulumi";

/**
 * What a program writes. docs/reference is generated from these comments: `@change` says what a changed value does (update,
 * replaces, recorded, none), and a test holds it against the diff. Apart from the schemas, so that a program is compiled against
 * these types and those of the SDK alone.
 */

/** One agent and its weight in the traffic split (interface 2.1). */
export interface InboundAgentArgs {
  /** The agent, `agent_<id>`, without `@`. @change update: one line of the preview for each agent whose weight changes. */
  readonly agentId: Input<string>;
  /**
   * Version of the agent, an integer from 0.
   * @default none is sent, and the platform chooses; the API does not specify which one
   * @change update: another version is another agent of the split
   */
  readonly agentVersion?: Input<number | undefined>;
  /**
   * A number from 0, relative to the sum of all weights. 0 keeps the agent in the list without calls; not all may be 0.
   * @change update
   */
  readonly weight: Input<number>;
}

/** What can be declared of a number's routing, of one number or of a group (interface 4.1). */
export interface RoutingArgs {
  /** Account identifier, UUID-shaped. @default never sent @change update, in place */
  readonly accountSid?: Input<string | undefined>;
  /** Workspace of the number, an integer. @default the setting `agent-platform:workspaceId` @change update, in place */
  readonly workspaceId?: Input<number | undefined>;
  /** Agent for outbound calls, `agent_<id>`. @default never sent @change update; removed, it is cleared at the platform */
  readonly outboundAgentId?: Input<string | undefined>;
  /** Version of the outbound agent, an integer from 0. @default never sent; refused without `outboundAgentId` @change update; removed, it is cleared at the platform */
  readonly outboundAgentVersion?: Input<number | undefined>;
  /**
   * Agents for inbound calls and their weights, at most 100; an empty split leaves the number without agents. Their order has no meaning.
   * @default none: without it and without `rollout` the resource is refused (AGP-002), because a missing key must not unassign its numbers
   * @change update
   */
  readonly inboundAgents?: Input<Input<InboundAgentArgs>[] | undefined>;
  /**
   * Agents for inbound calls as a rollout, in place of `inboundAgents`: the name of one in the setting `agent-platform:rollouts`, which
   * `promote` and `abort` edit. The weights follow from it, and sum to `weightTotal`; without that, to 100. Write one of the two.
   * @default none
   * @change update: what changes is one line of the preview, and the split that follows from it
   */
  readonly rollout?: Input<string | undefined>;
  /**
   * URL that the platform associates with the number (interface 6): http or https, without user name and password, at most 2048 characters.
   * @default never sent
   * @change update; removed, it is cleared at the platform
   */
  readonly inboundWebhookUrl?: Input<string | undefined>;
  /**
   * Whether time routing is on. The API does not specify what it does to `inboundAgents`.
   * @default never sent
   * @change update; removed, it is cleared at the platform
   */
  readonly isTimeRoutingEnabled?: Input<boolean | undefined>;
  /**
   * Any values: a change sends the routing again although nothing else changed.
   * @default none
   * @change update: the same routing is sent again
   */
  readonly triggers?: Input<Record<string, Input<unknown>> | Input<unknown>[] | undefined>;
  /**
   * Wire fields that the interface does not declare, sent as they are. Never a field that has an argument.
   * @default none
   * @change update; a field that is removed is sent as null, or left out if `clearWith` is `omit`
   */
  readonly extraFields?: Input<Record<string, Input<unknown>> | undefined>;
}

/** The arguments of a {@link NumberAssignment} (interface 4.1). */
export interface NumberAssignmentArgs extends RoutingArgs {
  /**
   * Phone number (`+15551234567`) or extension to assign: text without control characters, at most 256; a phone number needs its `+`, and nothing between its digits.
   * @change replaces: the new one is assigned, then the old one cleared
   */
  readonly number: Input<string>;
}

/** The arguments of a {@link NumberGroup}: one routing, many numbers (interface 4.1, once for each number). */
export interface NumberGroupArgs extends RoutingArgs {
  /**
   * The numbers, as a list, or as a map from number to a label that is shown and never sent. At most 10,000; an empty list is refused.
   * @change update: a number that joins gets the routing at once. A number that leaves replaces the group: the others keep their
   * routing, and at the end of the run the one that left is cleared, unless another resource declares it by then; with the resource option `retainOnDelete: true` of an earlier run it keeps its agents, with `protect: true` it cannot leave
   */
  readonly numbers: Input<Input<string>[] | Record<string, Input<string>>>;
}

/**
 * The arguments of a {@link CommunityVoice} (interface 4.3). There is no call to change a voice: every change but that of `adopt` and
 * `retryUnresolved` replaces, which adds another voice and leaves the old one in the library.
 */
export interface CommunityVoiceArgs {
  /** Workspace whose library gets the voice, an integer; required if the setting `workspaceId` is not set. @default the setting `agent-platform:workspaceId` @change replaces */
  readonly workspaceId?: Input<number | undefined>;
  /** The provider that the voice comes from, any text. The API does not specify its values. @change replaces */
  readonly voiceProvider: Input<string>;
  /** The voice's id at its provider. @change replaces */
  readonly providerVoiceId: Input<string>;
  /** Name of the voice in the library. @change replaces */
  readonly voiceName: Input<string>;
  /** The public user at the provider who published the voice. @change replaces */
  readonly publicUserId: Input<string>;
  /**
   * Privileged actor: sent as a header whose name the setting `agent-platform:voiceHeaders` gives.
   * @default the header is not sent
   * @change replaces
   */
  readonly actorType?: Input<"platform_admin" | "provider_admin" | "tenant_admin" | "end_user" | undefined>;
  /**
   * Provider scope of a privileged request: a header, named by `agent-platform:voiceHeaders`.
   * @default the header is not sent
   * @change replaces
   */
  readonly providerScope?: Input<string | undefined>;
  /**
   * Tenant or workspace context: a header, named by `agent-platform:voiceHeaders`. Needed by `platform_admin` and `provider_admin`.
   * @default the header is not sent
   * @change replaces
   */
  readonly workspaceContext?: Input<string | undefined>;
  /**
   * The voiceId of a voice that is in the library already: nothing is sent. Read at create or while unresolved.
   * @default the voice is added
   * @change none; while the voice is unresolved it replaces, and nothing is sent
   */
  readonly adopt?: Input<string | undefined>;
  /**
   * The unresolved id whose one retry is allowed (after a request of unknown outcome).
   * @default nothing is sent again
   * @change none; while the voice is unresolved and this is its id, it replaces, and the request is sent once
   */
  readonly retryUnresolved?: Input<string | undefined>;
}

/**
 * The arguments of an {@link SmsChat} (interface 4.2). Who talks to whom replaces, which ends the old chat and sends an SMS again; the
 * rest never sends.
 */
export interface SmsChatArgs {
  /** Workspace of the chat, an integer; required if the setting `workspaceId` is not set. @default the setting `agent-platform:workspaceId` @change replaces: an SMS is sent again */
  readonly workspaceId?: Input<number | undefined>;
  /** The agent that runs the chat, `chat_agent_<id>`. @change replaces: an SMS is sent again */
  readonly agentId: Input<string>;
  /** The number that the SMS comes from, in international format. @change replaces: an SMS is sent again */
  readonly fromNumber: Input<string>;
  /** The number that gets the SMS, in international format. @change replaces: an SMS is sent again */
  readonly toNumber: Input<string>;
  /**
   * Free-form JSON, at most 65,536 characters.
   * @default not sent
   * @change recorded, not sent: there is no call to change a chat
   */
  readonly metadata?: Input<Record<string, Input<unknown>> | undefined>;
  /** Variables given to the agent: a map from name to JSON value. @default not sent @change recorded, not sent */
  readonly serviceDynamicVariables?: Input<Record<string, Input<unknown>> | undefined>;
  /** Any text, never sent: the one way to say "send again". @default none @change replaces: this chat is ended, an SMS is sent again */
  readonly sendKey?: Input<string | undefined>;
  /**
   * The chatId of a chat that has started already: nothing is sent. Read at create or while unresolved.
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
