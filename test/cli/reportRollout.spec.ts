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

  const abort = abortedAt("2026-11-23T09:02:00.000Z");

  it("says that every number gets an abort, and the way back", async () =>
    assert.deepEqual(await lines(preview(front(50), abort), /^###|^- |^On merge|^Undo/), [
      title("50 %"),
      "- The stable split is sent to every number, whatever the state says.",
      "- Moves 50 percentage points of traffic: a return to the stable split.",
      "On merge: 1 PUT. This preview sent nothing.<br>",
      "Undo: `npx pulumi-agent-platform promote front --stack dev --to agent_a@2`, one step at a time.<br>",
    ]));

  it("says of an abort what callers had or may have had", async () => {
    const had = async (before: Rollout, state: object = {}) =>
      (await lines(preview(before, abort, STEPS, state), /^###/))[0];
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

  it("says first that numbers with different splits are aborted", async () => {
    const one = (name: string, before: Rollout) =>
      single("update", name, { ...at(before), number: `+${name}` }, { ...at(abort), number: `+${name}` });
    const stdin = previewOf([one("1", front(50)), one("2", front(10)), one("3", front(0))], { config: STEPS });
    assert.deepEqual(await lines(stdin, /^###\s/), [
      "### `dev`: Rollouts are aborted on 3 numbers, in 3 different ways",
    ]);
  });

  const taken = { agent: "agent_a@2", percent: 50, at: "2026-11-23T07:04:00.000Z" };

  describe("of a restart says what was aborted and when:", () => {
    const aborted = { ...front(0), aborted: taken };
    const written = { ...front(10), aborted: taken };
    const previousInboundAgents = inboundAgents(front(10));
    const byHand = { number: "+1", inboundAgents: inboundAgents(front(10)) };
    const rows: { name: string; given: string; had?: string }[] = [
      { name: "after the abort", given: preview(aborted, written, {}) },
      {
        name: "to the split from before the abort",
        given: preview(aborted, written, {}, { previousInboundAgents }),
      },
      {
        name: "without a record in the config",
        given: preview(abortedAt(taken.at), front(10), {}, { previousInboundAgents }),
      },
      { name: "before the abort was applied", given: preview(front(50), written, {}), had: "50 %" },
      { name: "by hand", given: previewOf([single("update", "support", at(aborted), byHand)]) },
    ];
    for (const { name, given, had = "0 %" } of rows) {
      it(name, async () => {
        const again = `⚠ \`agent_a@2\` was aborted at 2026-11-23 07:04 UTC, and gets calls again on \`+1\` (\`support\`): ${had} → 10 %`;
        assert.deepEqual(await lines(given, /^###|a return/), [`### \`dev\`: ${again}`]);
        assert.equal((await run(["--fail-on", "shift=5"], given)).code, 1);
      });
    }

    it("but not in the step after it", async () =>
      assert.deepEqual(await lines(preview(written, { ...written, percent: 50 }), /was aborted/), []));
  });

  describe("after a step that a number refused", () => {
    const refused = (rollout: Rollout, had: Rollout) =>
      preview(rollout, rollout, STEPS, {
        unapplied: [{ numbers: "+1\n", reason: "rejected", applied: { inboundAgents: inboundAgents(had) } }],
      });
    const missed = "- `1 number not applied in an earlier run (the API rejected it).`";
    const undo =
      "Undo: `npx pulumi-agent-platform abort front --stack dev --up`: all calls to `agent_a@1`; only a freeze blocks it.<br>";

    it("says the rollout, and the command that goes back", async () =>
      assert.deepEqual(await lines(refused(front(10), front(1)), /^###|^- |^Undo/), [
        "### `dev`: Traffic on `+1` (`support`): `agent_a@2` 1 % → 10 %",
        "- Rollout `front`: `agent_a@2` 1 % → 10 % (step 2 of 4).",
        "- Moves 9 percentage points of traffic: a step that is sent again.",
        missed,
        undo,
      ]));

    it("is no new shift for a gate if it is a step", async () => {
      const codeOf = async (to: number) => (await run(["--fail-on", "shift=25"], refused(front(to), front(10)))).code;
      assert.deepEqual([await codeOf(50), await codeOf(60)], [0, 1]);
    });

    it("says that the agent was aborted, if it gets calls again", async () =>
      assert.deepEqual(await lines(refused({ ...front(1), aborted: taken }, front(0)), /^###|^- Roll|^Undo/), [
        "### `dev`: ⚠ `agent_a@2` was aborted at 2026-11-23 07:04 UTC, and gets calls again on `+1` (`support`): 0 % → 1 %",
        "- Rollout `front`: `agent_a@2` 0 % → 1 % (step 1 of 4).",
        undo,
      ]));

    it("does not say of an abort that every number is sent", async () =>
      assert.deepEqual(await lines(refused({ ...front(0), aborted: taken }, front(50)), /^###|^- |^Undo/), [
        title("50 %"),
        "- Moves 50 percentage points of traffic: a return to the stable split.",
        missed,
        "Undo: `npx pulumi-agent-platform promote front --stack dev --to agent_a@2`, one step at a time.<br>",
      ]));

    it("says nothing of the rollout if another field was refused", async () =>
      assert.deepEqual(await lines(refused(front(10), front(10)), /^###|Rollout|^Undo/), [
        "### `dev`: Sent again: `+1` (`support`)",
      ]));
  });

  it("names the agent of an abort with --to", async () => {
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

  it("says beside the way back what a revert of a removal does", async () => {
    const step = single("update", "support", at(front(50)), at(abort));
    const leaves = single("delete", "desk", { number: "+2", inboundAgents: { "agent_a@1": 100 } });
    const undo = (...steps: SyntheticStep[]) => lines(previewOf(steps, { config: STEPS }), /^Undo/);
    const back = "Undo: `npx pulumi-agent-platform promote front --stack dev --to agent_a@2`, one step at a time";
    const removal = "a revert of the removal gives `+2` (`desk`) its agents again";
    assert.deepEqual(await undo(step, leaves), [`${back} · ${removal}.<br>`]);
    assert.deepEqual(await undo(step), [`${back}.<br>`]);
  });

  it("goes back from an abort without steps by a revert", async () => {
    const undo = async (config: object) => lines(preview(front(50), front(0), config), /^###|^Undo/);
    assert.deepEqual((await undo(STEPS))[0], title("50 %"));
    assert.deepEqual(await undo({}), [title("50 %"), "Undo: revert this pull request.<br>"]);
  });

  it("names the agent that starts, beside whichever stable agent", async () => {
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
