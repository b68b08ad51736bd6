import assert from "node:assert/strict";
import { promoteCommand } from "../../cli/commands/promote";
import { processIo } from "../../cli/io";
import { runCheck } from "../../cli/rollout/check";
import { group, number } from "./recorded";
import {
  aborted,
  at,
  NOW,
  type StackFiles,
  saved,
  stack,
  stackYaml,
  staged,
  support,
  withRollouts,
} from "./rolloutProject";
import { runWith } from "./terminal";

type Stacks = Readonly<Record<string, StackFiles>>;

/** Promotes in a project of these stacks; says what was printed, and which files it has written, with their texts. */
const ran = (stacks: Stacks, argv: readonly string[]) =>
  withRollouts(stacks, async ({ world, files, read }) => {
    const before = new Map(files().map((file) => [file, read(file)]));
    const env = { ...world.env, AGENT_PLATFORM_ACCESS_TOKEN: "hush-hush" };
    const { code, stdout, stderr } = await runWith(promoteCommand.run, argv, { ...world, env });
    const changed = files().filter((file) => read(file) !== before.get(file));
    return { code, text: stdout + stderr, written: Object.fromEntries(changed.map((file) => [file, read(file)])) };
  });

const promote = (stacks: Stacks, ...argv: readonly string[]) => ran(stacks, ["front", "--stack", "prod", ...argv]);
const inProd = (rollout: string, others = "") => ({ "Pulumi.prod.yaml": stackYaml(rollout, others) });

/** What there is to read if the command has written nothing. */
const unwritten = (code: number, text: string) => ({ code, text, written: {} });
const refused = (message: string) => unwritten(2, `pulumi-agent-platform promote: ${message}\n`);

const back = "To go back at any time: npx pulumi-agent-platform abort front --stack prod";
const frozen = `The stack is frozen (incident 4711), so apply it with your reason: AGENT_PLATFORM_BYPASS="<reason>" pulumi up --stack prod
To end the freeze: pulumi config rm agent-platform:freeze --stack prod`;
const incident = { "agent-platform:steps": "[1, 10, 50, 100]", "agent-platform:freeze": "incident 4711" };
const idle = { rollout: { name: "front", stable: "agent_front@12" } };
const missed = { unapplied: [{ numbers: "+15550000002\n", reason: "rejected" }] };

/** A stack whose config has this beside its steps. */
const configured = (config: Readonly<Record<string, string>>, percent = 10): StackFiles => ({
  ...stack(percent),
  config: { "agent-platform:steps": "[1, 10, 50, 100]", ...config },
});

