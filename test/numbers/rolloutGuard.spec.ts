import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { Declaration } from "../support/miniEngine";
import type { MiniStack } from "../support/miniStack";
import { onStack } from "./groupSupport";

/** Rollouts under guards, under the small engine: what a preview refuses sends nothing, and says so in these words. */

const numbers = ["+15550000001", "+15550000002"];
const WHO = 'NumberGroup "front"';
const STEPS = { "agent-platform:steps": "[1, 10, 50, 100]" };

type Rollout = Readonly<Record<string, unknown>>;
const front = (percent: unknown, more: Rollout = {}): Rollout => ({
  stable: "agent_front@12",
  candidate: "agent_front@13",
  percent,
  ...more,
});

/** A program, and the rollout that the stack's config has under the name in it. */
interface Program {
  readonly declarations: readonly Declaration[];
  readonly rollout: Rollout | undefined;
}

const named = (kind: Declaration["kind"], rollout: Rollout | undefined, args: object): Program => ({
  declarations: [{ name: "front", kind, args: { ...(rollout && { rollout: "front" }), ...args } }],
  rollout,
});
const group = (rollout: Rollout | undefined, more: object = {}): Program =>
  named("numberGroup", rollout, { numbers, ...more });
const split = (inboundAgents: Record<string, number>, more: object = {}): Program =>
  group(undefined, { inboundAgents, ...more });

/** Writes the rollout into the stack's config. */
function configured(stack: MiniStack, { declarations, rollout }: Program): readonly Declaration[] {
  stack.config["agent-platform:rollouts"] = JSON.stringify(rollout === undefined ? {} : { front: rollout });
  return declarations;
}

const up = (stack: MiniStack, program: Program) => stack.up(configured(stack, program));

/** Each program applied in turn, all of them taken. */
async function walk(stack: MiniStack, ...programs: Program[]): Promise<void> {
  for (const program of programs) {
    const { failures } = await up(stack, program);
    assert.deepEqual(failures, []);
  }
  stack.sent();
}

async function refusal(stack: MiniStack, program: Program): Promise<string[]> {
  const { failures } = await stack.preview(configured(stack, program));
  assert.deepEqual(stack.sent(), []);
  return failures.flatMap(({ message }) => message.replace(/^error: /, "").split("\n"));
}

const calls = ({ emulator }: MiniStack) => numbers.map((number) => emulator.routing(number)?.inboundAgents);
/** A refusal, whole. Each names the line that passes the guards. */
const refused = (code: string, what: string, remedy: string) =>
  `${code} ${WHO}: ${what} Nothing was sent for this resource. ${remedy} For this run alone, run \`AGENT_PLATFORM_BYPASS="<reason>" pulumi up\`.`;
const byStep = (what: string) =>
  refused(
    "AGP-027",
    what,
    "Go up one step at a time with `npx pulumi-agent-platform promote front`. Go back with `abort front`; to another agent of approvedAgents, with `--to`.",
  );
const skips = (from: number, to: number, skipped: string) =>
  byStep(`rollout.percent: from ${from} % to ${to} % skips ${skipped}.`);
const notStable = (stable: string, had: Record<string, number>) => {
  const each = Object.entries(had).map(([agent, percent]) => `${agent} has ${percent} %`);
  return byStep(`rollout.stable: ${stable} does not have all calls (${each.join(", ")}).`);
};
const LESS = "Move less traffic at a time, or raise maxShift.";

