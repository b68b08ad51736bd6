import * as z from "zod";
import { asCustomIssue, optional, required } from "../base/arguments";
import { defined, isObject } from "../base/json";
import { agentId, CAPS, natural, objectOf, weight, wire } from "../base/schemas";
import { agentKey, parseAgentKey, percentages, type Split, sumsOf, TOLERANCE, toAgents, toSplit } from "./split";
import type { Weighted } from "./types";

const agentList = z
  .array(
    objectOf(
      { agentId: required(agentId), agentVersion: optional(natural), weight: required(weight) },
      "must be an object { agentId, agentVersion, weight }",
    ),
    {
      error:
        "must be a list of { agentId, agentVersion, weight }, or a map from agents, such as `agent_front@12`, to weights",
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
 * The schema for `inboundAgents`: a list of agents, or a map from agent to weight. With `ignoreChanges`, the engine
 * passes the saved value, which is a map.
 */
export const inboundAgents: z.ZodType<Split> = z.unknown().transform((value, context): Split => {
  // An object with a key such as `agentId` is a single entry without the list's brackets. Validate it as a list, so
  // that the error asks for a list.
  const isMap = isObject(value) && !["agentId", "agentVersion", "weight"].some((key) => key in value);
  const entries = isMap ? Object.entries(value) : undefined;
  const parsed = agentList.safeParse(entries?.map(([key, weight]) => ({ ...parseAgentKey(key), weight })) ?? value);
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

/** The schema for a split in a response. */
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
 * How the split in a response compares with the requested one. `no versions` means that the splits may be the same, but
 * the response doesn't show every agent's version.
 */
type Resemblance = "same" | "no versions" | "other";

/**
 * Compares the percentages in a response with the requested ones, because a platform may scale weights. If the response
 * shows an agent without a version, that agent's total is compared.
 */
export function compareSplit(asked: Split, returned: readonly Weighted[] | null): Resemblance {
  const entries = (returned ?? []).map((entry) => ({ ...parseAgentKey(keyFor(entry, asked)), weight: entry.weight }));
  const [requestedPercentages, returnedPercentages] = [percentages(asked), percentages(sumsOf(entries))];
  // Allow a difference of one percentage point if a requested percentage isn't whole, because a platform may round a
  // third to 33%.
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
  // An entry for `agent_front` without a version may include calls of `agent_front@12`. So `agent_front@12` itself may
  // show a lower percentage than requested, but not a higher one.
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

/**
 * Whether two percentages are equal, within the tolerance. 0% never equals a positive percentage, however small,
 * because at 0% the agent gets no calls.
 */
const isSamePercentage = (requested = 0, returned = 0, tolerance: number): boolean =>
  requested > 0 === returned > 0 && Math.abs(requested - returned) <= tolerance;

/**
 * Returns the key for an entry in a response. `agent_front@12` gets the key `agent_front` if the request leaves the
 * version to the platform.
 */
function keyFor(entry: Weighted, asked: Split): string {
  const key = agentKey(entry);
  return key in asked || !(entry.agentId in asked) ? key : entry.agentId;
}

export function isAgentKey(key: string): boolean {
  const { agentId: id, agentVersion } = parseAgentKey(key);
  return agentId.safeParse(id).success && (agentVersion === undefined || natural.safeParse(agentVersion).success);
}

/** The schema for an agent key, with or without a version. */
export const writtenAgent = z.string({ error: "must be a string" }).refine(isAgentKey, {
  error: "must be an agent, as in `agent_front@12`",
});

/**
 * Returns `agent_front@12` for `front@12`, to suggest it to a user who forgot the prefix. Returns undefined if the
 * string isn't a valid agent key even with the prefix.
 */
export const suggestedAgent = (text: unknown): string | undefined =>
  isAgentKey(`agent_${text}`) ? `agent_${text}` : undefined;
