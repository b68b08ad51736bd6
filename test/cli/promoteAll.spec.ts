import assert from "node:assert/strict";
import { promoteCommand } from "../../cli/commands/rollout/promote";
import { group } from "./exports";
import {
  at,
  type RolloutProject,
  type StackFiles,
  saved,
  stack,
  stackYaml,
  staged,
  support,
  withRollouts,
} from "./rolloutProject";
import { refusal, runWith } from "./terminal";

/** `promote` with several stacks: every rollout of each. */

const plain: StackFiles = { yaml: "config:\n  aws:region: eu-west-1\n" };

const run = ({ world, files }: RolloutProject, ...argv: readonly string[]) => {
  const stacks = files().flatMap((file) => /^Pulumi\.(.+)\.yaml$/.exec(file)?.[1] ?? []);
  return runWith(promoteCommand.run, [...stacks.flatMap((name) => ["--stack", name]), ...argv], world);
};

const percents = ({ files, read }: RolloutProject) =>
  Object.fromEntries(
    files().flatMap((file) => {
      const [, name] = /^Pulumi\.(.+)\.yaml$/.exec(file) ?? [];
      return name === undefined
        ? []
        : [[name, [...read(file).matchAll(/percent: (\d+)/g)].map(([, percent]) => percent).join()]];
    }),
  );

/** Runs it in a project of these stacks. */
const ran = (stacks: Readonly<Record<string, StackFiles>>, ...argv: readonly string[]) =>
  withRollouts(stacks, async (project) => {
    const before = percents(project);
    const { code, stdout, stderr } = await run(project, ...argv);
    const after = percents(project);
    const written = Object.keys(after).filter((name) => before[name] !== after[name]);
    return { code, stdout, stderr, written: written.map((name) => `${name} ${after[name]}`) };
  });

const unwritten = (message: string) => ({ ...refusal("promote", message), written: [] });