describe("a rollout that is no step", () => {
  const noStep = byStep("rollout.percent: 25 is no step; the steps are 0, 1, 10, 50, 100 (agent-platform:steps).");
  const other = front(1, { candidate: "agent_front@14" });
  const turned = front(50, { stable: "agent_front@13", candidate: "agent_front@12" });
  const [v12, v13, v14] = ["agent_front@12", "agent_front@13", "agent_front@14"] as const;
  const rows: readonly {
    readonly name: string;
    readonly before: Rollout;
    readonly after: Rollout;
    readonly expected: string;
  }[] = [
    { name: "to what is no step", before: front(10), after: front(25), expected: noStep },
    { name: "over several steps", before: front(0), after: front(100), expected: skips(0, 100, "1 %, 10 %, 50 %") },
    {
      name: "at another step than the first",
      before: { stable: v12 },
      after: front(10),
      expected: skips(0, 10, "1 %"),
    },
    {
      name: "of another candidate in between",
      before: front(10),
      after: other,
      expected: notStable(v12, { [v12]: 90, [v13]: 10 }),
    },
    {
      name: "of the two the other way round",
      before: front(10),
      after: turned,
      expected: notStable(v13, { [v12]: 90, [v13]: 10 }),
    },
    {
      name: "of the candidate, named as stable in between",
      before: front(10),
      after: { stable: v13 },
      expected: notStable(v13, { [v12]: 90, [v13]: 10 }),
    },
    {
      name: "of a new agent, named as stable",
      before: front(0),
      after: { stable: v14 },
      expected: notStable(v14, { [v12]: 100 }),
    },
    {
      name: "of a new agent, named as stable in between",
      before: front(10),
      after: { stable: v14 },
      expected: notStable(v14, { [v12]: 90, [v13]: 10 }),
    },
    {
      name: "of another candidate beside the old stable agent",
      before: front(100),
      after: other,
      expected: notStable(v12, { [v13]: 100 }),
    },
  ];
  for (const { name, before, after, expected } of rows) {
    it(`is refused at preview: ${name}`, () =>
      onStack({}, async (stack) => {
        await walk(stack, group(before));
        Object.assign(stack.config, STEPS);
        assert.deepEqual(await refusal(stack, group(after)), [expected]);
      }));
  }

  it("is refused for new numbers only if it is no step at all", () =>
    onStack(STEPS, async (stack) => {
      assert.deepEqual(await refusal(stack, group(front(25))), [noStep]);
      await walk(stack, group(front(50)));
    }));
});

describe("a rollout that is left out", () => {
  it("is taken for a mistake, in a group of the same name, in one that is renamed, and in one to which its numbers move", () =>
    onStack({}, async (stack) => {
      await walk(stack, group(front(1)));
      const lost = (name: string, those: readonly string[]) =>
        `AGP-002 NumberGroup "${name}": nothing says who answers (${those.join(", ")}): both arguments are missing or blank. Write \`rollout\` or \`inboundAgents\`. To unassign all agents, write \`inboundAgents: []\`.`;
      const [first = "", ...rest] = numbers;
      const other = (those: readonly string[]): Declaration => ({
        name: "x",
        kind: "numberGroup",
        args: { numbers: those },
      });
      const { declarations, rollout } = group(front(1), { numbers: rest });
      const rows: [Program, string][] = [
        [group(undefined), lost("front", numbers)],
        [{ declarations: [other(numbers)], rollout }, lost("x", numbers)],
        [{ declarations: [...declarations, other([first])], rollout }, lost("x", [first])],
      ];
      for (const [program, expected] of rows) {
        assert.deepEqual(await refusal(stack, program), [expected]);
      }
    }));
});

