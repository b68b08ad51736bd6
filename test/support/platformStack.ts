import assert from "node:assert/strict";
import { type Emulator, type EmulatorOptions, type LoggedRequest, startEmulator } from "../../emulator";
import { ENCODERS } from "./encoders";
import { type CommandOptions, type Config, type Result, type Stack, withStack } from "./engine";

/** A stack with the real engine, and the emulator that its provider sends requests to. */
export interface PlatformStack {
  readonly platform: Emulator;
  readonly stack: Stack;
  /** Returns the new requests since the last call, each as `PUT /api/numbers/%2B1555…/agent` with its body. */
  sent(): [string, unknown][];
  /** Asserts that no request was sent since the last call to `sent` or `sentNothing`. */
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
  /**
   * Whether the stack is given the emulator's URL and token. Set this to false to test a stack without settings.
   * @default true
   */
  readonly hasSettings?: boolean;
}

/** A token that appears nowhere else. It contains characters that JSON, URLs and HTML encode differently. */
export const TOKEN = 'tok/en+"quoted"=&%41~secret';

/**
 * Runs a test with a stack that uses a new emulator. Asserts after each up, preview, refresh and destroy that neither
 * the output nor the state contains the token.
 */
export async function withPlatformStack(
  { platform: emulatorOptions, hasSettings = true, config, env, ...stackOptions }: PlatformStackOptions,
  test: (opened: PlatformStack) => Promise<void>,
): Promise<void> {
  const platform = await startEmulator({ token: TOKEN, ...emulatorOptions });
  const options = {
    ...stackOptions,
    config: { ...(hasSettings && { "agent-platform:baseUrl": platform.url }), ...config },
    env: { ...(hasSettings && { AGENT_PLATFORM_ACCESS_TOKEN: platform.token }), ...env },
  };
  let seenCount = 0;
  const sent = () => {
    const newRequests = platform.requests.slice(seenCount);
    seenCount = platform.requests.length;
    return newRequests.map(toPair);
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
 * Opens one stack for all tests in the suite. Each test continues where the previous test ended. If a test fails, the
 * remaining tests are skipped.
 * @param options the options, or a function that returns them when the suite starts
 */
export function platformStack(options: PlatformStackOptions | (() => PlatformStackOptions)): () => PlatformStack {
  let shared: PlatformStack | undefined;
  let close = () => {};
  let closed: Promise<void> = Promise.resolve();
  before(
    () =>
      new Promise<void>((resolve, reject) => {
        closed = withPlatformStack(typeof options === "function" ? options() : options, (opened) => {
          shared = opened;
          resolve();
          return new Promise<void>((finish) => {
            close = finish;
          });
        });
        closed.catch(reject);
      }),
  );
  beforeEach(function () {
    const { tests = [] } = this.currentTest?.parent ?? {};
    if (tests.some((test) => test.isFailed())) {
      this.skip();
    }
  });
  afterEach(function () {
    if (this.currentTest?.isFailed()) {
      process.stderr.write(`\n--- the last output of pulumi ---\n${shared?.stack.lastOutput()}\n`);
    }
  });
  after(() => {
    close();
    return closed;
  });
  return () => shared ?? assert.fail("the stack is not open yet: use it only inside a test");
}

/** Returns the method and path of a PUT for this phone number, as `sent` lists them. */
export const put = (number: string): string => `PUT /api/numbers/${encodeURIComponent(number)}/agent`;

/** Sorts requests by target, because concurrent requests arrive in any order. */
export const byTarget = (requests: readonly [string, unknown][]): [string, unknown][] =>
  [...requests].sort(([a], [b]) => (a < b ? -1 : 1));

const toPair = ({ method, path, body }: LoggedRequest): [string, unknown] => [`${method} ${path}`, body];

type Run = (options?: CommandOptions & { diff?: boolean; json?: boolean }) => Promise<Result>;

/** Wraps the stack's commands so that they fail if the output or the state contains the token. */
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

/** Returns the token in every encoding that servers use, and in hexadecimal. */
const formsOf = (token: string): string[] => [
  ...Object.values(ENCODERS).map((encode) => encode(token)),
  Buffer.from(token).toString("hex"),
];

function assertNoToken(text: string, where: string, token = TOKEN): void {
  for (const form of formsOf(token)) {
    assert.ok(!text.includes(form), `${where} contains the token as ${form}:\n${text}`);
  }
}

/** Returns the error messages about NumberAssignments, without those about groups or the stack. */
export const errors = ({ diagnostics }: Result) =>
  diagnostics
    .filter(({ severity, urn }) => severity === "error" && urn?.includes("NumberAssignment"))
    .map(({ message }) => message);

/** Returns the block that `preview --diff` prints for a resource, without the lines for its provider and URN. */
export function diffBlock(output: string, name: string): string[] {
  const lines = output.replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, "<time>").split("\n");
  const start = lines.findIndex((line) => line.includes(`::${name}]`));
  assert.ok(start >= 0, `no resource ${name} in:\n${output}`);
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^ {0,4}\S/.test(line) || line.trim() === "");
  return rest.slice(0, end < 0 ? undefined : end).filter((line) => !/^\s+\[(provider|urn)[=:]/.test(line));
}
