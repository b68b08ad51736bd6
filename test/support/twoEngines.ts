import { type Emulator, type Fault, startEmulator } from "../../emulator";
import { createMiniEngine, type Declaration, type Engine, type Run, type RunOptions, type Saved } from "./miniEngine";
import { createProviders } from "./miniEngineProviders";
import { steady } from "./miniStack";
import { createRealEngine } from "./realEngine";

/** One life with the small engine and with the real one: what each run did, asked and left, in forms that can be compared. */

export interface RunRecord {
  /** `update line`; in order for each resource, for the engine asks several in any order. */
  readonly steps: readonly string[];
  readonly failures: readonly string[];
  readonly requests: readonly string[];
  readonly state: readonly unknown[];
}

export interface Life {
  readonly platforms: readonly [Emulator, Emulator];
  /** Meets the next requests of the home platform. */
  fault(fault: Fault): void;
  /** The base URL becomes the other platform's. */
  moveHome(): void;
  up(program: readonly Declaration[], options?: Choice): Promise<void>;
  preview(program: readonly Declaration[], options?: Choice): Promise<void>;
  refresh(options?: Choice): Promise<void>;
  destroy(options?: Choice): Promise<void>;
}

type Choice = Partial<Pick<RunOptions, "targets" | "continueOnError">>;

const token = "tok-2c7d1e0b9f3a4865";

export async function withSmallEngine(script: (life: Life) => Promise<void>): Promise<readonly RunRecord[]> {
  const providers = createProviders();
  return lived(createMiniEngine(providers), script).finally(() => providers.close());
}

export async function withRealEngine(script: (life: Life) => Promise<void>): Promise<readonly RunRecord[]> {
  const engine = await createRealEngine(token, { isInOrder: true });
  return lived(engine, script).finally(() => engine.close());
}

async function lived(engine: Engine, script: (life: Life) => Promise<void>): Promise<readonly RunRecord[]> {
  const platforms = [await startEmulator({ token }), await startEmulator({ token })] as const;
  const records: RunRecord[] = [];
  let home = 0;
  const seen = [0, 0];

  const platform = () => platforms[home === 0 ? 0 : 1];
  const settings = ({ url }: Emulator) => ({
    "agent-platform:baseUrl": url,
    "agent-platform:accessToken": token,
  });

  async function record(run: (options: RunOptions) => Promise<Run>, options: Choice = {}): Promise<void> {
    const { steps, failures } = await run({ config: settings(platform()), ...options });
    const plain = (text: string) =>
      platforms
        .reduce((all, { url }, at) => all.replaceAll(url, `platform ${at}`), text)
        // The real one is to save no token.
        .replace("agent-platform:accessToken (stack config)", "AGENT_PLATFORM_ACCESS_TOKEN (environment)");
    const requests = platforms.flatMap(({ requests: all }, at) =>
      all.slice(seen[at]).map(({ method, path, rawBody, status }) => `${at} ${method} ${path} ${rawBody} ${status}`),
    );
    records.push({
      steps: byName(steps.filter(({ op }) => op !== "same").map(({ op, name }) => ({ name, text: `${op} ${name}` }))),
      failures: failures.map(({ name, message }) => `${name}: ${steady(plain(message))}`).sort(),
      requests: requests.sort(),
      state: engine.state.map((saved) => comparable(saved, plain)).sort(),
    });
    for (const [at, one] of platforms.entries()) {
      seen[at] = one.requests.length;
      one.clearFaults();
    }
  }

  try {
    await script({
      platforms,
      fault: (fault) => void platform().inject(fault),
      moveHome() {
        home = 1 - home;
      },
      up: (program, options) => record((all) => engine.up(program, all), options),
      preview: (program, options) => record((all) => engine.preview(program, all), options),
      refresh: (options) => record((all) => engine.refresh(all), options),
      destroy: (options) => record((all) => engine.destroy(all), options),
    });
    return records;
  } finally {
    for (const one of platforms) {
      await one.close();
    }
  }
}

/** Several steps of one resource keep their order. */
const byName = (steps: readonly { name: string; text: string }[]): string[] =>
  [...steps].sort((a, b) => a.name.localeCompare(b.name)).map(({ text }) => text);

/** One text, so that a difference is seen and states can be sorted; ids that are made up, times and ports differ from life to life. */
function comparable({ inputs, outputs, ...rest }: Saved, plain: (text: string) => string): string {
  const sorted = (value: unknown): unknown =>
    typeof value !== "object" || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => a.localeCompare(b))
            .map(([key, inner]) => [key, sorted(inner)]),
        );
  return steady(plain(JSON.stringify(sorted({ ...rest, inputs, outputs }))))
    .replaceAll(/"__provider":"[^"]*\\"[^"]*\\"[^"]*",/g, "")
    .replaceAll(/group-[0-9a-f-]{36}/g, "group-1")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "today");
}
