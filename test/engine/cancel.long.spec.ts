import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { NumbersState } from "../../provider/numbers/state";
import { membersOf } from "../../provider/routing/group";
import { withPlatformStack } from "../support/platformStack";

const numbers = Array.from({ length: 200 }, (_, index) => `+1555000${1000 + index}`);

const program = (agent: string): string => `
  import { NumberGroup, split } from "pulumi-agent-platform";
  new NumberGroup("emea", { numbers: ${JSON.stringify(numbers)}, inboundAgents: split({ "${agent}": 100 }) });`;

describe("a cancelled run", () => {
  // The Pulumi SDK doesn't pass the engine's cancel request on to the provider, so the update continues.
  it("completes a group update after Ctrl-C", async () => {
    await withPlatformStack({ program: program("agent_old@1") }, async ({ stack, platform }) => {
      await stack.up();
      stack.write(program("agent_bad@1"));
      const before = platform.requests.length;
      const held = platform.inject({ kind: "hold", after: 40, times: "always" });
      const run = stack.spawn(["up", "--yes", "--skip-preview"], { onOutput: releaseOnCancel });
      function releaseOnCancel(text: string): void {
        if (text.includes("cancelling")) {
          // Respond to the held requests only after the cancellation has had time to reach every process.
          setTimeout(() => held.release(), 500);
        }
      }
      await platform.waitForRequests(before + 41);
      // Send the signal only to the CLI. Ctrl-C in a terminal has the same effect, because each plugin runs in its own
      // process group.
      run.child.kill("SIGINT");
      const { output } = await run.result;
      platform.clearFaults();
      const reached = numbers.filter((number) => platform.routing(number)?.inboundAgents?.["agent_bad@1"] === 100);
      assert.deepEqual(reached, numbers, output);
      const [saved] = stack.resources();
      const { inboundAgents, unapplied = [] } = (saved?.outputs ?? {}) as Partial<NumbersState>;
      assert.deepEqual(inboundAgents, { "agent_bad@1": 100 });
      const missed = unapplied.flatMap(({ numbers }) => [...membersOf({ numbers }).keys()]);
      assert.deepEqual([...missed, ...reached].sort(), numbers);
      assert.match(output, /cancelling/);
      stack.write(program("agent_old@1"));
      await stack.up();
      assert.deepEqual(
        numbers.filter((number) => platform.routing(number)?.inboundAgents?.["agent_old@1"] !== 100),
        [],
        "numbers that are not routed to the old agent",
      );
    });
  });
});