describe("agent-platform promote with several stacks", () => {
  it("promotes in every stack, each by the gates of its own file", async () => {
    const stacks = {
      prod: staged(10, "{ after: canary, minSoak: 24h }"),
      canary: staged(50, "{ after: dev }"),
      dev: staged(100),
      infra: plain,
    };
    await withRollouts(stacks, async (project) => {
      const { code, stdout, stderr } = await run(project);
      assert.deepEqual([code, stderr], [0, ""]);
      assert.equal(
        stdout,
        `front in canary: agent_front@13 from 50 % to 100 % (steps 1, 10, 50, 100)
  at 50 % since 2026-11-20 14:02 UTC, 2 days 18 hours; on 2 numbers

Written to Pulumi.canary.yaml. agent_front@13 then has all calls. To go back at any time: npx pulumi-agent-platform abort front --stack canary

front in dev
  Nothing to promote: agent_front@13 has all calls since 2026-11-20 14:02 UTC. Start the next: npx pulumi-agent-platform promote front --stack dev --to <agent>

front in prod
  Held: stack canary gives agent_front@13 50 %; promote.after: canary asks for 100 %.
`,
      );
      assert.deepEqual(percents(project), { canary: "100", dev: "100", infra: "", prod: "10" });
    });
  });

  it("judges every stack by what is deployed, and not by what it has just written for another one", async () => {
    // As soon as canary is written, it has another candidate than prod; as soon as dev is, canary's is no longer the one of dev.
    const next = (percent: number, gates = "") =>
      stackYaml(
        `      stable: agent_front@13\n      candidate: agent_front@14\n      percent: ${percent}${gates === "" ? "" : `\n      promote: ${gates}`}`,
      );
    const rollout = { name: "front", stable: "agent_front@13", candidate: "agent_front@14", percent: 100 };
    const { code, written } = await ran({
      dev: { yaml: next(100), state: { entries: [support(100, { rollout })] } },
      canary: staged(100, "{ after: dev }"),
      prod: staged(10, "{ after: canary }"),
    });
    assert.deepEqual([code, written], [0, ["canary 1", "prod 50"]]);
  });

  it("says by the exit code whether a stack is held, or all are at their end", async () => {
    const cases: Record<string, [Record<string, StackFiles>, number]> = {
      "held and at its end": [{ dev: staged(10, "{ minSoak: 7d }"), prod: stack(100) }, 1],
      "at its end": [{ dev: stack(100), prod: staged(100, "{ after: dev }") }, 3],
    };
    for (const [name, [stacks, code]] of Object.entries(cases)) {
      assert.equal((await ran(stacks)).code, code, name);
    }
  });

  it("asks a check for each, and writes the others if one fails", async () => {
    const check = '[ "$ROLLOUT_STACK" = dev ] || exit 1';
    const { code, stdout, written } = await ran({ dev: stack(10), prod: stack(10) }, "--check", check);
    assert.deepEqual([code, written], [0, ["dev 50"]]);
    assert.match(stdout, /^front in prod\n {2}Held: the check ended with exit code 1\. Nothing was changed\.$/m);
  });

  const two = (front: number, night: number, after = ""): StackFiles => ({
    yaml: stackYaml(
      at(front),
      "",
      `    night:\n      stable: agent_night@1\n      candidate: agent_night@2\n      percent: ${night}\n${after}`,
    ),
    state: {
      entries: [
        support(front),
        group(
          "desk",
          "4001\n",
          saved(front, {
            rollout: { name: "night", stable: "agent_night@1", candidate: "agent_night@2", percent: night },
          }),
        ),
      ],
    },
  });

  it("promotes all rollouts of a stack in one edit of its file, or the named one in every stack that has it", async () => {
    const both = await ran({ prod: two(10, 1), infra: plain });
    assert.deepEqual([both.code, both.written], [0, ["prod 50,10"]]);
    const named = await ran({ prod: two(10, 1), dev: stack(10) }, "night");
    assert.deepEqual([named.code, named.written], [0, ["prod 10,10"]]);
  });

  it("says the same as JSON", async () => {
    const stacks = { dev: stack(50), prod: staged(10, "{ after: dev }"), infra: plain };
    const { code, stdout } = await ran(stacks, "--json");
    const { text, promotions, ...rest } = JSON.parse(stdout);
    assert.equal(code, 0);
    assert.match(text, /^front in dev: [\s\S]*\n\nfront in prod\n {2}Held: stack dev /);
    assert.deepEqual(rest, { outcome: "written" });
    assert.deepEqual(
      promotions.map((one: Record<string, unknown>) => [one.stack, one.name, one.file, one.outcome, one.code]),
      [
        ["dev", "front", "Pulumi.dev.yaml", "written", undefined],
        ["prod", "front", "Pulumi.prod.yaml", "held", undefined],
      ],
    );
    assert.match(promotions[0].text, /^front in dev: /);
    assert.deepEqual(promotions[1].reasons, [
      "stack dev gives agent_front@13 50 %; promote.after: dev asks for 100 %.",
    ]);
  });

  describe("refuses with exit code 2, in one sentence, and writes nothing", () => {
    const dev = stack(10);
    const cases: Record<string, [Record<string, StackFiles>, string[], string]> = {
      "an agent for all": [
        { dev, prod: dev },
        ["--to", "agent_x@1"],
        "--to is about one stack. Name one with --stack.",
      ],
      "a name that no stack has": [
        { dev, prod: dev },
        ["frnt"],
        'Pulumi.dev.yaml has no rollout "frnt". Did you mean front? Name one of front.',
      ],
      "a stack that waits for one that is not there": [
        { dev, prod: staged(10, "{ after: stagging }") },
        [],
        "Pulumi.stagging.yaml is not there.",
      ],
      "one of three that cannot be read": [
        { dev, canary: { yaml: stackYaml(at(10)) }, prod: stack(10) },
        [],
        "`pulumi stack export` failed: error: no stack named 'canary' found",
      ],
    };
    for (const [name, [stacks, argv, message]] of Object.entries(cases)) {
      it(name, async () => assert.deepEqual(await ran(stacks, ...argv), unwritten(message)));
    }
  });

  it("holds the stack whose file was changed meanwhile, and writes the others", () =>
    withRollouts({ dev: stack(10), prod: stack(10) }, async (project) => {
      const check = `[ "$ROLLOUT_STACK" != prod ] || sed -i "s/percent: 10/percent: 1/" ${project.path("Pulumi.dev.yaml")}`;
      const { code, stdout } = await run(project, "--check", check);
      assert.equal(code, 0);
      assert.deepEqual(percents(project), { dev: "1", prod: "50" });
      const why = "Pulumi.dev.yaml was changed while this command ran. Nothing was written. Run it again.";
      assert.ok(stdout.startsWith(`front in dev\n  Held: ${why}\n\n`), stdout);
      assert.deepEqual(project.files(), ["Pulumi.dev.yaml", "Pulumi.prod.yaml", "Pulumi.yaml"]);
    }));
});
