import assert from "node:assert/strict";
import { group, previewOf, run, type SyntheticStep, single } from "./reportSteps";

/** What reviewers read of a rollout, and what gates say to it. */

interface Rollout {
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
const abortedAt = (at: string) => ({
  name: "front",
  stable: "agent_a@1",
  aborted: { agent: "agent_a@2", percent: 50, at },
});
const inboundAgents = ({ stable, candidate = "", percent = 0 }: Rollout) =>
  Object.fromEntries(Object.entries({ [stable]: 100 - percent, [candidate]: percent }).filter(([, part]) => part > 0));
const at = (rollout: Rollout) => ({ number: "+1", rollout, inboundAgents: inboundAgents(rollout) });

const STEPS = { "agent-platform:steps": "[1, 10, 50, 100]" };
const preview = (before: Rollout, after: Rollout, config: object = STEPS, state: object = {}) =>
  previewOf([single("update", "support", { ...at(before), ...state }, at(after))], { config });

const lines = async (stdin: string, pattern: RegExp) =>
  (await run([], stdin)).stdout.split("\n").filter((line) => pattern.test(line));

describe("the report of a rollout", () => {
  it("says which step it takes, and which command goes back", async () => {
    const { stdout } = await run(["--fail-on", "shift=25"], preview(front(10), front(50)));
    assert.equal(
      stdout.replace(/\w{12}(?=`\n)/, "…"),
      `<!-- agent-platform-report test/dev -->

### \`dev\`: Traffic on \`+1\` (\`support\`): \`agent_a@2\` 10 % → 50 %

| agent | before | after |
| :-- | :-- | :-- |
| \`agent_a@1\` | 90 % | 50 % |
| \`agent_a@2\` | 10 % | 50 % |

- Rollout \`front\`: \`agent_a@2\` 10 % → 50 % (step 3 of 4).
- Moves 40 percentage points of traffic: the next of the steps 1, 10, 50, 100.

CI gate \`--fail-on shift=25\`: passed.<br>
On merge: 1 PUT. This preview sent nothing.<br>
Undo: \`npx pulumi-agent-platform abort front --stack dev --up\`: all calls to \`agent_a@1\`; only a freeze blocks it.<br>
reviewed-digest \`…\`
`,
    );
  });

  it("names the resources from which that command does not take the agent", async () => {
    const byHand = { number: "+2", inboundAgents: { "agent_a@1": 60, "agent_a@2": 40 } };
    const outbound = {
      number: "+3",
      inboundAgents: { "agent_a@1": 100 },
      outboundAgentId: "agent_a",
      outboundAgentVersion: 2,
    };
    const without = { number: "+4", inboundAgents: { "agent_a@1": 100, "agent_a@2": 0 } };
    const unchanged = Object.entries({ byHand, outbound, without }).map(([name, one]) =>
      single("same", name, one, one),
    );
    const steps = [single("update", "support", at(front(10)), at(front(50))), ...unchanged];
    assert.deepEqual(await lines(previewOf(steps, { config: STEPS }), /^Undo/), [
      "Undo: `npx pulumi-agent-platform abort front --stack dev --up`: all calls to `agent_a@1`; only a freeze blocks it. It does not take `agent_a@2` from `byHand`, `outbound`.<br>",
    ]);
  });

  const title = (had: string) =>
    `### \`dev\`: Rollout \`front\` is aborted: all calls of \`+1\` (\`support\`) go to \`agent_a@1\`, \`agent_a@2\` ${had} → 0 %`;

  it("of an abort says what callers had, that it does not rely on the state, and how to start again", async () => {
    const aborted = abortedAt("2026-11-23T09:02:00.000Z");
    assert.deepEqual(await lines(preview(front(50), aborted), /^###|^- |^On merge|^Undo/), [
      title("50 %"),
      "- The stable split is sent to every number, whatever the state says.",
      "- Moves 50 percentage points of traffic: a return to the stable split.",
      "On merge: 1 PUT. This preview sent nothing.<br>",
      "Undo: `npx pulumi-agent-platform promote front --stack dev --to agent_a@2`, one step at a time.<br>",
    ]);
    const had = async (before: Rollout, state: object = {}) =>
      (await lines(preview(before, aborted, STEPS, state), /^###/))[0];
    assert.equal(
      await had(abortedAt("2026-11-20T09:02:00.000Z")),
      "### `dev`: Rollout `front` is aborted: all calls of `+1` (`support`) go to `agent_a@1`, `agent_a@2` has no calls",
    );
    // The file had 10 %, which no number got, or which the number may have.
    const applied = { inboundAgents: inboundAgents(front(1)) };
    const never = (more: object = {}) => ({ unapplied: [{ numbers: "+1\n", reason: "unknown", applied, ...more }] });
    assert.equal(await had(front(10), never()), title("1 %"));
    assert.equal(
      await had(front(10), never({ maybe: { inboundAgents: inboundAgents(front(10)) } })),
      title("1 % or 10 %"),
    );
  });

  it("says in its first line that a rollout is aborted, also if a failed run has left its numbers with different splits", async () => {
    const aborted = abortedAt("2026-11-23T09:02:00.000Z");
    const one = (name: string, before: Rollout) =>
      single("update", name, { ...at(before), number: `+${name}` }, { ...at(aborted), number: `+${name}` });
    const stdin = previewOf([one("1", front(50)), one("2", front(10)), one("3", front(0))], { config: STEPS });
    assert.deepEqual(await lines(stdin, /^###\s/), [
      "### `dev`: Rollouts are aborted on 3 numbers, in 3 different ways",
    ]);
  });

  it("says of a restart what was aborted and when, whatever the split before was, and does not call it a return", async () => {
    const at50 = { percent: 50, at: "2026-11-23T07:04:00.000Z" };
    const aborted = { ...front(0), aborted: { agent: "agent_a@2", ...at50 } };
    const written = { ...front(10), aborted: aborted.aborted };
    const title = (had: string) =>
      `### \`dev\`: ⚠ \`agent_a@2\` was aborted at 2026-11-23 07:04 UTC, and gets calls again on \`+1\` (\`support\`): ${had} → 10 %`;
    const previousInboundAgents = inboundAgents(front(10));
    const rows: Record<string, [before: Rollout, after: Rollout, state: object, had: string]> = {
      "after the abort": [aborted, written, {}, "0 %"],
      "to the split from before the abort": [aborted, written, { previousInboundAgents }, "0 %"],
      "without a record in the config": [abortedAt(at50.at), front(10), { previousInboundAgents }, "0 %"],
      "before the abort was applied": [front(50), written, {}, "50 %"],
    };
    for (const [name, [before, after, state, had]] of Object.entries(rows)) {
      const stdin = preview(before, after, {}, state);
      assert.deepEqual(await lines(stdin, /^###|a return/), [title(had)], name);
      const { code } = await run(["--fail-on", "shift=5"], stdin);
      assert.equal(code, 1, name);
    }
    const byHand = { number: "+1", inboundAgents: inboundAgents(front(10)) };
    const stdin = previewOf([single("update", "support", at(aborted), byHand)]);
    assert.deepEqual(await lines(stdin, /^###|a return/), [title("0 %")]);
    const next = preview(written, { ...written, percent: 50 });
    assert.deepEqual(await lines(next, /was aborted/), []);
  });

  describe("after a step that a number refused", () => {
    const at50 = { percent: 50, at: "2026-11-23T07:04:00.000Z" };
    const taken = { agent: "agent_a@2", ...at50 };
    const refused = (rollout: Rollout, had: Rollout) =>
      preview(rollout, rollout, STEPS, {
        unapplied: [{ numbers: "+1\n", reason: "rejected", applied: { inboundAgents: inboundAgents(had) } }],
      });
    const missed = "- `1 number not applied in an earlier run (the API rejected it).`";
    const abort =
      "Undo: `npx pulumi-agent-platform abort front --stack dev --up`: all calls to `agent_a@1`; only a freeze blocks it.<br>";

    it("says the rollout, and the command that goes back", async () =>
      assert.deepEqual(await lines(refused(front(10), front(1)), /^###|^- |^Undo/), [
        "### `dev`: Traffic on `+1` (`support`): `agent_a@2` 1 % → 10 %",
        "- Rollout `front`: `agent_a@2` 1 % → 10 % (step 2 of 4).",
        "- Moves 9 percentage points of traffic.",
        missed,
        abort,
      ]));

    it("says that the agent was aborted, if it gets calls again", async () =>
      assert.deepEqual(await lines(refused({ ...front(1), aborted: taken }, front(0)), /^###|^- Roll|^Undo/), [
        "### `dev`: ⚠ `agent_a@2` was aborted at 2026-11-23 07:04 UTC, and gets calls again on `+1` (`support`): 0 % → 1 %",
        "- Rollout `front`: `agent_a@2` 0 % → 1 % (step 1 of 4).",
        abort,
      ]));

    it("says of an abort that it is one, and not that every number is sent", async () =>
      assert.deepEqual(await lines(refused({ ...front(0), aborted: taken }, front(50)), /^###|^- |^Undo/), [
        title("50 %"),
        "- Moves 50 percentage points of traffic: a return to the stable split.",
        missed,
        "Undo: `npx pulumi-agent-platform promote front --stack dev --to agent_a@2`, one step at a time.<br>",
      ]));

    it("says nothing of the rollout if the number has the split, and another field was refused", async () =>
      assert.deepEqual(await lines(refused(front(10), front(10)), /^###|Rollout|^Undo/), [
        "### `dev`: Sent again: `+1` (`support`)",
      ]));
  });

  it("of an abort to another agent says so, and not that it is a step", async () => {
    const to = {
      name: "front",
      stable: "agent_night@4",
      candidate: "agent_a@2",
      percent: 0,
      aborted: { agent: "agent_a@1", percent: 100, at: "2026-11-23T09:02:00.000Z", to: "agent_night@4" },
    };
    const config = { ...STEPS, "agent-platform:approvedAgents": '["agent_night@4"]' };
    const moves = "- Moves 100 percentage points of traffic: an abort to `agent_night@4`.";
    for (const settings of [config, {}]) {
      assert.deepEqual(await lines(preview(front(0), to, settings), /^- Moves/), [moves]);
    }
    assert.equal((await run(["--fail-on", "shift=25"], preview(front(0), to, config))).code, 0);
  });

  it("says beside the command that goes back that a revert gives numbers their agents again", async () => {
    const abort = single("update", "support", at(front(50)), at(abortedAt("2026-11-23T09:02:00.000Z")));
    const leaves = single("delete", "desk", { number: "+2", inboundAgents: { "agent_a@1": 100 } });
    const undo = (...steps: SyntheticStep[]) => lines(previewOf(steps, { config: STEPS }), /^Undo/);
    const back = "Undo: `npx pulumi-agent-platform promote front --stack dev --to agent_a@2`, one step at a time";
    const removal = "a revert of the removal gives `+2` (`desk`) its agents again";
    assert.deepEqual(await undo(abort, leaves), [`${back} · ${removal}.<br>`]);
    assert.deepEqual(await undo(abort), [`${back}.<br>`]);
  });

  it("of an abort by hand says the same; without steps it is a revert that goes back", async () => {
    const undo = async (config: object) => lines(preview(front(50), front(0), config), /^###|^Undo/);
    assert.deepEqual((await undo(STEPS))[0], title("50 %"));
    assert.deepEqual(await undo({}), [title("50 %"), "Undo: revert this pull request.<br>"]);
  });

  it("of a start names the agent that starts, also if another one was the stable agent", async () => {
    const started = (before: Rollout, after: Rollout) => lines(preview(before, after), /Rollout/);
    assert.deepEqual(await started(front(0), front(1)), ["- Rollout `front`: `agent_a@2` 0 % → 1 % (step 1 of 4)."]);
    assert.deepEqual(await started(front(100), front(1, "agent_a@2", "agent_a@3")), [
      "- Rollout `front`: `agent_a@3` 0 % → 1 % (step 1 of 4).",
    ]);
  });
});

describe("a gate on the size of a change", () => {
  it("blocks a step of a rollout if the stack has no steps", async () => {
    const { code, stderr } = await run(["--fail-on", "shift=25"], preview(front(10), front(50), {}));
    const said = "pulumi-agent-platform report: shift=25: +1 (support): 40 percentage points\n";
    assert.deepEqual([code, stderr], [1, said]);
  });

  it("blocks no abort, also while numbers do not have the split before", async () => {
    const every = ["--fail-on", "create,delete,replace,shift=1,unresolved"];
    assert.equal((await run(every, preview(front(50), front(0), {}))).code, 0);
    const part = (number: string, percent: number) => ({
      numbers: `${number}\n`,
      reason: "unknown",
      applied: { inboundAgents: inboundAgents(front(percent)) },
    });
    const both = (rollout: Rollout) => ({ ...at(rollout), number: undefined, numbers: "+1\n+2\n" });
    for (const unapplied of [[part("+1", 0), part("+2", 10)], [part("+2", 10)], [part("+2", 0)]]) {
      const stdin = previewOf([group("update", "support", { ...both(front(50)), unapplied }, both(front(0)))]);
      const { code, stderr } = await run(every, stdin);
      assert.deepEqual([code, stderr], [0, ""]);
    }
  });
});
