import type * as pulumi from "@pulumi/pulumi";
import type { Input } from "@pulumi/pulumi";
import { defined, isPlain } from "./base/json";
import { defineResource, type OutputNames, type ResourceClass } from "./engine/defineResource";
import { asJson, whenKnown, withMissing } from "./engine/inputs";
import { splitAgents } from "./routing/split";
import type { PlatformIds, Rollout, Weighted } from "./routing/types";

/**
 * This file declares the arguments and outputs of number resources. docs/reference is generated from its comments, and
 * a test compares the effect that each `@change` tag states (update, replaces, recorded or none) with the result of
 * diff. A note such as `(interface 4.1)` names a section of docs/interface.md; the generated pages leave it out. Don't
 * import a schema here, because a user's program must compile without zod.
 */

/** One agent and its weight in the traffic split (interface 2.1). */
export interface InboundAgentArgs {
  /**
   * The agent's ID in the form `agent_<id>`, without a version.
   * @change update: the preview shows one line for each agent whose weight changes.
   */
  readonly agentId: Input<string>;
  /**
   * The version of the agent, an integer of 0 or more.
   * @default not sent; the platform then chooses a version, and the API does not specify which one
   * @change update: the traffic split treats another version as another agent
   */
  readonly agentVersion?: Input<number | undefined>;
  /**
   * The agent's share of the calls, relative to the sum of all weights: a number from 0 to 1,000,000,000. An agent with
   * weight 0 stays in the list and receives no calls. The weights must not all be 0.
   * @change update
   */
  readonly weight: Input<number>;
}

/**
 * Writes a traffic split as a map: `split({ "agent_front@12": 90, "agent_front@13": 10 })`. An agent with weight 0
 * stays in the split and receives no calls. Returns an Output if `weights` is or contains an Output or a Promise.
 * @param weights the weight of each agent, by `agent_<id>@<version>` or `agent_<id>`; numbers from 0, in any unit
 * @returns the value for `inboundAgents`. A value that isn't a map is returned unchanged, so that check can refuse it.
 */
export function split(weights: Readonly<Record<string, number>>): Weighted[];

export function split(weights: pulumi.Input<Record<string, pulumi.Input<number>>>): pulumi.Output<Weighted[]>;

export function split(
  weights: pulumi.Input<Record<string, pulumi.Input<number>>>,
): Weighted[] | pulumi.Output<Weighted[]> {
  return whenKnown(weights as Record<string, number>, (known) => (isPlain(known) ? splitAgents(known) : known));
}

/** The routing arguments that NumberAssignment and NumberGroup share (interface 4.1). */
export interface RoutingArgs {
  /**
   * The ID (a UUID) of the account that the number belongs to.
   * @default never sent @change update, in place
   */
  readonly accountSid?: Input<string | undefined>;
  /**
   * The ID of the workspace that the number belongs to.
   * @default the `agent-platform:workspaceId` setting
   * @change update, in place
   */
  readonly workspaceId?: Input<number | undefined>;
  /**
   * The ID of the agent for outbound calls, in the form `agent_<id>`.
   * @default never sent
   * @change update; removing it clears the field on the platform
   */
  readonly outboundAgentId?: Input<string | undefined>;
  /**
   * The version of the outbound agent, an integer of 0 or more. Requires `outboundAgentId`.
   * @default never sent
   * @change update; removing it clears the field on the platform
   */
  readonly outboundAgentVersion?: Input<number | undefined>;
  /**
   * The agents for inbound calls with their weights, in any order; at most 100. An empty list leaves the number without
   * agents.
   * @default none; a resource that sets neither this nor `rollout` is refused (AGP-002)
   * @change update
   */
  readonly inboundAgents?: Input<Input<InboundAgentArgs>[] | undefined>;
  /**
   * The name of a rollout in the `agent-platform:rollouts` setting. The split is then computed from the rollout's
   * agents and percentage, with weights that add up to the `weightTotal` setting, or to 100 if that is not set. Set
   * either this or `inboundAgents`.
   * @default none
   * @change update: the preview shows the changed rollout and the split that follows from it
   */
  readonly rollout?: Input<string | undefined>;
  /**
   * The URL of a webhook that the platform associates with the number (interface 6): http or https, without a user name
   * or password, at most 2048 characters.
   * @default never sent
   * @change update; removing it clears the field on the platform
   */
  readonly inboundWebhookUrl?: Input<string | undefined>;
  /**
   * Whether time routing is on. The API does not specify how time routing affects `inboundAgents`.
   * @default never sent
   * @change update; removing it clears the field on the platform
   */
  readonly isTimeRoutingEnabled?: Input<boolean | undefined>;
  /**
   * Values of your choice, which are never sent to the platform. Change one of them to send the resource's routing
   * again, for example after somebody has changed the routing outside of Pulumi.
   * @default none
   * @change update: the same routing is sent again
   */
  readonly triggers?: Input<Record<string, Input<unknown>> | Input<unknown>[] | undefined>;
  /**
   * Additional fields for the request body, which are sent unchanged. A field that has its own argument, such as
   * `workspaceId`, is refused here.
   * @default none
   * @change update; a removed field is sent as null, or left out if the `clearWith` setting is `omit`
   */
  readonly extraFields?: Input<Record<string, Input<unknown>> | undefined>;
}

