import assert from "node:assert/strict";
import { reportCommand } from "../../cli/commands/report";
import { group, single } from "./reportSteps";
import { previewOf } from "./reportSynthetic";
import { runWith } from "./terminal";

/** What reviewers read of a rollout, and what gates say to it. */

interface Rollout {
  readonly name?: string | undefined;
  readonly aborted?: object;
  readonly stable: string;
  readonly candidate?: string;
  readonly percent?: number;
}

const front = (percent: number, stable = "agent_a@1", candidate = "agent_a@2") => ({
  name: "front",
  stable,
  candidate,
  percent,
});
const abortedAt = (at: string, percent = 50) => ({
  name: "front",
  stable: "agent_a@1",
  aborted: { agent: "agent_a@2", percent, at },
});
const inboundAgents = ({ stable, candidate = "", percent = 0 }: Rollout) =>
  Object.fromEntries(Object.entries({ [stable]: 100 - percent, [candidate]: percent }).filter(([, part]) => part > 0));
const at = (rollout: Rollout) => ({ number: "+1", rollout, inboundAgents: inboundAgents(rollout) });

const STEPS = { "agent-platform:steps": "[1, 10, 50, 100]" };
const preview = (before: Rollout, after: Rollout, config: object = STEPS, state: object = {}) =>
  previewOf([single("update", "support", { ...at(before), since: "2026-11-20T14:02:31.123Z", ...state }, at(after))], {
    config,
  });

