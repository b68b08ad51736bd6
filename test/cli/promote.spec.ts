import assert from "node:assert/strict";
import { runCheck } from "../../cli/commands/rollout/check";
import { promoteCommand } from "../../cli/commands/rollout/promote";
import { processIo } from "../../cli/io";
import { group, number } from "./exports";
import {
  aborted,
  at,
  NOW,
  type RolloutProject,
  type StackFiles,
  saved,
  stack,
  stackYaml,
  staged,
  support,
  withRollouts,
} from "./rolloutProject";
import { done, runWith } from "./terminal";

const back = "To go back at any time: npx pulumi-agent-platform abort front --stack prod";
const promote = ({ world }: RolloutProject, ...argv: readonly string[]) =>
  runWith(promoteCommand.run, ["front", "--stack", "prod", ...argv], world);

/** Promotes in a project of these stacks; says what was printed, and whether the file is as it was. */
const run = (stacks: Readonly<Record<string, StackFiles>>, ...argv: readonly string[]) =>
  withRollouts(stacks, async (project) => {
    const before = project.files().map(project.read);
    const { code, stdout, stderr } = await promote(project, ...argv);
    return { code, text: stdout + stderr, isUnchanged: before.join() === project.files().map(project.read).join() };
  });

/** What there is to read if the command has written nothing. */
const unwritten = (code: number, text: string) => ({ code, text, isUnchanged: true });

