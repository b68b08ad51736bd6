import type { Emulator } from "../../emulator";
import type { Declaration, MiniEngine, Run, RunOptions } from "../support/miniEngine";
import { startMiniStack } from "../support/miniStack";
import type { Properties } from "../support/providerCalls";

/** A stack of groups under the small engine, and the platform that it speaks to. */
export interface GroupStack {
  readonly engine: MiniEngine;
  readonly platform: Emulator;
  /** Settings of every run to come. */
  config: Properties;
  up(program: readonly Declaration[], options?: Partial<RunOptions>): Promise<Run>;
  preview(program: readonly Declaration[]): Promise<Run>;
  destroy(): Promise<Run>;
  /** The numbers to which requests were sent since the last call, in the order in which they arrived. */
  sent(): string[];
  bodies(): unknown[];
  close(): Promise<void>;
}

export async function groupStack(settings: Properties = {}): Promise<GroupStack> {
  const { emulator: platform, engine, settings: withDefaults } = await startMiniStack();
  let seen = 0;
  const fresh = () => {
    const requests = platform.requests.slice(seen);
    seen = platform.requests.length;
    return requests;
  };
  const stack: GroupStack = {
    engine,
    platform,
    config: withDefaults(settings),
    up: (program, more = {}) => engine.up(program, { config: stack.config, ...more }),
    preview: (program) => engine.preview(program, { config: stack.config }),
    destroy: () => engine.destroy({ config: stack.config }),
    sent: () => fresh().map(({ number = "" }) => number),
    bodies: () => fresh().map(({ body }) => body),
    close: () => platform.close(),
  };
  return stack;
}

/** A stack for one test. */
export async function onStack(settings: Properties, test: (stack: GroupStack) => Promise<void>): Promise<void> {
  const stack = await groupStack(settings);
  try {
    await test(stack);
  } finally {
    await stack.close();
  }
}

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

/** `+15551230000`, `+15551230001`, … */
export const many = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, index) => `+1555${String(1_230_000 + from + index)}`);

/** The split that callers of a number meet, as `90/10`; nothing if no agent is bound. */
function splitOf(platform: Emulator, number: string): string {
  return Object.values(platform.routing(number)?.inboundAgents ?? {}).join("/");
}

/** How many numbers have which split. */
export function splits(platform: Emulator, numbers: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const number of numbers) {
    const key = splitOf(platform, number);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