describe("a rollout, step by step", () => {
  it("goes up by steps without maxShift, down at once, and starts the next one at 0 and at 100", () =>
    onStack({ ...STEPS, "agent-platform:maxShift": 5 }, async (stack) => {
      const next = (percent: number) => front(percent, { stable: "agent_front@13", candidate: "agent_front@14" });
      await walk(stack, ...[0, 1, 10, 50, 10, 50, 100, 50, 100].map((percent) => group(front(percent))));
      assert.deepEqual(calls(stack), [{ "agent_front@13": 100 }, { "agent_front@13": 100 }]);
      // The old candidate becomes the stable agent: the same split, and no request.
      assert.deepEqual((await up(stack, group({ stable: "agent_front@13" }))).failures, []);
      assert.deepEqual(stack.sent(), []);
      await walk(stack, ...[1, 10, 0].map((percent) => group(next(percent))));
      assert.deepEqual(calls(stack), [{ "agent_front@13": 100 }, { "agent_front@13": 100 }]);
      // A revert of the abort is a way up.
      assert.deepEqual(await refusal(stack, group(next(10))), [skips(0, 10, "1 %")]);
      await walk(stack, group(front(1, { stable: "agent_front@13", candidate: "agent_front@15" })));
    }));

  it("is asked for maxShift without steps, and a new name for the stable agent is no way round it", () =>
    onStack({ "agent-platform:maxShift": 25 }, async (stack) => {
      await walk(stack, group({ stable: "agent_front@12" }), group(front(10)));
      const shift = (path: string, moves: string) =>
        refused("AGP-021", `${path} 90 percentage points of traffic; limit 25 (${moves}).`, LESS);
      const moves = "agent_front@12 90 % → none, agent_front@13 10 % → 100 %";
      assert.deepEqual(await refusal(stack, group(front(100))), [shift("inboundAgents: moves", moves)]);
      assert.deepEqual(await refusal(stack, group({ stable: "agent_front@13" })), [
        shift("inboundAgents: moves", moves),
      ]);
      const swapped = front(90, { stable: "agent_front@13", candidate: "agent_front@12" });
      assert.deepEqual(await refusal(stack, group(swapped)), [shift("rollout.stable: an abort would move", moves)]);
    }));

  it("does not go up while a number does not have the last step, and maxShift does not keep it from getting that", () =>
    onStack({ ...STEPS, "agent-platform:maxShift": 5 }, async (stack) => {
      await walk(stack, group(front(1)));
      stack.emulator.inject({ kind: "status", status: 422, operation: "assignNumber", after: 1, times: 1 });
      assert.equal((await up(stack, group(front(10)))).failures.length, 1);
      stack.sent();
      assert.deepEqual(await refusal(stack, group(front(50))), [
        byStep("rollout.percent: not every number has 10 % yet."),
      ]);
      await walk(stack, group(front(10)), group(front(50)));
      assert.deepEqual(calls(stack)[1], { "agent_front@12": 50, "agent_front@13": 50 });
    }));
});

describe("an agent that a rollout names as stable", () => {
  const approved = { "agent-platform:approvedAgents": '["agent_front@12", "agent_front@13"]' };
  const typo = (percent: number, candidate = "agent_front@12"): Rollout => ({
    stable: "agent_typo@1",
    candidate,
    percent,
  });
  const Weights = { "agent_front@12": 100 };
  const unapproved = (max = 0) =>
    refused(
      "AGP-023",
      `rollout.stable: agent_typo@1 is not approved; after an abort, unapproved agents would receive 100 % (now 0 %, limit ${max} %).`,
      "Name approved agents, or approve these in agent-platform:approvedAgents.",
    );
  const shifted = refused(
    "AGP-021",
    "rollout.stable: an abort would move 100 percentage points of traffic; limit 25 (agent_front@12 100 % → none, agent_typo@1 none → 100 %).",
    LESS,
  );
  const unversioned = refused(
    "AGP-022",
    "rollout.stable: every agent must name its version; missing for agent_typo.",
    "Add the version: `agent_front@12` in a split, `outboundAgentVersion: 12` for an outbound agent.",
  );

  const rows: readonly {
    readonly name: string;
    readonly before: Program | undefined;
    readonly guards: object;
    readonly after: Program;
    readonly expected: string;
  }[] = [
    {
      name: "beside an agent that has all calls by hand",
      before: split(Weights),
      guards: approved,
      after: group(typo(100)),
      expected: unapproved(),
    },
    {
      name: "the same, if any agent may move 25 points",
      before: split(Weights),
      guards: { "agent-platform:maxShift": 25 },
      after: group(typo(100)),
      expected: shifted,
    },
    {
      name: "the same, if a rollout has steps",
      before: split(Weights),
      guards: STEPS,
      after: group(typo(100)),
      expected: notStable("agent_typo@1", { "agent_front@12": 100 }),
    },
    {
      name: "the same, without a version",
      before: split(Weights),
      guards: { "agent-platform:requireVersions": "true" },
      after: group({ ...typo(100), stable: "agent_typo" }),
      expected: unversioned,
    },
    {
      name: "beside the agent that a rollout has promoted",
      before: group(front(100)),
      guards: approved,
      after: group(typo(100, "agent_front@13")),
      expected: unapproved(),
    },
    {
      name: "of new numbers, beside an agent that gets all calls",
      before: undefined,
      guards: approved,
      after: group(typo(100)),
      expected: unapproved(),
    },
    {
      name: "at the start of the next rollout, with as many calls as unapproved agents may get",
      before: group(front(100)),
      guards: { ...approved, "agent-platform:maxUnapproved": 10 },
      after: group(typo(95, "agent_front@13")),
      expected: unapproved(10),
    },
  ];
  for (const { name, before, guards, after, expected } of rows) {
    it(`is judged as if it got all calls: ${name}`, () =>
      onStack({}, async (stack) => {
        await walk(stack, ...(before === undefined ? [] : [before]));
        Object.assign(stack.config, guards);
        assert.deepEqual(await refusal(stack, after), [expected]);
      }));
  }

  it("is not judged again if it had all calls, or is stable already", () =>
    onStack({}, async (stack) => {
      await walk(stack, split({ "agent_old@1": 1 }));
      Object.assign(stack.config, STEPS, approved, { "agent-platform:maxShift": 1 });
      const old = (percent: number): Rollout => ({ stable: "agent_old@1", candidate: "agent_front@12", percent });
      await walk(stack, group(old(0)), group(old(1)), group(old(10)), group(old(0)));
      assert.deepEqual(calls(stack), [{ "agent_old@1": 100 }, { "agent_old@1": 100 }]);
    }));

  it("may take over a split by hand, in which the next step gives it all calls", () =>
    onStack(STEPS, async (stack) => {
      await walk(stack, split({ "agent_front@12": 90, "agent_front@13": 10 }), group(front(10)), group(front(50)));
      assert.deepEqual(calls(stack)[0], { "agent_front@12": 50, "agent_front@13": 50 });
    }));
});

