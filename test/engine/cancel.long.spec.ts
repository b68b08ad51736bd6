import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { NumbersState } from "../../provider/core/change/state";
import { numbersOf } from "../../provider/core/routing/numberList";
import type { YamlProgram } from "../support/engine";
import { killAll, leftOf } from "../support/engineProcesses";
import { type PlatformStack, withPlatformStack } from "../support/platformStack";

const fleet = Array.from({ length: 200 }, (_, index) => `+1555000${1000 + index}`);

const typescript = (agent: string): string => `
  import { NumberGroup, split } from "pulumi-agent-platform";
  new NumberGroup("emea", { numbers: ${JSON.stringify(fleet)}, inboundAgents: split({ "${agent}": 100 }) });`;

const yaml = (agent: string): YamlProgram => ({
  resources: {
    emea: {
      type: "agent-platform:NumberGroup",
      properties: { numbers: fleet, inboundAgents: { [agent]: 100 } },
    },
  },
});

/** In a terminal Ctrl-C gets to every process of the run. */
const inTerminal = ({ stack }: PlatformStack) => killAll(stack.processes(), "SIGINT");
const inPipeline = ({ stack }: PlatformStack) =>
  killAll(
    stack.processes().filter(({ role }) => role === "cli"),
    "SIGINT",
  );

describe("Ctrl-C in the middle of a group", () => {
  for (const [edge, program, press] of [
    ["a TypeScript program in a terminal", typescript, inTerminal],
    ["a YAML program, of which the engine alone is told", yaml, inPipeline],
  ] as const) {
    it(`ends the requests in progress, sends no others, and saves the rest: ${edge}`, async () => {
      await withPlatformStack({ program: program("agent_old@1") }, async (both) => {
        const { stack, platform, sent } = both;
        await stack.up();
        sent();
        stack.write(program("agent_bad@1"));
        const before = platform.requests.length;
        const held = platform.inject({ kind: "hold", after: 40, times: Number.POSITIVE_INFINITY });
        const run = stack.spawn(["up", "--yes", "--skip-preview"], { onOutput: releaseOnCancel });
        function releaseOnCancel(text: string): void {
          if (text.includes("cancelling")) {
            // What is in progress is answered after every process has heard of the cancel.
            setTimeout(() => held.release(), 500);
          }
        }
        await platform.waitForRequests(before + 41);
        press(both);
        const { output } = await run.result;
        platform.clearFaults();
        const reached = fleet.filter((number) => platform.routing(number)?.inboundAgents?.["agent_bad@1"] === 100);
        assert.ok(reached.length < 80, `${reached.length} of 200 have the split that was cancelled\n${output}`);
        const [saved] = stack.resources();
        const { inboundAgents, unapplied = [] } = (saved?.outputs ?? {}) as Partial<NumbersState>;
        assert.deepEqual(inboundAgents, { "agent_bad@1": 100 });
        const missed = unapplied.flatMap(({ numbers }) => numbersOf(numbers));
        assert.deepEqual([...missed, ...reached].sort(), fleet);
        assert.match(output, /× stopped: the run was cancelled/);
        stack.write(program("agent_old@1"));
        await stack.up();
        assert.ok(fleet.every((number) => platform.routing(number)?.inboundAgents?.["agent_old@1"] === 100));
      });
    });
  }

  it("twice leaves no process, and the next runs end as declared", async () => {
    await withPlatformStack({ program: typescript("agent_old@1") }, async ({ stack, platform }) => {
      const held = platform.inject({ kind: "hold", times: Number.POSITIVE_INFINITY });
      let onOutput = (_text: string): void => {};
      const run = stack.spawn(["up", "--yes", "--skip-preview"], { onOutput: (text) => onOutput(text) });
      await platform.waitForRequests(1);
      // Two signals at once may arrive as one: the second is sent when the first one is seen to have come.
      const cancelling = new Promise<void>((resolve) => {
        onOutput = (text) => text.includes("cancel") && resolve();
      });
      run.child.kill("SIGINT");
      await cancelling;
      run.child.kill("SIGINT");
      assert.notEqual((await run.result).exitCode, 0);
      held.release();
      assert.deepEqual(await leftOf(run.processes), []);
      await stack.run(["cancel", "--yes", "--stack", stack.project.stackName]);
      await stack.up();
      assert.ok(fleet.every((number) => platform.routing(number)?.inboundAgents?.["agent_old@1"] === 100));
    });
  });
});
