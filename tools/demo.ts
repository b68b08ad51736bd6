import assert from "node:assert/strict";
import { Interrupted } from "../cli/pulumi/child";
import { untilSignalled } from "../cli/signals";
import { type Emulator, startEmulator } from "../emulator";
import { bars, countsOf, diffOf, farthest, stepsOf } from "./demo/show";
import { type DemoStack, newDemoStack, type Run } from "./demo/stack";
import { type Engine, findOrInstallEngine } from "./engine/engine";

/**
 * The main example from nothing to nothing, with the real engine, against the emulator. Whatever is claimed is asserted
 * first: the exit code is 0 only where every line of the end is true.
 */

const SUPPORT = "+15551230001";
const SALES = "+15551230002";
const BILLING = "+15551230003";
const CALLS = 10_000;

interface Demo {
  readonly platform: Emulator;
  readonly stack: DemoStack;
  /** Requests since the last call. */
  sent(): { all: number; clearing: number };
}

interface Observed {
  readonly lines: string[];
  readonly miss: number;
}

const say = (text = ""): void => console.log(text);
const indented = (lines: readonly string[]): void => lines.forEach((line) => void say(`    ${line}`));

let step = 0;
function chapter(title: string): void {
  step += 1;
  say(`\n── ${step} of 7 ── ${title}`);
}

const ran = (command: string, { seconds }: Run, requests: string): void =>
  say(`    $ ${command}   (${seconds.toFixed(1)} s, ${requests})`);

async function applies({ platform, stack, sent }: Demo): Promise<void> {
  chapter("Three phone numbers get their agents");
  await stack.pulumi("stack", "init", "demo");
  const up = await stack.pulumi("up", "--yes", "--skip-preview", "--suppress-progress");
  const { all } = sent();
  ran("pulumi up", up, `${all} requests`);
  indented(stepsOf(up.output));
  assert.equal(all, 3);
  assert.deepEqual(platform.routing(SUPPORT)?.inboundAgents, { "agent_front@12": 90, "agent_front@13": 10 });

  const again = await stack.pulumi("up", "--yes", "--skip-preview", "--suppress-progress");
  ran("pulumi up", again, `the same program again: ${sent().all} requests`);
  say(`    ${countsOf(again.output)}`);
  assert.equal(platform.requests.length, 3);
}

async function previews({ stack, sent }: Demo): Promise<void> {
  chapter("A pull request moves the split from 90/10 to 50/50: what a reviewer sees");
  stack.setConfig("percent", "50");
  const preview = await stack.pulumi("preview", "--diff", "--suppress-progress");
  const { all } = sent();
  ran("pulumi preview --diff", preview, `${all} requests: a preview sends nothing`);
  indented(diffOf(preview.output));
  assert.equal(all, 0);
  assert.match(preview.output, /~ agent_front@12: 90 => 50/);
}

async function changes({ platform, stack, sent }: Demo): Promise<void> {
  chapter("It is merged");
  const up = await stack.pulumi("up", "--yes", "--skip-preview", "--suppress-progress");
  const { all } = sent();
  ran("pulumi up", up, `${all} request: one changed number is one PUT`);
  indented(stepsOf(up.output));
  assert.equal(all, 1);
  assert.deepEqual(platform.routing(SUPPORT)?.inboundAgents, { "agent_front@12": 50, "agent_front@13": 50 });
}

/** Calls as they would fall now, beside what is declared. */
function observe({ platform }: Demo): Observed {
  const declared = platform.routing(SUPPORT)?.inboundAgents ?? {};
  const calls = platform.calls(SUPPORT, CALLS);
  const miss = farthest(declared, calls);
  assert.ok(miss < 2, `the observed split misses the declared one by ${miss} points`);
  return { lines: bars(declared, calls), miss };
}

function draws(before: Observed, after: Observed): void {
  chapter(`${CALLS.toLocaleString("en")} calls to ${SUPPORT} before and after (simulated by the emulator)`);
  indented(["before", ...before.lines, "after", ...after.lines]);
}

