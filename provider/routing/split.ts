import * as z from "zod";
import { compare, defined, isObject } from "../base/json";
import {
  agentId,
  CAPS,
  natural,
  noneMissing,
  objectOf,
  optional,
  passedOn,
  required,
  weight,
  wire,
} from "../base/schemas";
import { holdsUnknown, UNKNOWN } from "../base/unknown";
import type { Agent, Weighted } from "./types";

/**
 * A split as we store it: a map from an agent's key (`agent_front@12`, or `agent_front` without a version) to its weight.
 * A map, because the engine diffs a list by position and a map by key: the reviewer sees the agent that changed.
 */
export type Split = Readonly<Record<string, number>>;

/** `agent_front@12`. No agent id has an `@`, because the schema refuses it, so the key can be read back. */
export const agentKey = ({ agentId, agentVersion }: Agent): string =>
  agentVersion === undefined ? agentId : `${agentId}@${agentVersion}`;

export function parseAgentKey(key: string): Agent {
  const at = key.lastIndexOf("@");
  return at < 0 ? { agentId: key } : { agentId: key.slice(0, at), agentVersion: versionOf(key.slice(at + 1)) };
}

/** NaN if it is not written as a version: no rule takes NaN. `Number` alone would read an empty text as 0, and `0x1F` as 31. */
const versionOf = (text: string): number => (/^(0|[1-9]\d*)$/.test(text) ? Number(text) : Number.NaN);

/** For keys of a program. A key that is not valid stays one text, which the rule for agent ids then refuses. */
function readKey(key: string): Agent {
  const agent = parseAgentKey(key);
  return Number.isNaN(agent.agentVersion) ? { agentId: key } : agent;
}

const byKey = (a: readonly [string, unknown], b: readonly [string, unknown]) => compare(a[0], b[0]);

/** The split in canonical order, and with 0 for -0, so that equal splits have equal texts. */
export function toSplit(agents: readonly Weighted[]): Split {
  return Object.fromEntries(agents.map((agent) => [agentKey(agent), agent.weight + 0] as const).sort(byKey));
}

/** The split of a response, which may have an agent in several entries. */
export function sumsOf(agents: readonly Weighted[]): Split {
  const sums = new Map<string, number>();
  for (const agent of agents) {
    sums.set(agentKey(agent), (sums.get(agentKey(agent)) ?? 0) + agent.weight);
  }
  return toSplit([...sums].map(([key, weight]) => ({ ...parseAgentKey(key), weight })));
}

export function toAgents(split: Split): Weighted[] {
  return Object.entries(split)
    .sort(byKey)
    .map(([key, weight]) => ({ ...parseAgentKey(key), weight }));
}

export const total = (split: Split): number => Object.values(split).reduce((sum, weight) => sum + weight, 0);

/** Sums of floats are not exact: 0.7 + 0.2 + 0.1 is not 1. */
const PRECISION = 1e-9;

export const sumsTo = (split: Split, expected: number): boolean =>
  Math.abs(total(split) - expected) <= PRECISION * Math.max(1, expected);

/** Is a percentage above its limit, by more than the error of a sum of floats? */
export const exceeds = (percentage: number, limit: number): boolean => percentage > limit + PRECISION;

export const isEmpty = (split: Split): boolean => Object.keys(split).length === 0;

/** The percentage of each agent. It is exact for weights that sum to 100, and does not overflow for the largest numbers. */
export function percentages(split: Split): Record<string, number> {
  const entries = Object.entries(split);
  const largest = Math.max(0, ...Object.values(split));
  if (largest === 0) {
    return Object.fromEntries(entries.map(([key]) => [key, 0]));
  }
  const scale = largest > 1e300 ? 1 / largest : 1;
  const whole = entries.reduce((sum, [, weight]) => sum + weight * scale, 0);
  return Object.fromEntries(entries.map(([key, weight]) => [key, (weight * scale * 100) / whole]));
}

export interface AgentMove {
  readonly agent: string;
  /** Percentage before; undefined if the agent was not in the split. */
  readonly from: number | undefined;
  /** Percentage after; undefined if the agent is not in the split. */
  readonly to: number | undefined;
}

