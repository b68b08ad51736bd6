import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promoteCommand } from "../../cli/commands/promote";
import { assertHides, assertShows, namedIn } from "../support/named";
import { CASES, type PromoteCase } from "./promoteCases";
import { group, number } from "./recorded";
import {
  type AfterUp,
  aborted,
  beforeCli,
  front,
  type StackGiven,
  saved,
  stack,
  support,
  withRollouts,
} from "./rolloutProject";
import { runWith } from "./terminal";

/**
 * Runs `promote` in a project with this stack. Returns the exit code, the output, and the config's rollouts if the
 * command changed them.
 */
const promote = (prod: StackGiven, argv: readonly string[] = [], bypass?: string, name = "prod") =>
  withRollouts({ [name]: prod }, async ({ world, rollouts, sets }) => {
    const env = { ...world.env, ...(bypass && { AGENT_PLATFORM_BYPASS: bypass }) };
    const { code, stdout, stderr } = await runWith(promoteCommand.run, [...argv, "--stack", name], { ...world, env });
    return { code, output: stdout + stderr, written: sets(name).length > 0 ? rollouts(name) : undefined };
  });

/** Returns a function that defines the test for a case. `titleOf` creates its title. */
const test = (titleOf: (promotion: PromoteCase) => string) => (promotion: PromoteCase) => {
  const { given, argv = [], bypass, code, written, names = [], notNames = [] } = promotion;
  it(titleOf(promotion), async () => {
    const promoted = await promote(given, ["front", ...argv], bypass);
    assert.equal(promoted.code, code, promoted.output);
    assert.deepEqual(promoted.written?.front, written, "the rollout written to the config");
    assertShows(promoted.output, ...names);
    assertHides(promoted.output, ...notNames);
  });
};

const moveTitle = ({ name, written }: PromoteCase) =>
  `${written === undefined ? "writes nothing in" : "promotes to"} ${name}`;
const conditionTitle = ({ name, written }: PromoteCase) =>
  `${written === undefined ? "does not promote" : "promotes"} if ${name}`;