async function renames({ platform, stack, sent }: Demo): Promise<void> {
  chapter('A refactoring: "support" gets a new name, and sales and billing swap their numbers');
  stack.edit('new NumberAssignment("support"', 'new NumberAssignment("front-desk"');
  stack.edit('config.get("salesNumber") ?? "+15551230002"', 'config.get("salesNumber") ?? "+15551230003"');
  stack.edit('config.get("billingNumber") ?? "+15551230003"', 'config.get("billingNumber") ?? "+15551230002"');
  const up = await stack.pulumi("up", "--yes", "--skip-preview", "--suppress-progress");
  const { all, clearing } = sent();
  ran("pulumi up", up, `${all} requests, ${clearing} of them clear a number`);
  indented(stepsOf(up.output));
  assert.equal(clearing, 0);
  assert.deepEqual(platform.routing(SUPPORT)?.inboundAgents, { "agent_front@12": 50, "agent_front@13": 50 });
  assert.deepEqual(platform.routing(SALES)?.inboundAgents, { "agent_billing@2": 100 });
  assert.deepEqual(platform.routing(BILLING)?.inboundAgents, { "agent_sales@7": 100 });
  say(
    "    Every number kept its agents: the engine deletes after it creates, and the provider does not clear a number",
  );
  say("    that the program still declares.");
}

async function destroys({ platform, stack, sent }: Demo): Promise<void> {
  chapter("Everything is destroyed");
  const destroy = await stack.pulumi("destroy", "--yes", "--skip-preview", "--suppress-progress");
  const { all, clearing } = sent();
  ran("pulumi destroy", destroy, `${all} requests, ${clearing} of them clear a number`);
  indented(stepsOf(destroy.output));
  assert.equal(clearing, 3);
  for (const number of [SUPPORT, SALES, BILLING]) {
    assert.deepEqual(platform.routing(number), { inboundAgents: {} });
  }
  assert.ok(!stack.holds(platform.token), "the token is in the output or in a file");
}

function concludes(miss: number, seconds: number): void {
  chapter("What happened");
  indented([
    "1. Which agent answers which phone number was written in a short program, and Pulumi applied it.",
    "2. Running it again changed nothing and sent nothing.",
    "3. A new split was shown as two changed lines before anything was sent: that is what a reviewer approves.",
    "4. Merging it sent exactly one request; the two other numbers were not touched.",
    `5. Of ${CALLS.toLocaleString("en")} simulated calls each version got its percentage, within ${miss.toFixed(1)} percentage points.`,
    "6. Renaming a resource and swapping two numbers left no number without agents, not even for a moment.",
    "7. Destroying everything cleared all three numbers, as the platform's own records show.",
    "8. The access token is in no output, no state and no log.",
    "9. All of this is the real Pulumi engine and real HTTP; only the platform is an emulator on this machine.",
    `10. It took ${Math.round(seconds)} s; its files are removed, and none of its processes is left.`,
  ]);
}

async function show(engine: Engine, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  const platform = await startEmulator();
  const settings = { AGENT_PLATFORM_BASE_URL: platform.url, AGENT_PLATFORM_ACCESS_TOKEN: platform.token };
  const stack = newDemoStack("weighted-routing", engine, settings, signal);
  let seen = 0;
  const sent = () => {
    const fresh = platform.requests.slice(seen);
    seen = platform.requests.length;
    const clearing = fresh.filter(({ body }) => (body as { inboundAgents?: unknown }).inboundAgents === null);
    return { all: fresh.length, clearing: clearing.length };
  };
  const demo: Demo = { platform, stack, sent };
  let miss: number;
  try {
    say(`Pulumi ${engine.version} (${engine.how}); the platform is an emulator at ${platform.url}.`);
    miss = await tell(demo);
  } finally {
    stack.remove();
    await platform.close();
  }
  concludes(miss, (performance.now() - startedAt) / 1000);
}

async function tell(demo: Demo): Promise<number> {
  await applies(demo);
  const before = observe(demo);
  await previews(demo);
  await changes(demo);
  const after = observe(demo);
  draws(before, after);
  await renames(demo);
  await destroys(demo);
  return Math.max(before.miss, after.miss);
}

/** Whoever stops the demo means the CLI as well, and an impatient second Ctrl-C does not leave the files. */
async function main(): Promise<void> {
  const engine = await findOrInstallEngine();
  await untilSignalled(undefined, (signal) => show(engine, signal));
}

main().catch((error: unknown) => {
  const isStopped = error instanceof Interrupted;
  console.error(
    isStopped ? "\nStopped." : `\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exitCode = isStopped ? 130 : 1;
});