const now = () => new Date("2026-11-23T09:02:31.123Z");
async function report(stdin: string, ...argv: readonly string[]) {
  const printed = await runWith(reportCommand.run, argv, { stdin, now });
  return { ...printed, stdout: printed.stdout.replace(/\w{12}(?=`\n)/, "…") };
}
const lines = async (stdin: string, pattern: RegExp) =>
  (await report(stdin)).stdout.split("\n").filter((line) => pattern.test(line));

describe("the report of a rollout", () => {
  it("says which step it takes, since when callers have met the last one, and which command goes back", async () => {
    const { stdout } = await report(preview(front(10), front(50)));
    assert.equal(
      stdout,
      `<!-- agent-platform-report test/dev -->

### \`dev\`: Traffic split on \`+1\` (\`support\`): \`agent_a@2\` 10 % → 50 %

| agent | before | after |
| :-- | :-- | :-- |
| \`agent_a@1\` | **90 %** | **50 %** |
| \`agent_a@2\` | **10 %** | **50 %** |

- Rollout \`front\`: 10 % → **50 %** (step 3 of 4), \`agent_a@1\` → \`agent_a@2\`; at 10 % for 2 days 19 hours.
- Moves 40 percentage points of traffic.
- Guards: steps 1, 10, 50, 100 ok

On merge: 1 PUT. This preview sent nothing.<br>
Undo: \`npx pulumi-agent-platform abort front --stack dev\`: all calls to \`agent_a@1\`; only a freeze blocks it.<br>
reviewed-digest \`…\`
`,
    );
  });

  it("says that numbers follow a rollout from now on, if that sends nothing", async () => {
    const numbers = { numbers: "+1\n+2\n", inboundAgents: { "agent_a@1": 100 } };
    const stdin = previewOf([
      group("update", "support", numbers, { ...numbers, rollout: { name: "front", stable: "agent_a@1" } }),
    ]);
    assert.deepEqual(await lines(stdin, /^###|^On merge/), [
      "### `dev`: 2 numbers (`support`) follow rollout `front` from now on: nothing is sent",
      "On merge: 0 PUTs. This preview sent nothing.<br>",
    ]);
  });

  it("of an abort says that it does not rely on the state, also if nothing but its time is new", async () => {
    const At = "2026-11-23T09:02:00.000Z";
    const sent = "The stable split is sent to every number, whatever the state says that it has.";
    const read = (before: Rollout) => lines(preview(before, abortedAt(At)), /^###|Rollout|^On merge|^Undo/);
    const title = "### `dev`: Rollout `front` is aborted at 50 %: all calls of `+1` (`support`) go to `agent_a@1`";
    const [again, merge] = [
      "Undo: `npx pulumi-agent-platform promote front --stack dev` with `--to agent_a@2`, one step at a time.<br>",
      "On merge: 1 PUT. This preview sent nothing.<br>",
    ];
    assert.deepEqual(await read(front(50)), [
      title,
      `- Rollout \`front\`: 50 % → **0 %** (abort), \`agent_a@2\` → \`agent_a@1\`; at 50 % for 2 days 19 hours. ${sent}`,
      merge,
      again,
    ]);
    for (const before of [front(0), abortedAt("2026-11-20T09:02:00.000Z")]) {
      assert.deepEqual(await read(before), [
        title,
        `- Rollout \`front\`: 0 % → **0 %** (abort), \`agent_a@2\` → \`agent_a@1\`; \`agent_a@1\` at 100 % for 2 days 19 hours. ${sent}`,
        merge,
        again,
      ]);
    }
  });

  it("says why a gate does not count the points of a step or of a return", async () => {
    const gate = async (stdin: string) =>
      (await report(stdin, "--fail-on", "shift>25,delete")).stdout
        .split("\n")
        .filter((line) => /CI gate|does not/.test(line));
    assert.deepEqual(await gate(preview(front(10), front(50))), [
      "CI gate `--fail-on shift>25,delete`: passed.<br>",
      "`shift>25` does not count `+1` (`support`): 40 percentage points, the next of the steps 1, 10, 50, 100.<br>",
    ]);
    assert.deepEqual((await gate(preview(front(50), front(0)))).slice(0, 2), [
      "- The API does not specify what happens to calls in progress.",
      "CI gate `--fail-on shift>25,delete`: passed.<br>",
    ]);
    assert.match(
      (await gate(preview(front(50), front(0))))[2] ?? "",
      /^`shift>25` does not count `\+1` \(`support`\): 50 percentage points, a return to the stable split\.<br>$/,
    );
    // A step that the gate lets pass by its size needs no reason.
    assert.deepEqual(await gate(preview(front(1), front(10))), ["CI gate `--fail-on shift>25,delete`: passed.<br>"]);
  });

  it("of an abort says how to start again: a revert of it would be a way up", async () => {
    const before = { previousInboundAgents: { "agent_a@1": 65, "agent_a@2": 35 } };
    const { stdout } = await report(preview(front(50), front(0), STEPS, before));
    assert.equal(
      stdout,
      `<!-- agent-platform-report test/dev -->

### \`dev\`: Rollout \`front\` is aborted at 50 %: all calls of \`+1\` (\`support\`) go to \`agent_a@1\`

| agent | before | after |
| :-- | :-- | :-- |
| \`agent_a@1\` | **50 %** | **100 %** |
| \`agent_a@2\` | **50 %** | removed |

- Rollout \`front\`: 50 % → **0 %** (abort), \`agent_a@2\` → \`agent_a@1\`; at 50 % for 2 days 19 hours.
- The API does not specify what happens to calls in progress.
- Moves 50 percentage points of traffic, back to the split that was stable: only a freeze blocks that.
- Guards: steps 1, 10, 50, 100 (not checked: a return to the stable split)

On merge: 1 PUT. This preview sent nothing.<br>
Undo: \`npx pulumi-agent-platform promote front --stack dev\` with \`--to agent_a@2\`, one step at a time.<br>
reviewed-digest \`…\`
`,
    );
    // Several guards have one reason.
    const strict = {
      ...STEPS,
      "agent-platform:requireVersions": "true",
      "agent-platform:approvedAgents": '["agent_a@1"]',
    };
    assert.deepEqual(await lines(preview(front(50), front(0), strict, before), /Guards/), [
      "- Guards: steps 1, 10, 50, 100 · versions pinned · agents approved (not checked: a return to the stable split)",
    ]);
    // Without steps a revert is not blocked.
    assert.deepEqual(await lines(preview(front(50), front(0), {}, before), /^Undo/), [
      "Undo: revert this pull request (back to 50/50; only a freeze blocks it).<br>",
    ]);
  });

  it("of a start names both agents, also if another one was the stable agent", async () => {
    assert.deepEqual(await lines(preview(front(0), front(1)), /Rollout/), [
      "- Rollout `front`: 0 % → **1 %** (step 1 of 4), `agent_a@1` → `agent_a@2`; `agent_a@1` at 100 % for 2 days 19 hours.",
    ]);
    assert.deepEqual(await lines(preview(front(100), front(1, "agent_a@2", "agent_a@3")), /Rollout/), [
      "- Rollout `front`: 0 % → **1 %** (step 1 of 4), `agent_a@2` → `agent_a@3`; `agent_a@2` at 100 % for 2 days 19 hours.",
    ]);
  });

  it("has no name and no command if the program writes the rollout itself", async () => {
    const own = (percent: number) => ({ ...front(percent), name: undefined });
    assert.deepEqual(await lines(preview(own(10), own(50)), /Rollout|^Undo/), [
      "- Rollout: 10 % → **50 %** (step 3 of 4), `agent_a@1` → `agent_a@2`; at 10 % for 2 days 19 hours.",
      "Undo: revert this pull request (back to 90/10; only a freeze blocks it).<br>",
    ]);
  });

  it("has a digest that stops the second of two promotions that were reviewed apart", async () => {
    const step = (name: string, before: number, after: number) =>
      single("update", name, at(front(before)), at(front(after)));
    const reviewed = previewOf([step("sales", 1, 10)], { config: STEPS });
    const digest = (await runWith(reportCommand.run, ["--digest"], { stdin: reviewed })).stdout.trim();
    assert.equal((await report(reviewed, "--expect", digest)).code, 0);
    const merged = previewOf([step("sales", 1, 10), step("support", 10, 50)], { config: STEPS });
    const { code, stderr } = await report(merged, "--expect", digest);
    assert.equal(code, 3);
    assert.match(
      stderr,
      new RegExp(`^agent-platform report: This is not what was reviewed: expected ${digest}, found `),
    );
  });

  it("shows nothing of a secret rollout", async () => {
    const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "hush" };
    const hidden = (percent: number) => ({ ...at(front(percent)), rollout: secret, inboundAgents: secret });
    const step = single("update", "support", hidden(10), hidden(50));
    const { stdout } = await report(previewOf([step], { config: STEPS }));
    assert.ok(!/agent_a|Rollout|hush/.test(stdout), stdout);
  });
});

