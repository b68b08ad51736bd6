import * as z from "zod";
import type { Endpoint } from "./endpoint";
import { defined, isObject, same } from "./equality";
import type { AssignNumberRequest } from "./operations";
import type { Rollout } from "./rollout";
import {
  agentId,
  allowUnknown,
  CAPS,
  flag,
  holdsUnknown,
  integer,
  jsonObject,
  natural,
  objectOf,
  optional,
  paramsOf,
  parsedBy,
  passedOn,
  plainText,
  required,
  ruleOf,
  UNKNOWN,
  webhookUrl,
  weight,
} from "./schemas";
import { CLEAR_MODES, type ClearMode } from "./settings";
import { agentKey, isEmpty, readKey, type Split, toAgents, toSplit, type Weighted } from "./split";
import { URN } from "./urn";

/** What is bound to a number, in canonical form. */
export interface Routing {
  readonly accountSid?: string | undefined;
  readonly workspaceId?: number | undefined;
  readonly outboundAgentId?: string | undefined;
  readonly outboundAgentVersion?: number | undefined;
  readonly inboundAgents?: Split | undefined;
  readonly inboundWebhookUrl?: string | undefined;
  readonly isTimeRoutingEnabled?: boolean | undefined;
  readonly extraFields?: Readonly<Record<string, unknown>> | undefined;
}

/** The inputs that a single assignment and a group have in common: all but their numbers. */
export interface NumbersInputs extends Routing, Endpoint {
  /** If the program writes a rollout, `inboundAgents` follows from it. */
  readonly rollout?: Rollout | undefined;
  readonly weightTotal?: number | undefined;
  readonly maxShift?: number | undefined;
  readonly triggers?: unknown;
  readonly onDelete?: OnDelete | undefined;
  /** Arguments whose values are secret, so that no message shows one. */
  readonly secretArguments?: readonly string[] | undefined;
  readonly [URN]?: string | undefined;
}

/** The fields that bind something to the number. One that is no longer declared has to be cleared. */
export const BINDINGS = [
  "inboundAgents",
  "outboundAgentId",
  "outboundAgentVersion",
  "inboundWebhookUrl",
  "isTimeRoutingEnabled",
] as const;
export type Binding = (typeof BINDINGS)[number];

/** The fields by which the platform finds the number: account and workspace. */
const SCOPE = ["accountSid", "workspaceId"] as const;

const ROUTING_FIELDS = [...SCOPE, ...BINDINGS, "extraFields"] as const;

const weighted = objectOf(
  { agentId: required(agentId), agentVersion: optional(natural), weight: required(weight) },
  "must be an object { agentId, agentVersion, weight }",
);

const agentList = z
  .array(allowUnknown(weighted), {
    error:
      "must be a list of { agentId, agentVersion, weight }, or a map from each agent, as in `agent_front@12`, to its weight",
  })
  .max(CAPS.agents, { error: `must hold at most ${CAPS.agents} agents`, abort: true })
  .superRefine((agents, context) => {
    for (const index of duplicates(agents)) {
      context.addIssue({
        code: "custom",
        path: [index],
        message: "names the same agent and version as an earlier entry",
      });
    }
    if (carriesNothing(agents)) {
      context.addIssue({ code: "custom", message: "must not have weights that are all zero" });
    }
  })
  .transform((agents): Split => (holdsUnknown(agents) ? (UNKNOWN as unknown as Split) : toSplit(agents)));

function duplicates(agents: readonly Weighted[]): number[] {
  const keys = agents.map((agent) => (holdsUnknown(agent) ? undefined : agentKey(agent)));
  const firsts = new Map(keys.map((key, index) => [key, index] as const).reverse());
  return [...keys.keys()].filter((index) => keys[index] !== undefined && firsts.get(keys[index]) !== index);
}

const carriesNothing = (agents: readonly Weighted[]): boolean =>
  agents.length > 0 && !holdsUnknown(agents) && agents.every((agent) => agent.weight === 0);

/**
 * The program's list, or a map: that of a YAML program, or our own canonical one, which the engine hands back to check with
 * `ignoreChanges`. What is wrong with an entry of a map is told by its key.
 */
