import { type Emulator, type EmulatorOptions, startEmulator } from "../../emulator";
import type { Clock } from "../../provider/base/world";
import { hastyRuntime } from "../api/support";
import { createMiniEngine, type Declaration, type MiniEngine, type Run, type RunOptions } from "./miniEngine";
import type { Kind, Properties } from "./providerCalls";
import { createProviders } from "./providers";

/** A stack with the simulated engine and an emulator, for one test. */
export interface MiniStack {
  readonly emulator: Emulator;
  readonly engine: MiniEngine;
  /** A fake clock, shared by the provider and the emulator's rate limit. Each delay advances it without waiting. */
  readonly clock: Clock;
  /** The stack's config. Changes apply to all later runs. */
  config: Properties;
  up(program: readonly Declaration[], options?: Partial<RunOptions>): Promise<Run>;
  preview(program: readonly Declaration[]): Promise<Run>;
  refresh(options?: Partial<RunOptions>): Promise<Run>;
  destroy(options?: Partial<RunOptions>): Promise<Run>;
  /** Returns the phone numbers of the requests since the last call to `sent` or `bodies`, in order of arrival. */
  sent(): string[];
  /** Returns the bodies of the requests since the last call to `sent` or `bodies`. */
  bodies(): unknown[];
  close(): Promise<void>;
}

interface StackOptions extends EmulatorOptions {
  readonly config?: Properties;
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

async function startMiniStack({ config, ...options }: StackOptions): Promise<MiniStack> {
  const clock = hastyRuntime();
  const emulator = await startEmulator({ token, clock: { now: () => new Date(), monotonic: clock.now }, ...options });
  const engine = createMiniEngine(createProviders({ clock }));
  let seenCount = 0;
  const newRequests = () => {
    const requests = emulator.requests.slice(seenCount);
    seenCount = emulator.requests.length;
    return requests;
  };
  const withConfig = (options: Partial<RunOptions> = {}): RunOptions => ({ config: stack.config, ...options });
  const stack: MiniStack = {
    emulator,
    engine,
    clock,
    config: { "agent-platform:baseUrl": emulator.url, "agent-platform:accessToken": token, ...config },
    up: (program, options) => engine.up(program, withConfig(options)),
    preview: (program) => engine.preview(program, withConfig()),
    refresh: (options) => engine.refresh(withConfig(options)),
    destroy: (options) => engine.destroy(withConfig(options)),
    sent: () => newRequests().map(({ number = "" }) => number),
    bodies: () => newRequests().map(({ body }) => body),
    close: () => emulator.close(),
  };
  return stack;
}

export const declare = (kind: Kind, args: Properties, name = "it"): Declaration => ({ name, kind, args });

/**
 * Replaces ports, durations and IDs, which differ from run to run. Also removes `error: ` from the start of each line.
 */
export function steady(text: string): string {
  return text
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:8080")
    .replaceAll(/in \d+\.\d s/g, "in 0.0 s")
    .replaceAll(/request id emulator-\d+/g, "request id emulator-1")
    .replaceAll(/unresolved-[0-9a-f-]{36}/g, "unresolved-1f0c")
    .replaceAll(/^error: /gm, "")
    .trimEnd();
}
