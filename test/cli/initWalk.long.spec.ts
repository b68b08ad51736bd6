import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { abortCommand } from "../../cli/commands/abort";
import { initCommand } from "../../cli/commands/init";
import { promoteCommand } from "../../cli/commands/promote";
import { reportCommand } from "../../cli/commands/report";
import { startEmulator } from "../../emulator";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { withStack } from "../support/engine";
import { projectFolder, transpileOnly } from "./projectFolder";
import { runWith } from "./terminal";

type Edit = Pick<typeof promoteCommand, "run">;

/** Follows a new project from its first preview until the candidate takes all calls, and back, using only commands. */

describe("a rollout in a new project from init", function () {
  this.timeout(20 * 60_000);
  const folder = projectFolder();

  async function walk(...stacks: readonly string[]): Promise<void> {
    const platform = await startEmulator();
    const named = stacks.flatMap((stack) => ["--stack", stack]);
    const options = ["--base-url", platform.url, ...named];
    assert.equal((await runWith(initCommand.run, options, { cwd: folder.path })).code, 0);
    const own = { AGENT_PLATFORM_ACCESS_TOKEN: platform.token, ...transpileOnly };
    await withStack({ existing: folder.path, env: own }, async ({ run, project }) => {
      const { directory } = await findOrInstallEngine();
      const path = [directory, process.env.PATH].join(delimiter);
      const world = { cwd: folder.path, env: { ...project.env, ...own, HOME: process.env.HOME, PATH: path } };
      const passes = async (command: Edit, argv: readonly string[], stdin = "") => {
        const { code, stdout, stderr } = await runWith(command.run, argv, { ...world, stdin });
        assert.equal(code, 0, stdout + stderr);
      };
      /** Previews a stack and deploys it, after running a command that edits its file, if given. */
      const applied = async (stack: string, edit?: Edit) => {
        await (edit && passes(edit, ["front", "--stack", stack]));
        // The check that runs on a pull request.
        const { stdout } = await run([
          "preview",
          "--stack",
          stack,
          "--json",
          "--show-sames",
          "--show-replacement-steps",
        ]);
        await passes(reportCommand, ["--fail-on", "delete,replace"], stdout);
        await run(["up", "--stack", stack, "--yes", "--skip-preview"]);
      };
      for (const stack of stacks.slice(1)) {
        await run(["stack", "init", stack]);
      }
      const numbersOf = (stack: string) => [1, 2].map((number) => `+1555123${stacks.indexOf(stack)}00${number}`);
      /** Asserts the split of both numbers in a stack. */
      const assertSplit = (stack: string, split: object) => {
        const found = numbersOf(stack).map((number) => platform.routing(number)?.inboundAgents);
        assert.deepEqual(found, [split, split], stack);
      };
      await story(stacks, applied, assertSplit);
    }).finally(() => platform.close());
  }

  it("promotes a candidate to 100% and aborts it in two stacks", () => walk("dev", "prod"));
});

async function story(
  stacks: readonly string[],
  applied: (stack: string, edit?: Edit) => Promise<void>,
  assertSplit: (stack: string, split: object) => void,
): Promise<void> {
  for (const stack of stacks) {
    await applied(stack);
  }
  assertSplit("dev", { "agent_front@12": 90, "agent_front@13": 10 });
  for (const stack of stacks) {
    // The first stack starts at the first of three steps, the others at 0%.
    for (let step = stack === "dev" ? 1 : 0; step < 3; step += 1) {
      await applied(stack, promoteCommand);
    }
    assertSplit(stack, { "agent_front@13": 100 });
  }
  for (const stack of stacks) {
    await applied(stack, abortCommand);
    assertSplit(stack, { "agent_front@12": 100 });
  }
}

describe("a new project from init", () => {
  const folder = projectFolder();

  it("enforces the guards in a preview without a token", async () => {
    assert.equal((await runWith(initCommand.run, [], { cwd: folder.path })).code, 0);
    const written = folder.read("Pulumi.dev.yaml");
    await withStack({ existing: folder.path }, async (stack) => {
      // `pulumi stack init` rewrites the file: it adds one line and quotes numbers and booleans.
      writeFileSync(join(folder.path, "Pulumi.other.yaml"), written);
      await stack.run(["stack", "init", "other"]);
      const salt = /^encryptionsalt: .*\n/m;
      assert.match(folder.read("Pulumi.other.yaml"), salt);
      const again = folder.read("Pulumi.other.yaml").replace(salt, "");
      assert.equal(again.replace(/"(\d+|true)"$/gm, "$1"), written);
      const preview = ["preview", "--stack", "dev"];
      assert.match((await stack.run(preview)).stdout, /NumberGroup support create/);

      const changed = folder
        .read("Pulumi.dev.yaml")
        .replace(/agent_front@13\n.*percent: 10/, "agent_front@14\n      percent: 50");
      writeFileSync(join(folder.path, "Pulumi.dev.yaml"), changed);
      const { output } = await stack.run(preview, { expectFailure: true, env: transpileOnly });
      assert.match(output, /AGP-023 .*agent_front@14 .* 50 ?%/);
    });
  });
});
