import assert from "node:assert/strict";
import { killAll, leftOf } from "../support/engineProcesses";
import { type PlatformStack, withPlatformStack } from "../support/platformStack";

const numbers = Array.from({ length: 6 }, (_, index) => `+1555000000${index}`);
const programWith = (agentId: string) => `import { NumberGroup } from "pulumi-agent-platform";
  const group = new NumberGroup("pool", {
    workspaceId: 42, numbers: ${JSON.stringify(numbers)}, inboundAgents: [{ agentId: "${agentId}", weight: 1 }] });`;
/** Returns each number's inbound agents. */
const agentsOfNumbers = ({ platform }: Pick<PlatformStack, "platform">) =>
  numbers.map((number) => Object.keys(platform.routing(number)?.inboundAgents ?? {}).join());

describe("a killed run", () => {
  it("sends no more requests after the Pulumi CLI is killed", async () => {
    await withPlatformStack({ program: programWith("agent_a") }, async ({ stack, platform }) => {
      const hold = platform.inject({ kind: "hold", after: 1, times: "always" });
      const run = stack.spawn(["up", "--yes", "--skip-preview"]);
      await platform.waitForRequests(2);
      const cli = run.processes().find(({ role }) => role === "cli");
      assert.ok(cli !== undefined, "no process of the CLI was found");
      process.kill(cli.pid, "SIGKILL");
      const sending = () => run.processes().filter(({ role }) => role === "provider");
      assert.deepEqual(await leftOf(sending), []);
      hold.release();
      await run.result;
      killAll(run.processes());
      await stack.run(["cancel", "--yes", "--stack", stack.project.stackName]);
      platform.clearRequests();
      stack.write(programWith("agent_b"));
      await stack.up();
      assert.deepEqual(agentsOfNumbers({ platform }), Array(6).fill("agent_b"));
      const otherRequests = platform.requests.filter(({ body }) => !JSON.stringify(body).includes("agent_b"));
      assert.deepEqual([otherRequests, platform.requests.length], [[], numbers.length]);
    });
  });
});
