import type * as pulumi from "@pulumi/pulumi";
import type { Input } from "@pulumi/pulumi";
import { defined, isPlain } from "./base/json";
import { defineResource, type OutputNames, type ResourceClass } from "./engine/defineResource";
import { asJson, whenKnown, withMissing } from "./engine/inputs";
import { splitAgents } from "./routing/split";
import type { PlatformIds, Rollout, Weighted } from "./routing/types";

/**
 * Arguments and outputs of numbers. docs/reference is generated from these comments, and a test holds each `@change` (update, replaces,
 * recorded, none) against the diff. No schema is imported, so a program compiles without zod.
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
   * A number from 0 to 1,000,000,000, relative to the sum of all weights. 0 keeps the agent in the list without calls; not all may be 0.
   * @change update
   */
  readonly weight: Input<number>;
}

/**
 * A split by agent: `split({ "agent_front@12": 90, "agent_front@13": 10 })`. An explicit weight 0 stays 0.
 * With an Input among the arguments the result is an Output.
 * @param weights weights by agent, `agent_<id>@<version>` or `agent_<id>`; numbers from 0, in any unit
 * @returns what `inboundAgents` takes; what is no map comes back as it is, and check refuses it
 */
export function split(weights: Readonly<Record<string, number>>): Weighted[];

export function split(weights: pulumi.Input<Record<string, pulumi.Input<number>>>): pulumi.Output<Weighted[]>;

export function split(
  weights: pulumi.Input<Record<string, pulumi.Input<number>>>,
): Weighted[] | pulumi.Output<Weighted[]> {
  return whenKnown(weights as Record<string, number>, (known) => (isPlain(known) ? splitAgents(known) : known));
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
   * Agents for inbound calls and their weights, at most 100, in any order; an empty split leaves the number without agents.
   * @default none: without it and without `rollout` the resource is refused (AGP-002)
   * @change update
   */
  readonly inboundAgents?: Input<Input<InboundAgentArgs>[] | undefined>;
  /**
   * Name of a rollout in the setting `agent-platform:rollouts`, in place of `inboundAgents`: write one of the two. Its weights sum to
   * `weightTotal`, or else to 100.
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
   * Any values: a change of them sends the routing again.
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
   * Phone number (`+15551234567`, nothing between its digits) or extension: text without control characters, at most 256.
   * @change replaces: the new one is assigned, then the old one cleared
   */
  readonly number: Input<string>;
}

/** The outputs that a number and a group have in common. */
export interface RoutingOutputs extends pulumi.CustomResource {
  readonly accountSid: pulumi.Output<string | undefined>;
  readonly workspaceId: pulumi.Output<number | undefined>;
  readonly outboundAgentId: pulumi.Output<string | undefined>;
  readonly outboundAgentVersion: pulumi.Output<number | undefined>;
  readonly rollout: pulumi.Output<Rollout | undefined>;
  /** The split by agent and version: `{ "agent_front@12": 90, "agent_front@13": 10 }`. */
  readonly inboundAgents: pulumi.Output<Record<string, number>>;
  readonly inboundWebhookUrl: pulumi.Output<string | undefined>;
  readonly isTimeRoutingEnabled: pulumi.Output<boolean | undefined>;
  /** The split that was applied before this one. */
  readonly previousInboundAgents: pulumi.Output<Record<string, number> | undefined>;
  /**
   * When the platform accepted the present split for the last of the numbers that have it, or an import recorded it (ISO 8601, UTC). Absent if no
   * number has it. A number that joins later does not change it.
   */
  readonly since: pulumi.Output<string | undefined>;
  /** The platform of this resource: origin and path of the base URL. */
  readonly endpoint: pulumi.Output<string>;
}

/** The names of the outputs that a number and a group have in common. */
export const ROUTING_OUTPUTS: OutputNames<RoutingOutputs> = {
  accountSid: undefined,
  workspaceId: undefined,
  outboundAgentId: undefined,
  outboundAgentVersion: undefined,
  rollout: undefined,
  inboundAgents: undefined,
  inboundWebhookUrl: undefined,
  isTimeRoutingEnabled: undefined,
  previousInboundAgents: undefined,
  since: undefined,
  endpoint: undefined,
};

/**
 * The agents of one phone number or extension (interface 4.1): an outbound agent, weighted inbound agents with their
 * versions, a webhook and time routing. Create and update are the same PUT, which overwrites the number's current routing.
 * There is no read endpoint: refresh and import see nothing, and `triggers` sends the routing again on demand.
 * Its id is the number.
 *
 * ```ts
 * new NumberAssignment("support", {
 *   number: "+15551234567",
 *   rollout: "front", // of the stack's config: agent-platform:rollouts
 * });
 * ```
 */
export interface NumberAssignment extends RoutingOutputs {
  readonly number: pulumi.Output<string>;
  /** What the platform calls this number (interface 2.2). */
  readonly platformIds: pulumi.Output<PlatformIds | undefined>;
}

export const NumberAssignment: ResourceClass<NumberAssignmentArgs, NumberAssignment> = defineResource(
  "NumberAssignment",
  { ...ROUTING_OUTPUTS, number: undefined, platformIds: undefined },
  routed,
);

export function routed<Args extends RoutingArgs>(args: Args): Args {
  return defined({
    ...args,
    // An entry of a list may leave its version out.
    inboundAgents: whenKnown(args.inboundAgents, (agents) => (Array.isArray(agents) ? agents : withMissing(agents))),
    extraFields: whenKnown(args.extraFields, withMissing),
    triggers: asJson(args.triggers),
  });
}
