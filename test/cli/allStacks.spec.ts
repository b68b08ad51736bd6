import assert from "node:assert/strict";
import { doctorCommand } from "../../cli/commands/doctor/command";
import { showCommand } from "../../cli/commands/show";
import { number } from "./exports";
import { withRollouts } from "./rolloutProject";
import { runWith } from "./terminal";

const twice = { yaml: "config: {}\n", state: { entries: [number("line", "+15550000001")] } };

/** `--all-stacks` of the commands that look into stacks. */
describe("over all stacks of the project", () => {
  it("doctor names a number that two of them hold", () =>
    withRollouts({ dev: twice, prod: twice }, async ({ world }) => {
      const all = await runWith(doctorCommand.run, ["--all-stacks"], world);
      assert.equal(all.code, 1);
      assert.match(
        all.stdout,
        /AGP-003 \+15550000001 .* held 2 times: dev: NumberAssignment "line", prod: NumberAssignment "line"/,
      );
      const one = await runWith(doctorCommand.run, ["--stack", "dev"], world);
      assert.doesNotMatch(one.stdout, /AGP-003/);
    }));

  it("show finds a number in each of them", () =>
    withRollouts({ dev: twice, prod: twice }, async ({ world }) => {
      const { code, stdout } = await runWith(showCommand.run, ["+15550000001", "--all-stacks"], world);
      assert.equal(code, 0);
      assert.deepEqual(stdout.match(/^\+15550000001 in stack \w+/gm), [
        "+15550000001 in stack dev",
        "+15550000001 in stack prod",
      ]);
    }));

  it("neither takes --stack as well", () =>
    withRollouts({ dev: twice }, async ({ world }) => {
      for (const [command, argv] of [
        [doctorCommand, []],
        [showCommand, ["+1"]],
      ] as const) {
        const { code, stderr } = await runWith(command.run, [...argv, "--all-stacks", "--stack", "dev"], world);
        assert.equal(code, 2);
        assert.match(stderr, /: Give --stack or --all-stacks, not both\.\n$/);
      }
    }));
});
