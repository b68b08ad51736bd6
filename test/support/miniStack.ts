import { type Emulator, type EmulatorOptions, startEmulator } from "../../emulator";
import { createMiniEngine, type Declaration, type Run, type RunOptions } from "./miniEngine";
import type { Kind, Properties } from "./providerCalls";
import { createProviders } from "./providers";

/** A stack of the small engine on an emulator of its own, for one test. */

export interface MiniStack {
  readonly emulator: Emulator;
  readonly engine: ReturnType<typeof createMiniEngine>;
  /** The settings, joined to those of `config`. */
  settings(config?: Properties): Properties;
  up(program: readonly Declaration[], options?: StackRunOptions): Promise<Run>;
  preview(program: readonly Declaration[], options?: StackRunOptions): Promise<Run>;
  refresh(options?: StackRunOptions): Promise<Run>;
  destroy(options?: StackRunOptions): Promise<Run>;
}

interface StackRunOptions extends Partial<Omit<RunOptions, "config">> {
  readonly config?: Properties;
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
    await stack.emulator.close();
  }
}

export async function startMiniStack(options: StackOptions = {}): Promise<MiniStack> {
  const emulator = await startEmulator({ token, ...options });
  const engine = createMiniEngine(createProviders());
  const settings = (config: Properties = {}) => ({
    "agent-platform:baseUrl": emulator.url,
    "agent-platform:accessToken": token,
    ...options.config,
    ...config,
  });
  const whole = ({ config, ...rest }: StackRunOptions = {}): RunOptions => ({ ...rest, config: settings(config) });
  return {
    emulator,
    engine,
    settings,
    up: (program, run) => engine.up(program, whole(run)),
    preview: (program, run) => engine.preview(program, whole(run)),
    refresh: (run) => engine.refresh(whole(run)),
    destroy: (run) => engine.destroy(whole(run)),
  };
}

export const declare = (kind: Kind, args: Properties, name = "it"): Declaration => ({ name, kind, args });

/** The messages of a run, with what differs from run to run taken out. */
export const messagesOf = (run: Run): string[] => run.failures.map(({ message }) => steady(message));

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
