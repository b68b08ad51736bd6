import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { abortCommand } from "../../cli/commands/abort";
import { built } from "../support/built";
import { fakeCli } from "../support/engineFakes";
import { assertNames, namedIn } from "../support/named";
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

/** Aborts front in a project with this stack; says what was printed, what the config has then, and how often it was written. */
const run = (prod: StackGiven, ...argv: readonly string[]) =>
  withRollouts({ prod }, async ({ world, rollouts, sets }) => {
    const env = { ...world.env, ...(argv.includes("bypass") && { AGENT_PLATFORM_BYPASS: "incident" }) };
    const options = ["front", "--stack", "prod", ...argv.filter((one) => one !== "bypass")];
    const printed = await runWith(abortCommand.run, options, { ...world, env });
    return { ...printed, front: rollouts("prod").front, writes: sets("prod").length };
  });

const UP = "npx pulumi-agent-platform abort front --stack prod --up";
/** Each fact is in the output. The sentences are in test/words/testdata/commands.txt. */
function assertShows(stdout: string, ...facts: readonly string[]): void {
  for (const fact of facts) {
    assert.ok(stdout.includes(fact), `${fact} is missing in: ${stdout}`);
  }
}

/** The agents of the line that says what the abort moves, and their percentages. The rollout's name stands before them. */
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
  const written: { name: string; given: StackGiven; had: string; percent: number; notes?: string }[] = [
    { name: "moves all of the candidate's calls to the stable agent", given: stack(100), had: "100%", percent: 100 },
    {
      name: "prints both percentages that the candidate may have after a killed run",
      given: { ...stack(50), state: { entries: [support(10)], pending: updating(50) } },
      had: "10% 50%",
      percent: 50,
    },
    {
      name: "aborts a rollout whose first step was interrupted",
      given: { rollouts: { front: front(1) }, state: { entries: [support(0)], pending: updating(1) } },
      had: "0% 1%",
      percent: 1,
    },
    {
      name: "writes the abort to the config even if the state is unreadable",
      given: { rollouts: { front: front(50) } },
      had: "50%",
      percent: 50,
      notes: noState,
    },
  ];
  for (const { name, given, had, percent, notes } of written) {
    it(name, async () => {
      const { stdout, ...printed } = await run(given);
      assertShows(stdout, UP, notes ?? "2 numbers", "Commit");
      assert.equal(moveIn(stdout), `agent_front@13 ${had} 0% agent_front@12`);
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
    const given = { rollouts: { front: { stable: "agent_front@12" } }, state: { entries } };
    const { code, stdout, stderr } = await run(given, "--dry-run");
    assert.equal(code, 0, stderr);
    assertShows(stdout, "agent_\\u{1b}[31m\\u{202e}front@13", "de\\u{1b}[31m\\u{202e}sk");
    assert.ok(!/\p{Bidi_Control}|(?!\n)\p{Cc}/u.test(stdout), stdout);
  });

  const next = { stable: "agent_front@13", candidate: "agent_front@14", percent: 1 };
  const nobody = ["front", "agent_front@12"];
  const night = { name: "night", stable: "agent_night@4", candidate: "agent_front@13", percent: 50 };
  const never = (agent: string) => [agent, "agent_front@12"];
  const earlier = { agent: "agent_front@11", percent: 10, at: NOW };
  const restarted = { rollout: { name: "front", stable: "agent_front@12", aborted: earlier } };
  /** What callers had, and not what the config would have given them. */
  const taken: {
    name: string;
    config: object;
    entries: Entry[];
    agent?: string;
    percent: number;
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
    { name: "aborts a candidate that no resource uses", config: front(50), entries: [], percent: 0, note: nobody },
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
      note: nobody,
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
      note: never("agent_front@15"),
    },
    {
      name: "aborts the applied rollout even if the config has a newer one",
      config: next,
      entries: [support(50)],
      percent: 50,
      becomes: { candidate: "agent_front@14" },
      note: never("agent_front@13"),
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
      note: never("agent_front@13"),
    },
    {
      name: "aborts a candidate at a fractional percentage",
      config: front(2.5),
      entries: [support(2.5)],
      percent: 2.5,
    },
  ];
  for (const { name, config, entries, agent = "agent_front@13", percent, becomes, note } of taken) {
    it(name, async () => {
      const { code, stdout, front: is } = await run({ rollouts: { front: config }, state: { entries } });
      const had = percent === 0 ? "" : ` ${percent}% 0%`;
      assert.equal(code, 0);
      assert.equal(moveIn(stdout), `${agent}${had} ${{ ...front(0), ...becomes }.stable}`);
      assertShows(stdout.split("\n")[2] ?? "", "front", "prod");
      const abort = { agent, percent: percent === 2.5 ? "2.5" : percent, at: NOW };
      assert.deepEqual(is, { ...front(0), ...becomes, aborted: abort });
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
      // One write, of what has changed.
      const of = (path: string) => `agent-platform:rollouts["front"]${path}`;
      const abort = ["agent=agent_front@13", "percent=50", `at=${NOW}`].map((one) => one.split("="));
      const fields = abort.map(([field, value]) => of(`["aborted"]["${field}"]=${value}`));
      assert.deepEqual(sets("prod"), [[of('["percent"]=0'), ...fields].join(" ")]);
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
      const given = {
        rollouts: { front: after },
        state: { entries: [support(1, { rollout })] },
        // What a `pulumi up` that was not blocked would apply.
        afterUp: { entries: [support(0, { rollout: { name: "front", ...after } })] },
      };
      const { code, stdout } = await run(given, "--up");
      assert.equal(code, 1);
      assertShows(stdout, `AGENT_PLATFORM_BYPASS="<reason>" ${UP}`);
    });

    it("routes all calls to the stable agent even if it is unapproved", async () => {
      const { code, front: is } = await run(stack(50), "--to", "agent_front@12");
      assert.deepEqual([code, is], [0, aborted(50)]);
    });

    it("replaces the target agent of an earlier abort", async () => {
      const returned = { agent: "agent_front@13", percent: 10, at: "2026-11-01T08:00:00.000Z", to: "agent_front@9" };
      const given = { ...stack(50), rollouts: { front: front(50, { aborted: returned }) } };
      const { code, writes, front: is } = await run(given);
      const abort = { agent: "agent_front@13", percent: 50, at: NOW, to: "agent_front@12" };
      assert.deepEqual([code, writes, is], [0, 1, { ...front(0), aborted: abort }]);
    });

    it("does not write an abort that is already in the config", async () => {
      const twice = { rollouts: { front: after }, state: { entries: [support(1, { rollout })] } };
      const { code, writes, stdout } = await run(twice);
      assert.deepEqual([code, writes], [0, 0]);
      assertNames(stdout, "99% agent_front@13 1% agent_front@14");
    });

    const promotes = (agent: string) => `npx pulumi-agent-platform promote front --stack prod --to ${agent}\n`;

    const again = { ...front(0), aborted: { agent: "agent_front@12", percent: 100, at: NOW, to: "agent_night@4" } };
    const newer = { ...front(10), candidate: "agent_front@14" };
    /** The rollout in the state, and in the config if it is another one there. */
    const rows: { when: string; last: object; config?: object }[] = [
      { when: "while its rollout is running", last: front(50) },
      { when: "even if it is at 0%", last: front(0) },
      { when: "even if its stable agent was aborted", last: { ...again, stable: "agent_night@4" } },
      { when: "even if it receives all calls", last: front(100) },
      { when: "even if only the state has it", last: front(50), config: newer },
    ];
    for (const { when, last, config = last } of rows) {
      it(`rejects a candidate as the target ${when}`, async () => {
        const state = { entries: [support(0, { rollout: { name: "front", ...last } })] };
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

  it("exits with 1 if it cannot tell whether there is a candidate", async () => {
    const { code, stdout, writes } = await run({ rollouts: { front: { stable: "agent_front@12" } } });
    assert.deepEqual({ code, writes }, { code: 1, writes: 0 });
    assertShows(stdout, noState);
  });

  describe("run twice", () => {
    const earlier = "2026-11-23T08:00:00.000Z";
    const config = { front: aborted(50, earlier) };
    const done = (more: object = {}, time = earlier) =>
      support(0, { rollout: { name: "front", ...aborted(50, time) }, ...more });
    const was = "agent_front@13 2026-11-23 08:00";

    it("exits with 3 if the abort is already applied to every number", async () => {
      const { code, stdout, writes } = await run({ rollouts: config, state: { entries: [done()] } });
      assert.deepEqual({ code, writes }, { code: 3, writes: 0 });
      assertNames(stdout, was, "100% agent_front@12");
    });

    it("does not write the same abort again before it is applied", async () => {
      const { code, stdout, writes } = await run({ rollouts: config, state: { entries: [support(50)] } });
      assert.deepEqual({ code, writes }, { code: 0, writes: 0 });
      assertNames(stdout, 'NumberGroup "support" 50% agent_front@12 50% agent_front@13', was);
      assertShows(stdout, UP);
    });

    it("lists a removed number that still uses the candidate", async () => {
      const left = group("support", "+15550000003\n", saved(10), { delete: true });
      const { code, stdout, writes } = await run({ rollouts: config, state: { entries: [done(), left] } });
      assert.deepEqual({ code, writes }, { code: 0, writes: 0 });
      assertNames(stdout, "+15550000003 90% agent_front@12 10% agent_front@13", "`pulumi up --stack prod`");
    });

    const missed = done({ unapplied: [{ numbers: "+15550000001\n", reason: "rejected", applied: applied(10) }] });
    const again: Record<string, StackGiven["state"]> = {
      "if a later run was interrupted": { entries: [done()], pending: [{ ...done(), operation: "updating" }] },
      "if the platform rejected it for a number": { entries: [missed] },
      "if the state cannot be read": null,
    };
    for (const [why, state] of Object.entries(again)) {
      it(`writes the same abort again ${why}`, async () => {
        const second = await run({ rollouts: config, state: state ?? null });
        // What callers had before the first one stays on record.
        assert.deepEqual([second.code, second.front], [0, aborted(50)]);
      });
    }

    it("writes the same abort again if its run was interrupted", async () => {
      const returned = (at: string) => ({
        ...front(0),
        aborted: { agent: "agent_front@13", percent: 0, to: "agent_front@12", at },
      });
      const state = { pending: [{ ...done(), operation: "creating" }] };
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
    ];
    const { stdout } = await run({ ...stack(50), state: { entries } });
    const last = stdout.trimEnd().split("\n").at(-1) ?? "";
    assert.deepEqual(last.match(/Number\w+ "\w+"/g), [
      'NumberGroup "sales"',
      'NumberAssignment "night"',
      'NumberAssignment "calm"',
    ]);
    assertShows(last, "agent_front@13");
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
    /** The first writes of Pulumi are lost: the other process writes what it has read before, with a change of night. */
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
      assert.doesNotMatch(stderr, /night/, "a change of the other process would be undone");
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

    /** @param up what the CLI does in place of `pulumi up`. Each call is recorded, with the rollout that the provider is told */
    const applied = (prod: StackGiven, env: Readonly<Record<string, string>> = {}, up = "exit 0") =>
      withRollouts(
        { prod, after: { state: { entries: [support(0, { rollout: { name: "front", ...aborted(50) } })] } } },
        async (project) => {
          const { folder, world, sets } = project;
          insteadOfUp(folder, `echo "$AGENT_PLATFORM_ABORT: $@" >> ../ups; ${up}`);
          const given = { ...world, env: { ...world.env, ...env } };
          const { code, stdout } = await runWith(
            abortCommand.run,
            ["front", "--stack", "prod", "--up", "--yes"],
            given,
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
      const { ups } = await applied({ ...stack(50), state: { entries } });
      assert.deepEqual(ups, [
        `front: ${targetedUp} --target ${supportUrn.replace("NumberGroup::support", "NumberAssignment::desk")}`,
      ]);
    });

    it("runs `pulumi up` for a resource whose creation was interrupted", async () => {
      const { ups } = await applied({ ...stack(50), state: { pending: [{ ...support(50), operation: "creating" }] } });
      assert.deepEqual(ups, [`front: ${targetedUp}`]);
    });

    it("does not run `pulumi up` if no resource uses the rollout", async () => {
      const { code, ups, writes } = await applied({ ...stack(50), state: {} });
      assert.deepEqual({ code, ups, writes }, { code: 1, ups: [], writes: 1 });
    });

    const withoutResources: { name: string; given: Partial<StackGiven>; advises: string; notAdvises?: string }[] = [
      { name: "a full `pulumi up` if no resource uses the rollout", given: {}, advises: "`pulumi up --stack prod`" },
      {
        name: "the doctor command if the creation of a chat was interrupted",
        given: { state: { pending: [{ kind: "SmsChat", name: "hello", outputs: {}, operation: "creating" }] } },
        advises: "doctor --stack prod",
        notAdvises: "pulumi up",
      },
      {
        name: "`pulumi destroy` if the last destroy failed",
        given: { runs: [{ kind: "destroy", at: NOW, result: "failed" }] },
        advises: "`pulumi destroy --stack prod`",
      },
    ];
    for (const { name, given, advises, notAdvises = "Pulumi up" } of withoutResources) {
      it(`recommends ${name}`, async () => {
        const { stdout } = await applied({ ...stack(50), state: {}, ...given });
        const advice = stdout.split("\n\n").at(-1) ?? "";
        assertShows(advice, advises);
        assert.ok(!advice.includes(notAdvises), stdout);
      });
    }

    it("runs `pulumi up` for all numbers if the state can't be read", async () => {
      const { code, ups, writes } = await applied({ rollouts: { front: front(50) } }, {}, TAKES_AFTER);
      assert.deepEqual(
        { code, ups, writes },
        { code: 1, ups: [`front: ${targetedUp.replace(/ --target .*/, "")}${everyTarget}`], writes: 1 },
      );
    });

    it("runs `pulumi up` for all numbers if the target list is too long", async () => {
      const entries = Array.from({ length: 6000 }, (_, at) => number(`n${at}`, `${1000 + at}`, saved(50)));
      const { ups } = await applied({ ...stack(50), state: { entries } });
      assert.deepEqual(ups, [`front: ${targetedUp.replace(/ --target .*/, "")}${everyTarget}`]);
    });

    const ends: { name: string; up: string; code: number }[] = [
      { name: "0 if the abort was applied to every number", up: `${TAKES_AFTER}; exit 0`, code: 0 },
      { name: "1 if `pulumi up` applies the abort but then fails", up: `${TAKES_AFTER}; exit 255`, code: 1 },
      { name: "1 if `pulumi up` succeeds but does not apply the abort", up: "exit 0", code: 1 },
      { name: "1 if the state cannot be read after `pulumi up`", up: "rm ../prod.export.json; exit 0", code: 1 },
    ];
    for (const { name, up, code } of ends) {
      it(`exits with ${name}`, async () => assert.equal((await applied(stack(50), {}, up)).code, code));
    }

    it("does not run `pulumi up` on a frozen stack without a bypass reason", async () => {
      const { code, ups, stdout } = await applied(frozen("incident 4711"));
      assert.deepEqual({ code, ups }, { code: 1, ups: [] });
      assertShows(stdout, bypass(UP));
    });

    it("runs `pulumi up` on a frozen stack with a bypass reason", async () => {
      const { code, ups } = await applied(frozen("incident 4711"), incident, `${TAKES_AFTER}; exit 0`);
      assert.deepEqual({ code, ups }, { code: 0, ups: [`front: ${targetedUp}`] });
    });

    it("does not run `pulumi up` on a frozen stack with a blank bypass reason", async () => {
      const { code, ups } = await applied(frozen("incident 4711"), { AGENT_PLATFORM_BYPASS: " " });
      assert.deepEqual({ code, ups }, { code: 1, ups: [] });
    });
  });

  it("warns about an interrupted SMS chat if `pulumi up` fails", () => {
    const pending = [{ kind: "SmsChat" as const, name: "hello", id: "", outputs: {}, operation: "creating" }];
    const done = support(0, { rollout: { name: "front", ...aborted(50) } });
    const stacks = {
      prod: { ...stack(50), state: { entries: [support(50)], pending } },
      after: { state: { entries: [done], pending } },
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
      child.stderr.setEncoding("utf8").on("data", (text) => {
        printed.stderr += text;
      });
      child.stdout.setEncoding("utf8").on("data", (text) => {
        printed.stdout += text;
        if (text.includes("--skip-preview")) {
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
