import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { abortCommand } from "../../cli/commands/abort";
import { built } from "../support/built";
import { fakeCli } from "../support/engineFakes";
import { assertHides, assertNames, assertShows, namedIn } from "../support/named";
import { type Entry, group, number } from "./recorded";
import {
  aborted,
  beforeCli,
  front,
  insteadOfUp,
  NOW,
  type StackGiven,
  saved,
  stack,
  support,
  TAKES_AFTER,
  withRollouts,
} from "./rolloutProject";
import { runWith } from "./terminal";

/**
 * Runs `abort front` in a project with this stack. The argument `bypass` isn't passed to the command, but sets a bypass
 * reason.
 */
const run = (prod: StackGiven, ...argv: readonly string[]) =>
  withRollouts({ prod }, async ({ world, rollouts, sets }) => {
    const env = { ...world.env, ...(argv.includes("bypass") && { AGENT_PLATFORM_BYPASS: "incident" }) };
    const options = ["front", "--stack", "prod", ...argv.filter((argument) => argument !== "bypass")];
    const printed = await runWith(abortCommand.run, options, { ...world, env });
    return { ...printed, front: rollouts("prod").front, writes: sets("prod").length };
  });

const UP = "npx pulumi-agent-platform abort front --stack prod --up";

/** Returns the agents and percentages in the third line of the output, which describes how the abort moves calls. */
function moveIn(stdout: string): string {
  const [name = "", ...move] = namedIn(stdout.split("\n")[2] ?? "").split(" ");
  assert.equal(name, '"front"');
  return move.join(" ");
}

const applied = (percent: number) => ({
  inboundAgents: { "agent_front@12": 100 - percent, "agent_front@13": percent },
});