export const inboundAgents: z.ZodType<Split> = z.unknown().transform((value, context): Split => {
  const entries = isAgentMap(value) ? Object.entries(value) : undefined;
  const parsed = agentList.safeParse(entries?.map(([key, weight]) => ({ ...readKey(key), weight })) ?? value);
  if (parsed.success) {
    return parsed.data;
  }
  for (const issue of parsed.error.issues) {
    const [index] = issue.path;
    const key = entries !== undefined && typeof index === "number" ? entries[index]?.[0] : undefined;
    context.issues.push(key === undefined ? passedOn(issue) : mapIssue(issue, key));
  }
  return z.NEVER;
});

function mapIssue(issue: z.core.$ZodIssue, key: string) {
  const { meant } = paramsOf(issue);
  const at = key.lastIndexOf("@");
  const isWeight = issue.path[1] === "weight";
  return {
    ...passedOn(issue),
    message: isWeight ? `has a weight that ${ruleOf(issue)}` : ruleOf(issue),
    path: [key],
    params: meant === undefined || at < 0 ? { meant } : { meant: `${meant}${key.slice(at)}` },
  };
}

/** A single entry of a list is a map too, if the program forgot the brackets: that is no map of agents. */
const isAgentMap = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && !["agentId", "agentVersion", "weight"].some((key) => key in value);

const extraFields = jsonObject.superRefine((fields, context) => {
  for (const key of Object.keys(fields)) {
    if ((ROUTING_FIELDS as readonly string[]).includes(key)) {
      context.addIssue({ code: "custom", path: [key], message: "has an argument of its own: use that one" });
    }
  }
});

type Outbound = Pick<Routing, "outboundAgentId" | "outboundAgentVersion">;

/** Is there a version and no agent that it belongs to? The API does not specify whose version the platform would take it for. */
export const isVersionAlone = ({ outboundAgentId: id, outboundAgentVersion: version }: Outbound): boolean =>
  typeof version === "number" && id === undefined;

/** A rule about two arguments. It is also judged if other arguments are not valid. */
export const VERSION_NEEDS_AGENT = {
  path: ["outboundAgentVersion"],
  error: "is given without outboundAgentId: add the agent, or remove the version",
  when: ({ value }: { value: unknown }) => isObject(value),
};

const bindingShape = {
  outboundAgentId: optional(agentId),
  outboundAgentVersion: optional(natural),
  inboundAgents: optional(inboundAgents),
  inboundWebhookUrl: optional(webhookUrl),
  isTimeRoutingEnabled: optional(flag),
};

/** The arguments of a routing, as the program writes them. */
export const routingShape = {
  accountSid: optional(plainText),
  workspaceId: optional(integer),
  ...bindingShape,
  extraFields: optional(extraFields),
};

/** A routing to fall back to at delete: the bindings alone, since account and workspace are the resource's. */
const fallback = objectOf(
  bindingShape,
  'must be "clear" or a routing to fall back to; to leave the number as it is, use the resource option `retainOnDelete: true`',
)
  .refine((routing) => Object.values(routing).some((value) => value !== undefined), {
    error: 'must assign something; to leave the number without agents, write "clear"',
  })
  .refine((routing) => !isVersionAlone(routing), VERSION_NEEDS_AGENT)
  .transform(defined);

export type OnDelete = "clear" | Omit<Routing, "accountSid" | "workspaceId" | "extraFields">;

export const onDelete: z.ZodType<OnDelete> = z
  .unknown()
  .transform((value, context) => (value === "clear" ? value : parsedBy(fallback, value, context)));

/** The routing part of a resource's inputs or state. */
export const routingOf = (inputs: Routing): Routing =>
  defined(Object.fromEntries(ROUTING_FIELDS.map((field) => [field, inputs[field]])));

/** Are the two equal in everything that is sent? */
export const sameRouting = (a: Routing, b: Routing): boolean => same(routingOf(a), routingOf(b));

/** Fields to clear at the platform: those of the routing, and those of `extraFields`. */
export interface Cleared {
  readonly bindings: Binding[];
  readonly extraFields: string[];
}

/** Fields that are no longer declared: they are cleared explicitly. A field that was never declared is never sent. */
export function clearedFrom(before: Routing, after: Routing): Cleared {
  return {
    bindings: BINDINGS.filter((field) => isBound(before, field) && !isBound(after, field)),
    extraFields: Object.keys(before.extraFields ?? {}).filter((key) => !(key in (after.extraFields ?? {}))),
  };
}

