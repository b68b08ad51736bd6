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
  previewOf([single("update", "support", { ...at(before), ...state }, at(after))], {
    config,
  });

async function report(stdin: string, ...argv: readonly string[]) {
  const printed = await runWith(reportCommand.run, argv, { stdin });
  return { ...printed, stdout: printed.stdout.replace(/\w{12}(?=`\n)/, "…") };
}
const lines = async (stdin: string, pattern: RegExp) =>
  (await report(stdin)).stdout.split("\n").filter((line) => pattern.test(line));

describe("the report of a rollout", () => {
  it("says which step it takes, and which command goes back", async () => {
    const { stdout } = await report(preview(front(10), front(50)), "--fail-on", "shift>25");
    assert.equal(
      stdout,
      `<!-- agent-platform-report test/dev -->

### \`dev\`: Traffic on \`+1\` (\`support\`): \`agent_a@2\` 10 % → 50 %

| agent | before | after |
| :-- | :-- | :-- |
| \`agent_a@1\` | 90 % | 50 % |
| \`agent_a@2\` | 10 % | 50 % |

- Rollout \`front\`: \`agent_a@2\` 10 % → 50 % (step 3 of 4).
- Moves 40 percentage points of traffic: the next of the steps 1, 10, 50, 100.

CI gate \`--fail-on shift>25\`: passed.<br>
On merge: 1 PUT. This preview sent nothing.<br>
Undo: \`npx pulumi-agent-platform abort front --stack dev\`: all calls to \`agent_a@1\`; only a freeze blocks it.<br>
reviewed-digest \`…\`
`,
    );
  });

  it("of an abort says what callers had, that it does not rely on the state, and how to start again", async () => {
    const At = "2026-11-23T09:02:00.000Z";
    const read = (before: Rollout, state: object = {}) =>
      lines(preview(before, abortedAt(At), STEPS, state), /^###|stable split|^On merge|^Undo/);
    const told = (had: string) => [
      `### \`dev\`: Rollout \`front\` is aborted: all calls of \`+1\` (\`support\`) go to \`agent_a@1\`, \`agent_a@2\` ${had} → 0 %`,
      "- The stable split is sent to every number, whatever the state says.",
      "On merge: 1 PUT. This preview sent nothing.<br>",
      "Undo: `npx pulumi-agent-platform promote front --stack dev --to agent_a@2`, one step at a time.<br>",
    ];
    const withPoints = (had: string, points: number) => [
      ...told(had).slice(0, 2),
      `- Moves ${points} percentage points of traffic: a return to the stable split.`.replace(
        "1 percentage points",
        "1 percentage point",
      ),
      ...told(had).slice(2),
    ];
    assert.deepEqual(await read(front(50)), withPoints("50 %", 50));
    assert.deepEqual(await read(front(0)), told("0 %"));
    assert.deepEqual(await read(abortedAt("2026-11-20T09:02:00.000Z")), told("0 %"));
    // The file had 10 %, which no number got.
    const never = (percent: number, more: object = {}) => ({
      unapplied: [
        { numbers: "+1\n", reason: "unknown", applied: { inboundAgents: inboundAgents(front(percent)) }, ...more },
      ],
    });
    assert.deepEqual(await read(front(10), never(1)), withPoints("1 %", 1));
    const maybe = { maybe: { inboundAgents: inboundAgents(front(10)) } };
    assert.deepEqual(await read(front(10), never(1, maybe)), withPoints("1 % or 10 %", 10));
  });

  it("of an abort by hand says the same; without steps a revert is not blocked", async () => {
    const undo = async (config: object) => lines(preview(front(50), front(0), config), /^###|^Undo/);
    const title =
      "### `dev`: Rollout `front` is aborted: all calls of `+1` (`support`) go to `agent_a@1`, `agent_a@2` 50 % → 0 %";
    assert.deepEqual((await undo(STEPS))[0], title);
    assert.deepEqual(await undo({}), [title, "Undo: revert this pull request.<br>"]);
  });

  it("of a start names the agent that starts, also if another one was the stable agent", async () => {
    assert.deepEqual(await lines(preview(front(0), front(1)), /Rollout/), [
      "- Rollout `front`: `agent_a@2` 0 % → 1 % (step 1 of 4).",
    ]);
    assert.deepEqual(await lines(preview(front(100), front(1, "agent_a@2", "agent_a@3")), /Rollout/), [
      "- Rollout `front`: `agent_a@3` 0 % → 1 % (step 1 of 4).",
    ]);
  });
});

describe("a gate on the size of a change", () => {
  it("blocks a step of a rollout if the stack has no steps", async () => {
    const { code, stderr } = await report(preview(front(10), front(50), {}), "--fail-on", "shift>25");
    assert.deepEqual(
      [code, stderr],
      [1, "pulumi-agent-platform report: shift>25: +1 (support): 40 percentage points\n"],
    );
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
