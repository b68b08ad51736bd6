import type { Input } from "@pulumi/pulumi";

/**
 * The arguments that a single assignment and a group have in common. docs/reference is generated from these comments: `@change`
 * says what a changed value does (update, replaces, recorded, none), and a test holds it against the diff.
 */

/** One agent and its share of the calls (interface 2.1). */
export interface InboundAgentArgs {
  /** The agent, `agent_<id>`, without `@`. @change update: one line of the preview for each agent whose weight changes. */
  agentId: Input<string>;
  /**
   * Version of the agent, an integer from 0.
   * @default none is sent, and the platform chooses: which one, the interface does not show
   * @change update: another version is another agent of the split
   */
  agentVersion?: Input<number | undefined>;
  /**
   * Share of the traffic, a number from 0, relative to the sum of all weights. 0 keeps the agent in the list without calls; not all may be 0.
   * @change update
   */
  weight: Input<number>;
}

/** A routing that a number falls back to when its resource is deleted (interface 4.1). At least one field. */
export interface FallbackRoutingArgs {
  /** Agent for outbound calls, `agent_<id>`. @default cleared @change recorded */
  outboundAgentId?: Input<string | undefined>;
  /** Version of the outbound agent, an integer from 0. @default cleared @change recorded */
  outboundAgentVersion?: Input<number | undefined>;
  /** Agents for inbound calls and their weights. @default cleared @change recorded */
  inboundAgents?: Input<Input<InboundAgentArgs>[] | undefined>;
  /** URL that the platform associates with the number. @default cleared @change recorded */
  inboundWebhookUrl?: Input<string | undefined>;
  /** Whether time routing is on. @default cleared @change recorded */
  isTimeRoutingEnabled?: Input<boolean | undefined>;
}

/** What can be declared of a number's routing, of one number or of a group (interface 4.1). */
export interface RoutingArgs {
  /** Account identifier, UUID-shaped. @default the setting `agent-platform:accountSid` @change update, in place */
  accountSid?: Input<string | undefined>;
  /** Workspace of the number, an integer. @default the setting `agent-platform:workspaceId` @change update, in place */
  workspaceId?: Input<number | undefined>;
  /** Agent for outbound calls, `agent_<id>`. @default never sent @change update; removed, it is cleared at the platform */
  outboundAgentId?: Input<string | undefined>;
  /** Version of the outbound agent, an integer from 0. @default never sent @change update; removed, it is cleared at the platform */
  outboundAgentVersion?: Input<number | undefined>;
  /**
   * Agents for inbound calls and their weights, at most 100; several entries are an A/B split. Their order has no meaning.
   * `[]` leaves the number without agents.
   * @default never sent
   * @change update; to remove the argument once it was managed is refused (AGP-002), for a missing key must not unassign a fleet
   */
  inboundAgents?: Input<Input<InboundAgentArgs>[] | undefined>;
  /**
   * URL that the platform associates with the number (interface 6): http or https, without user name and password, at most 2048 characters.
   * @default never sent
   * @change update; removed, it is cleared at the platform
   */
  inboundWebhookUrl?: Input<string | undefined>;
  /**
   * Whether time routing is on. What it does to `inboundAgents`, the interface does not show.
   * @default never sent
   * @change update; removed, it is cleared at the platform
   */
  isTimeRoutingEnabled?: Input<boolean | undefined>;
  /** Guard, judged at preview, never sent: what the weights must sum to. @default the setting `agent-platform:weightTotal` @change recorded */
  weightTotal?: Input<number | undefined>;
  /**
   * Guard, judged at preview, never sent: how many percentage points of the traffic one change may move, from 0 to 100.
   * @default the setting `agent-platform:maxShift`
   * @change recorded
   */
  maxShift?: Input<number | undefined>;
  /**
   * What a delete does: `"clear"` the bindings, or assign a routing to fall back to. To leave the number as it is, use the
   * resource option `retainOnDelete: true`.
   * @default "clear"
   * @change recorded
   */
  onDelete?: Input<"clear" | FallbackRoutingArgs | undefined>;
  /**
   * Any values. There is no read endpoint to see drift by: a change sends the routing again although nothing else changed.
   * @default none
   * @change update: the same routing is sent again
   */
  triggers?: Input<Record<string, Input<unknown>> | Input<unknown>[] | undefined>;
  /**
   * Wire fields that the interface does not declare, sent as they are. Never a field that has an argument.
   * @default none
   * @change update; a field that is removed is sent as null, or left out where that is how the platform clears
   */
  extraFields?: Input<Record<string, Input<unknown>> | undefined>;
}
