import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promoteCommand } from "../../cli/commands/promote";
import { group, number } from "./recorded";
import { aborted, beforeCli, front, type StackGiven, saved, stack, support, withRollouts } from "./rolloutProject";
import { runWith } from "./terminal";

type Stacks = Readonly<Record<string, StackGiven>>;

/** Promotes in a project of these stacks; says what was printed, and the rollouts of each stack that was written. */
const ran = (stacks: Stacks, argv: readonly string[]) =>
  withRollouts(stacks, async ({ world, rollouts, sets }) => {
    const { code, stdout, stderr } = await runWith(promoteCommand.run, argv, world);
    const changed = Object.keys(stacks).filter((name) => sets(name).length > 0);
    return { code, text: stdout + stderr, written: Object.fromEntries(changed.map((name) => [name, rollouts(name)])) };
  });

const promote = (prod: StackGiven, ...argv: readonly string[]) => ran({ prod }, ["front", "--stack", "prod", ...argv]);

/** What there is to read if the command has written nothing. */
const unwritten = (code: number, text: string) => ({ code, text, written: {} });
const refused = (message: string) => unwritten(2, `pulumi-agent-platform promote: ${message}\n`);

const back = "To go back at any time: npx pulumi-agent-platform abort front --stack prod --up";
const frozen =
  'Apply it with your reason, because the stack is frozen (incident 4711): AGENT_PLATFORM_BYPASS="<reason>" pulumi up --stack prod';
const incident = { "agent-platform:steps": "[1, 10, 50, 100]", "agent-platform:freeze": "incident 4711" };
/** The same stack, in which two agents are approved and others may get 2 %. */
const guarded = (percent: number): StackGiven => ({
  ...stack(percent),
  config: {
    "agent-platform:steps": "[1, 10, 50, 100]",
    "agent-platform:approvedAgents": '["agent_front@12","agent_front@13"]',
    "agent-platform:maxUnapproved": "2",
    "agent-platform:requireVersions": "true",
  },
});
const idle = { rollout: { name: "front", stable: "agent_front@12" } };
const missed = { unapplied: [{ numbers: "+15550000002\n", reason: "rejected" }] };
const lag = '1 of 2 numbers of NumberGroup "support" was never applied: +15550000002.';
const untilItSucceeds =
  "Run `pulumi up --stack prod` until it succeeds, or remove numbers that the platform keeps refusing from the program.";

/** A stack whose rollout waits so long with each step. */
const soaking = (percent: number, minSoak: string, more: Record<string, unknown> = {}): StackGiven => ({
  ...stack(percent, more),
  rollouts: { front: front(percent, { promote: { minSoak } }) },
});