describe("an abort", () => {
  const strict = {
    ...STEPS,
    "agent-platform:maxShift": 1,
    "agent-platform:approvedAgents": '["agent_other@1"]',
    "agent-platform:requireVersions": "true",
    "agent-platform:maxRemove": 0,
  };

  it("is heard from every percent, under every guard, whatever the stack's unit", () =>
    onStack({}, async (stack) => {
      const rollout = (percent: number) => front(percent, { stable: "agent_front" });
      for (const percent of [1, 50, 99, 100]) {
        stack.config = Object.fromEntries(Object.entries(stack.config).filter(([key]) => !(key in strict)));
        await walk(stack, group(rollout(0)), group(rollout(33)), group(rollout(percent)));
        Object.assign(stack.config, strict, { "agent-platform:weightTotal": percent });
        await walk(stack, group(rollout(0)));
        assert.deepEqual(calls(stack), [{ agent_front: percent }, { agent_front: percent }]);
        delete stack.config["agent-platform:weightTotal"];
      }
    }));

  it("is heard for a number that moves in the same change", () =>
    onStack({}, async (stack) => {
      const number = (index: number, percent: number) =>
        named("numberAssignment", front(percent), { number: numbers[index] });
      await walk(stack, number(0, 0), number(0, 50));
      Object.assign(stack.config, strict);
      // Not a step of the rollout: the new number is judged as a new one.
      assert.equal((await refusal(stack, number(1, 50))).length, 1);
      stack.config = { ...stack.config, "agent-platform:maxRemove": 1 };
      await walk(stack, number(1, 0));
      assert.deepEqual(calls(stack), [{}, { "agent_front@12": 100 }]);
    }));

  it("is heard where it failed, and where nothing was ever applied", () =>
    onStack({ ...STEPS, "agent-platform:maxShift": 1 }, async (stack) => {
      stack.emulator.inject({ kind: "reset", times: 2 });
      assert.equal((await up(stack, group(front(50)))).failures.length, 1);
      await walk(stack, group(front(0)), group(front(1)), group(front(10)));
      stack.emulator.inject({ kind: "reset", applied: false, after: 1, times: 1 });
      assert.equal((await up(stack, group(front(50)))).failures.length, 1);
      stack.emulator.inject({ kind: "status", status: 500, after: 1, times: 1 });
      assert.equal((await up(stack, group(front(0)))).failures.length, 1);
      await walk(stack, group(front(0)));
      assert.deepEqual(calls(stack), [{ "agent_front@12": 100 }, { "agent_front@12": 100 }]);
    }));
});

