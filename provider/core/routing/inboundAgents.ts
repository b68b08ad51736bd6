import * as z from "zod";
import { isObject } from "../common/equality";
import {
  agentId,
  allowUnknown,
  CAPS,
  holdsUnknown,
  natural,
  objectOf,
  optional,
  passedOn,
  required,
  UNKNOWN,
  weight,
} from "../common/schemas";
import { agentKey, readKey, type Split, toSplit, type Weighted } from "./split";

/** The schema of `inboundAgents`. */

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
    context.issues.push({ ...passedOn(issue), ...(key !== undefined && { path: [key] }) });
  }
  return z.NEVER;
});

/** A single entry of a list is a map too, if the program forgot the brackets: that is no map of agents. */
const isAgentMap = (value: unknown): value is Record<string, unknown> =>
  isObject(value) && !["agentId", "agentVersion", "weight"].some((key) => key in value);