describe("agent-platform promote", () => {
  it("gives the candidate the next percentage, shows since when it has the present one, and touches nothing else", async () => {
    assert.deepEqual(await promote({ prod: stack(10) }, "--check", "echo 'rate 93.1 %'"), {
      code: 0,
      text: `front in prod: agent_front@13 from 10 % to 50 % (steps 1, 10, 50, 100)
  at 10 % since 2026-11-20 14:02 UTC, 2 days 18 hours; on 2 numbers
  check passed: echo 'rate 93.1 %'

Written to Pulumi.prod.yaml. The next step is 100 %. ${back}
rate 93.1 %
`,
      written: inProd(at(50)),
    });
  });

  it("names a freeze, which the preview of the commit would refuse", async () => {
    const { text } = await promote({ prod: { ...stack(10), config: incident } });
    assert.ok(text.endsWith(`Written to Pulumi.prod.yaml. The next step is 100 %. ${back}\n${frozen}\n`), text);
  });

  it("gives the command that works under a freeze, if numbers do not have an abort or a step yet", async () => {
    const { text } = await promote({ prod: { ...stack(10, missed), config: incident } });
    const lag = '1 of 2 numbers of NumberGroup "support" was never applied: +15550000002.';
    assert.equal(text, `Held: ${lag} ${frozen}\n`);
  });

  it("goes from step to step, and ends at 100 %; then the candidate is the stable agent of the next one", async () => {
    const walk: string[] = [];
    for (const [percent, ...to] of [[0], [5], [50], [100, "--to", "agent_front@14"]] as const) {
      const { text } = await promote({ prod: stack(percent) }, ...to);
      walk.push(...text.split("\n").filter((line) => /^(front in|Written| {2}agent)/.test(line)));
    }
    const since = "since 2026-11-20 14:02 UTC, 2 days 18 hours; on 2 numbers";
    assert.deepEqual(walk, [
      "front in prod: agent_front@13 starts at 1 %, beside agent_front@12 (steps 1, 10, 50, 100)",
      `  agent_front@12 at 100 % ${since}`,
      `Written to Pulumi.prod.yaml. The next step is 10 %. ${back}`,
      "front in prod: agent_front@13 from 5 % to 10 % (steps 1, 10, 50, 100)",
      `Written to Pulumi.prod.yaml. The next step is 50 %. ${back}`,
      "front in prod: agent_front@13 from 50 % to 100 % (steps 1, 10, 50, 100)",
      `Written to Pulumi.prod.yaml. agent_front@13 then has all calls. ${back}`,
      "front in prod: agent_front@14 starts at 1 %, beside agent_front@13 (steps 1, 10, 50, 100)",
      `  agent_front@13 at 100 % ${since}`,
      `Written to Pulumi.prod.yaml. The next step is 10 %. ${back}`,
    ]);
  });

  describe("with --to", () => {
    const to = (agent: string, more: Partial<StackFiles> = {}, ...argv: string[]) =>
      promote({ prod: { ...stack(100), ...more } }, "--to", agent, ...argv);
    const unknown: Record<string, [agent: string, hint: string]> = {
      "an agent with a slip": ["agent_frnt@14", " Did you mean agent_front@14?"],
      "an agent that is like no other": ["agent_sales@1", ""],
      "a version with a digit too many": ["agent_front@114", " The newest version of it is agent_front@13."],
      "a version with a digit too few": ["agent_front@1", " The newest version of it is agent_front@13."],
    };
    for (const [name, [agent, hint]] of Object.entries(unknown)) {
      it(`refuses ${name}, unless --new says that it is right`, async () => {
        const message = `${agent} is in no split, list or history of this project.${hint} If it is right: --new`;
        assert.deepEqual(await to(agent), refused(message));
        const { code, written } = await to(agent, {}, "--new");
        assert.deepEqual([code, Object.keys(written)], [0, ["Pulumi.prod.yaml"]]);
      });
    }

    const known: Record<string, [agent: string, more?: Partial<StackFiles>, others?: Stacks]> = {
      "the next version": ["agent_front@14"],
      "a version that is not far": ["agent_front@60"],
      "the agent without a version": ["agent_front"],
      "an approved one": ["agent_sales@1", configured({ "agent-platform:approvedAgents": '["agent_sales@1"]' }, 100)],
      "one that callers had": ["agent_old@3", stack(100, { previousInboundAgents: { "agent_old@3": 100 } })],
      "one of another stack": ["agent_sales@1", {}, { dev: { yaml: stackYaml("      stable: agent_sales@1") } }],
      "one of Pulumi's record": [
        "agent_sales@1",
        { runs: [{ at: "2026-10-01T09:00:00Z", rollouts: { front: { stable: "agent_sales@1" } } }] },
      ],
    };
    for (const [name, [agent, more = {}, others = {}]] of Object.entries(known)) {
      it(`takes ${name}`, async () =>
        assert.equal((await promote({ prod: { ...stack(100), ...more }, ...others }, "--to", agent)).code, 0));
    }
  });

  it("writes nothing with --dry-run, and says what it would write", async () => {
    const { text } = await promote({ prod: stack(10) });
    const said = text.replace(/Written to .*/, "Not written (--dry-run).");
    assert.deepEqual(await promote({ prod: stack(10) }, "--dry-run"), unwritten(0, said));
    const { outcome } = JSON.parse((await promote({ prod: stack(10) }, "--dry-run", "--json")).text);
    assert.equal(outcome, "not written");
  });

  it("says the same as JSON", async () => {
    const { code, text } = await promote({ prod: stack(10) }, "--json");
    const { text: said, ...json } = JSON.parse(text);
    assert.equal(code, 0);
    assert.match(said, /^front in prod: [\s\S]*--stack prod$/);
    assert.deepEqual(json, {
      outcome: "written",
      name: "front",
      stack: "prod",
      file: "Pulumi.prod.yaml",
      from: { stable: "agent_front@12", candidate: "agent_front@13", percent: 10 },
      to: { stable: "agent_front@12", candidate: "agent_front@13", percent: 50 },
      since: "2026-11-20T14:02:31.123Z",
      numbers: 2,
    });
  });

  const untilItSucceeds =
    "Run `pulumi up --stack prod` until it succeeds, or remove numbers that the platform keeps refusing from the program.";
  const of = (rollout: object) => saved(10, { rollout: { ...saved(10).rollout, ...rollout } });
  const waits: Record<string, [Stacks, reasons: string[], ...argv: string[]]> = {
    "a split that is too young": [
      { prod: staged(10, "{ minSoak: 24h }", { since: "2026-11-23T06:01:30Z" }) },
      ["agent_front@13 is at 10 % for 3 hours; promote.minSoak asks for 24h. Ready at 2026-11-24 06:02 UTC."],
    ],
    "a state without a time": [
      { prod: staged(10, "{ minSoak: 30m }", { since: undefined }) },
      [
        "agent_front@13 is at 10 %, and the state does not say since when; promote.minSoak asks for 30m. To count from now on, change `triggers`, which sends it again.",
      ],
    ],
    "a run that was stopped, of a resource that the state knows or does not know": [
      {
        prod: {
          ...stack(10),
          state: {
            entries: [support(10)],
            pending: [
              { ...support(10), operation: "updating" },
              { ...number("desk", "4001", saved(10)), operation: "creating" },
            ],
          },
        },
      },
      [
        'a run was stopped while it was updating NumberGroup "support".',
        'a run was stopped while it was creating NumberAssignment "desk". What to do first: npx pulumi-agent-platform doctor --stack prod',
      ],
    ],
    "a resource with other agents, and one that has no candidate": [
      {
        prod: {
          ...stack(10),
          state: {
            entries: [
              number("a", "4001", of({ candidate: "agent_x@1" })),
              number("b", "4002", saved(10, { rollout: { name: "front", stable: "agent_y@1" } })),
            ],
          },
        },
      },
      [
        'NumberAssignment "a" has agent_front@12 90 %, agent_x@1 10 %.',
        `NumberAssignment "b" has agent_y@1 100 %. ${untilItSucceeds}`,
      ],
    ],
    "no resource with its name, although one has the same agents": [
      { prod: { ...stack(10), state: { entries: [group("other", "1\n", of({ name: "night" }))] } } },
      ["no resource of stack prod has the rollout front. Apply Pulumi.prod.yaml first."],
    ],
    "another stack that is not as far": [
      { prod: staged(1, "{ after: canary }"), canary: stack(50) },
      ["stack canary gives agent_front@13 50 %; promote.after: canary asks for 100 %."],
    ],
    "another stack that is too young": [
      { prod: staged(1, "{ after: canary, minSoak: 4h }"), canary: stack(100, { since: "2026-11-23T06:02:00Z" }) },
      [
        "in stack canary, agent_front@13 is at 100 % for 3 hours; promote.minSoak asks for 4h. Ready at 2026-11-23 10:02 UTC.",
      ],
    ],
    "a check that fails": [
      { prod: stack(10) },
      ["the check ended with SIGTERM. Nothing was changed."],
      ...["--check", "kill -TERM $$"],
    ],
    "numbers that do not have the split, so that no check is asked": [
      { prod: stack(10, missed) },
      [`1 of 2 numbers of NumberGroup "support" was never applied: +15550000002. ${untilItSucceeds}`],
      ...["--check", "touch asked"],
    ],
    "a candidate that would get too much for one that is not approved": [
      {
        prod: configured({
          "agent-platform:approvedAgents": '["agent_front@12"]',
          "agent-platform:maxUnapproved": "10",
        }),
      },
      [
        "agent_front@13 is not in approvedAgents and would get 50 %; agents that are not approved may get 10 %. Approve it there.",
      ],
    ],
  };
  for (const [name, [stacks, reasons, ...argv]] of Object.entries(waits)) {
    it(`waits for ${name}, with exit code 1`, async () => {
      const text = reasons.map((reason) => `Held: ${reason}\n`).join("");
      assert.deepEqual(await promote(stacks, ...argv), unwritten(1, text));
    });
  }

  it("starts with the agent that has all calls in the stack that is to be first", async () => {
    const prod = {
      yaml: stackYaml("      stable: agent_front@12\n      promote: { after: canary, minSoak: 24h }"),
      state: { entries: [support(0, idle)] },
    };
    const { code, text } = await promote({ prod, canary: stack(100) });
    assert.equal(code, 0, text);
    assert.match(text, /^front in prod: agent_front@13 starts at 1 %, beside agent_front@12 \(steps/);
  });

  it("counts the numbers of its name that are not being replaced, since the last of them got the split", async () => {
    const entries = [
      support(10),
      number("desk", "4001", saved(10, { since: "2026-11-22T10:00:00Z" })),
      number("other", "4002", of({ name: "night" })),
      number("none", "4004"),
      group("old", "7\n8\n", saved(10), { delete: true }),
    ];
    const { text } = await promote({ prod: { yaml: stackYaml(at(10)), state: { entries } } });
    assert.match(text, /\n {2}at 10 % since 2026-11-22 10:00 UTC, 23 hours 2 minutes; on 3 numbers\n/);
  });

  it("does not wait for a create that was stopped and that a later run has done: no `up` clears its entry", async () => {
    const pending = [{ ...support(10), operation: "creating" }];
    const { code, text } = await promote({ prod: { ...stack(10), state: { entries: [support(10)], pending } } });
    assert.equal(code, 0, text);
  });

  it("gives the check the rollout in its environment and the numbers on standard input, and not the platform's token", async () => {
    const check = "env | grep -E '^(ROLLOUT|AGENT)' | sort > seen; cat >> seen";
    const { written } = await promote({ prod: stack(10) }, "--check", check);
    assert.deepEqual(written.seen?.split("\n"), [
      "ROLLOUT_CANDIDATE=agent_front@13",
      "ROLLOUT_NAME=front",
      "ROLLOUT_NEXT=50",
      "ROLLOUT_PERCENT=10",
      "ROLLOUT_SINCE=2026-11-20T14:02:31.123Z",
      "ROLLOUT_STABLE=agent_front@12",
      "ROLLOUT_STACK=prod",
      "+15550000001",
      "+15550000002",
      "",
    ]);
  });

  it("ends a check with its process and all that it has started, at the latest when its time is over", async () => {
    const input = { name: "front", stack: "prod", stable: "a", candidate: "b", percent: "1", next: "2", since: "" };
    const begun = Date.now();
    const io = { ...processIo(), stderr: { write: () => true } };
    assert.equal(await runCheck("exec sleep 60", input, [], io, 0.2), "was ended after 0.2 seconds");
    // A child of another session holds the pipe, and is not waited for.
    assert.equal(await runCheck("setsid sleep 20 & exit 0", input, [], io), undefined);
    assert.ok(Date.now() - begun < 15_000);
  });

  const mistakes: Record<string, [StackFiles, argv: string[], string]> = {
    "an empty check": [stack(10), ["--check", " "], "--check is empty. Name a command, or leave the option out."],
    "a second candidate": [
      stack(10),
      ["--to", "agent_front@14"],
      "agent_front@13 has 10 % of the calls. Promote it to 100 %, or abort it, before another one starts.",
    ],
    "the candidate as another one": [
      stack(10),
      ["--to", "agent_front@13"],
      "agent_front@13 is under way already, at 10 %. Promote it: npx pulumi-agent-platform promote front --stack prod",
    ],
    "the stable agent as the candidate": [
      stack(0),
      ["--to", "agent_front@12"],
      "agent_front@12 is the stable agent. --to takes another one.",
    ],
    "a candidate that is no agent": [
      stack(0),
      ["--to", "front 14"],
      '--to takes an agent, such as agent_front@14; found "front 14".',
    ],
    "a candidate without its prefix": [
      stack(100),
      ["--to", "front@14"],
      '--to takes an agent, such as agent_front@14; found "front@14". Did you mean agent_front@14?',
    ],
    "a stack without steps": [
      { ...stack(10), config: {} },
      [],
      "Stack prod has no steps, so the next percentage is not known. Set them: pulumi config set agent-platform:steps '[1, 10, 50, 100]' --stack prod",
    ],
    "steps that are no list": [
      { ...stack(10), config: { "agent-platform:steps": "often" } },
      [],
      "agent-platform:steps must be a list of percentages, as in [1, 10, 50, 100].",
    ],
  };
  for (const [name, [prod, argv, message]] of Object.entries(mistakes)) {
    it(`refuses ${name}, with exit code 2`, async () =>
      assert.deepEqual(await promote({ prod }, ...argv), refused(message)));
  }

  it("starts an aborted candidate again only if it is named: a schedule must not, whatever the state says", async () => {
    const entryOf = (state: Record<string, unknown>) => ({
      yaml: stackYaml(aborted(50)),
      state: { entries: [support(0, state)] },
    });
    const prod = entryOf({ rollout: { ...idle.rollout, aborted: { agent: "agent_front@13", percent: 50, at: NOW } } });
    const text =
      "Nothing to promote: agent_front@13 was aborted at 2026-11-23 09:02 UTC, and agent_front@12 has all calls since 2026-11-20 14:02 UTC. To start it again: npx pulumi-agent-platform promote front --stack prod --to agent_front@13\n";
    assert.deepEqual(await promote({ prod }), unwritten(3, text));
    assert.equal((await promote({ prod }, "--to", "agent_front@14")).code, 0);
    const rollout =
      "      stable: agent_front@12 # in use since October\n      candidate: agent_front@13\n      percent: 1";
    assert.deepEqual((await promote({ prod }, "--to", "agent_front@13")).written, inProd(rollout));
    const after = { ...prod, yaml: stackYaml(`${aborted(50)}\n      promote: { after: canary }`) };
    assert.deepEqual(await promote({ prod: after, canary: stack(100) }), unwritten(3, text));
    // The abort was not applied yet.
    const lags: [Record<string, unknown>, string][] = [
      [saved(50), "has agent_front@12 50 %, agent_front@13 50 %"],
      [saved(0), "does not have this abort yet"],
    ];
    for (const [state, lag] of lags) {
      const reason = `Held: NumberGroup "support" ${lag}. ${untilItSucceeds}\n`;
      assert.deepEqual(await promote({ prod: entryOf(state) }), unwritten(1, reason));
    }
  });

  it("says it in lines that fit a terminal, with the command to copy in one of its own", () =>
    withRollouts({ prod: { ...stack(10), config: {} }, dev: stack(100) }, async ({ world }) => {
      const shown = async (name: string) => {
        const options = { ...world, env: { ...world.env, NO_COLOR: "1" }, isTerminal: true };
        const { stdout, stderr } = await runWith(promoteCommand.run, ["--stack", name], options);
        return stdout + stderr;
      };
      const refused = `pulumi-agent-platform promote: Stack prod has no steps, so the next percentage
is not known. Set them:
pulumi config set agent-platform:steps '[1, 10, 50, 100]' --stack prod
`;
      const nothing = `Nothing to promote: agent_front@13 has all calls since 2026-11-20 14:02 UTC.
Start the next:
npx pulumi-agent-platform promote front --stack dev --to <agent>
`;
      assert.deepEqual([await shown("prod"), await shown("dev")], [refused, nothing]);
    }));

  it("says which stack is to be named, and what has nothing to promote", async () => {
    const message = "Name the stack: --stack <name>. None is selected here.";
    assert.deepEqual(await ran({ prod: stack(10) }, ["front"]), refused(message));
    const prod = { yaml: stackYaml("      stable: agent_front@12"), state: { entries: [support(0, idle)] } };
    const text =
      "Nothing to promote: agent_front@12 has all calls since 2026-11-20 14:02 UTC. Start the next: npx pulumi-agent-platform promote front --stack prod --to <agent>\n";
    assert.deepEqual(await promote({ prod }), unwritten(3, text));
  });
});

describe("agent-platform promote with several stacks", () => {
  const plain: StackFiles = { yaml: "config:\n  aws:region: eu-west-1\n" };
  const all = (stacks: Stacks, ...argv: readonly string[]) =>
    ran(stacks, [...Object.keys(stacks).flatMap((name) => ["--stack", name]), ...argv]);
  /** The percentages of the stacks that were written. */
  const percents = async (stacks: Stacks, ...argv: readonly string[]) => {
    const { code, written } = await all(stacks, ...argv);
    const found = Object.entries(written).map(([file, text]) => [file, ...(text.match(/(?<=percent: )\d+/g) ?? [])]);
    return [code, ...found.map(([file = "", ...percents]) => `${file.split(".")[1]} ${percents}`)];
  };

  it("promotes in every stack, each by the gates of its own file", async () => {
    const stacks = {
      canary: staged(50, "{ after: dev }"),
      dev: stack(100),
      infra: plain,
      prod: staged(10, "{ after: canary, minSoak: 24h }"),
    };
    const { code, text } = await all(stacks);
    assert.equal(code, 0);
    assert.equal(
      text,
      `front in canary: agent_front@13 from 50 % to 100 % (steps 1, 10, 50, 100)
  at 50 % since 2026-11-20 14:02 UTC, 2 days 18 hours; on 2 numbers

Written to Pulumi.canary.yaml. agent_front@13 then has all calls. To go back at any time: npx pulumi-agent-platform abort front --stack canary

front in dev
  Nothing to promote: agent_front@13 has all calls since 2026-11-20 14:02 UTC. Start the next: npx pulumi-agent-platform promote front --stack dev --to <agent>

front in prod
  Held: stack canary gives agent_front@13 50 %; promote.after: canary asks for 100 %.
`,
    );
    assert.deepEqual(await percents(stacks), [0, "canary 100"]);
  });

  it("judges every stack by what is deployed, and not by what it has just written for another one", async () => {
    // As soon as canary is written, it has another candidate than prod; as soon as dev is, canary's is no longer the one of dev.
    const rollout = { name: "front", stable: "agent_front@13", candidate: "agent_front@14", percent: 100 };
    const dev = {
      yaml: stackYaml("      stable: agent_front@13\n      candidate: agent_front@14\n      percent: 100"),
      state: { entries: [support(100, { rollout })] },
    };
    const stacks = { dev, canary: staged(100, "{ after: dev }"), prod: staged(10, "{ after: canary }") };
    assert.deepEqual(await percents(stacks), [0, "canary 1", "prod 50"]);
  });

  it("says by the exit code whether a stack has to wait, or all are at their end", async () => {
    assert.deepEqual(await percents({ dev: stack(10, missed), prod: stack(100) }), [1]);
    assert.deepEqual(await percents({ dev: stack(100), prod: staged(100, "{ after: dev }") }), [3]);
  });

  it("promotes all rollouts of a stack in one edit of its file, or the named one in every stack that has it", async () => {
    const night = { stable: "agent_night@1", candidate: "agent_night@2", percent: 1 };
    const others = `    night: ${JSON.stringify(night)}\n`.replace('"percent":', "percent: ");
    const desk = group("desk", "4001\n", saved(1, { rollout: { name: "night", ...night } }));
    const prod = { yaml: stackYaml(at(10), others), state: { entries: [support(10), desk] } };
    assert.deepEqual(await percents({ prod, infra: plain }), [0, "prod 50,10"]);
    assert.deepEqual(await percents({ prod, dev: stack(10) }, "night"), [0, "prod 10,10"]);
  });

  const dev = stack(10);
  const mistakes: Record<string, [Stacks, argv: string[], string]> = {
    "an agent for all": [{ dev, prod: dev }, ["--to", "agent_x@1"], "--to is about one stack. Name one with --stack."],
    "a stack that waits for one that is not there": [
      { dev, prod: staged(10, "{ after: stagging }") },
      [],
      "Pulumi.stagging.yaml is not there. Stacks have these files: Pulumi.dev.yaml, Pulumi.prod.yaml.",
    ],
    "one of three that cannot be read": [
      { dev, canary: { yaml: stackYaml(at(10)) }, prod: stack(10) },
      [],
      "`pulumi stack export` failed: error: no stack named 'canary' found",
    ],
  };
  for (const [name, [stacks, argv, message]] of Object.entries(mistakes)) {
    it(`refuses ${name}, with exit code 2, and writes nothing`, async () =>
      assert.deepEqual(await all(stacks, ...argv), refused(message)));
  }

  it("holds the stack whose file was changed meanwhile, and writes the others", async () => {
    const check = `[ "$ROLLOUT_STACK" != prod ] || sed -i 's/percent\\(\\\\*"\\?: \\?\\)10/percent\\11/' Pulumi.dev.yaml ../dev.config.json`;
    const { code, text, written } = await all({ dev: stack(10), prod: stack(10) }, "--check", check);
    assert.equal(code, 0);
    assert.deepEqual(written, { "Pulumi.dev.yaml": stackYaml(at(1)), ...inProd(at(50)) });
    const why = "Pulumi.dev.yaml was changed while this command ran. Nothing was written. Run it again.";
    assert.ok(text.startsWith(`front in dev\n  Held: ${why}\n\n`), text);
  });
});