describe("a gate on the size of a change", () => {
  it("blocks a step of a rollout if the stack has no steps", async () => {
    const { code, stderr } = await report(preview(front(10), front(50), {}), "--fail-on", "shift>25");
    assert.deepEqual([code, stderr], [1, "agent-platform report: shift>25: +1 (support): 40 percentage points\n"]);
  });

  it("blocks no abort, also while numbers do not have the split before", async () => {
    const every = ["--fail-on", "create,delete,replace,shift=1,unresolved"];
    assert.equal((await report(preview(front(50), front(0), {}), ...every)).code, 0);
    const part = (number: string, percent: number) => ({
      numbers: `${number}\n`,
      reason: "unknown",
      applied: { inboundAgents: inboundAgents(front(percent)) },
    });
    const both = (rollout: Rollout) => ({ ...at(rollout), number: undefined, numbers: "+1\n+2\n" });
    for (const unapplied of [
      [part("+1", 0), part("+2", 10)],
      [part("+1", 10), part("+2", 0)],
      [part("+2", 10)],
      [part("+2", 0)],
    ]) {
      const stdin = previewOf([group("update", "support", { ...both(front(50)), unapplied }, both(front(0)))]);
      const { code, stderr } = await report(stdin, ...every);
      assert.deepEqual([code, stderr], [0, ""]);
    }
  });
});