/** The arguments of a {@link NumberAssignment} (interface 4.1). */
export interface NumberAssignmentArgs extends RoutingArgs {
  /**
   * The phone number (`+15551234567`, without spaces or punctuation), or the identifier of an extension (at most 256
   * characters, without control characters).
   * @change replaces the resource: the new number is assigned, then the old number is cleared
   */
  readonly number: Input<string>;
}

/** The outputs that NumberAssignment and NumberGroup share. */
export interface RoutingOutputs extends pulumi.CustomResource {
  readonly accountSid: pulumi.Output<string | undefined>;
  readonly workspaceId: pulumi.Output<number | undefined>;
  readonly outboundAgentId: pulumi.Output<string | undefined>;
  readonly outboundAgentVersion: pulumi.Output<number | undefined>;
  readonly rollout: pulumi.Output<Rollout | undefined>;
  /** The traffic split, by agent and version: `{ "agent_front@12": 90, "agent_front@13": 10 }`. */
  readonly inboundAgents: pulumi.Output<Record<string, number>>;
  readonly inboundWebhookUrl: pulumi.Output<string | undefined>;
  readonly isTimeRoutingEnabled: pulumi.Output<boolean | undefined>;
  /** The traffic split that was applied before the current one. Undefined after a return to an earlier split. */
  readonly previousInboundAgents: pulumi.Output<Record<string, number> | undefined>;
  /**
   * When the last of the resource's numbers received the current traffic split, or when an import recorded the split
   * (ISO 8601, UTC). Absent if no number has received the split. Numbers that are added later do not change this time.
   */
  readonly since: pulumi.Output<string | undefined>;
  /** The base URL (origin and path) of the platform that the routing belongs to. */
  readonly endpoint: pulumi.Output<string>;
}

/** The names of the outputs that NumberAssignment and NumberGroup share. */
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
 * The routing of one phone number or extension (interface 4.1): inbound agents with their weights and versions, an
 * outbound agent, a webhook, and whether time routing is on. Create and update send the same PUT, which overwrites the
 * number's current routing. The API has no read endpoint, so `pulumi refresh` and `pulumi import` cannot read the
 * routing. To send the routing again, change `triggers`. The resource's ID is the number.
 *
 * ```ts
 * new NumberAssignment("support", {
 *   number: "+15551234567",
 *   rollout: "front", // a rollout in the stack's config, under agent-platform:rollouts
 * });
 * ```
 */
export interface NumberAssignment extends RoutingOutputs {
  readonly number: pulumi.Output<string>;
  /** The identifiers that the platform returned for this number (interface 2.2). */
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
    // Make check refuse an undefined weight in a map, where the SDK would silently drop the agent. In a list, undefined
    // is fine, because an entry may omit its version.
    inboundAgents: whenKnown(args.inboundAgents, (agents) => (Array.isArray(agents) ? agents : withMissing(agents))),
    extraFields: whenKnown(args.extraFields, withMissing),
    triggers: asJson(args.triggers),
  });
}
