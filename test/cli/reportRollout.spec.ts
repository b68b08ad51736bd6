import assert from "node:assert/strict";
import { checkRows } from "../support/rows";
import { group, previewOf, run, type SyntheticStep, single } from "./reportSteps";

/** Tests how CI gates treat rollout steps. The wording of the reports is in `testdata/report/text-rollouts.md`. */

interface Rollout {
  readonly aborted?: object;
  readonly stable: string;
  readonly candidate?: string;
  readonly percent?: number;
}

const front = (percent: number) => ({ name: "front", stable: "agent_a@1", candidate: "agent_a@2", percent });
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

/** Runs the report with a shift gate. Returns the sizes of the blocked shifts, in percentage points. */
async function blockedBy(shift: number, stdin: string): Promise<(number | undefined)[]> {
  const { code, stdout } = await run(["--fail-on", `shift=${shift}`, "--json"], stdin);
  const { facts, blocking } = JSON.parse(stdout) as {
    facts: { condition: string; points?: number; excused?: string }[];
    blocking: { gate: string }[];
  };
  const points = facts
    .filter(({ condition, excused }) => condition === "shift" && excused === undefined)
    .flatMap((fact) => ((fact.points ?? shift + 1) > shift ? [fact.points] : []));
  assert.equal(code, points.length > 0 ? 1 : 0, stdout);
  assert.deepEqual(
    blocking.map(({ gate }) => gate),
    points.length > 0 ? [`shift=${shift}`] : [],
  );
  return points;
}

describe("a report on a rollout", () => {
  const undo = async (...steps: SyntheticStep[]) =>
    (await run([], previewOf(steps, { config: STEPS }))).stdout.split("\n").find((line) => line.startsWith("Undo")) ??
    "";

  it("prints the command that undoes a step", async () => {
    const line = await undo(single("update", "support", at(front(10)), at(front(50))));
    assert.ok(line.includes("`npx pulumi-agent-platform abort front --stack dev --up`"), line);
  });

  it("prints the command that undoes an abort", async () => {
    const abort = abortedAt("2026-11-23T09:02:00.000Z");
    const line = await undo(single("update", "support", at(front(50)), at(abort)));
    assert.ok(line.includes("`npx pulumi-agent-platform promote front --stack dev --to agent_a@2`"), line);
  });

  // A command would change the rollout's other numbers too.
  it("prints no command for a number that joins a rollout that others use", async () => {
    const aborted = { ...front(0), aborted: { agent: "agent_a@2", percent: 50, at: "2026-11-23T09:02:00.000Z" } };
    for (const rollout of [aborted, front(50)]) {
      const line = await undo(
        single("update", "support", { number: "+1", inboundAgents: { "agent_a@1": 100 } }, at(rollout)),
        single("same", "desk", { ...at(rollout), number: "+2" }, { ...at(rollout), number: "+2" }),
      );
      assert.ok(!line.includes("npx"), line);
    }
  });
});

describe("a shift gate", () => {
  const abortRecord = { agent: "agent_a@2", percent: 50, at: "2026-11-23T07:04:00.000Z" };
  const aborted = { ...front(0), aborted: abortRecord };
  const restarted = { ...front(10), aborted: abortRecord };
  const previousInboundAgents = inboundAgents(front(10));
  const manualSplit = { number: "+1", inboundAgents: inboundAgents(front(10)) };

  it("allows a configured step above the gate's limit", async () =>
    assert.deepEqual(await blockedBy(25, preview(front(10), front(50))), []));

  it("blocks a large shift if the stack has no steps", async () =>
    assert.deepEqual(await blockedBy(25, preview(front(10), front(50), {})), [40]));

  const restarts: Readonly<Record<string, readonly [stdin: string, points: number]>> = {
    "whose abort was applied": [preview(aborted, restarted, {}), 10],
    "with its split from before the abort": [preview(aborted, restarted, {}, { previousInboundAgents }), 10],
    "whose abort is no longer in the config": [
      preview(abortedAt(abortRecord.at), front(10), {}, { previousInboundAgents }),
      10,
    ],
    "before the abort was applied": [preview(front(50), restarted, {}, { previousInboundAgents }), 40],
    "with a manual split": [
      previewOf([single("update", "support", { ...at(aborted), previousInboundAgents }, manualSplit)]),
      10,
    ],
  };
  it("blocks a restart of an aborted agent", () =>
    checkRows(
      Object.entries(restarts),
      ([name]) => name,
      async ([, [stdin, points]]) => assert.deepEqual(await blockedBy(5, stdin), [points]),
    ));

  const rejected = (rollout: Rollout, applied: Rollout) =>
    preview(rollout, rollout, STEPS, {
      unapplied: [{ numbers: "+1\n", reason: "rejected", applied: { inboundAgents: inboundAgents(applied) } }],
    });

  it("allows resending a step that the platform rejected", async () =>
    assert.deepEqual(await blockedBy(25, rejected(front(50), front(10))), []));

  it("blocks resending a percentage that is not a configured step", async () =>
    assert.deepEqual(await blockedBy(25, rejected(front(60), front(10))), [50]));

  it("allows an abort to an agent in approvedAgents", async () => {
    const to = {
      name: "front",
      stable: "agent_night@4",
      candidate: "agent_a@2",
      percent: 0,
      aborted: { agent: "agent_a@1", percent: 100, at: "2026-11-23T09:02:00.000Z", to: "agent_night@4" },
    };
    const config = { ...STEPS, "agent-platform:approvedAgents": '["agent_night@4"]' };
    assert.deepEqual(await blockedBy(25, preview(front(0), to, config)), []);
  });

  it("allows aborting a partly applied step", async () => {
    const everyGate = ["--fail-on", "create,delete,replace,shift=1,sms,voice,end,unresolved"];
    assert.equal((await run(everyGate, preview(front(50), front(0), {}))).code, 0);
    const part = (number: string, percent: number) => ({
      numbers: `${number}\n`,
      reason: "unknown",
      applied: { inboundAgents: inboundAgents(front(percent)) },
    });
    const both = (rollout: Rollout) => ({ ...at(rollout), number: undefined, numbers: "+1\n+2\n" });
    for (const unapplied of [[part("+1", 0), part("+2", 10)], [part("+2", 10)], [part("+2", 0)]]) {
      const stdin = previewOf([group("update", "support", { ...both(front(50)), unapplied }, both(front(0)))]);
      const { code, stderr } = await run(everyGate, stdin);
      assert.equal(code, 0, stderr);
    }
  });
});
