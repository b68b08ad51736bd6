import assert from "node:assert/strict";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { doctorCommand } from "../../cli/commands/doctor";
import { promoteCommand } from "../../cli/commands/promote";
import { showCommand } from "../../cli/commands/show";
import { findOrInstallEngine } from "../../tools/engine/engine";
import { runWith } from "../cli/terminal";
import { environment } from "../support/engine";
import { type PlatformStack, platformStack, put } from "../support/platformStack";

/** Checks what promote, doctor and show report about a rollout on hold, and whether their advice works. */

const [GOOD, BAD, DESK] = ["+15550000001", "+15550000002", "4001"];
const at = (percent: number, more: object = {}) => ({ stable: "agent_a@1", candidate: "agent_b@1", percent, ...more });
const config = (front: object, more: object = {}) => ({
  "agent-platform:rollouts": { front },
  "agent-platform:steps": "[10, 50, 100]",
  ...more,
});
const program = (numbers: readonly string[], options = "{}") => `
  import { NumberGroup, NumberAssignment } from "pulumi-agent-platform";
  new NumberGroup("support", { numbers: ${JSON.stringify(numbers)}, rollout: "front" }, ${options});
  new NumberAssignment("desk", { number: "${DESK}", rollout: "front" });`;

type Command = typeof doctorCommand;

/**
 * Runs one of this package's commands in the stack's project. Copies the stack's config to the project's folder first,
 * because the command looks for it there.
 */
async function runCommand({ stack, platform }: PlatformStack, { run }: Command, argv: readonly string[]) {
  const { directory } = await findOrInstallEngine();
  const { project } = stack;
  const env = environment(directory, project, { AGENT_PLATFORM_ACCESS_TOKEN: platform.token });
  copyFileSync(project.configFile, join(project.directory, "Pulumi.dev.yaml"));
  const printed = await runWith(run, [...argv, "--stack", "dev"], { cwd: project.directory, env });
  rmSync(join(project.directory, "Pulumi.dev.yaml"));
  return printed;
}

const agentsOf = ({ platform }: PlatformStack, number: string) => platform.routing(number)?.inboundAgents;
const AT_10 = { "agent_a@1": 90, "agent_b@1": 10 };
const AT_50 = { "agent_a@1": 50, "agent_b@1": 50 };

for (const { title, options, expected } of [
  { title: "unassigns a removed number without restarting the soak", options: "{}", expected: {} },
  {
    title: "does not unassign a removed number if `retainOnDelete` is set",
    options: "{ retainOnDelete: true }",
    expected: AT_10,
  },
]) {
  describe("a number removed during a rollout", () => {
    const opened = platformStack({ program: program([GOOD, BAD]), config: config(at(10)) });

    it(title, async () => {
      const { stack, platform } = opened();
      await stack.up();
      stack.setConfig(config(at(50)));
      platform.inject({ kind: "status", status: 422, number: BAD, times: 99 });
      await stack.up({ expectFailure: true });
      const since = () => stack.resources().find(({ name }) => name === "support")?.outputs.since;
      const sinceBefore = since();
      const held = await runCommand(opened(), promoteCommand, ["front"]);
      assert.equal(held.code, 1, held.stdout);
      assert.match(held.stdout, /\+15550000002[\s\S]*`retainOnDelete: true`/);
      stack.write(program([GOOD, BAD], options));
      await stack.up({ expectFailure: true });
      platform.clearFaults();
      stack.write(program([GOOD], options));
      await stack.up();
      assert.deepEqual(agentsOf(opened(), BAD), expected, "the removed number");
      assert.deepEqual(agentsOf(opened(), GOOD), AT_50, "the other number");
      assert.equal(since(), sinceBefore);
    });
  });
}

describe("a rollout on hold", () => {
  const opened = platformStack({ program: program([GOOD, BAD]), config: config(at(10)) });

  it("rejects a promotion during a freeze", async () => {
    const { stack, sent, sentNothing } = opened();
    await stack.up();
    sent();
    stack.setConfig(config(at(10), { "agent-platform:freeze": "incident 4711" }));
    const { code, stdout } = await runCommand(opened(), promoteCommand, ["front"]);
    assert.equal(code, 1, stdout);
    stack.setConfig({ "agent-platform:freeze": undefined });
    await stack.up();
    sentNothing();
    assert.deepEqual(agentsOf(opened(), GOOD), AT_10);
  });

  it("shows a rollout's pending split until it is applied", async () => {
    const { stack, platform } = opened();
    stack.setConfig(config(at(50)));
    const wanted = async () => {
      const { stdout } = await runCommand(opened(), showCommand, [DESK, "--json"]);
      return JSON.parse(stdout).found[0].wanted;
    };
    await stack.up({ expectFailure: true, env: { AGENT_PLATFORM_ACCESS_TOKEN: "expired-token-1" } });
    assert.deepEqual(await wanted(), AT_50, "after a 401");
    assert.deepEqual(agentsOf(opened(), DESK), AT_10);
    const held = await runCommand(opened(), promoteCommand, ["front"]);
    assert.equal(held.code, 1);
    assert.doesNotMatch(held.stdout, /retainOnDelete/, "no number was rejected");
    await stack.up();
    assert.equal(await wanted(), undefined, "after the split is applied");
    assert.deepEqual(platform.routing(DESK)?.inboundAgents, AT_50);
  });

  it("reports a group whose `ignoreChanges` blocks a rollout", async () => {
    const { stack, sentNothing, sent } = opened();
    const ignoring = '{ ignoreChanges: ["rollout"] }';
    stack.write(program([GOOD, BAD], ignoring));
    await stack.up();
    sent();
    stack.setConfig(config(at(100)));
    stack.write(program([GOOD, BAD], ignoring));
    await stack.up();
    assert.deepEqual(
      sent().map(([target]) => target),
      [put(DESK)],
    );
    for (const argv of [["front"], ["front", "--up"]]) {
      const { code, stdout } = await runCommand(opened(), promoteCommand, argv);
      assert.equal(code, 1, stdout);
      assert.match(stdout, /`ignoreChanges`.* NumberGroup "support"/);
    }
    sentNothing();
    const { code, stdout } = await runCommand(opened(), doctorCommand, []);
    assert.equal(code, 1, stdout);
    assert.match(stdout, /NumberGroup "support": .*`ignoreChanges`/);
  });
});
