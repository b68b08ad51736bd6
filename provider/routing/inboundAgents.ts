import * as z from "zod";
import { asCustomIssue, optional, required } from "../base/arguments";
import { defined, isObject } from "../base/json";
import { agentId, CAPS, natural, objectOf, weight, wire } from "../base/schemas";
import {
  agentKey,
  parseAgentKey,
  percentages,
  readKey,
  type Split,
  sumsOf,
  TOLERANCE,
  toAgents,
  toSplit,
} from "./split";
import type { Weighted } from "./types";

/** Inbound agents: as a program writes them, and as a response shows them. */

const agentList = z
  .array(
    objectOf(
      { agentId: required(agentId), agentVersion: optional(natural), weight: required(weight) },
      "must be an object { agentId, agentVersion, weight }",
    ),
    {
      error:
        "must be a list of { agentId, agentVersion, weight }, or a map from each agent, as in `agent_front@12`, to its weight",
    },
  )
  .max(CAPS.agents, { error: `must not have more than ${CAPS.agents} agents`, abort: true })
  .superRefine((agents, context) => {
    const keys = agents.map(agentKey);
    for (const index of keys.keys()) {
      if (keys.indexOf(keys[index] ?? "") < index) {
        const message = "names the same agent and version as an earlier entry: remove one of the two";
        context.addIssue({ code: "custom", path: [index], message });
      }
    }
    if (agents.length > 0 && agents.every((agent) => agent.weight === 0)) {
      context.addIssue({ code: "custom", message: "must have at least one weight above zero" });
    }
  })
  .transform(toSplit);

/**
 * The program's list, or a map. With `ignoreChanges`, the engine hands back our own map, and a JavaScript program may
 * write one. Mistakes in a map are reported by key.
 */
export const inboundAgents: z.ZodType<Split> = z.unknown().transform((value, context): Split => {
  // A single list entry is a map too, if the program forgot the brackets, but it isn't a map of agents.
  const isMap = isObject(value) && !["agentId", "agentVersion", "weight"].some((key) => key in value);
  const entries = isMap ? Object.entries(value) : undefined;
  const parsed = agentList.safeParse(entries?.map(([key, weight]) => ({ ...readKey(key), weight })) ?? value);
  if (parsed.success) {
    return parsed.data;
  }
  for (const issue of parsed.error.issues) {
    const [index] = issue.path;
    const key = entries !== undefined && typeof index === "number" ? entries[index]?.[0] : undefined;
    context.issues.push({ ...asCustomIssue(issue), ...(key !== undefined && { path: [key] }) });
  }
  return z.NEVER;
});

/** A split in a response. */
export const weightEntries = wire(
  z.array(
    z
      .object({ agent_id: z.string(), agent_version: wire(z.int()), weight })
      .transform(
        ({ agent_id: agentId, agent_version: version, weight }): Weighted =>
          defined({ agentId, agentVersion: version ?? undefined, weight }),
      ),
  ),
);

/**
 * How the split in a response compares with the requested one: the same, without the versions that would prove it, or
 * different.
 */
type Resemblance = "same" | "no versions" | "other";

/**
 * Compares percentages rather than weights, because a platform may scale weights to 1 or to 100. Order never matters.
 * An agent shown without a version may be any of its versions, so only that agent's total can be compared.
 */
export function compareSplit(asked: Split, returned: readonly Weighted[] | null): Resemblance {
  const entries = (returned ?? []).map((entry) => ({ ...parseAgentKey(keyFor(entry, asked)), weight: entry.weight }));
  const [requestedPercentages, returnedPercentages] = [percentages(asked), percentages(sumsOf(entries))];
  // A platform may round to whole percentages. That turns a third into 33% or 34%, but leaves whole percentages
  // unchanged.
  const isWhole = Object.values(requestedPercentages).every(
    (percent) => Math.abs(percent - Math.round(percent)) < TOLERANCE,
  );
  const tolerance = isWhole ? 0.01 : 1;
  const agents = new Set([...toAgents(asked), ...entries].map(({ agentId }) => agentId));
  const resemblances = [...agents].map((agent) =>
    compareAgent(agent, requestedPercentages, returnedPercentages, tolerance),
  );
  return (
    resemblances.find((resemblance) => resemblance === "other") ??
    resemblances.find((resemblance) => resemblance === "no versions") ??
    "same"
  );
}

type Percentages = Readonly<Record<string, number>>;

function compareAgent(agent: string, requested: Percentages, returned: Percentages, tolerance: number): Resemblance {
  const keys = Object.keys({ ...requested, ...returned }).filter((key) => parseAgentKey(key).agentId === agent);
  if (keys.every((key) => isSamePercentage(requested[key], returned[key], tolerance))) {
    return "same";
  }
  const isUnversioned = requested[agent] === undefined && (returned[agent] ?? 0) > 0;
  // The response may show some of a version's calls without the version. So a version may have fewer calls than
  // requested, but not more.
  const versions = keys.filter((key) => key !== agent);
  const isWithin = versions.every((key) => {
    const { [key]: requestedPercent = 0 } = requested;
    const { [key]: returnedPercent = 0 } = returned;
    return returnedPercent === 0 || (requestedPercent > 0 && returnedPercent <= requestedPercent + tolerance);
  });
  return isUnversioned && isWithin && isSamePercentage(sumOf(keys, requested), sumOf(keys, returned), tolerance)
    ? "no versions"
    : "other";
}

const sumOf = (keys: readonly string[], values: Percentages): number =>
  keys.reduce((sum, key) => sum + (values[key] ?? 0), 0);

/** Despite the tolerance, an agent without calls never equals one that should get some, or the other way round. */
const isSamePercentage = (requested = 0, returned = 0, tolerance: number): boolean =>
  requested > 0 === returned > 0 && Math.abs(requested - returned) <= tolerance;

/** The key of a response entry. The platform may add a version if none was requested. */
function keyFor(entry: Weighted, asked: Split): string {
  const key = agentKey(entry);
  return key in asked || !(entry.agentId in asked) ? key : entry.agentId;
}

export function isAgentKey(key: string): boolean {
  const { agentId: id, agentVersion } = parseAgentKey(key);
  return agentId.safeParse(id).success && (agentVersion === undefined || natural.safeParse(agentVersion).success);
}

/** An agent as people write it, with or without a version. */
export const writtenAgent = z.string({ error: "must be a string" }).refine(isAgentKey, {
  error: "must be an agent, as in `agent_front@12`",
});

/** The agent that was probably meant by a string without the prefix, such as `front@12`. */
export const suggestedAgent = (text: unknown): string | undefined =>
  isAgentKey(`agent_${text}`) ? `agent_${text}` : undefined;
