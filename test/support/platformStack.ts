import assert from "node:assert/strict";
import { type Emulator, type EmulatorOptions, type LoggedRequest, startEmulator } from "../../emulator";
import { ENCODERS } from "./encoders";
import { type CommandOptions, type Config, type Result, type Stack, withStack } from "./engine";

/** A stack of the real engine and the emulator it talks to. */
export interface PlatformStack {
  readonly platform: Emulator;
  readonly stack: Stack;
  /** What was sent since the last call: `PUT /api/numbers/%2B1555…/agent` and the whole body. */
  sent(): [string, unknown][];
  /** The same as `sent().length`, if no request is wanted. */
  sentNothing(): void;
}

export interface PlatformStackOptions {
  readonly program?: string;
  readonly existing?: string;
  readonly projectName?: string;
  readonly packages?: string | undefined;
  readonly config?: Config;
  readonly env?: Readonly<Record<string, string>>;
  readonly platform?: EmulatorOptions;
  /** Where the test itself is about a stack without them. @default true */
  readonly hasSettings?: boolean;
}

/** A token that no other text holds, and whose forms in JSON, URLs and pages all differ. */
export const TOKEN = 'tok/en+"quoted"=&%41~secret';

/** A stack with the settings of a fresh emulator. Whatever a run prints or saves is searched for the token. */
export async function withPlatformStack(
  { platform: emulatorOptions, hasSettings = true, config, env, ...stackOptions }: PlatformStackOptions,
  test: (both: PlatformStack) => Promise<void>,
): Promise<void> {
  const platform = await startEmulator({ token: TOKEN, ...emulatorOptions });
  const options = {
    ...stackOptions,
    config: { ...(hasSettings && { "agent-platform:baseUrl": platform.url }), ...config },
    env: { ...(hasSettings && { AGENT_PLATFORM_ACCESS_TOKEN: platform.token }), ...env },
  };
  let seen = 0;
  const sent = () => {
    const fresh = platform.requests.slice(seen);
    seen = platform.requests.length;
    return fresh.map(inShort);
  };
  try {
    await withStack(options, (stack) =>
      test({ platform, stack: searched(stack), sent, sentNothing: () => assert.deepEqual(sent(), []) }),
    );
  } finally {
    await platform.close();
  }
}

/**
 * The same for all tests of a suite, which live one life of it in their order. Once one is red, the others are skipped.
 * @param options or what gives them when the suite begins
 */
export function platformStack(options: PlatformStackOptions | (() => PlatformStackOptions)): () => PlatformStack {
  let both: PlatformStack | undefined;
  let end = () => {};
  let ended: Promise<void> = Promise.resolve();
  before(
    () =>
      new Promise<void>((resolve, reject) => {
        ended = withPlatformStack(typeof options === "function" ? options() : options, (opened) => {
          both = opened;
          resolve();
          return new Promise<void>((over) => {
            end = over;
          });
        });
        ended.catch(reject);
      }),
  );
  beforeEach(function () {
    const { tests = [] } = this.currentTest?.parent ?? {};
    if (tests.some((one) => one.isFailed())) {
      this.skip();
    }
  });
  afterEach(function () {
    if (this.currentTest?.isFailed()) {
      process.stderr.write(`\n--- the last output of pulumi ---\n${both?.stack.lastOutput()}\n`);
    }
  });
  after(() => {
    end();
    return ended;
  });
  return () => both ?? assert.fail("the stack is there when a test begins");
}

/** How a PUT is named there. */
export const put = (number: string): string => `PUT /api/numbers/${encodeURIComponent(number)}/agent`;

/** Sorts requests by target, because concurrent ones arrive in any order. */
export const byTarget = (requests: readonly [string, unknown][]): [string, unknown][] =>
  [...requests].sort(([a], [b]) => (a < b ? -1 : 1));

const inShort = ({ method, path, body }: LoggedRequest): [string, unknown] => [`${method} ${path}`, body];

type Run = (options?: CommandOptions & { diff?: boolean; json?: boolean }) => Promise<Result>;

/** The same stack, whose commands fail if the token shows in what they printed or saved. */
function searched(stack: Stack): Stack {
  const search =
    (run: Run): Run =>
    async (options) => {
      const result = await run(options);
      assertNoToken(result.output, "the output");
      assertNoToken(JSON.stringify(result.diagnostics), "the diagnostics");
      assertNoToken(stack.stateText(), "the state");
      return result;
    };
  return {
    ...stack,
    up: search(stack.up),
    preview: search(stack.preview),
    refresh: search(stack.refresh),
    destroy: search(stack.destroy),
  };
}

/** In every spelling that the encoders of servers give it, and in hexadecimal. */
const formsOf = (token: string): string[] => [
  ...Object.values(ENCODERS).map((encode) => encode(token)),
  Buffer.from(token).toString("hex"),
];

function assertNoToken(text: string, where: string, token = TOKEN): void {
  for (const form of formsOf(token)) {
    assert.ok(!text.includes(form), `${where} holds the token as ${form}:\n${text}`);
  }
}

/** Of single numbers alone, without the engine's own lines. */
export const errors = ({ diagnostics }: Result) =>
  diagnostics
    .filter(({ severity, urn }) => severity === "error" && urn?.includes("NumberAssignment"))
    .map(({ message }) => message);

/** The block that `preview --diff` prints for one resource, without the engine's own lines about it. */
export function diffBlock(output: string, name: string): string[] {
  const lines = output.replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, "<time>").split("\n");
  const start = lines.findIndex((line) => line.includes(`::${name}]`));
  assert.ok(start >= 0, `no resource ${name} in:\n${output}`);
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^ {0,4}\S/.test(line) || line.trim() === "");
  return rest.slice(0, end < 0 ? undefined : end).filter((line) => !/^\s+\[(provider|urn)[=:]/.test(line));
}
