import type { Emulator } from "../../emulator";
import type { Declaration } from "../support/miniEngine";
import { type MiniStack, withMiniStack } from "../support/miniStack";
import type { Properties } from "../support/providerCalls";

/** Runs a test on a new stack, with the simulated engine and an emulator. */
export const onStack = (config: Properties, test: (stack: MiniStack) => Promise<void>): Promise<void> =>
  withMiniStack({ config }, test);

export const split = (a: number, b: number) => [
  { agentId: "agent_a", agentVersion: 1, weight: a },
  { agentId: "agent_b", agentVersion: 2, weight: b },
];

export const group = (numbers: unknown, args: object = {}, name = "emea"): Declaration => ({
  name,
  kind: "numberGroup",
  args: { numbers, inboundAgents: split(90, 10), ...args },
});

export const single = (number: string, args: object = {}, name = number): Declaration => ({
  name,
  kind: "numberAssignment",
  args: { number, inboundAgents: split(90, 10), ...args },
});

/** Returns `count` consecutive phone numbers, starting at `+15551230000` plus `from`. */
export const many = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, index) => `+1555${String(1_230_000 + from + index)}`);

/** Returns a number's weights on the platform, such as `90/10`, or an empty string if it has no agents. */
function splitOf(platform: Emulator, number: string): string {
  return Object.values(platform.routing(number)?.inboundAgents ?? {}).join("/");
}

/**
 * Counts how many numbers have each split on the platform. For example, `{ "90/10": 20 }` means that 20 numbers are
 * split 90/10.
 */
export function splits(platform: Emulator, numbers: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const number of numbers) {
    const key = splitOf(platform, number);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