export function moves(before: Split, after: Split): AgentMove[] {
  const [old, now] = [percentages(before), percentages(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .sort()
    .map((agent) => ({ agent, from: old[agent], to: now[agent] }));
}

/** How many percentage points of the traffic move: half the sum of all changes, because what one agent loses another one gains. */
export function shift(before: Split, after: Split): number {
  const moved = moves(before, after).reduce((sum, { from = 0, to = 0 }) => sum + Math.abs(to - from), 0);
  return isEmpty(before) === isEmpty(after) ? moved / 2 : moved;
}

/** The number with at most two decimals: 33.33, 70. */
export const round = (value: number): string => String(Math.round(value * 100) / 100);

/** `agent_front@12 70, agent_front@13 30`: weights as written, never rounded. */
export const describe = (split: Split): string => describeAgents(toAgents(split));

export const describeAgents = (agents: readonly Weighted[]): string =>
  agents.length === 0 ? "no agent" : agents.map((agent) => `${agentKey(agent)} ${agent.weight}`).join(", ");

/** A weight 0 stays. What is not valid does not throw here: check tells it at the resource, with all other mistakes of the program. */
export const splitAgents = (weights: Readonly<Record<string, number>>): Weighted[] =>
  Object.entries(weights).map(([key, weight]) => ({ ...readKey(key), weight }));

/** Inbound agents: as a program writes them, and as a response shows them. */

// --- the argument

const weighted = objectOf(
  { agentId: required(agentId), agentVersion: optional(natural), weight: required(weight) },
  "must be an object { agentId, agentVersion, weight }",
);

const agentList = z
  .array(weighted, {
    error:
      "must be a list of { agentId, agentVersion, weight }, or a map from each agent, as in `agent_front@12`, to its weight",
  })
  .max(CAPS.agents, { error: `must hold at most ${CAPS.agents} agents`, abort: true })
  .superRefine((agents, context) => {
    const keys = agents.map(agentKey);
    for (const index of keys.keys()) {
      if (keys.indexOf(keys[index] ?? "") < index) {
        const message = "names the same agent and version as an earlier entry: remove one of the two";
        context.addIssue({ code: "custom", path: [index], message });
      }
    }
    if (agents.length > 0 && agents.every((agent) => agent.weight === 0)) {
      context.addIssue({ code: "custom", message: "must not have weights that are all zero" });
    }
  })
  .transform(toSplit);

/**
 * The program's list, or a map: with `ignoreChanges` the engine hands back our own, and a program in JavaScript may write one. A mistake in a
 * map is told by its key. If an entry is not known yet, the split is not known.
 */
export const inboundAgents: z.ZodType<Split> = noneMissing.transform((value, context): Split => {
  if (holdsUnknown(value)) {
    return UNKNOWN as unknown as Split;
  }
  const entries = isAgentMap(value) ? Object.entries(value) : undefined;
  const parsed = agentList.safeParse(entries?.map(([key, weight]) => ({ ...readKey(key), weight })) ?? value);
  if (parsed.success) {
    return parsed.data;
  }
  for (const issue of parsed.error.issues) {
    const [index] = issue.path;
    const key = entries !== undefined && typeof index === "number" ? entries[index]?.[0] : undefined;
    context.issues.push({ ...passedOn(issue), ...(key !== undefined && { path: [key] }) });
  }
  return z.NEVER;
});

/** A single entry of a list is a map too, if the program forgot the brackets: that is no map of agents. */
const isAgentMap = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && !["agentId", "agentVersion", "weight"].some((key) => key in value);

export function isAgentKey(key: string): boolean {
  const { agentId: id, agentVersion } = parseAgentKey(key);
  return agentId.safeParse(id).success && (agentVersion === undefined || natural.safeParse(agentVersion).success);
}

/** The agent that was probably meant by a text without the prefix: `front@12`. */
export const meantAgent = (text: unknown): string | undefined =>
  isAgentKey(`agent_${text}`) ? `agent_${text}` : undefined;

// --- the response

const weightEntry = z
  .object({ agent_id: z.string(), agent_version: wire(z.int()), weight: z.number() })
  .transform(
    ({ agent_id: agentId, agent_version: version, weight }): Weighted =>
      defined({ agentId, agentVersion: version ?? undefined, weight }),
  );

export const weightEntries = wire(z.array(weightEntry));

/** What a response shows of a split: what was asked for, agents without the versions that would prove it, or something else. */
export type Likeness = "same" | "no versions" | "other";

/**
 * Percentages are compared, not weights: a platform may scale them to 1 or to 100. Order never matters. An agent that is shown without a
 * version may be any version of it, so only the sum of that agent can be compared.
 */
export function compareSplit(asked: Split, shown: readonly Weighted[] | null): Likeness {
  const entries = (shown ?? []).map((entry) => ({ ...parseAgentKey(keyFor(entry, asked)), weight: entry.weight }));
  const [wanted, seen] = [percentages(asked), percentages(sumsOf(entries))];
  const tolerance = toleranceFor(wanted);
  const agents = new Set([...toAgents(asked), ...entries].map(({ agentId }) => agentId));
  const likenesses = [...agents].map((agent) => compareAgent(agent, wanted, seen, tolerance));
  return likenesses.find((one) => one === "other") ?? likenesses.find((one) => one === "no versions") ?? "same";
}

type Percentages = Readonly<Record<string, number>>;

function compareAgent(agent: string, wanted: Percentages, seen: Percentages, tolerance: number): Likeness {
  const keys = Object.keys({ ...wanted, ...seen }).filter((key) => parseAgentKey(key).agentId === agent);
  if (keys.every((key) => isNear(wanted[key], seen[key], tolerance))) {
    return "same";
  }
  const isUnversioned = wanted[agent] === undefined && (seen[agent] ?? 0) > 0;
  // A version that is shown has no more calls than it is to get. The rest may be among those without a version.
  const versions = keys.filter((key) => key !== agent);
  const isWithin = versions.every((key) => isAtMost(wanted[key], seen[key], tolerance));
  return isUnversioned && isWithin && isNear(sumOf(keys, wanted), sumOf(keys, seen), tolerance)
    ? "no versions"
    : "other";
}

const sumOf = (keys: readonly string[], values: Percentages): number =>
  keys.reduce((sum, key) => sum + (values[key] ?? 0), 0);

/** No tolerance makes an agent without calls of one that is to get some, or the other way round. */
const isNear = (wanted = 0, seen = 0, tolerance: number): boolean =>
  wanted > 0 === seen > 0 && Math.abs(wanted - seen) <= tolerance;

const isAtMost = (wanted = 0, seen = 0, tolerance: number): boolean =>
  seen === 0 || (wanted > 0 && seen <= wanted + tolerance);

/** A platform may round to whole percentages. That changes a third to 33 or 34, but no percentage that is whole already. */
function toleranceFor(wanted: Percentages): number {
  const isWhole = Object.values(wanted).every((percent) => Math.abs(percent - Math.round(percent)) < 1e-6);
  return isWhole ? 0.01 : 1;
}

/** The key of an entry of the response. The platform may add a version if none was asked for. */
function keyFor(entry: Weighted, asked: Split): string {
  const key = agentKey(entry);
  return key in asked || !(entry.agentId in asked) ? key : entry.agentId;
}
