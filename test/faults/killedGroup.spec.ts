import assert from "node:assert/strict";
import { killAll, leftOf } from "../support/engineProcesses";
import { withPlatformStack } from "../support/platformStack";

const numbers = Array.from({ length: 6 }, (_, index) => `+1555000000${index}`);

describe("a run whose CLI is killed in the middle of a group", () => {
  const program = (agentId: string) => `import { NumberGroup } from "pulumi-agent-platform";
    new NumberGroup("fleet", { numbers: ${JSON.stringify(numbers)}, inboundAgents: [{ agentId: "${agentId}", weight: 1 }] });`;

  it("leaves no process that sends, and the next run applies what it declares", async () => {
    await withPlatformStack({ program: program("agent_a") }, async ({ stack, platform }) => {
      const held = platform.inject({ kind: "hold", after: 1, times: Number.POSITIVE_INFINITY });
      const run = stack.spawn(["up", "--yes", "--skip-preview"]);
      await platform.waitForRequests(2);
      const cli = run.processes().find(({ role }) => role === "cli");
      assert.ok(cli !== undefined);
      process.kill(cli.pid, "SIGKILL");
      const sending = () => run.processes().filter(({ role }) => role === "provider");
      assert.deepEqual(await leftOf(sending), []);
      held.release();
      await run.result;
      killAll(run.processes());
      await stack.run(["cancel", "--yes", "--stack", stack.project.stackName]);
      platform.clearRequests();
      stack.write(program("agent_b"));
      await stack.up();
      assert.deepEqual(
        numbers.map((number) => platform.routing(number)?.inboundAgents),
        numbers.map(() => ({ agent_b: 1 })),
      );
      const ofOthers = platform.requests.filter(({ body }) => !JSON.stringify(body).includes("agent_b"));
      assert.deepEqual([ofOthers, platform.requests.length], [[], numbers.length]);
    });
  });
});