describe("agent-platform promote", () => {
  it("gives the candidate the next percentage", async () =>
    assert.deepEqual(await promote(stack(10)), {
      code: 0,
      text: `front in prod: agent_front@13 from 10 % to 50 % (steps 1, 10, 50, 100)
  agent_front@13 is at 10 % since 2026-11-20 14:02 UTC, 2 days 18 hours; on 2 numbers

Written to the config of stack prod. The next step is 100 %. ${back}
`,
      written: { prod: { front: front(50) } },
    }));

  it("writes one value, once, and touches no file of its own", () =>
    withRollouts({ prod: stack(10) }, async ({ world, folder, sets }) => {
      await runWith(promoteCommand.run, ["--stack", "prod"], world);
      assert.deepEqual(sets("prod"), ['agent-platform:rollouts["front"]["percent"]=50']);
      assert.deepEqual(readdirSync(folder), ["Pulumi.yaml"]);
    }));

  it("names a freeze, which the preview of the commit would refuse", async () => {
    const { text } = await promote({ ...stack(10), config: incident });
    assert.ok(text.endsWith(`${back}\n${frozen}\n`), text);
  });

  it("names a freeze whose reason is secret", async () => {
    const { text } = await promote({ ...stack(10), config: { ...incident, "agent-platform:freeze": null } });
    assert.ok(text.includes("because the stack is frozen (the reason is secret): "), text);
  });

  it("writes what the guards allow, and all with the bypass", async () => {
    const { written } = await promote(guarded(0), "--to", "agent_front@14");
    assert.deepEqual(written, { prod: { front: { ...front(1), candidate: "agent_front@14" } } });
    const bypassed = await withRollouts({ prod: guarded(0) }, async ({ world, rollouts }) => {
      const env = { ...world.env, AGENT_PLATFORM_BYPASS: "drill" };
      await runWith(promoteCommand.run, ["--stack", "prod", "--to", "agent_frnt@14"], { ...world, env });
      return rollouts("prod");
    });
    assert.deepEqual(bypassed, { front: { ...front(1), candidate: "agent_frnt@14" } });
  });

  it("gives the bypass under a freeze if numbers lack a step", async () => {
    const { text } = await promote({ ...stack(10, missed), config: incident });
    assert.equal(text, `Held: ${lag} ${frozen}\n`);
  });

  it("goes from step to step, then starts beside the new stable agent", async () => {
    const walk: string[] = [];
    for (const [percent, ...to] of [[0], [5], [50], [100, "--to", "agent_front@14"]] as const) {
      const { text } = await promote(stack(percent), ...to);
      walk.push(...text.split("\n").filter((line) => /^(front in|Written| {2}agent)/.test(line)));
    }
    const since = "since 2026-11-20 14:02 UTC, 2 days 18 hours; on 2 numbers";
    assert.deepEqual(walk, [
      "front in prod: agent_front@13 starts at 1 %, beside agent_front@12 (steps 1, 10, 50, 100)",
      `  agent_front@12 is at 100 % ${since}`,
      `Written to the config of stack prod. The next step is 10 %. ${back}`,
      "front in prod: agent_front@13 from 5 % to 10 % (steps 1, 10, 50, 100)",
      `  agent_front@13 is at 5 % ${since}`,
      `Written to the config of stack prod. The next step is 50 %. ${back}`,
      "front in prod: agent_front@13 from 50 % to 100 % (steps 1, 10, 50, 100)",
      `  agent_front@13 is at 50 % ${since}`,
      `Written to the config of stack prod. agent_front@13 then has all calls. ${back}`,
      "front in prod: agent_front@14 starts at 1 %, beside agent_front@13 (steps 1, 10, 50, 100)",
      `  agent_front@13 is at 100 % ${since}`,
      `Written to the config of stack prod. The next step is 10 %. ${back}`,
    ]);
  });

  it("reads and writes steps that are not whole", async () => {
    const config = { "agent-platform:steps": "[0.5, 2.5, 100]" };
    const half = { ...front(0), percent: "0.5" };
    const { written } = await promote({ ...stack(0.5), rollouts: { front: half }, config });
    assert.deepEqual(written, { prod: { front: { ...front(0), percent: "2.5" } } });
  });

  it("writes nothing with --dry-run, and says what it would write", async () => {
    const { text } = await promote(stack(10));
    const said = text.replace(/Written to .*/, "Not written (--dry-run).");
    assert.deepEqual(await promote(stack(10), "--dry-run"), unwritten(0, said));
    const { outcome } = JSON.parse((await promote(stack(10), "--dry-run", "--json")).text);
    assert.equal(outcome, "not written");
  });

  it("says the same as JSON", async () => {
    const { code, text } = await promote(stack(10), "--json");
    const { text: said, ...json } = JSON.parse(text);
    assert.equal(code, 0);
    assert.match(said, /^front in prod: [\s\S]*--stack prod --up$/);
    assert.deepEqual(json, {
      outcome: "written",
      name: "front",
      stack: "prod",
      from: front(10),
      to: front(50),
      since: "2026-11-20T14:02:31.123Z",
      numbers: 2,
    });
  });

  const other = (name: string, id: string, rollout: object) => number(name, id, saved(10, { rollout }));
  const waits: { name: string; given: StackGiven; reasons: string[] }[] = [
    {
      name: "a split that is too young",
      given: soaking(10, "24h", { since: "2026-11-23T06:01:30Z" }),
      reasons: ["agent_front@13 is at 10 % for 3 hours; promote.minSoak asks for 24h. Ready at 2026-11-24 06:02 UTC."],
    },
    {
      name: "a state without a time",
      given: soaking(10, "30m", { since: undefined }),
      reasons: [
        "agent_front@13 is at 10 %, and the state does not say since when; promote.minSoak asks for 30m. To count from now on, change `triggers`, which sends it again.",
      ],
    },
    {
      name: "stopped runs of known and unknown resources",
      given: {
        ...stack(10),
        state: {
          entries: [support(10)],
          pending: [
            { ...support(10), operation: "updating" },
            { ...number("desk", "4001", saved(10)), operation: "creating" },
          ],
        },
      },
      reasons: [
        'a run was stopped while it was updating NumberGroup "support".',
        'a run was stopped while it was creating NumberAssignment "desk". What to do first: npx pulumi-agent-platform doctor --stack prod',
      ],
    },
    {
      name: "a first run, although another rollout has the same agents",
      given: {
        ...stack(10),
        state: { entries: [group("other", "1\n", saved(10, { rollout: { name: "night", ...front(10) } }))] },
      },
      reasons: ["no resource of stack prod has the rollout front. Apply it first: pulumi up --stack prod"],
    },
    {
      name: "numbers that do not have the split",
      given: stack(10, missed),
      reasons: [`${lag} ${untilItSucceeds}`],
    },
  ];
  for (const { name, given, reasons } of waits) {
    it(`waits for ${name}`, async () => {
      const text = reasons.map((reason) => `Held: ${reason}\n`).join("");
      assert.deepEqual(await promote(given), unwritten(1, text));
    });
  }

  it("names a stack of an organization as it was given", async () => {
    const pending = [{ ...support(10), operation: "updating" }];
    const given = { "acme/phones/prod": { ...stack(10), state: { entries: [support(10)], pending } } };
    const text = `Held: a run was stopped while it was updating NumberGroup "support". What to do first: npx pulumi-agent-platform doctor --stack acme/phones/prod\n`;
    assert.deepEqual(await ran(given, ["front", "--stack", "acme/phones/prod"]), unwritten(1, text));
  });

  it("counts its own numbers, from when the last got the split", async () => {
    const entries = [
      support(10),
      number("desk", "4001", saved(10, { since: "2026-11-22T10:00:00Z" })),
      other("other", "4002", { name: "night", ...front(10) }),
      number("none", "4004"),
      group("old", "7\n8\n", saved(10), { delete: true }),
    ];
    const { text } = await promote({ ...stack(10), state: { entries } });
    assert.match(text, / is at 10 % since 2026-11-22 10:00 UTC, 23 hours 2 minutes; on 3 numbers\n/);
  });

  const under = "npx pulumi-agent-platform promote front --stack prod";
  const mistakes: { name: string; given: StackGiven; argv?: string[]; message: string }[] = [
    {
      name: "a second candidate",
      given: stack(10),
      argv: ["--to", "agent_front@14"],
      message: "agent_front@13 is under way, at 10 %. Promote it to 100 %, or abort it, before another one starts.",
    },
    {
      name: "the candidate as another one",
      given: stack(10),
      argv: ["--to", "agent_front@13"],
      message: `agent_front@13 is under way already, at 10 %. Promote it: ${under}`,
    },
    {
      name: "the stable agent as the candidate",
      given: stack(0),
      argv: ["--to", "agent_front@12"],
      message: "agent_front@12 is the stable agent. --to takes another one.",
    },
    {
      name: "a candidate that is no agent",
      given: stack(0),
      argv: ["--to", "front 14"],
      message: '--to takes an agent, such as agent_front@14; found "front 14".',
    },
    {
      name: "a candidate without its prefix",
      given: stack(100),
      argv: ["--to", "front@14"],
      message: '--to takes an agent, such as agent_front@14; found "front@14". Did you mean agent_front@14?',
    },
    {
      name: "an agent with a wrong letter",
      given: guarded(0),
      argv: ["--to", "agent_frnt@14"],
      message: `inboundAgents: agent_frnt@14 (did you mean agent_front?) is not approved. Name approved agents, or approve these in agent-platform:approvedAgents. To write it all the same: AGENT_PLATFORM_BYPASS="<reason>" ${under} --to agent_frnt@14`,
    },
    {
      name: "more calls for an unapproved agent than the limit",
      given: { ...guarded(1), config: { ...guarded(1).config, "agent-platform:approvedAgents": '["agent_front@12"]' } },
      message: `inboundAgents: agent_front@13 is not approved; unapproved agents would receive 10 % (now 1 %, limit 2 %). Name approved agents, or approve these in agent-platform:approvedAgents. To write it all the same: AGENT_PLATFORM_BYPASS="<reason>" ${under}`,
    },
    {
      name: "steps that are secret",
      given: { ...stack(10), config: { "agent-platform:steps": null } },
      message:
        "agent-platform:steps is secret, so the next percentage is not known. Set them: pulumi config set agent-platform:steps '[1, 10, 50, 100]' --plaintext --stack prod",
    },
    {
      name: "a stack without steps",
      given: { ...stack(10), config: {} },
      message:
        "Stack prod has no steps, so the next percentage is not known. Set them: pulumi config set agent-platform:steps '[1, 10, 50, 100]' --plaintext --stack prod",
    },
    {
      name: "steps that are no list",
      given: { ...stack(10), config: { "agent-platform:steps": "often" } },
      message: "agent-platform:steps must be a list of percentages, as in [1, 10, 50, 100].",
    },
    {
      name: "a rollout that lacks its percentage",
      given: { ...stack(10), rollouts: { front: { ...front(10), percent: null } } },
      message:
        "agent-platform:rollouts.front.percent must be given if there is a candidate. Correct it in the config of stack prod.",
    },
    {
      name: "a percentage that is text",
      given: { ...stack(10), rollouts: { front: { ...front(10), percent: "10%" } } },
      message:
        "agent-platform:rollouts.front.percent must be a number from 0 to 100. Correct it in the config of stack prod.",
    },
    {
      name: "another name",
      given: { ...stack(10), rollouts: { frnt: front(10), desk: front(10) } },
      message: 'The config of stack prod has no rollout "front". Did you mean frnt?',
    },
    {
      name: "no rollout at all",
      given: { ...stack(10), rollouts: {} },
      message:
        "The config of stack prod has no rollout. Write its rollouts there, under agent-platform:rollouts: a name, and below it stable, candidate and percent.",
    },
  ];
  for (const { name, given, argv = [], message } of mistakes) {
    it(`refuses ${name}`, async () => assert.deepEqual(await promote(given, ...argv), refused(message)));
  }

  it("asks for a name if the stack has two", async () => {
    const two = { ...stack(10), rollouts: { front: front(10), desk: front(10) } };
    const message = "The config of stack prod has 2 rollouts. Name one of front, desk.";
    assert.deepEqual(await ran({ prod: two }, ["--stack", "prod"]), refused(message));
  });

  describe("after an abort", () => {
    const rollouts = { front: aborted(50) };
    const prod: StackGiven = {
      rollouts,
      state: { entries: [support(0, { rollout: { name: "front", ...aborted(50) } })] },
    };
    const was = "agent_front@13 was aborted at 2026-11-23 09:02 UTC";

    it("starts nothing of itself: a schedule must not", async () => {
      const text = `Nothing to promote: ${was}, and agent_front@12 has all calls since 2026-11-20 14:02 UTC. To start it again: ${under} --to agent_front@13\n`;
      assert.deepEqual(await promote(prod), unwritten(3, text));
    });

    it("starts the aborted agent again if it is named", async () => {
      const { text, written } = await promote(prod, "--to", "agent_front@13");
      assert.match(text, new RegExp(`^  ${was}, when it had 50 %$`, "m"));
      assert.deepEqual(written, { prod: { front: { ...aborted(50), percent: 1 } } });
    });

    it("goes on with an aborted agent that has started again", async () => {
      const again = { ...aborted(50), percent: 1 };
      const state = { entries: [support(1, { rollout: { name: "front", ...again } })] };
      const { written } = await promote({ rollouts: { front: again }, state });
      assert.deepEqual(written, { prod: { front: { ...again, percent: 10 } } });
    });

    it("starts another agent, and says nothing of the aborted one", async () => {
      const { text, written } = await promote(prod, "--to", "agent_front@14");
      assert.ok(!text.includes("was aborted"), text);
      assert.deepEqual(written, { prod: { front: { ...aborted(50), candidate: "agent_front@14", percent: 1 } } });
    });

    it("starts the next agent if the aborted one is stable by now", async () => {
      const next = { ...aborted(50), stable: "agent_front@13", candidate: "agent_front@14" };
      const state = { entries: [support(0, { rollout: { name: "front", ...next } })] };
      const { text, written } = await promote({ rollouts: { front: next }, state });
      assert.deepEqual(written, { prod: { front: { ...next, percent: 1 } } }, text);
    });
  });

  it("waits with --up for a chat that may have been sent", async () => {
    const chat = { kind: "SmsChat" as const, name: "hello", id: "", outputs: {} };
    const given = {
      ...stack(10),
      state: { entries: [support(10)], pending: [{ ...chat, operation: "creating" }] },
    };
    const why =
      'Held: a run was stopped while it was creating SmsChat "hello", and `pulumi up` would send it again. What to do first: npx pulumi-agent-platform doctor --stack prod\n';
    assert.deepEqual(await promote(given, "--up"), unwritten(1, why));
    assert.equal((await promote(given)).code, 0);
  });

  describe("with --up, if what the config says is not applied", () => {
    /** `pulumi up` gives every number what the config has, or fails. */
    const up = (argv: readonly string[], ends: "applied" | "failed") =>
      withRollouts({ prod: stack(100, missed), other: stack(100) }, async ({ folder, world, sets }) => {
        const apply = "sed s/:other:/:prod:/ ../other.export.json > ../prod.export.json; exit";
        beforeCli(folder, `if [ "$1" = up ]; then ${ends === "failed" ? "exit 255" : apply}; fi`);
        const options = ["front", "--stack", "prod", "--up", ...argv];
        const { code, stdout } = await runWith(promoteCommand.run, options, world);
        return { code, stdout, writes: sets("prod").length };
      });
    const first = `Not promoted: ${lag.slice(0, -1)}. What the config of stack prod says is applied first.`;
    const applied = "Every number of front in prod has agent_front@13 100 %.";

    it("applies that first, and ends with 3 if --to was given", async () => {
      const again = `agent_front@14 is not started: only what the config said before was applied. Start it: ${under} --to agent_front@14 --up`;
      const to = ["--to", "agent_front@14"];
      const text = `${first}\n\n${applied}\n${again}\n`;
      assert.deepEqual(await up(to, "applied"), { code: 3, stdout: text, writes: 0 });
      const { code, stdout } = await up([...to, "--json"], "applied");
      const { isApplied, outcome, text: said } = JSON.parse(stdout);
      assert.deepEqual([code, isApplied, outcome, `${said}\n`], [3, true, "held", text]);
    });

    it("applies that, and ends with 0 without --to", async () =>
      assert.deepEqual(await up([], "applied"), { code: 0, stdout: `${first}\n\n${applied}\n`, writes: 0 }));

    it("ends with 1 if that fails", async () => assert.equal((await up(["--to", "agent_front@14"], "failed")).code, 1));
  });

  it("fits a terminal, with each command on its own line", () =>
    withRollouts({ prod: { ...stack(10), config: {} }, dev: stack(100) }, async ({ world }) => {
      const shown = async (name: string) => {
        const options = { ...world, env: { ...world.env, NO_COLOR: "1" }, isTerminal: true };
        const { stdout, stderr } = await runWith(promoteCommand.run, ["--stack", name], options);
        return stdout + stderr;
      };
      const refused = `pulumi-agent-platform promote: Stack prod has no steps, so the next percentage
is not known. Set them:
pulumi config set agent-platform:steps '[1, 10, 50, 100]' --plaintext --stack prod
`;
      const nothing = `Nothing to promote: agent_front@13 has all calls since 2026-11-20 14:02 UTC.
Start the next:
npx pulumi-agent-platform promote front --stack dev --to <agent>
`;
      assert.deepEqual([await shown("prod"), await shown("dev")], [refused, nothing]);
    }));

  it("asks for the stack if none is named", async () => {
    const message =
      "Name the stack: --stack <name>. Pulumi does not say which one is selected: error: no stack named '' found";
    assert.deepEqual(await ran({ prod: stack(10) }, ["front"]), refused(message));
    const empty = "--stack is empty. Name the stack: --stack <name>.";
    assert.deepEqual(await ran({ prod: stack(10) }, ["front", "--stack", ""]), refused(empty));
  });

  it("has nothing to promote without a candidate", async () => {
    const prod = { rollouts: { front: { stable: "agent_front@12" } }, state: { entries: [support(0, idle)] } };
    const text = `Nothing to promote: agent_front@12 has all calls since 2026-11-20 14:02 UTC. Start the next: ${under} --to <agent>\n`;
    assert.deepEqual(await promote(prod), unwritten(3, text));
  });

  it("starts nothing if the rollout was aborted while the state was read", () =>
    withRollouts({ prod: stack(10) }, async ({ folder, world, rollouts }) => {
      const value = JSON.stringify({ front: aborted(10) });
      const config = { "agent-platform:steps": { value: "[1, 10, 50, 100]" }, "agent-platform:rollouts": { value } };
      writeFileSync(join(folder, "../aborted.json"), JSON.stringify(config));
      beforeCli(folder, '[ "$1 $2" = "stack export" ] && cp ../aborted.json ../prod.config.json');
      const { code } = await runWith(promoteCommand.run, ["--stack", "prod"], world);
      assert.deepEqual([code, rollouts("prod")], [1, { front: aborted(10) }]);
    }));

  it("refuses a second stack, because it takes one", async () => {
    const message = "--stack is given twice. It takes one value.";
    assert.deepEqual(
      await ran({ dev: stack(10), prod: stack(10) }, ["--stack", "dev", "--stack", "prod"]),
      refused(message),
    );
  });
});