export const isNothingCleared = ({ bindings, extraFields }: Cleared): boolean =>
  bindings.length + extraFields.length === 0;

/** What is cleared if another resource goes on with a number: what only the old resource set, but never the agents. */
export function clearedByMove({ inboundAgents: _, ...before }: Routing, after: Routing): Cleared {
  return clearedFrom(before, after);
}

/** The names of the fields that a routing binds. */
export const boundFields = (routing: Routing): string[] => [
  ...BINDINGS.filter((field) => isBound(routing, field)),
  ...Object.keys(routing.extraFields ?? {}).map((field) => `extraFields.${field}`),
];

/** Does the routing bind something to the field? `inboundAgents: []` does not: it declares that the number has no agents. */
function isBound(routing: Routing, field: Binding): boolean {
  const { [field]: value, inboundAgents } = routing;
  return value !== undefined && !(field === "inboundAgents" && isEmpty(inboundAgents ?? {}));
}

/** The fields that a request for `after` clears: those that only `before` binds, and the agents if `after` has an explicit empty list. */
export function toClear(before: Routing, after: Routing): Cleared {
  const { bindings, extraFields } = clearedFrom(before, after);
  const isEmptied = after.inboundAgents !== undefined && isEmpty(after.inboundAgents);
  return { bindings: isEmptied ? [...new Set<Binding>(["inboundAgents", ...bindings])] : bindings, extraFields };
}

/** Every field of both. The platform may have any of them, so each may have to be cleared. */
export function unionOf(former: Routing, now: Routing): Routing {
  return defined({
    ...former,
    ...now,
    inboundAgents: isBound(now, "inboundAgents") ? now.inboundAgents : (former.inboundAgents ?? now.inboundAgents),
    extraFields:
      former.extraFields === undefined ? now.extraFields : { ...former.extraFields, ...(now.extraFields ?? {}) },
  });
}

/** The routing that the numbers of a deleted resource get; undefined if they are cleared. A state may have anything here. */
export const fallbackIn = (onDelete: OnDelete | undefined): Routing | undefined =>
  typeof onDelete === "object" && onDelete !== null ? onDelete : undefined;

/** If a number has nothing and its fallback has nothing, no request is sent. */
export const isNothingToClear = (held: Routing, fallback: Routing): boolean =>
  boundFields(held).length + boundFields(fallback).length === 0;

/** The body of a PUT before it gets its wire names: `null` and "" are the ways to say "none". */
export type AssignmentFields = Omit<AssignNumberRequest, "number">;

/** The ways of clearing to try, in order: the one that worked in this run comes first. */
export function clearModes(clearWith: "auto" | ClearMode, worked: ClearMode | undefined): ClearMode[] {
  return clearWith === "auto" ? [...new Set([worked ?? "null", ...CLEAR_MODES])] : [clearWith];
}

/** The PUT that assigns the routing and clears fields. It has only fields that are declared or were declared. */
export function toBody(routing: Routing, cleared: Cleared, mode: ClearMode): AssignmentFields {
  const { inboundAgents, extraFields, ...rest } = routing;
  return {
    ...rest,
    ...(inboundAgents === undefined || isEmpty(inboundAgents) ? {} : { inboundAgents: toAgents(inboundAgents) }),
    ...clearedBindings(cleared.bindings, mode),
    ...extras(extraFields, cleared.extraFields, mode),
  };
}

function clearedBindings(bindings: readonly Binding[], mode: ClearMode): AssignmentFields {
  const fields = bindings.map((field) => [field, mode === "null" ? null : EMPTIES[field]] as const);
  return mode === "omit" ? {} : Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** The empty values. An integer has none: the version is cleared with its agent. */
const EMPTIES: Pick<AssignmentFields, Binding> = {
  inboundAgents: [],
  outboundAgentId: "",
  inboundWebhookUrl: "",
  isTimeRoutingEnabled: false,
};

function extras(declared: Routing["extraFields"], gone: readonly string[], mode: ClearMode): AssignmentFields {
  const cleared = mode === "omit" ? {} : Object.fromEntries(gone.map((key) => [key, null]));
  const fields = { ...cleared, ...declared };
  return Object.keys(fields).length === 0 ? {} : { extraFields: fields };
}
