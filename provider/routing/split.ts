import { compare } from "../base/json";
import type { Agent, Weighted } from "./types";

/**
 * A traffic split: a map from agent key, such as `agent_front@12`, to weight. The engine compares maps by key, so a
 * preview shows which agents changed.
 */
export type Split = Readonly<Record<string, number>>;

/**
 * Returns an agent's key, such as `agent_front@12`. The key can always be parsed back, because the schema for agent IDs
 * refuses an `@`.
 */
export const agentKey = ({ agentId, agentVersion }: Agent): string =>
  agentVersion === undefined ? agentId : `${agentId}@${agentVersion}`;

/**
 * Parses an agent key. A key with an invalid version becomes an agent ID that contains an `@`, which the schema
 * refuses.
 */
export function parseAgentKey(key: string): Agent {
  const at = key.lastIndexOf("@");
  const version = key.slice(at + 1);
  // `Number` alone would accept an empty string as 0, and `0x1F` as 31.
  return at >= 0 && /^(0|[1-9]\d*)$/.test(version)
    ? { agentId: key.slice(0, at), agentVersion: Number(version) }
    : { agentId: key };
}

const byKey = (a: readonly [string, unknown], b: readonly [string, unknown]) => compare(a[0], b[0]);

/** Returns the weights as a split. The keys are sorted and -0 becomes 0, so that equal splits have the same JSON. */
const splitFrom = (weights: readonly (readonly [key: string, weight: number])[]): Split =>
  Object.fromEntries(weights.map(([key, weight]) => [key, weight + 0] as const).sort(byKey));

export const toSplit = (agents: readonly Weighted[]): Split =>
  splitFrom(agents.map((agent) => [agentKey(agent), agent.weight]));

/**
 * Converts the list of agents in a response to a split. The response may list the same agent and version more than
 * once, so their weights are added up.
 */
export function sumsOf(agents: readonly Weighted[]): Split {
  const sums = new Map<string, number>();
  for (const agent of agents) {
    sums.set(agentKey(agent), (sums.get(agentKey(agent)) ?? 0) + agent.weight);
  }
  return splitFrom([...sums]);
}

export function toAgents(split: Split): Weighted[] {
  return Object.entries(split)
    .sort(byKey)
    .map(([key, weight]) => ({ ...parseAgentKey(key), weight }));
}

export const total = (split: Split): number => Object.values(split).reduce((sum, weight) => sum + weight, 0);

/**
 * Percentages that differ by at most this much count as equal. Because of rounding errors, 0.07 of 1 is
 * 7.000000000000001%, but 7 of 100 is 7%.
 */
export const TOLERANCE = 1e-6;

/** The tolerance for sums of floats, which aren't exact: 0.7 + 0.2 + 0.1 is not 1. */
const PRECISION = 1e-9;

export const sumsTo = (split: Split, expected: number): boolean =>
  Math.abs(total(split) - expected) <= PRECISION * Math.max(1, expected);

/** Whether a percentage exceeds its limit by more than a floating-point error. */
export const exceeds = (percentage: number, limit: number): boolean => percentage > limit + PRECISION;

export const isEmpty = (split: Split): boolean => Object.keys(split).length === 0;

/**
 * Returns each agent's percentage of the calls. For weights that sum to 100, it is exactly the weight, because we
 * multiply before we divide: (29 / 100) * 100 is not 29.
 */
export function percentages(split: Split): Record<string, number> {
  const whole = total(split) || 1;
  return Object.fromEntries(Object.entries(split).map(([agent, weight]) => [agent, (weight * 100) / whole]));
}

export interface AgentMove {
  readonly agent: string;
  /** The previous percentage. Undefined if the agent was not in the split. */
  readonly from: number | undefined;
  /** The new percentage. Undefined if the agent is not in the split. */
  readonly to: number | undefined;
}

export function moves(before: Split, after: Split): AgentMove[] {
  const [oldPercentages, newPercentages] = [percentages(before), percentages(after)];
  return [...new Set([...Object.keys(oldPercentages), ...Object.keys(newPercentages)])]
    .sort()
    .map((agent) => ({ agent, from: oldPercentages[agent], to: newPercentages[agent] }));
}

/** Returns how many percentage points of the traffic move. */
export function shift(before: Split, after: Split): number {
  const moved = moves(before, after).reduce((sum, { from = 0, to = 0 }) => sum + Math.abs(to - from), 0);
  // Each point that moves is one agent's loss and another's gain, so halve the sum. If only one split has agents, there
  // are only gains or only losses.
  return isEmpty(before) === isEmpty(after) ? moved / 2 : moved;
}

/** Formats the number with at most two decimals: 33.33, 70. */
export const round = (value: number): string => String(Math.round(value * 100) / 100);

/** Formats a split without rounding its weights: `agent_front@12 (weight 70), agent_front@13 (weight 30)`. */
export const describe = (split: Split): string => describeAgents(toAgents(split));

export const describeAgents = (agents: readonly Weighted[]): string =>
  agents.length === 0 ? "no agents" : agents.map((agent) => `${agentKey(agent)} (weight ${agent.weight})`).join(", ");

/**
 * Converts a map from agent to weight to a list. Invalid keys don't throw here, because check reports them for the
 * resource, together with the program's other mistakes.
 */
export const splitAgents = (weights: Readonly<Record<string, number>>): Weighted[] =>
  Object.entries(weights).map(([key, weight]) => ({ ...parseAgentKey(key), weight }));