describe("agent-platform promote", () => {
  it("gives the candidate the next percentage, shows since when it has the present one, and touches nothing else", () =>
    withRollouts({ prod: stack(10) }, async (project) => {
      assert.deepEqual(await promote(project, "--check", "echo 'rate 93.1 %'"), {
        code: 0,
        stderr: "rate 93.1 %\n",
        stdout: `front in prod: agent_front@13 from 10 % to 50 % (steps 1, 10, 50, 100)
  at 10 % since 2026-11-20 14:02 UTC, 2 days 18 hours; on 2 numbers
  check passed: echo 'rate 93.1 %'

Written to Pulumi.prod.yaml. The next step is 100 %. ${back}
`,
      });
      assert.equal(project.read("Pulumi.prod.yaml"), stackYaml(at(50)));
      assert.deepEqual(project.files(), ["Pulumi.prod.yaml", "Pulumi.yaml"]);
    }));

  it("goes from step to step, and ends at 100 %", async () => {
    const walk: string[] = [];
    for (const percent of [0, 5, 50]) {
      const { text } = await run({ prod: stack(percent) });
      walk.push(...text.split("\n").filter((line) => /^(front in|Written)/.test(line)));
    }
    assert.deepEqual(walk, [
      "front in prod: agent_front@13 starts at 1 %, beside agent_front@12 (steps 1, 10, 50, 100)",
      `Written to Pulumi.prod.yaml. The next step is 10 %. ${back}`,
      "front in prod: agent_front@13 from 5 % to 10 % (steps 1, 10, 50, 100)",
      `Written to Pulumi.prod.yaml. The next step is 50 %. ${back}`,
      "front in prod: agent_front@13 from 50 % to 100 % (steps 1, 10, 50, 100)",
      `Written to Pulumi.prod.yaml. agent_front@13 then has all calls. ${back}`,
    ]);
  });

  it("starts another candidate at the first step; the one that has all calls becomes the stable agent", () =>
    withRollouts({ prod: stack(100) }, async (project) => {
      assert.deepEqual(
        await promote(project, "--to", "agent_front@14"),
        done(`front in prod: agent_front@14 starts at 1 %, beside agent_front@13 (steps 1, 10, 50, 100)
  agent_front@13 at 100 % since 2026-11-20 14:02 UTC, 2 days 18 hours; on 2 numbers

Written to Pulumi.prod.yaml. The next step is 10 %. ${back}
`),
      );
    }));

  it("starts a rollout that has had no candidate", () => {
    const rollout = "      stable: agent_front@12 # in use since October";
    const entries = [
      group("support", "1\n", { rollout: { name: "front", stable: "agent_front@12" }, since: "2026-11-20T14:02:31Z" }),
    ];
    return withRollouts({ prod: { yaml: stackYaml(rollout), state: { entries } } }, async (project) => {
      assert.equal((await promote(project, "--to", "agent_front@13")).code, 0);
      assert.equal(
        project.read("Pulumi.prod.yaml"),
        stackYaml(`${rollout}\n      candidate: agent_front@13\n      percent: 1`),
      );
    });
  });

  it("takes the one rollout of the stack without a name, and writes nothing with --dry-run", () =>
    withRollouts({ prod: stack(10) }, async (project) => {
      const { code, stdout } = await runWith(promoteCommand.run, ["--stack", "prod", "--dry-run"], project.world);
      assert.deepEqual([code, stdout.split("\n").at(-2)], [0, "Not written (--dry-run). The next step is 100 %."]);
      assert.equal(project.read("Pulumi.prod.yaml"), stackYaml(at(10)));
    }));

  it("says the same as JSON", async () => {
    const { code, text } = await run({ prod: stack(10) }, "--json");
    assert.equal(code, 0);
    const { text: said, ...json } = JSON.parse(text);
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

  const missed = (numbers: string) => ({ unapplied: [{ numbers, reason: "rejected" }] });
  const stopped = { ...support(10), operation: "updating" };

  const approval = (list: string, most: string) => ({
    "agent-platform:steps": "[1, 10, 50, 100]",
    "agent-platform:approvedAgents": list.replaceAll("'", '"'),
    "agent-platform:maxUnapproved": most,
  });

  const waits: Record<string, [Record<string, StackFiles>, string[], string]> = {
    "a split that is too young": [
      { prod: staged(10, "{ minSoak: 24h }", { since: "2026-11-23T06:01:30Z" }) },
      [],
      "agent_front@13 is at 10 % for 3 hours; promote.minSoak asks for 24h. Ready at 2026-11-24 06:02 UTC.",
    ],
    "a state without a time": [
      { prod: staged(10, "{ minSoak: 30m }", { since: undefined }) },
      [],
      "agent_front@13 is at 10 %, and the state does not say since when; promote.minSoak asks for 30m. To count from now on, change `triggers`, which sends it again.",
    ],
    "numbers that do not have the split": [
      { prod: stack(10, missed("+15550000002\n")) },
      [],
      '1 of 2 numbers of NumberGroup "support" does not have this split yet: +15550000002. Run `pulumi up --stack prod` until it succeeds.',
    ],
    "a run that was stopped": [
      { prod: { ...stack(10), state: { entries: [support(10)], pending: [stopped] } } },
      [],
      'a run was stopped while it was updating NumberGroup "support". Run `pulumi up --stack prod` until it succeeds.',
    ],
    "a resource with other agents, and one that has no candidate": [
      {
        prod: {
          ...stack(10),
          state: {
            entries: [
              number("a", "4001", saved(10, { rollout: { ...saved(10).rollout, candidate: "agent_x@1" } })),
              number("b", "4002", saved(10, { rollout: { name: "front", stable: "agent_y@1" } })),
            ],
          },
        },
      },
      [],
      'NumberAssignment "a" has agent_x@1 at 10 %, beside agent_front@12. Run `pulumi up --stack prod` until it succeeds.\nHeld: NumberAssignment "b" gives agent_y@1 all calls. Run `pulumi up --stack prod` until it succeeds.',
    ],
    "a resource that was being created": [
      {
        prod: {
          ...stack(10),
          state: {
            entries: [support(10)],
            pending: [{ ...number("desk", "4001", saved(10)), operation: "creating" }],
          },
        },
      },
      [],
      'a run was stopped while it was creating NumberAssignment "desk". Run `pulumi up --stack prod` until it succeeds.',
    ],
    "no resource with its name, although one has the same agents": [
      {
        prod: {
          ...stack(10),
          state: { entries: [group("other", "1\n", saved(10, { rollout: { ...saved(10).rollout, name: "night" } }))] },
        },
      },
      [],
      "no resource of stack prod has the rollout front. Apply Pulumi.prod.yaml first.",
    ],
    "another stack that is not as far": [
      { prod: staged(1, "{ after: canary }"), canary: stack(50) },
      [],
      "stack canary gives agent_front@13 50 %; promote.after: canary asks for 100 %.",
    ],
    "another stack that is too young": [
      { prod: staged(1, "{ after: canary, minSoak: 4h }"), canary: stack(100, { since: "2026-11-23T06:02:00Z" }) },
      [],
      "in stack canary, agent_front@13 is at 100 % for 3 hours; promote.minSoak asks for 4h. Ready at 2026-11-23 10:02 UTC.",
    ],
    "a check that fails": [
      { prod: stack(10) },
      ["--check", "exit 75"],
      "the check ended with exit code 75. Nothing was changed.",
    ],
    "a check that is killed": [
      { prod: stack(10) },
      ["--check", "kill -TERM $$"],
      "the check ended with SIGTERM. Nothing was changed.",
    ],
    "a candidate that would get too much for one that is not approved": [
      { prod: { ...stack(10), config: approval("['agent_front@12']", "10") } },
      [],
      "agent_front@13 is not in agent-platform:approvedAgents and would get 50 %; agents that are not approved may get 10 %. Approve it there.",
    ],
  };
  for (const [name, [stacks, argv, reason]] of Object.entries(waits)) {
    it(`is held by ${name}, with exit code 1`, async () => {
      assert.deepEqual(await run(stacks, ...argv), unwritten(1, `Held: ${reason}\n`));
    });
  }

  it("refuses a wrong gate, with the line", async () => {
    const rule = "agent-platform:rollouts.front.promote.minSoak must be a duration, as in 30m, 24h or 7d.";
    assert.deepEqual(
      await run({ prod: staged(10, "{ minSoak: soon }") }),
      unwritten(2, `pulumi-agent-platform promote: Pulumi.prod.yaml, line 10: ${rule}\n`),
    );
  });

  it("is red about what holds it, on a terminal", () =>
    withRollouts({ prod: staged(10, "{ minSoak: 7d }") }, async ({ world }) => {
      const argv = ["front", "--stack", "prod"];
      const { stdout } = await runWith(promoteCommand.run, argv, { ...world, isTerminal: true });
      assert.ok(stdout.startsWith("\u001b[31mHeld:\u001b[39m agent_front@13 is at 10 % "), stdout);
    }));

  it("asks no check while anything else holds it", async () => {
    const { text } = await run({ prod: staged(10, "{ minSoak: 7d }") }, "--check", "exit 1");
    assert.equal(
      text,
      "Held: agent_front@13 is at 10 % for 2 days 18 hours; promote.minSoak asks for 7d. Ready at 2026-11-27 14:03 UTC.\n",
    );
  });

  describe("after another stack", () => {
    it("starts with the agent that has all calls there", async () => {
      const idle = {
        yaml: stackYaml("      stable: agent_front@12\n      promote: { after: canary, minSoak: 24h }"),
        state: { entries: [support(0, { rollout: { name: "front", stable: "agent_front@12" } })] },
      };
      const { code, text } = await run({ prod: idle, canary: stack(100) });
      assert.equal(code, 0, text);
      assert.match(text, /^front in prod: agent_front@13 starts at 1 %, beside agent_front@12 \(steps/);
    });

    it("is another rollout of the same stack, by its name", async () => {
      const first = "    first:\n      stable: agent_front@12\n      candidate: agent_front@13\n      percent: 100\n";
      const other = { ...saved(100).rollout, name: "first" };
      const entries = [support(10), group("first", "7\n", saved(100, { rollout: other }))];
      const both = (after: string) => ({
        prod: {
          yaml: stackYaml(`${at(10)}\n      promote: { after: 'prod:${after}' }`, "", first),
          state: { entries },
        },
      });
      assert.equal((await run(both("first"))).code, 0);
      assert.deepEqual(await run(both("fist")), {
        code: 2,
        text: 'pulumi-agent-platform promote: Pulumi.prod.yaml has no rollout "fist". Did you mean first? Name one of front, first.\n',
        isUnchanged: true,
      });
    });
  });

  it("counts the numbers of its name that are not being replaced, since the last of them got the split", async () => {
    const entries = [
      support(10),
      number("desk", "4001", saved(10, { since: "2026-11-22T10:00:00Z" })),
      number("other", "4002", saved(10, { rollout: { ...saved(10).rollout, name: "night" } })),
      number("none", "4004"),
      group("old", "7\n8\n", saved(10), { delete: true }),
    ];
    const { text } = await run({ prod: { yaml: stackYaml(at(10)), state: { entries } } });
    assert.match(text, /\n {2}at 10 % since 2026-11-22 10:00 UTC, 23 hours 2 minutes; on 3 numbers\n/);
  });

  it("gives the check the rollout in its environment and the numbers on standard input, and not the platform's token", () =>
    withRollouts({ prod: stack(10) }, async (project) => {
      const env = { ...project.world.env, AGENT_PLATFORM_ACCESS_TOKEN: "hush-hush" };
      const argv = [
        "front",
        "--stack",
        "prod",
        "--check",
        "env | grep -E '^(ROLLOUT|AGENT)' | sort > seen; cat >> seen",
      ];
      assert.equal((await runWith(promoteCommand.run, argv, { ...project.world, env })).code, 0);
      assert.deepEqual(project.read("seen").split("\n"), [
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
    }));

  it("ends a check with its process and all that it has started, at the latest when its time is over", async () => {
    const input = { name: "front", stack: "prod", stable: "a", candidate: "b", percent: "1", next: "2", since: "" };
    const begun = Date.now();
    const io = { ...processIo(), stderr: { write: () => true } };
    assert.equal(await runCheck("sleep 60 | cat", input, [], io, 0.2), "was ended after 0.2 seconds");
    // A child of another session holds the pipe, and is not waited for.
    assert.equal(await runCheck("setsid sleep 20 & exit 0", input, [], io), undefined);
    assert.ok(Date.now() - begun < 15_000);
  });

  const refused: Record<string, [Record<string, StackFiles>, string[], string]> = {
    "an empty check": [
      { prod: stack(10) },
      ["--check", " "],
      "--check is empty. Name a command, or leave the option out.",
    ],
    "a second candidate": [
      { prod: stack(10) },
      ["--to", "agent_front@14"],
      "agent_front@13 has 10 % of the calls. Promote it to 100 %, or abort it, before another one starts.",
    ],
    "the stable agent as the candidate": [
      { prod: stack(0) },
      ["--to", "agent_front@12"],
      "agent_front@12 is the stable agent. --to takes another one.",
    ],
    "a candidate that is no agent": [
      { prod: stack(0) },
      ["--to", "front 14"],
      '--to takes an agent, such as agent_front@14; found "front 14".',
    ],
    "a stack without steps": [
      { prod: { ...stack(10), config: {} } },
      [],
      "Stack prod has no steps, so the next percentage is not known. Set them: pulumi config set agent-platform:steps '[1, 10, 50, 100]' --stack prod",
    ],
    "steps that are no list": [
      { prod: { ...stack(10), config: { "agent-platform:steps": "often" } } },
      [],
      "agent-platform:steps must be a list of percentages, as in [1, 10, 50, 100].",
    ],
  };
  for (const [name, [stacks, argv, message]] of Object.entries(refused)) {
    it(`refuses ${name}, with exit code 2`, async () => {
      assert.deepEqual(await run(stacks, ...argv), unwritten(2, `pulumi-agent-platform promote: ${message}\n`));
    });
  }

  it("starts an aborted candidate again only if it is named: a schedule must not, whatever the state says", async () => {
    const rollout = { name: "front", stable: "agent_front@12" };
    const file = stackYaml(aborted(50));
    const text =
      "Nothing to promote: agent_front@13 was aborted at 2026-11-23 09:02 UTC, and agent_front@12 has all calls since 2026-11-20 14:02 UTC. To start it again: npx pulumi-agent-platform promote front --stack prod --to agent_front@13\n";
    const saved = { rollout: { ...rollout, aborted: { agent: "agent_front@13", percent: 50, at: NOW } } };
    const prod = { yaml: file, state: { entries: [support(0, saved)] } };
    assert.deepEqual(await run({ prod }), unwritten(3, text));
    assert.equal((await run({ prod }, "--to", "agent_front@14")).code, 0);
    await withRollouts({ prod }, async (project) => {
      assert.equal((await promote(project, "--to", "agent_front@13")).code, 0);
      assert.equal(
        project.read("Pulumi.prod.yaml"),
        stackYaml(
          "      stable: agent_front@12 # in use since October\n      candidate: agent_front@13\n      percent: 1",
        ),
      );
    });
    // The abort was not applied yet.
    assert.deepEqual(
      await run({ prod: { yaml: file, state: { entries: [support(50)] } } }),
      unwritten(
        1,
        'Held: NumberGroup "support" has agent_front@13 at 50 %, beside agent_front@12. Run `pulumi up --stack prod` until it succeeds.\n',
      ),
    );
    assert.deepEqual(
      await run({ prod: { yaml: file, state: { entries: [support(0)] } } }),
      unwritten(
        1,
        'Held: NumberGroup "support" does not have this abort yet. Run `pulumi up --stack prod` until it succeeds.\n',
      ),
    );
  });

  it("says which stack is to be named, and what has nothing to promote", async () => {
    await withRollouts({ prod: stack(10) }, async ({ world }) => {
      const { code, stderr } = await runWith(promoteCommand.run, ["front"], world);
      assert.deepEqual(
        [code, stderr],
        [2, "pulumi-agent-platform promote: Name the stack: --stack <name>. None is selected here.\n"],
      );
    });
    const idle = { rollout: { name: "front", stable: "agent_front@12" } };
    const prod = { yaml: stackYaml("      stable: agent_front@12"), state: { entries: [support(0, idle)] } };
    assert.deepEqual(await run({ prod }), {
      code: 3,
      text: "Nothing to promote: agent_front@12 has all calls since 2026-11-20 14:02 UTC. Start the next: npx pulumi-agent-platform promote front --stack prod --to <agent>\n",
      isUnchanged: true,
    });
  });
});