describe("a return to an agent from before the stable one", () => {
  const strict = { ...STEPS, "agent-platform:maxShift": 1, "agent-platform:requireVersions": "true" };
  const back = (to: string, at = "2026-11-23T09:02:11Z", more: Rollout = {}): Program =>
    group({ stable: to, aborted: { agent: "agent_front@13", percent: 99, to, at }, ...more });
  const next = front(1, { stable: "agent_front@13", candidate: "agent_front@14" });
  const approved = {
    "agent-platform:approvedAgents": '["agent_front@12", "agent_front@13", "agent_front@14", "agent_front@15"]',
  };
  const there = (stack: MiniStack) => walk(stack, ...[front(0), front(100), next].map((rollout) => group(rollout)));
  const all = (agent: string) => numbers.map(() => ({ [agent]: 100 }));

  it("passes every guard but freeze as an abort, and a stable agent that is only named does not", () =>
    onStack(approved, async (stack) => {
      await there(stack);
      Object.assign(stack.config, strict);
      assert.deepEqual(await refusal(stack, group({ stable: "agent_front@12" })), [
        notStable("agent_front@12", { "agent_front@13": 99, "agent_front@14": 1 }),
      ]);
      stack.config["agent-platform:freeze"] = "incident";
      assert.match((await refusal(stack, back("agent_front@12")))[0] ?? "", /^AGP-025/);
      delete stack.config["agent-platform:freeze"];
      await walk(stack, back("agent_front@12"));
      assert.deepEqual(calls(stack), all("agent_front@12"));
      // From there the next rollout goes by steps again.
      await walk(stack, group(front(1, { candidate: "agent_front@15" })));
    }));

  it("reaches the number that refused it, in the next run", () =>
    onStack(approved, async (stack) => {
      await there(stack);
      Object.assign(stack.config, strict);
      stack.emulator.inject({ kind: "status", status: 422, operation: "assignNumber", times: 1 });
      assert.equal((await up(stack, back("agent_front@12"))).failures.length, 1);
      await walk(stack, back("agent_front@12"));
      assert.deepEqual(calls(stack), all("agent_front@12"));
    }));

  it("is sent to every number again by a second abort to the same agent", () =>
    onStack(approved, async (stack) => {
      await there(stack);
      Object.assign(stack.config, strict);
      await walk(stack, back("agent_front@12"));
      assert.deepEqual((await up(stack, back("agent_front@12", "2026-11-23T10:00:00Z"))).failures, []);
      assert.deepEqual(stack.sent().sort(), numbers);
    }));

  it("is no way to give the candidate all calls, or an agent that is not approved, whatever the file says", () =>
    onStack({}, async (stack) => {
      await there(stack);
      Object.assign(stack.config, STEPS);
      const had = { "agent_front@13": 99, "agent_front@14": 1 };
      const candidate = [notStable("agent_front@14", had)];
      assert.deepEqual(await refusal(stack, back("agent_front@14")), candidate);
      const other = [notStable("agent_front@9", had)];
      assert.deepEqual(await refusal(stack, back("agent_front@9")), other);
      const known = {
        aborted: { agent: "agent_front@13", percent: 99, to: "agent_front@12", at: "2026-11-23T09:02:11Z" },
      };
      assert.deepEqual(await refusal(stack, group({ stable: "agent_front@9", ...known })), other);
      stack.config["agent-platform:approvedAgents"] = '["agent_front@9", "agent_front@13", "agent_front@14"]';
      assert.deepEqual(await refusal(stack, back("agent_front@14")), candidate);
      await walk(stack, back("agent_front@9"));
      assert.deepEqual(calls(stack), all("agent_front@9"));
    }));
});

