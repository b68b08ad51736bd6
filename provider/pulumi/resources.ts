import type * as pulumi from "@pulumi/pulumi";
import type { PlatformIds } from "../core/api/operations";
import { MISSING, NOT_JSON } from "../core/common/engine";
import { defined, isPlain } from "../core/common/equality";
import { textOf } from "../core/routing/group";
import type { Rollout } from "../core/routing/rollout";
import { splitAgents, type Weighted } from "../core/routing/split";
import type {
  CommunityVoiceArgs,
  NumberAssignmentArgs,
  NumberGroupArgs,
  RoutingArgs,
  SmsChatArgs,
} from "../resources/args";
import { defineResource, type OutputNames } from "./defineResource";
import { watchProgram } from "./programRun";
import type { ResourceClass } from "./resourceClass";
import { holdsOutput, whenKnown } from "./secrets";

/** What a program uses: the classes of resources, each with its outputs, and the helper for a split. */

// An inline program may fail before it has constructed a resource.
watchProgram();

/** The outputs that a number and a group have in common. */
interface RoutingOutputs extends pulumi.CustomResource {
  readonly accountSid: pulumi.Output<string | undefined>;
  readonly workspaceId: pulumi.Output<number | undefined>;
  readonly outboundAgentId: pulumi.Output<string | undefined>;
  readonly outboundAgentVersion: pulumi.Output<number | undefined>;
  readonly rollout: pulumi.Output<Rollout | undefined>;
  /** The split by agent and version: `{ "agent_front@12": 90, "agent_front@13": 10 }`. */
  readonly inboundAgents: pulumi.Output<Record<string, number>>;
  readonly inboundWebhookUrl: pulumi.Output<string | undefined>;
  readonly isTimeRoutingEnabled: pulumi.Output<boolean | undefined>;
  /** The split that was applied before this one: what a rollback goes back to. */
  readonly previousInboundAgents: pulumi.Output<Record<string, number> | undefined>;
  /** When the platform had accepted the present split for the last number, or an import recorded it (ISO 8601, UTC): how long a rollout is at its percent. Absent while one may not have it. */
  readonly since: pulumi.Output<string | undefined>;
  /** The platform of this resource: origin and path of the base URL. */
  readonly endpoint: pulumi.Output<string>;
}

/** The names of the outputs that a number and a group have in common. */
const ROUTING_OUTPUTS: OutputNames<RoutingOutputs> = {
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

/**
 * One routing over many numbers: one resource, one diff, and a PUT for each number that changes. Its id is chosen at
 * creation and then stable. Numbers that fail do not stop the others; the next run sends only what is missing.
 */
export interface NumberGroup extends RoutingOutputs {
  /** The numbers, sorted, one a line, with their labels behind a tab. */
  readonly numbers: pulumi.Output<string>;
}

export const NumberGroup: ResourceClass<NumberGroupArgs, NumberGroup> = defineResource(
  "NumberGroup",
  { ...ROUTING_OUTPUTS, numbers: undefined },
  (args) => ({
    ...routed(args),
    // One text at once if the numbers are known, because an output of a list would need a promise for each number.
    numbers: whenKnown<unknown, unknown>(args.numbers, (numbers) => textOf(withMissing(numbers))),
  }),
);

function routed<Args extends RoutingArgs>(args: Args): Args {
  return defined({
    ...args,
    // An entry of a list may leave its version out.
    inboundAgents: whenKnown(args.inboundAgents, (agents) => (Array.isArray(agents) ? agents : withMissing(agents))),
    extraFields: whenKnown(args.extraFields, withMissing),
    triggers: asJson(args.triggers),
  });
}

/** The value with a text for each undefined one in its maps, which check refuses. The SDK would leave the key out. */
const withMissing = <Value>(value: Value): Value => marked(value, MISSING);

/** The same of JSON, in which a key may be undefined. With an output in it the value stays as it is. */
const asJson = <Value>(value: Value): Value => (holdsOutput(value) ? value : marked(value, undefined));

function marked<Value>(value: Value, missing: string | undefined): Value {
  const item = (one: unknown): unknown => (one === undefined ? missing : marked(one, missing));
  if (Array.isArray(value)) {
    return value.map(item) as Value;
  }
  if (isPlain(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, item(one)])) as Value;
  }
  const isLost = typeof value === "function" || (typeof value === "object" && value !== null);
  return isLost ? (NOT_JSON as Value) : value;
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

/**
 * A community voice in a workspace's library (interface 4.3). The API cannot change or delete one: every
 * change replaces, and a delete leaves the voice in the library and says so. Its id is the voiceId. Its outputs are what the
 * platform returned when it was added (interface 2.5); they are never read again.
 */
export interface CommunityVoice extends pulumi.CustomResource {
  readonly workspaceId: pulumi.Output<number>;
  readonly voiceProvider: pulumi.Output<string>;
  readonly providerVoiceId: pulumi.Output<string>;
  readonly voiceName: pulumi.Output<string>;
  readonly publicUserId: pulumi.Output<string>;
  /** The voice in the library: what an agent refers to. */
  readonly voiceId: pulumi.Output<string>;
  /** Name of the voice, in the platform's words. */
  readonly name: pulumi.Output<string | undefined>;
  /** Gender of the voice; the API does not specify its values. */
  readonly gender: pulumi.Output<string | undefined>;
  /** Language of the voice; the API does not specify its form. */
  readonly language: pulumi.Output<string | undefined>;
  /** Accent of the voice. */
  readonly accent: pulumi.Output<string | undefined>;
  /** What the library says of the voice. */
  readonly description: pulumi.Output<string | undefined>;
  /** Provider of the voice, in the platform's words. */
  readonly provider: pulumi.Output<string | undefined>;
  /** Address of a sample of the voice. */
  readonly previewUrl: pulumi.Output<string | undefined>;
  /** Another place to hear it; the API does not specify when it is used. */
  readonly playbackOverrideUrl: pulumi.Output<string | undefined>;
  /** Tags of the voice, a list of text. */
  readonly tags: pulumi.Output<string[] | undefined>;
  /** When the platform says that it was added (ISO 8601). */
  readonly createdAt: pulumi.Output<string | undefined>;
  /** When the platform says that it was changed last (ISO 8601). */
  readonly updatedAt: pulumi.Output<string | undefined>;
  /** The platform that has the voice: origin and path of the base URL. */
  readonly endpoint: pulumi.Output<string>;
}

export const CommunityVoice: ResourceClass<CommunityVoiceArgs, CommunityVoice> = defineResource("CommunityVoice", {
  workspaceId: undefined,
  voiceProvider: undefined,
  providerVoiceId: undefined,
  voiceName: undefined,
  publicUserId: undefined,
  voiceId: undefined,
  name: undefined,
  gender: undefined,
  language: undefined,
  accent: undefined,
  description: undefined,
  provider: undefined,
  previewUrl: undefined,
  playbackOverrideUrl: undefined,
  tags: undefined,
  createdAt: undefined,
  updatedAt: undefined,
  endpoint: undefined,
});

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
  /** Status of the chat when it was created; the API does not specify its values. */
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
  /** Cost of the chat; the API does not specify its fields and unit. */
  readonly chatCost: pulumi.Output<Record<string, unknown> | undefined>;
  /** Analysis of the chat; the API does not specify its fields. */
  readonly chatAnalysis: pulumi.Output<Record<string, unknown> | undefined>;
  /** Variables that the agent collected. */
  readonly collectedDynamicVariables: pulumi.Output<Record<string, unknown> | undefined>;
  /** Variables that override others; the API does not specify which. */
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
