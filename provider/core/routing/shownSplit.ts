import * as z from "zod";
import { defined } from "../common/equality";
import { agentKey, percentages, type Split, toAgents, type Weighted } from "./split";

/** The inbound agents of a response, and whether they are those that were asked for. */

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
  return Object.entries(wanted).every(([key, percent]) => Math.abs(percent - (seen[key] ?? 0)) <= tolerance);
}

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
