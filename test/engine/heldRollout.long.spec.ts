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

/** What promote, doctor and show say of a rollout that waits, and what callers have if one does as they say. */

const [ONE, BAD, DESK] = ["+15550000001", "+15550000002", "4001"];
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

/** A command in the project of this stack. Its config is where the commands look for it. */
async function ask({ stack, platform }: PlatformStack, { run }: Command, argv: readonly string[]) {
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

for (const { title, options, has } of [
  { title: "unassigns a removed number without restarting the soak", options: "{}", has: {} },
  {
    title: "does not unassign a removed number if `retainOnDelete` is set",
    options: "{ retainOnDelete: true }",
    has: AT_10,
  },
]) {
  describe("a number removed during a rollout", () => {
    const life = platformStack({ program: program([ONE, BAD]), config: config(at(10)) });

    it(title, async () => {
      const { stack, platform } = life();
      await stack.up();
      stack.setConfig(config(at(50)));
      platform.inject({ kind: "status", status: 422, number: BAD, times: 99 });
      await stack.up({ expectFailure: true });
      const since = () => stack.resources().find(({ name }) => name === "support")?.outputs.since;
      const was = since();
      const held = await ask(life(), promoteCommand, ["front"]);
      assert.equal(held.code, 1, held.stdout);
      assert.match(held.stdout, /\+15550000002[\s\S]*`retainOnDelete: true`/);
      stack.write(program([ONE, BAD], options));
      await stack.up({ expectFailure: true });
      platform.clearFaults();
      stack.write(program([ONE], options));
      await stack.up();
      assert.deepEqual(agentsOf(life(), BAD), has, "the number that was taken out");
      assert.deepEqual(agentsOf(life(), ONE), AT_50, "the other number");
      assert.equal(since(), was);
    });
  });
}

describe("a rollout on hold", () => {
  const life = platformStack({ program: program([ONE, BAD]), config: config(at(10)) });

  it("rejects a promotion during a freeze", async () => {
    const { stack, sent, sentNothing } = life();
    await stack.up();
    sent();
    stack.setConfig(config(at(10), { "agent-platform:freeze": "incident 4711" }));
    const { code, stdout } = await ask(life(), promoteCommand, ["front"]);
    assert.equal(code, 1, stdout);
    stack.setConfig({ "agent-platform:freeze": undefined });
    await stack.up();
    sentNothing();
    assert.deepEqual(agentsOf(life(), ONE), AT_10);
  });

  it("shows a rollout's pending split until it is applied", async () => {
    const { stack, platform } = life();
    stack.setConfig(config(at(50)));
    const wanted = async () => {
      const { stdout } = await ask(life(), showCommand, [DESK, "--json"]);
      return JSON.parse(stdout).found[0].wanted;
    };
    await stack.up({ expectFailure: true, env: { AGENT_PLATFORM_ACCESS_TOKEN: "expired-token-1" } });
    assert.deepEqual(await wanted(), AT_50, "after a 401");
    assert.deepEqual(agentsOf(life(), DESK), AT_10);
    const held = await ask(life(), promoteCommand, ["front"]);
    assert.equal(held.code, 1);
    assert.doesNotMatch(held.stdout, /retainOnDelete/, "no number was refused");
    await stack.up();
    assert.equal(await wanted(), undefined, "once it is applied");
    assert.deepEqual(platform.routing(DESK)?.inboundAgents, AT_50);
  });

  it("reports a group whose `ignoreChanges` blocks a rollout", async () => {
    const { stack, sentNothing, sent } = life();
    const ignoring = '{ ignoreChanges: ["rollout"] }';
    stack.write(program([ONE, BAD], ignoring));
    await stack.up();
    sent();
    stack.setConfig(config(at(100)));
    stack.write(program([ONE, BAD], ignoring));
    await stack.up();
    assert.deepEqual(
      sent().map(([target]) => target),
      [put(DESK)],
    );
    for (const argv of [["front"], ["front", "--up"]]) {
      const { code, stdout } = await ask(life(), promoteCommand, argv);
      assert.equal(code, 1, stdout);
      assert.match(stdout, /`ignoreChanges`.* NumberGroup "support"/);
    }
    sentNothing();
    const { code, stdout } = await ask(life(), doctorCommand, []);
    assert.equal(code, 1, stdout);
    assert.match(stdout, /NumberGroup "support": .*`ignoreChanges`/);
  });
});
