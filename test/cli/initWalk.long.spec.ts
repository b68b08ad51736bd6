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

/**
 * Tests a complete rollout in a new project, using only commands. At the end, an abort moves all calls back to the
 * stable agent.
 */

describe("a rollout in a new project from init", function () {
  this.timeout(20 * 60_000);
  const folder = projectFolder();

  async function walk(...stacks: readonly string[]): Promise<void> {
    const platform = await startEmulator();
    const stackArgs = stacks.flatMap((stack) => ["--stack", stack]);
    const options = ["--base-url", platform.url, ...stackArgs];
    assert.equal((await runWith(initCommand.run, options, { cwd: folder.path })).code, 0);
    const extraEnv = { AGENT_PLATFORM_ACCESS_TOKEN: platform.token, ...transpileOnly };
    await withStack({ existing: folder.path, env: extraEnv }, async ({ run, project }) => {
      const { directory } = await findOrInstallEngine();
      const path = [directory, process.env.PATH].join(delimiter);
      const world = { cwd: folder.path, env: { ...project.env, ...extraEnv, HOME: process.env.HOME, PATH: path } };
      const assertPasses = async (command: Edit, argv: readonly string[], stdin = "") => {
        const { code, stdout, stderr } = await runWith(command.run, argv, { ...world, stdin });
        assert.equal(code, 0, stdout + stderr);
      };
      /** Previews and deploys a stack. If set, `edit` is a command that first edits the stack's config. */
      const deploy = async (stack: string, edit?: Edit) => {
        await (edit && assertPasses(edit, ["front", "--stack", stack]));
        // Check the preview for deletes and replacements, as a pull request's pipeline does.
        const { stdout } = await run([
          "preview",
          "--stack",
          stack,
          "--json",
          "--show-sames",
          "--show-replacement-steps",
        ]);
        await assertPasses(reportCommand, ["--fail-on", "delete,replace"], stdout);
        await run(["up", "--stack", stack, "--yes", "--skip-preview"]);
      };
      for (const stack of stacks.slice(1)) {
        await run(["stack", "init", stack]);
      }
      const numbersOf = (stack: string) => [1, 2].map((number) => `+1555123${stacks.indexOf(stack)}00${number}`);
      /** Asserts that both numbers in a stack have this split. */
      const assertSplit = (stack: string, split: object) => {
        const splits = numbersOf(stack).map((number) => platform.routing(number)?.inboundAgents);
        assert.deepEqual(splits, [split, split], stack);
      };
      await story(stacks, deploy, assertSplit);
    }).finally(() => platform.close());
  }

  it("promotes a candidate to 100% and aborts it in two stacks", () => walk("dev", "prod"));
});

async function story(
  stacks: readonly string[],
  deploy: (stack: string, edit?: Edit) => Promise<void>,
  assertSplit: (stack: string, split: object) => void,
): Promise<void> {
  for (const stack of stacks) {
    await deploy(stack);
  }
  assertSplit("dev", { "agent_front@12": 90, "agent_front@13": 10 });
  for (const stack of stacks) {
    // The first stack is already at the first of three steps. The others are still at 0%.
    for (let step = stack === "dev" ? 1 : 0; step < 3; step += 1) {
      await deploy(stack, promoteCommand);
    }
    assertSplit(stack, { "agent_front@13": 100 });
  }
  for (const stack of stacks) {
    await deploy(stack, abortCommand);
    assertSplit(stack, { "agent_front@12": 100 });
  }
}

describe("a new project from init", () => {
  const folder = projectFolder();

  it("enforces the guards in a preview without a token", async () => {
    assert.equal((await runWith(initCommand.run, [], { cwd: folder.path })).code, 0);
    const written = folder.read("Pulumi.dev.yaml");
    await withStack({ existing: folder.path }, async (stack) => {
      // `pulumi stack init` adds an encryption salt to the config file, and puts numbers and booleans in quotes.
      writeFileSync(join(folder.path, "Pulumi.other.yaml"), written);
      await stack.run(["stack", "init", "other"]);
      const salt = /^encryptionsalt: .*\n/m;
      assert.match(folder.read("Pulumi.other.yaml"), salt);
      const rewritten = folder.read("Pulumi.other.yaml").replace(salt, "");
      assert.equal(rewritten.replace(/"(\d+|true)"$/gm, "$1"), written);
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