describe("agent-platform abort", () => {
  const updating = (percent: number) => [{ ...support(percent), operation: "updating" }];
  const noState = "no stack named 'prod' found";
  const writeCases: { name: string; prod: StackGiven; percents: string; percent: number; notes?: string }[] = [
    {
      name: "moves all of the candidate's calls to the stable agent",
      prod: stack(100),
      percents: "100%",
      percent: 100,
    },
    {
      name: "prints both percentages that the candidate may have after a killed run",
      prod: { ...stack(50), state: { entries: [support(10)], pending: updating(50) } },
      percents: "10% 50%",
      percent: 50,
    },
    {
      name: "aborts a rollout whose first step was interrupted",
      prod: { rollouts: { front: front(1) }, state: { entries: [support(0)], pending: updating(1) } },
      percents: "0% 1%",
      percent: 1,
    },
    {
      name: "writes the abort to the config even if the state is unreadable",
      prod: { rollouts: { front: front(50) } },
      percents: "50%",
      percent: 50,
      notes: noState,
    },
  ];
  for (const { name, prod, percents, percent, notes } of writeCases) {
    it(name, async () => {
      const { stdout, ...printed } = await run(prod);
      assertShows(stdout, UP, notes ?? "2 numbers", "Commit");
      assert.equal(moveIn(stdout), `agent_front@13 ${percents} 0% agent_front@12`);
      assert.deepEqual(printed, { code: 0, stderr: "", front: aborted(percent), writes: 1 });
    });
  }

  it("escapes control and bidirectional characters in printed names", async () => {
    const agent = "agent_\u001b[31m\u202efront@13";
    const inboundAgents = { "agent_front@12": 50, [agent]: 50 };
    const entries = [
      group("support", "+1\n", saved(50, { inboundAgents })),
      number("de\u001b[31m\u202esk", "+2", { inboundAgents }),
    ];
    const prod = { rollouts: { front: { stable: "agent_front@12" } }, state: { entries } };
    const { code, stdout, stderr } = await run(prod, "--dry-run");
    assert.equal(code, 0, stderr);
    assertShows(stdout, "agent_\\u{1b}[31m\\u{202e}front@13", "de\\u{1b}[31m\\u{202e}sk");
    assert.ok(!/\p{Bidi_Control}|(?!\n)\p{Cc}/u.test(stdout), stdout);
  });

  const next = { stable: "agent_front@13", candidate: "agent_front@14", percent: 1 };
  const unused = ["front", "agent_front@12"];
  const night = { name: "night", stable: "agent_night@4", candidate: "agent_front@13", percent: 50 };
  const neverApplied = (agent: string) => [agent, "agent_front@12"];
  const earlier = { agent: "agent_front@11", percent: 10, at: NOW };
  const restarted = { rollout: { name: "front", stable: "agent_front@12", aborted: earlier } };
  /** An abort must record the agent and percentage that were in effect for callers, even if the config has others. */
  const recordCases: {
    name: string;
    config: object;
    entries: Entry[];
    agent?: string;
    percent: number;
    /** The fields of the rollout in the config that differ from `front(0)` after the abort, except for `aborted`. */
    becomes?: object;
    note?: readonly string[];
  }[] = [
    {
      name: "records the candidate's applied percentage instead of its configured one",
      config: front(50),
      entries: [support(10)],
      percent: 10,
    },
    { name: "aborts a candidate that receives no calls yet", config: front(50), entries: [support(0)], percent: 0 },
    { name: "aborts a candidate that no resource uses", config: front(50), entries: [], percent: 0, note: unused },
    {
      name: "ignores the percentages of other rollouts with the same candidate",
      config: front(50),
      entries: [support(1), group("night", "1\n", { rollout: night })],
      percent: 1,
    },
    {
      name: "records 0% for a candidate that only another rollout uses",
      config: front(50),
      entries: [group("night", "1\n", { rollout: night })],
      percent: 0,
      note: unused,
    },
    {
      name: "aborts the candidate in the state if the config has none",
      config: { stable: "agent_front@12" },
      entries: [support(50)],
      percent: 50,
    },
    {
      name: "aborts the current candidate instead of a previously aborted agent",
      config: { ...front(1), aborted: earlier },
      entries: [support(0, restarted)],
      percent: 0,
    },
    {
      name: "does not route calls to a stable agent that was never applied",
      config: { ...front(50), stable: "agent_front@15" },
      entries: [support(10)],
      percent: 10,
      note: neverApplied("agent_front@15"),
    },
    {
      name: "does not route calls to a stable agent that was never applied, even if the config has an abort",
      config: { ...front(0), stable: "agent_front@15", aborted: earlier },
      entries: [support(10)],
      percent: 10,
      note: neverApplied("agent_front@15"),
    },
    {
      name: "aborts the applied rollout even if the config has a newer one",
      config: next,
      entries: [support(50)],
      percent: 50,
      becomes: { candidate: "agent_front@14" },
      note: neverApplied("agent_front@13"),
    },
    {
      name: "aborts the newer rollout in the config if the applied one is complete",
      config: next,
      entries: [support(100)],
      agent: "agent_front@14",
      percent: 0,
      becomes: { stable: "agent_front@13", candidate: "agent_front@14" },
    },
    {
      name: "aborts the applied candidate even if the config makes it the stable agent",
      config: { stable: "agent_front@13", candidate: "agent_front@12", percent: 10 },
      entries: [support(50)],
      percent: 50,
      note: neverApplied("agent_front@13"),
    },
    {
      name: "aborts a candidate at a fractional percentage",
      config: front(2.5),
      entries: [support(2.5)],
      percent: 2.5,
    },
  ];
  for (const { name, config, entries, agent = "agent_front@13", percent, becomes, note } of recordCases) {
    it(name, async () => {
      const { code, stdout, front: written } = await run({ rollouts: { front: config }, state: { entries } });
      const percents = percent === 0 ? "" : ` ${percent}% 0%`;
      assert.equal(code, 0);
      assert.equal(moveIn(stdout), `${agent}${percents} ${{ ...front(0), ...becomes }.stable}`);
      assertShows(stdout.split("\n")[2] ?? "", "front", "prod");
      const abort = { agent, percent: percent === 2.5 ? "2.5" : percent, at: NOW };
      assert.deepEqual(written, { ...front(0), ...becomes, aborted: abort });
      assertShows(stdout.split("\n")[3] ?? "", ...(note ?? []));
    });
  }

  it("prints the candidate's percentage as unknown if the state is invalid", async () => {
    const { stdout } = await run(stack(0, { unapplied: "?", rollout: { name: "front", ...front(0) } }));
    assert.equal(moveIn(stdout), "agent_front@13 0% agent_front@12");
    assert.match(stdout, /\bunknown\b/);
  });

  it("leaves all other fields and rollouts in the config unchanged", () => {
    const gates = { promote: { minSoak: "24h" } };
    const others = { night: { stable: "agent_night@4" }, broken: { percent: "?" } };
    const prod = { ...stack(50), rollouts: { front: { ...front(50), ...gates }, ...others } };
    return withRollouts({ prod }, async ({ world, rollouts, sets }) => {
      assert.equal((await runWith(abortCommand.run, ["front", "--stack", "prod"], world)).code, 0);
      assert.deepEqual(rollouts("prod"), { front: { ...aborted(50), ...gates }, ...others });
      // The abort writes the config once, with only the changed fields.
      const pathOf = (path: string) => `agent-platform:rollouts["front"]${path}`;
      const abort = ["agent=agent_front@13", "percent=50", `at=${NOW}`].map((assignment) => assignment.split("="));
      const fields = abort.map(([field, value]) => pathOf(`["aborted"]["${field}"]=${value}`));
      assert.deepEqual(sets("prod"), [[pathOf('["percent"]=0'), ...fields].join(" ")]);
    });
  });

  describe("with --to", () => {
    const rollout = { name: "front", ...next };
    const to = (agent: string, argv: string[] = [], approved = "agent_front@12") =>
      run(
        {
          rollouts: { front: next },
          config: { "agent-platform:approvedAgents": `["${approved}"]` },
          state: { entries: [support(1, { rollout })] },
        },
        ...["--to", agent],
        ...argv,
      );
    const abort = { agent: "agent_front@13", percent: 99, at: NOW, to: "agent_front@12" };
    const after = { ...next, stable: "agent_front@12", percent: 0, aborted: abort };

    it("routes all calls to an approved agent given with --to", async () => {
      const { stdout, front } = await to("agent_front@12");
      assertShows(stdout, UP);
      assert.equal(moveIn(stdout), "agent_front@13 99% 0% agent_front@12");
      assert.deepEqual(front, after);
    });

    it("routes all calls to an unapproved agent if the guards are bypassed", async () => {
      const { stdout, front } = await to("agent_front@12", ["bypass"], "agent_front@9");
      assertShows(stdout, `AGENT_PLATFORM_BYPASS="<reason>" ${UP}`);
      assert.deepEqual(front, after);
    });

    it("rejects an unapproved agent if the bypass reason is blank", async () => {
      const approved = { "agent-platform:approvedAgents": "[]" };
      await withRollouts({ prod: { ...stack(50), config: approved } }, async ({ world, sets }) => {
        const env = { ...world.env, AGENT_PLATFORM_BYPASS: " " };
        const argv = ["front", "--stack", "prod", "--to", "agent_front@9"];
        const { code } = await runWith(abortCommand.run, argv, { ...world, env });
        assert.deepEqual({ code, sets: sets("prod") }, { code: 2, sets: [] });
      });
    });

    it("prints the bypass command if an unapproved agent blocks --up", async () => {
      const prod = {
        rollouts: { front: after },
        state: { entries: [support(1, { rollout })] },
        // The state that `pulumi up` would produce if it weren't blocked.
        afterUp: { entries: [support(0, { rollout: { name: "front", ...after } })] },
      };
      const { code, stdout } = await run(prod, "--up");
      assert.equal(code, 1);
      assertShows(stdout, `AGENT_PLATFORM_BYPASS="<reason>" ${UP}`);
    });

    it("routes all calls to the stable agent even if it is unapproved", async () => {
      const { code, front: written } = await run(stack(50), "--to", "agent_front@12");
      assert.deepEqual([code, written], [0, aborted(50)]);
    });

    it("replaces the target agent of an earlier abort", async () => {
      const returned = { agent: "agent_front@13", percent: 10, at: "2026-11-01T08:00:00.000Z", to: "agent_front@9" };
      const prod = { ...stack(50), rollouts: { front: front(50, { aborted: returned }) } };
      const { code, writes, front: written } = await run(prod);
      const abort = { agent: "agent_front@13", percent: 50, at: NOW, to: "agent_front@12" };
      assert.deepEqual([code, writes, written], [0, 1, { ...front(0), aborted: abort }]);
    });

    it("ignores the target of an earlier abort once a later rollout was applied", async () => {
      // This clone lacks the last promotions, after which v14 has become stable.
      const stale = { ...front(50), stable: "agent_front@11", candidate: "agent_front@14" };
      const returned = { agent: "agent_front@13", percent: 10, at: "2026-11-01T08:00:00.000Z", to: "agent_front@11" };
      const newer = { stable: "agent_front@14", candidate: "agent_front@15", percent: 10, aborted: returned };
      for (const percent of [50, 0]) {
        const prod = {
          rollouts: { front: { ...stale, percent, aborted: returned } },
          state: { entries: [support(10, { rollout: { name: "front", ...newer } })] },
        };
        const { code, front: written } = await run(prod);
        assert.equal(code, 0);
        assert.equal((written as { stable: string }).stable, "agent_front@14");
      }
    });

    it("does not write an abort that is already in the config", async () => {
      const prod = { rollouts: { front: after }, state: { entries: [support(1, { rollout })] } };
      const { code, writes, stdout } = await run(prod);
      assert.deepEqual([code, writes], [0, 0]);
      assertNames(stdout, "99% agent_front@13 1% agent_front@14");
    });

    const promotes = (agent: string) => `npx pulumi-agent-platform promote front --stack prod --to ${agent}\n`;

    const returned = { ...front(0), aborted: { agent: "agent_front@12", percent: 100, at: NOW, to: "agent_night@4" } };
    const newer = { ...front(10), candidate: "agent_front@14" };
    /** `applied` is the rollout in the state. `config` is set only if the config has a different rollout. */
    const candidateCases: { when: string; applied: object; config?: object }[] = [
      { when: "while its rollout is running", applied: front(50) },
      { when: "even if it is at 0%", applied: front(0) },
      { when: "even if its stable agent was aborted", applied: { ...returned, stable: "agent_night@4" } },
      { when: "even if it receives all calls", applied: front(100) },
      { when: "even if only the state has it", applied: front(50), config: newer },
    ];
    for (const { when, applied, config = applied } of candidateCases) {
      it(`rejects a candidate as the target ${when}`, async () => {
        const state = { entries: [support(0, { rollout: { name: "front", ...applied } })] };
        const { code, stderr, writes } = await run({ rollouts: { front: config }, state }, "--to", "agent_front@13");
        assert.deepEqual({ code, writes }, { code: 2, writes: 0 });
        assertShows(stderr, promotes("agent_front@13"));
      });
    }

    const refused: { name: string; agent: string; approved?: string; command: string }[] = [
      {
        name: "an unapproved agent",
        agent: "agent_front@9",
        command: `AGENT_PLATFORM_BYPASS="<reason>" npx pulumi-agent-platform abort front --stack prod --to agent_front@9 --up`,
      },
      {
        name: "the candidate as the target even if it is approved",
        agent: "agent_front@14",
        approved: "agent_front@14",
        command: promotes("agent_front@14"),
      },
    ];
    for (const { name, agent, approved, command } of refused) {
      it(`rejects ${name}`, async () => {
        const { code, stderr, writes } = await to(agent, [], approved);
        assert.deepEqual({ code, writes }, { code: 2, writes: 0 });
        assertShows(stderr, command);
      });
    }
  });

  it("does not write the config with --dry-run", async () => {
    const { stdout, ...printed } = await run(stack(50), "--dry-run");
    assertShows(stdout, "--dry-run");
    assert.equal(moveIn(stdout), "agent_front@13 50% 0% agent_front@12");
    assert.deepEqual(printed, { code: 0, stderr: "", front: front(50), writes: 0 });
  });

  it("exits with 3 if there is no candidate to abort", async () => {
    const idle = { stable: "agent_front@12" };
    const state = { entries: [support(0, { rollout: { name: "front", ...idle } })] };
    const { code, stdout, writes } = await run({ rollouts: { front: idle }, state });
    assert.deepEqual([code, writes], [3, 0]);
    assertShows(stdout, "front", "agent_front@12");
  });

  it("aborts the candidate of an interrupted create even if the config has none", async () => {
    const state = { pending: [{ ...support(50), operation: "creating" }] };
    const { front: written } = await run({ rollouts: { front: { stable: "agent_front@12" } }, state });
    assert.deepEqual(written, aborted(50));
  });

  it("exits with 1 if it cannot tell whether there is a candidate", async () => {
    const { code, stdout, writes } = await run({ rollouts: { front: { stable: "agent_front@12" } } });
    assert.deepEqual({ code, writes }, { code: 1, writes: 0 });
    assertShows(stdout, noState);
  });

  describe("run twice", () => {
    const earlier = "2026-11-23T08:00:00.000Z";
    const config = { front: aborted(50, earlier) };
    const abortedSupport = (more: object = {}, time = earlier) =>
      support(0, { rollout: { name: "front", ...aborted(50, time) }, ...more });
    const earlierAbort = "agent_front@13 2026-11-23 08:00";

    it("exits with 3 if the abort is already applied to every number", async () => {
      const { code, stdout, writes } = await run({ rollouts: config, state: { entries: [abortedSupport()] } });
      assert.deepEqual({ code, writes }, { code: 3, writes: 0 });
      assertNames(stdout, earlierAbort, "100% agent_front@12");
    });

    it("does not write the same abort again before it is applied", async () => {
      const { code, stdout, writes } = await run({ rollouts: config, state: { entries: [support(50)] } });
      assert.deepEqual({ code, writes }, { code: 0, writes: 0 });
      assertNames(stdout, 'NumberGroup "support" 50% agent_front@12 50% agent_front@13', earlierAbort);
      assertShows(stdout, UP);
    });

    it("lists a removed number that still uses the candidate", async () => {
      const undeclared = group("support", "+15550000003\n", saved(10), { delete: true });
      const { code, stdout, writes } = await run({
        rollouts: config,
        state: { entries: [abortedSupport(), undeclared] },
      });
      assert.deepEqual({ code, writes }, { code: 0, writes: 0 });
      assertNames(stdout, "+15550000003 90% agent_front@12 10% agent_front@13");
      assertShows(stdout, "npx pulumi-agent-platform doctor --stack prod");
    });

    const rejected = abortedSupport({
      unapplied: [{ numbers: "+15550000001\n", reason: "rejected", applied: applied(10) }],
    });
    const uncertainStates: Record<string, StackGiven["state"]> = {
      "if a later run was interrupted": {
        entries: [abortedSupport()],
        pending: [{ ...abortedSupport(), operation: "updating" }],
      },
      "if the platform rejected it for a number": { entries: [rejected] },
      "if the state cannot be read": null,
    };
    for (const [condition, state] of Object.entries(uncertainStates)) {
      it(`writes the same abort again ${condition}`, async () => {
        const second = await run({ rollouts: config, state: state ?? null });
        // The second abort has a new time, but keeps the percentage that the first one recorded.
        assert.deepEqual([second.code, second.front], [0, aborted(50)]);
      });
    }

    it("writes the same abort again if its run was interrupted", async () => {
      const returned = (at: string) => ({
        ...front(0),
        aborted: { agent: "agent_front@13", percent: 0, to: "agent_front@12", at },
      });
      const state = { pending: [{ ...abortedSupport(), operation: "creating" }] };
      const second = await run({ rollouts: { front: returned(earlier) }, state });
      assert.deepEqual([second.code, second.front], [0, returned(NOW)]);
    });
  });

  it("lists the stack's other resources that use the aborted agent", async () => {
    const entries = [
      support(50),
      group("sales", "1\n2\n", { inboundAgents: { "agent_front@12": 60, "agent_front@13": 40 } }),
      number("night", "3", { rollout: night }),
      number("calm", "4", { outboundAgentId: "agent_front", outboundAgentVersion: 13 }),
      number("other", "5"),
      // The program gives this number another agent, but the platform rejected that.
      number("late", "6", {
        inboundAgents: { "agent_front@12": 100 },
        unapplied: [{ numbers: "6\n", reason: "rejected", applied: applied(100) }],
      }),
    ];
    const { stdout } = await run({ ...stack(50), state: { entries } });
    const last = stdout.trimEnd().split("\n").at(-1) ?? "";
    assert.deepEqual(last.match(/Number\w+ "\w+"/g), [
      'NumberGroup "sales"',
      'NumberAssignment "night"',
      'NumberAssignment "calm"',
      'NumberAssignment "late"',
    ]);
    assertShows(last, "agent_front@13");
  });

  describe("of a number that still has an agent of another rollout", () => {
    const desk = { name: "desk", stable: "agent_desk@2", candidate: "agent_desk@3", percent: 100 };
    const moved = "+15550000009";
    // The number moved from the rollout `desk` to the rollout `front`, but the platform rejected its new split.
    const entries = (rollout: object) => [
      group("support", `${moved}\n`, {
        rollout: { name: "front", ...rollout },
        unapplied: [{ numbers: `${moved}\n`, reason: "rejected" }],
      }),
      group("desk", "+15550000008\n", { rollout: desk }),
      group("desk", `${moved}\n+15550000008\n`, { rollout: desk }, { delete: true }),
    ];

    it("aborts only the candidate of its own rollout", async () => {
      const prod = { rollouts: { front: front(0), desk }, state: { entries: entries(front(0)) } };
      assert.deepEqual((await run(prod)).front, aborted(0));
    });

    it("aborts the saved candidate even if the config has none", async () => {
      const own = { name: "front", ...front(50) };
      const state = {
        entries: [
          group("support", `${moved}\n`, { rollout: own, unapplied: [{ numbers: `${moved}\n`, reason: "rejected" }] }),
          group("support", `${moved}\n4001\n`, { rollout: own }, { delete: true }),
        ],
      };
      const { front: written } = await run({ rollouts: { front: { stable: "agent_front@12" } }, state });
      assert.deepEqual(written, aborted(50));
    });

    it("names the number if its own rollout has no candidate", async () => {
      const idle = { stable: "agent_front@12" };
      const prod = { rollouts: { front: idle, desk }, state: { entries: entries(idle) } };
      const { code, stdout, writes } = await run({ ...prod, afterUp: "fails" }, "--up");
      assert.deepEqual([code, writes], [1, 0]);
      assertHides(stdout, "`pulumi up` of prod");
      assertNames(stdout, 'NumberGroup "support" 100% agent_desk@3');
      assertShows(stdout, "npx pulumi-agent-platform doctor --stack prod");
    });
  });

  describe("--up after a stopped run that changed another resource", () => {
    const desk = number("desk", "4001", { inboundAgents: { "agent_front@12": 100 } });
    const abortAfter = (operation: string, pending: object[] = []) =>
      run(
        {
          ...stack(10),
          state: { entries: [support(10), desk], pending: [{ ...number("desk", "4001", saved(10)), operation }] },
          afterUp: {
            entries: [support(0, { rollout: { name: "front", ...aborted(10) } }), desk],
            pending: pending as [],
          },
        },
        "--up",
      );
    const end = (stdout: string) => stdout.split("\n\n").at(-1) ?? "";

    // Pulumi removes the record of an update or a delete in the next run, even if that run leaves the resource alone.
    for (const operation of ["updating", "deleting"]) {
      it(`names the resource if it was ${operation}, and exits with 1`, async () => {
        const { code, stdout } = await abortAfter(operation);
        assert.equal(code, 1);
        assertShows(end(stdout), 'NumberAssignment "desk"', "4001", "`triggers`");
      });
    }

    it("names a chat that was being ended, because `pulumi up` might start it again", async () => {
      const pending = [{ kind: "SmsChat", name: "hello", outputs: {}, operation: "deleting" }] as const;
      const { code, stdout } = await run(
        {
          ...stack(10),
          state: { entries: [support(10)], pending },
          afterUp: { entries: [support(0, { rollout: { name: "front", ...aborted(10) } })] },
        },
        "--up",
        "--json",
      );
      const { isApplied, isForgotten, text } = JSON.parse(stdout);
      assert.deepEqual({ code, isApplied, isForgotten }, { code: 1, isApplied: true, isForgotten: true });
      assertShows(text, 'SmsChat "hello"', "`pulumi destroy`", "SMS");
    });

    it("does not name the resource if Pulumi still has the record", async () => {
      const { code, stdout } = await abortAfter("creating", [
        { ...number("desk", "4001", saved(10)), operation: "creating" },
      ]);
      assert.equal(code, 1, "the create may have given the number to the rollout");
      assertHides(end(stdout), "removed Pulumi's record");
    });
  });

  it("prints the change to make by hand if Pulumi can't write the config", () =>
    withRollouts({ prod: stack(50) }, async ({ folder, world, rollouts }) => {
      beforeCli(folder, '[ "$2" = set-all ] && { echo "error: the file is locked" >&2; exit 255; }');
      const { code, stderr } = await runWith(abortCommand.run, ["--stack", "prod"], world);
      assert.equal(code, 2, stderr);
      assertShows(stderr, "the file is locked", JSON.stringify({ front: aborted(50) }));
      assert.deepEqual(rollouts("prod"), { front: front(50) });
    }));

  describe("with a concurrent config change", () => {
    const night = { stable: "agent_night@4" };
    /**
     * Runs an abort while another process changes `night` and saves the whole config, including the old `front`. This
     * undoes the abort's first `losses` writes.
     */
    const overwritten = (losses: number) =>
      withRollouts({ prod: { ...stack(50), rollouts: { front: front(50), night } } }, async (project) => {
        const other = { front: front(50), night: { stable: "agent_night@5" } };
        const config = { "agent-platform:rollouts": { value: JSON.stringify(other), secret: false } };
        writeFileSync(join(project.folder, "../other.json"), JSON.stringify(config));
        const isLost = `[ "$1 $2" = "config set-all" ] && echo >> ../lost && [ "$(grep -c "" ../lost)" -le ${losses} ]`;
        beforeCli(project.folder, `${isLost} && exec cp ../other.json ../prod.config.json`);
        const printed = await runWith(abortCommand.run, ["front", "--stack", "prod"], project.world);
        return { ...printed, rollouts: project.rollouts("prod") };
      });

    it("writes the abort again without undoing the concurrent change", async () => {
      const { code, rollouts } = await overwritten(1);
      assert.deepEqual([code, rollouts], [0, { front: aborted(50), night: { stable: "agent_night@5" } }]);
    });

    it("prints the change to make by hand if the abort is overwritten twice", async () => {
      const { code, stderr } = await overwritten(2);
      assert.equal(code, 2, stderr);
      assertShows(stderr, JSON.stringify({ front: aborted(50) }));
      assert.doesNotMatch(stderr, /night/, "the printed change would undo the other process's change");
    });
  });

  it("prints the number for which the platform rejected the abort", () => {
    const refused = (percent: number, rollout: object) =>
      support(percent, {
        rollout: { name: "front", ...rollout },
        unapplied: [
          { numbers: "+15550000001\n", reason: "rejected", applied: { inboundAgents: { "agent_front@12": 100 } } },
        ],
      });
    const stacks = {
      prod: { ...stack(10), state: { entries: [refused(10, front(10))] } },
      after: { state: { entries: [refused(0, aborted(10))] } },
    };
    return withRollouts(stacks, async ({ folder, world }) => {
      insteadOfUp(folder, `${TAKES_AFTER}; exit 1`);
      const { code, stdout } = await runWith(abortCommand.run, ["--stack", "prod", "--up", "--yes"], world);
      assert.equal(code, 1, stdout);
      const [failed = "", lacking = ""] = stdout.split("\n\n").at(-1)?.split("\n") ?? [];
      assert.equal(namedIn(failed), "`pulumi up` 1");
      assertNames(lacking, "100% agent_front@12", 'NumberGroup "support" +15550000001');
    });
  });

  const frozen = (freeze: string) => ({ ...stack(50), config: { "agent-platform:freeze": freeze } });
  const bypass = (command: string) => `AGENT_PLATFORM_BYPASS="<reason>" ${command}`;

  it("prints the reason for a freeze and the command to bypass it", async () => {
    const { stdout } = await run(frozen("incident 4711"));
    assertShows(stdout, "incident 4711", bypass(UP));
    assert.ok(!(await run(frozen(""))).stdout.includes("AGENT_PLATFORM_BYPASS"), "an empty freeze needs no bypass");
  });

  describe("with --up", () => {
    const supportUrn = "urn:pulumi:prod::phones::pulumi-nodejs:dynamic/agent-platform:NumberGroup::support";
    const targetedUp = `up --stack prod --yes --message Abort of the rollout "front" --continue-on-error --skip-preview --target ${supportUrn}`;
    const everyTarget = ["NumberAssignment", "NumberGroup"]
      .map((kind) => ` --target urn:pulumi:**:${kind}::**`)
      .join("");
    const incident = { AGENT_PLATFORM_BYPASS: "incident 4711" };

    /**
     * Runs `abort front --up`. In the result, `ups` has a line for each `pulumi up`, with the rollout's name from
     * AGENT_PLATFORM_ABORT, followed by the arguments.
     * @param up shell code to run in place of `pulumi up`
     */
    const abortUp = (prod: StackGiven, env: Readonly<Record<string, string>> = {}, up = "exit 0") =>
      withRollouts(
        { prod, after: { state: { entries: [support(0, { rollout: { name: "front", ...aborted(50) } })] } } },
        async (project) => {
          const { folder, world, sets } = project;
          insteadOfUp(folder, `echo "$AGENT_PLATFORM_ABORT: $@" >> ../ups; ${up}`);
          const fullWorld = { ...world, env: { ...world.env, ...env } };
          const { code, stdout } = await runWith(
            abortCommand.run,
            ["front", "--stack", "prod", "--up", "--yes"],
            fullWorld,
          );
          const file = join(folder, "../ups");
          const ups = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
          return { code, ups, writes: sets("prod").length, stdout };
        },
      );
    it("runs `pulumi up` only for the rollout's resources", async () => {
      const entries = [
        support(50),
        number("desk", "4001", saved(50)),
        number("other", "4002"),
        group("night", "1\n", { rollout: night }),
      ];
      const { ups } = await abortUp({ ...stack(50), state: { entries } });
      assert.deepEqual(ups, [
        `front: ${targetedUp} --target ${supportUrn.replace("NumberGroup::support", "NumberAssignment::desk")}`,
      ]);
    });

    it("runs `pulumi up` for a resource whose creation was interrupted", async () => {
      const { ups } = await abortUp({ ...stack(50), state: { pending: [{ ...support(50), operation: "creating" }] } });
      assert.deepEqual(ups, [`front: ${targetedUp}`]);
    });

    it("does not run `pulumi up` if no resource uses the rollout", async () => {
      const { code, ups, writes } = await abortUp({ ...stack(50), state: {} });
      assert.deepEqual({ code, ups, writes }, { code: 1, ups: [], writes: 1 });
    });

    const adviceCases: { name: string; more: Partial<StackGiven>; advises: string; notAdvises?: string }[] = [
      { name: "a full `pulumi up` if no resource uses the rollout", more: {}, advises: "`pulumi up --stack prod`" },
      {
        name: "the doctor command if the creation of a chat was interrupted",
        more: { state: { pending: [{ kind: "SmsChat", name: "hello", outputs: {}, operation: "creating" }] } },
        advises: "doctor --stack prod",
        notAdvises: "pulumi up",
      },
      {
        name: "`pulumi destroy` if the last destroy failed",
        more: { runs: [{ kind: "destroy", at: NOW, result: "failed" }] },
        advises: "`pulumi destroy --stack prod`",
      },
    ];
    for (const { name, more, advises, notAdvises = "Pulumi up" } of adviceCases) {
      it(`recommends ${name}`, async () => {
        const { stdout } = await abortUp({ ...stack(50), state: {}, ...more });
        const advice = stdout.split("\n\n").at(-1) ?? "";
        assertShows(advice, advises);
        assert.ok(!advice.includes(notAdvises), stdout);
      });
    }

    it("runs `pulumi up` for all numbers if the state can't be read", async () => {
      const { code, ups, writes } = await abortUp({ rollouts: { front: front(50) } }, {}, TAKES_AFTER);
      assert.deepEqual(
        { code, ups, writes },
        { code: 1, ups: [`front: ${targetedUp.replace(/ --target .*/, "")}${everyTarget}`], writes: 1 },
      );
    });

    it("runs `pulumi up` for all numbers if the target list is too long", async () => {
      const entries = Array.from({ length: 6000 }, (_, index) => number(`n${index}`, `${1000 + index}`, saved(50)));
      const { ups } = await abortUp({ ...stack(50), state: { entries } });
      assert.deepEqual(ups, [`front: ${targetedUp.replace(/ --target .*/, "")}${everyTarget}`]);
    });

    const exitCases: { name: string; up: string; code: number }[] = [
      { name: "0 if the abort was applied to every number", up: `${TAKES_AFTER}; exit 0`, code: 0 },
      { name: "1 if `pulumi up` applies the abort but then fails", up: `${TAKES_AFTER}; exit 255`, code: 1 },
      { name: "1 if `pulumi up` succeeds but does not apply the abort", up: "exit 0", code: 1 },
      { name: "1 if the state cannot be read after `pulumi up`", up: "rm ../prod.export.json; exit 0", code: 1 },
    ];
    for (const { name, up, code } of exitCases) {
      it(`exits with ${name}`, async () => assert.equal((await abortUp(stack(50), {}, up)).code, code));
    }

    it("does not run `pulumi up` on a frozen stack without a bypass reason", async () => {
      const { code, ups, stdout } = await abortUp(frozen("incident 4711"));
      assert.deepEqual({ code, ups }, { code: 1, ups: [] });
      assertShows(stdout, bypass(UP));
    });

    it("runs `pulumi up` on a frozen stack with a bypass reason", async () => {
      const { code, ups } = await abortUp(frozen("incident 4711"), incident, `${TAKES_AFTER}; exit 0`);
      assert.deepEqual({ code, ups }, { code: 0, ups: [`front: ${targetedUp}`] });
    });

    it("does not run `pulumi up` on a frozen stack with a blank bypass reason", async () => {
      const { code, ups } = await abortUp(frozen("incident 4711"), { AGENT_PLATFORM_BYPASS: " " });
      assert.deepEqual({ code, ups }, { code: 1, ups: [] });
    });
  });

  it("warns about an interrupted SMS chat if `pulumi up` fails", () => {
    const pending = [{ kind: "SmsChat" as const, name: "hello", id: "", outputs: {}, operation: "creating" }];
    const abortedSupport = support(0, { rollout: { name: "front", ...aborted(50) } });
    const stacks = {
      prod: { ...stack(50), state: { entries: [support(50)], pending } },
      after: { state: { entries: [abortedSupport], pending } },
    };
    return withRollouts(stacks, async ({ folder, world }) => {
      insteadOfUp(folder, `${TAKES_AFTER}; exit 255`);
      const { code, stdout } = await runWith(abortCommand.run, ["front", "--stack", "prod", "--up"], world);
      assert.equal(code, 1);
      assertShows(stdout, 'SmsChat "hello"', "pulumi cancel --stack prod");
    });
  });

  it("waits for `pulumi up` to finish after Ctrl-C", () =>
    withRollouts({ prod: stack(50) }, async ({ folder, world }) => {
      const bin = join(folder, "bin");
      const fake = `[ "$1" = up ] || exec ${join(folder, "..", "bin", "pulumi")} "$@"; trap 'echo cancelled; exit 1' INT; echo "$@"; while :; do sleep 0.05; done`;
      fakeCli(bin, fake);
      const env = { ...process.env, ...world.env, PATH: `${bin}:${world.env?.PATH}` };
      const argv = [built("cli/main.js"), "abort", "--stack", "prod", "--up", "--yes"];
      const child = spawn(process.execPath, argv, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
      const printed = { stdout: "", stderr: "" };
      child.stderr.setEncoding("utf8").on("data", (chunk) => {
        printed.stderr += chunk;
      });
      child.stdout.setEncoding("utf8").on("data", (chunk) => {
        printed.stdout += chunk;
        if (chunk.includes("--skip-preview")) {
          child.kill("SIGINT");
        }
      });
      const [code] = await once(child, "close");
      assert.deepEqual([code, printed.stderr], [1, ""], printed.stdout);
      const [up, end = ""] = printed.stdout.split("\ncancelled\n\n");
      assert.match(up ?? "", /^up --stack prod --yes .* --target urn:pulumi:prod::.*:NumberGroup::support$/m);
      assert.deepEqual(end.split("\n").slice(0, 2).map(namedIn), [
        "`pulumi up` 1",
        '"front" 100% agent_front@12 NumberGroup "support" 50% agent_front@12 50% agent_front@13',
      ]);
    }));
});
