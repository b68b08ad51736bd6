import { after, before } from "mocha";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../emulator";
import { createMiniEngine, type Declaration, type MiniEngine, type Run, type RunOptions } from "../support/miniEngine";
import { createProviders, type Providers } from "../support/miniEngineProviders";

/** A stack of groups on the real provider process, without the CLI, and the platform that it speaks to. */
export interface GroupStack {
  readonly engine: MiniEngine;
  readonly platform: Emulator;
  /** Settings of every run to come. */
  config: Record<string, unknown>;
  up(program: readonly Declaration[], options?: Partial<RunOptions>): Promise<Run>;
  preview(program: readonly Declaration[]): Promise<Run>;
  destroy(): Promise<Run>;
  /** The numbers to which requests were sent since the last call, in the order in which they arrived. */
  sent(): string[];
  bodies(): unknown[];
  close(): Promise<void>;
}

let shared: Providers | undefined;
let users = 0;

/** The provider processes live as long as any stack of them: to start one costs more than a test. */
export function keepProviders(): void {
  before(() => {
    users += 1;
    shared ??= createProviders();
  });
  after(async () => {
    users -= 1;
    if (users > 0) {
      return;
    }
    await shared?.close();
    shared = undefined;
  });
}

export async function groupStack(options: EmulatorOptions = {}, settings: object = {}): Promise<GroupStack> {
  const platform = await startEmulator(options);
  const providers = shared;
  if (providers === undefined) {
    throw new Error("keepProviders() belongs into the describe");
  }
  const engine = createMiniEngine(providers);
  let seen = 0;
  const fresh = () => {
    const requests = platform.requests.slice(seen);
    seen = platform.requests.length;
    return requests;
  };
  const stack: GroupStack = {
    engine,
    platform,
    config: {
      "agent-platform:baseUrl": platform.url,
      "agent-platform:accessToken": platform.token,
      ...settings,
    },
    up: (program, more = {}) => engine.up(program, { config: stack.config, ...more }),
    preview: (program) => engine.preview(program, { config: stack.config }),
    destroy: () => engine.destroy({ config: stack.config }),
    sent: () => fresh().map(({ number = "" }) => number),
    bodies: () => fresh().map(({ body }) => body),
    close: () => platform.close(),
  };
  return stack;
}

export const A = { agentId: "agent_a", agentVersion: 1 };
const B = { agentId: "agent_b", agentVersion: 2 };
export const split = (a: number, b: number) => [
  { ...A, weight: a },
  { ...B, weight: b },
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
export function splitOf(platform: Emulator, number: string): string {
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