describe("agent-platform promote", () => {
  CASES.MOVES.forEach(test(moveTitle));
  describe("guards", () => CASES.GUARDS.forEach(test(conditionTitle)));
  describe("preconditions", () => CASES.WAITS.forEach(test(conditionTitle)));
  describe("with --up", () => CASES.UPS.forEach(test(({ name }) => name)));
  describe("after the end of a rollout", () => CASES.ENDS.forEach(test(conditionTitle)));
  describe("with invalid input", () => CASES.MISTAKES.forEach(test(({ name }) => `rejects ${name}`)));

  it("writes only the new percentage to the config", () =>
    withRollouts({ prod: stack(10) }, async ({ world, folder, sets }) => {
      await runWith(promoteCommand.run, ["--stack", "prod"], world);
      assert.deepEqual(sets("prod"), ['agent-platform:rollouts["front"]["percent"]=50']);
      assert.deepEqual(readdirSync(folder), ["Pulumi.yaml"]);
    }));

  it("prints the result as JSON with --json", async () => {
    const { code, output } = await promote(stack(10), ["front", "--json"]);
    const { text, ...json } = JSON.parse(output);
    assert.equal(code, 0);
    assert.equal(namedIn(text.split("\n")[0]), '"front" agent_front@13 10% 50%');
    assert.deepEqual(json, {
      outcome: "written",
      name: "front",
      stack: "prod",
      from: front(10),
      to: front(50),
      since: "2026-11-20T14:02:31.123Z",
      numbers: 2,
    });
    const { output: dryOutput } = await promote(stack(10), ["front", "--json", "--dry-run"]);
    assert.equal(JSON.parse(dryOutput).outcome, "not written");
  });

  it("prints the fully qualified stack name if one is given", async () => {
    const pending = [{ ...support(10), operation: "updating" }];
    const prod = { ...stack(10), state: { entries: [support(10)], pending } };
    const { code, output } = await promote(prod, ["front"], undefined, "acme/phones/prod");
    assert.equal(code, 1);
    assert.match(output, /doctor --stack acme\/phones\/prod$/m);
  });

  it("escapes control and bidirectional characters in printed names", async () => {
    const rejected = saved(10, { unapplied: [{ numbers: "+1\n", reason: "rejected" }] });
    const entries = [group("sup\u001b[31m\u202eport", "+1\n", rejected)];
    const { code, output } = await promote({ ...stack(10), state: { entries } });
    assert.equal(code, 1);
    assert.ok(output.includes("sup\\u{1b}[31m\\u{202e}port"), output);
    assert.ok(!/\p{Bidi_Control}|(?!\n)\p{Cc}/u.test(output), output);
  });

  it("prints when the split was applied to the last number", async () => {
    const entries = [
      support(10),
      number("desk", "4001", saved(10, { since: "2026-11-22T10:00:00Z" })),
      number("other", "4002", saved(10, { rollout: { name: "night", ...front(10) } })),
      number("none", "4004"),
      group("old", "7\n8\n", saved(10), { delete: true }),
    ];
    const { output } = await promote({ ...stack(10), state: { entries } }, ["front", "--json"]);
    const { since, numbers } = JSON.parse(output);
    assert.equal(since, "2026-11-22T10:00:00.000Z");
    assert.equal(numbers, 3);
  });

  it("requires a rollout name only if the stack has several rollouts", async () => {
    assert.deepEqual((await promote(stack(10))).written, { front: front(50) });
    const ambiguous = await promote({ ...stack(10), rollouts: { front: front(10), desk: front(10) } });
    assert.equal(ambiguous.code, 2);
    assert.equal(ambiguous.written, undefined);
    assert.match(ambiguous.output, /front, desk/);
  });

  const destroy = { kind: "destroy", at: "2026-11-23T08:00:00Z", result: "failed" };
  const later = { at: "2026-11-23T08:30:00Z" };
  const runs = [
    {
      name: "does not promote after a failed destroy followed by an abort",
      run: { ...later, message: 'Abort of the rollout "front"' },
      code: 1,
    },
    {
      name: "does not promote after a failed destroy followed by a refresh",
      run: { ...later, kind: "refresh" },
      code: 1,
    },
    { name: "promotes after a failed destroy followed by a `pulumi up`", run: later, code: 0 },
  ];
  for (const { name, run, code } of runs) {
    it(name, async () => {
      const promoted = await promote({ ...stack(10), runs: [destroy, run] }, ["front"]);
      assert.equal(promoted.code, code, promoted.output);
      assert.equal(promoted.written !== undefined, code === 0);
    });
  }

  describe("with --up if numbers lack the configured split", () => {
    const missing = { unapplied: [{ numbers: "+15550000002\n", reason: "rejected" }] };
    /**
     * Runs `promote --up` while a number lacks the configured split. By default, `pulumi up` then applies the split to
     * every number.
     */
    const promoteUp = (percent: number, argv: readonly string[], afterUp: AfterUp = { entries: [support(percent)] }) =>
      withRollouts({ prod: { ...stack(percent, missing), afterUp } }, async ({ world, sets }) => {
        const options = ["front", "--stack", "prod", "--up", "--json", ...argv];
        const { code, stdout } = await runWith(promoteCommand.run, options, world);
        return { code, ...JSON.parse(stdout), writes: sets("prod").length };
      });

    it("exits with 3 after applying the configured step to every number", async () => {
      const { code, isApplied, outcome, writes, text } = await promoteUp(50, []);
      assert.equal(code, 3);
      assert.equal(isApplied, true);
      assert.equal(outcome, "held");
      assert.equal(writes, 0);
      assert.match(text, / npx pulumi-agent-platform promote front --stack prod --up$/);
    });

    it("prints the command to start the next rollout after applying the last step", async () => {
      const { code, isApplied, writes, text } = await promoteUp(100, ["--to", "agent_front@14"]);
      assert.equal(code, 3);
      assert.equal(isApplied, true);
      assert.equal(writes, 0);
      assert.match(text, / npx pulumi-agent-platform promote front --stack prod --to agent_front@14 --up$/);
    });

    it("exits with 1 if the configured step can't be applied", async () =>
      assert.equal((await promoteUp(50, [], "fails")).code, 1));
  });

  it("rejects an empty, repeated or missing --stack if no stack is selected", () =>
    withRollouts({ prod: stack(10) }, async ({ world, sets }) => {
      for (const argv of [["front"], ["front", "--stack", ""], ["--stack", "prod", "--stack", "prod"]]) {
        const { code, stderr } = await runWith(promoteCommand.run, argv, world);
        assert.equal(code, 2, argv.join(" "));
        assert.match(stderr, /--stack/, argv.join(" "));
      }
      assert.deepEqual(sets("prod"), []);
    }));

  it("does not promote a rollout that is aborted while the command runs", () =>
    withRollouts({ prod: stack(10) }, async ({ folder, world, rollouts }) => {
      const value = JSON.stringify({ front: aborted(10) });
      const config = { "agent-platform:steps": { value: "[1, 10, 50, 100]" }, "agent-platform:rollouts": { value } };
      writeFileSync(join(folder, "../aborted.json"), JSON.stringify(config));
      beforeCli(folder, '[ "$1 $2" = "stack export" ] && cp ../aborted.json ../prod.config.json');
      const { code } = await runWith(promoteCommand.run, ["--stack", "prod"], world);
      assert.equal(code, 1);
      assert.deepEqual(rollouts("prod"), { front: aborted(10) });
    }));
});