describe("an agent that was aborted, and starts again", () => {
  const aborted = { agent: "agent_front@13", percent: 50, at: "2026-11-23T07:04:00Z" };
  const said = `warning: AGP-065 ${WHO}: agent_front@13 was aborted at 2026-11-23T07:04:00Z, and gets calls again. If that is wrong, change the rollout before \`pulumi up\`.\n`;
  // The file of the commands keeps the abort, that of a revert has lost it.
  const files: readonly { readonly name: string; readonly kept: Rollout }[] = [
    { name: "keeps the abort", kept: { aborted } },
    { name: "has lost it", kept: {} },
  ];
  for (const { name, kept } of files) {
    it(`is no return to the split before, if the file ${name}`, () =>
      onStack({}, async (stack) => {
        await walk(stack, group(front(0)), group(front(50)), group(front(0, { aborted })));
        stack.config["agent-platform:maxShift"] = 25;
        const [shifted = ""] = await refusal(stack, group(front(50, kept)));
        assert.match(shifted, /^AGP-021 .*: inboundAgents: moves 50 percentage points/);
        // Once it has begun, it is a rollout like any other.
        const next = await stack.up(configured(stack, group(front(20, kept))));
        assert.deepEqual([next.failures, next.said], [[], said]);
        assert.equal((await stack.preview(configured(stack, group(front(40, kept))))).said, "");
      }));
  }
});

describe("the time since which the platform has accepted a split", () => {
  const Silent = { inbound_agents: undefined, inbound_agent_id: undefined };
  const since = ({ engine }: MiniStack) => engine.state[0]?.outputs.since;

  for (const [what, fault] of [
    ["shows no agents", { kind: "contradict", record: Silent, patch: { assignment: null } }],
    ["has no body", { kind: "status", status: 204, body: undefined }],
    ["is a 202 without a body", { kind: "status", status: 202, body: undefined }],
    [
      "is a 202 that shows what was before",
      { kind: "status", status: 202, body: { numbers: [{ inbound_agents: [] }] } },
    ],
  ] as const) {
    it(`begins with the response that accepted it, if that ${what}, and is not that of a number that joins`, () =>
      onStack({}, async (stack) => {
        stack.emulator.inject({ ...fault, times: 1000 });
        await walk(stack, group(front(10)));
        const first = since(stack);
        assert.match(String(first), /^20.*Z$/);
        stack.emulator.clearFaults();
        await walk(stack, group(front(10), { numbers: [...numbers, "+15550000003"] }));
        assert.equal(since(stack), first);
      }));
  }

  it("is that of the last change of the calls, and absent while a number may not have it", () =>
    onStack({}, async (stack) => {
      const before = new Date().toISOString();
      await walk(stack, group(front(10)));
      const first = String(since(stack));
      assert.ok(before <= first && first <= new Date().toISOString(), first);
      // Another field, another unit, a number that joins and one that leaves: callers meet the same.
      await walk(stack, group(front(10), { inboundWebhookUrl: "https://hooks.example.com/" }));
      stack.config["agent-platform:weightTotal"] = 1;
      await walk(
        stack,
        group(front(10)),
        group(front(10), { numbers: [...numbers, "+15550000003"] }),
        group(front(10)),
      );
      assert.equal(since(stack), first);
      assert.deepEqual((await up(stack, group(front(10)))).steps, [{ op: "same", name: "front" }]);
      assert.equal(since(stack), first);

      // A promotion: minSoak counts from here.
      await walk(stack, group(front(15)));
      const promoted = String(since(stack));
      assert.ok(promoted > first, promoted);
      stack.emulator.inject({ kind: "status", status: 500, after: 1, times: 1 });
      assert.equal((await up(stack, group(front(20)))).failures.length, 1);
      assert.equal(since(stack), undefined);
      await walk(stack, group(front(20)));
      assert.ok(String(since(stack)) > promoted);
      const second = since(stack);
      // Not applied everywhere, but callers meet the same.
      stack.emulator.inject({ kind: "status", status: 422, after: 1, times: 1 });
      assert.equal(
        (await up(stack, group(front(20), { inboundWebhookUrl: "https://b.example.com/" }))).failures.length,
        1,
      );
      assert.equal(since(stack), second);
      await walk(stack, split({ "agent_front@12": 0.8, "agent_front@13": 0.2 }));
      assert.equal(since(stack), second);
    }));
});
