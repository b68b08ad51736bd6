import { type Emulator, type EmulatorOptions, startEmulator } from "../../emulator";
import type { World } from "../../provider/base/world";
import { createMiniEngine, type Declaration, type MiniEngine, type Run, type RunOptions } from "./miniEngine";
import type { Kind, Properties } from "./providerCalls";
import { createProviders } from "./providers";

/** A stack of the small engine on an emulator of its own, for one test. */
export interface MiniStack {
  readonly emulator: Emulator;
  readonly engine: MiniEngine;
  /** Settings of every run to come. */
  config: Properties;
  up(program: readonly Declaration[], options?: Partial<RunOptions>): Promise<Run>;
  preview(program: readonly Declaration[]): Promise<Run>;
  refresh(options?: Partial<RunOptions>): Promise<Run>;
  destroy(options?: Partial<RunOptions>): Promise<Run>;
  /** The numbers to which requests were sent since the last call, in the order in which they arrived. */
  sent(): string[];
  /** The bodies of these requests. */
  bodies(): unknown[];
  close(): Promise<void>;
}

interface StackOptions extends EmulatorOptions {
  readonly config?: Properties;
  /** How often a run sends a request that may be sent again. @default 1 */
  readonly attempts?: World["attempts"];
}

/** Advances with each request, so that a rate limit recovers although the client's own clock skips its waits. */
export function hurryingClock(stepMs: number) {
  let elapsed = 0;
  const monotonic = () => {
    elapsed += stepMs;
    return elapsed;
  };
  return { now: () => new Date(), monotonic };
}

const token = "tok-6f1d0c7e2b9a4e53";

export async function withMiniStack(options: StackOptions, test: (stack: MiniStack) => Promise<void>): Promise<void> {
  const stack = await startMiniStack(options);
  try {
    await test(stack);
  } finally {
    await stack.close();
  }
}

async function startMiniStack({ config, attempts = 1, ...options }: StackOptions): Promise<MiniStack> {
  const emulator = await startEmulator({ token, ...options });
  const engine = createMiniEngine(createProviders({ attempts }));
  let seen = 0;
  const fresh = () => {
    const requests = emulator.requests.slice(seen);
    seen = emulator.requests.length;
    return requests;
  };
  const whole = (more: Partial<RunOptions> = {}): RunOptions => ({ config: stack.config, ...more });
  const stack: MiniStack = {
    emulator,
    engine,
    config: { "agent-platform:baseUrl": emulator.url, "agent-platform:accessToken": token, ...config },
    up: (program, options) => engine.up(program, whole(options)),
    preview: (program) => engine.preview(program, whole()),
    refresh: (options) => engine.refresh(whole(options)),
    destroy: (options) => engine.destroy(whole(options)),
    sent: () => fresh().map(({ number = "" }) => number),
    bodies: () => fresh().map(({ body }) => body),
    close: () => emulator.close(),
  };
  return stack;
}

export const declare = (kind: Kind, args: Properties, name = "it"): Declaration => ({ name, kind, args });

/** Ports, times, request ids and made-up ids differ from run to run. */
export function steady(text: string): string {
  return text
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:8080")
    .replaceAll(/in \d+\.\d s/g, "in 0.0 s")
    .replaceAll(/request id emulator-\d+/g, "request id emulator-1")
    .replaceAll(/unresolved-[0-9a-f-]{36}/g, "unresolved-1f0c")
    .replaceAll(/^error: /gm, "")
    .trimEnd();
}
