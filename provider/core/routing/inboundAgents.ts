import * as z from "zod";
import { holdsUnknown, UNKNOWN } from "../common/engine";
import { defined, isObject } from "../common/equality";
import { agentId, CAPS, natural, noneMissing, objectOf, optional, passedOn, required, weight } from "../common/schemas";
import { agentKey, percentages, readKey, type Split, toAgents, toSplit, type Weighted } from "./split";

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
 * The program's list, or a map: that of a YAML program, or our own, which the engine hands back with `ignoreChanges`. A mistake in a map is
 * told by its key. If an entry is not known yet, the split is not known.
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

// --- the response

const weightEntry = z
  .object({ agent_id: z.string(), agent_version: z.int().nullish(), weight: z.number() })
  .transform(
    ({ agent_id: agentId, agent_version: version, weight }): Weighted =>
      defined({ agentId, agentVersion: version ?? undefined, weight }),
  );

export const weightEntries = z.array(weightEntry).nullish();

/** Percentages are compared, not weights: a platform may scale them to 1 or to 100. Order never matters. */
export function isSameSplit(asked: Split, shown: readonly Weighted[] | null): boolean {
  const wanted = percentages(asked);
  const whole = (shown ?? []).reduce((sum, { weight }) => sum + weight, 0);
  const seen: Record<string, number> = {};
  for (const entry of shown ?? []) {
    const key = keyFor(entry, asked);
    if (key === undefined && entry.weight > 0) {
      return false;
    }
    if (key !== undefined) {
      seen[key] = (seen[key] ?? 0) + (entry.weight / whole) * 100;
    }
  }
  const tolerance = toleranceFor(wanted);
  return Object.entries(wanted).every(([key, percent]) => {
    const isThere = percent === 0 || seen[key] !== undefined;
    return isThere && Math.abs(percent - (seen[key] ?? 0)) <= tolerance;
  });
}

/** Does the response show the version of each agent that was asked for with one? */
export const showsVersions = (asked: Split, shown: readonly Weighted[]): boolean =>
  toAgents(asked).every((agent) => {
    const isOf = (one: Weighted) => one.agentId === agent.agentId && one.agentVersion === agent.agentVersion;
    return agent.agentVersion === undefined || agent.weight === 0 || shown.some(isOf);
  });

/** A platform may round to whole percentages. That changes a third to 33 or 34, but no percentage that is whole already. */
function toleranceFor(wanted: Readonly<Record<string, number>>): number {
  const isWhole = Object.values(wanted).every((percent) => Math.abs(percent - Math.round(percent)) < 1e-6);
  return isWhole ? 0.01 : 1;
}

/** The agent of the split that an entry of the response shows. The platform may add a version that was not asked for, or leave one out. */
function keyFor(entry: Weighted, asked: Split): string | undefined {
  const exact = agentKey(entry);
  if (exact in asked) {
    return exact;
  }
  if (entry.agentId in asked) {
    return entry.agentId;
  }
  const alike = toAgents(asked).filter(({ agentId }) => agentId === entry.agentId);
  return entry.agentVersion === undefined && alike.length === 1 ? alike.map(agentKey)[0] : undefined;
}
