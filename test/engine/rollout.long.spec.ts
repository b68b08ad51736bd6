import assert from "node:assert/strict";
import type { Result } from "../support/engine";
import { ref } from "../support/engineProject";
import { diffBlock, type PlatformStack, withPlatformStack } from "../support/platformStack";

/** The argument `rollout` through the real engine: its split, its diff, and what the engine's options make of it. */

const numbers = ["+15550000001", "+15550000002"];
const front = (stable: number, candidate: number) => ({ "agent_front@12": stable, "agent_front@13": candidate });
const atPercent = (percent: number) => ({
  "agent-platform:weightTotal": "1",
  "test:front": { stable: "agent_front@12", candidate: "agent_front@13", percent },
});

/** What a reviewer reads of the resource whose rollout the stack's config holds. */
const diffOf = ({ output }: Result, { platform }: PlatformStack): string =>
  diffBlock(output.replaceAll(platform.url, "<url>"), "support").join("\n");

const OPTIONS = ["inboundAgents", "rollout", "rollout.percent", "*"] as const;
const lineOf = (index: number) => `+1555000001${index}`;
const OTHER = "+15550000020";

const program = (other: string, webhook = "a") => `
  import { Config, output } from "@pulumi/pulumi";
  import { NumberAssignment, NumberGroup, type RolloutArgs } from "pulumi-agent-platform";
  const rollout = new Config().requireObject<RolloutArgs>("front");
  export const split = new NumberGroup("support", { numbers: ${JSON.stringify(numbers)}, rollout }).inboundAgents;
  ${JSON.stringify(OPTIONS)}.forEach((option, index) => new NumberAssignment("line" + index, {
    number: "+1555000001" + index, rollout,
    inboundWebhookUrl: option === "*" ? undefined : "https://hooks.example.com/${webhook}",
  }, { ignoreChanges: [option] }));
  const version = (agentVersion: number, weight: number) => ({ agentId: "agent_front", agentVersion, weight });
  new NumberGroup("other", { numbers: ["${OTHER}"], ${other} });`;

const TYPESCRIPT_STEP = `        endpoint     : "<url>"
      ~ inboundAgents: {
          ~ agent_front@12: 0.9 => 0.5
          ~ agent_front@13: 0.1 => 0.5
        }
        numbers      : "+15550000001\\n+15550000002\\n"
      ~ rollout      : {
            candidate: "agent_front@13"
          ~ percent  : 10 => 50
            stable   : "agent_front@12"
        }`;
const TYPESCRIPT_ABORT = `        endpoint     : "<url>"
      ~ inboundAgents: {
          ~ agent_front@12: 0.5 => 1
          - agent_front@13: 0.5
        }
        numbers      : "+15550000001\\n+15550000002\\n"
      ~ rollout      : {
            candidate: "agent_front@13"
          ~ percent  : 50 => 0
            stable   : "agent_front@12"
        }`;

describe("a rollout that the stack's config holds, of a program in TypeScript", () => {
  it("is reviewed by its percentage, goes step by step and back at once, takes the place of a split, and obeys ignoreChanges", async () => {
    const start = { program: program("inboundAgents: [version(12, 1)]"), config: atPercent(10) };
    await withPlatformStack(start, async (both) => {
      const { stack, sent, sentNothing, platform } = both;
      const agentsOf = (number: string) => platform.routing(number)?.inboundAgents;
      await stack.up();
      assert.deepEqual(numbers.map(agentsOf), [front(0.9, 0.1), front(0.9, 0.1)]);
      assert.equal(sent().length, numbers.length + OPTIONS.length + 1);

      stack.setConfig(atPercent(50));
      const asOutputs =
        'rollout: output({ stable: output("agent_front@12"), candidate: output("agent_front@13"), percent: output(10) })';
      stack.write(program(asOutputs, "b"));
      assert.equal(diffOf(await stack.preview({ diff: true }), both), TYPESCRIPT_STEP);
      sentNothing();
      const { diagnostics } = await stack.up();
      assert.deepEqual([...numbers, OTHER].map(agentsOf), [front(0.5, 0.5), front(0.5, 0.5), front(0.9, 0.1)]);
      for (const [index] of OPTIONS.entries()) {
        assert.deepEqual(agentsOf(lineOf(index)), front(0.9, 0.1));
      }
      const saved = stack.resources().filter(({ name }) => name.startsWith("line"));
      assert.deepEqual(
        saved.map(({ outputs }) => (outputs.rollout as { percent: number }).percent),
        OPTIONS.map(() => 10),
      );
      assert.deepEqual(
        diagnostics.map(({ message }) => message.trim()),
        [
          `warning: AGP-028 NumberAssignment "line0" (${lineOf(0)}): rollout is not applied, because \`ignoreChanges\` keeps the saved inboundAgents. Remove inboundAgents from \`ignoreChanges\`.`,
        ],
      );
      sent();

      stack.setConfig({ ...atPercent(0), "agent-platform:maxShift": 1 });
      // The same split under another argument: nothing to send.
      stack.write(program("inboundAgents: [version(12, 0.9), version(13, 0.1)]", "b"));
      assert.equal(diffOf(await stack.preview({ diff: true }), both), TYPESCRIPT_ABORT);
      await stack.up();
      assert.deepEqual(numbers.map(agentsOf), [{ "agent_front@12": 1 }, { "agent_front@12": 1 }]);
      assert.equal(sent().length, numbers.length);
      assert.deepEqual((await stack.up()).changeSummary, { same: OPTIONS.length + 3 });
      sentNothing();
    });
  });
});

/** `quiet` has a rollout that is secret. */
const yaml = (percent: unknown) => ({
  config: { front: { type: "object" } },
  variables: { hush: { "fn::secret": { stable: "agent_hush@12", candidate: "agent_hush@13", percent } } },
  resources: {
    support: { type: "agent-platform:NumberGroup", properties: { numbers, rollout: ref("front") } },
    quiet: { type: "agent-platform:NumberGroup", properties: { numbers: [OTHER], rollout: ref("hush") } },
  },
  outputs: { split: ref("support.inboundAgents") },
});
const YAML_STEP = `      ~ inboundAgents: {
          ~ agent_front@12: 0.9 => 0.5
          ~ agent_front@13: 0.1 => 0.5
        }
      ~ rollout      : {
          ~ percent: 10 => 50
        }`;
const YAML_ABORT = `      ~ inboundAgents: {
          ~ agent_front@12: 0.5 => 1
          - agent_front@13: 0.5
        }
      ~ rollout      : {
          ~ percent: 50 => 0
        }`;

describe("a rollout that the stack's config holds, of a program in YAML", () => {
  it("is reviewed by its percentage, goes step by step and back at once; a secret one is in no preview, message, output or state", async () => {
    const config = { ...atPercent(10), "agent-platform:steps": "[1, 10, 50, 100]" };
    await withPlatformStack({ program: yaml(1), config }, async (both) => {
      const { stack, sent, sentNothing, platform } = both;
      const agentsOf = (number = "") => platform.routing(number)?.inboundAgents;
      const hushed = async (running: Promise<Result>): Promise<Result> => {
        const result = await running;
        for (const text of [result.output, stack.stateText()]) {
          assert.ok(!text.includes("agent_hush"), text);
        }
        return result;
      };
      await hushed(stack.up());
      assert.deepEqual(agentsOf(numbers[1]), front(0.9, 0.1));
      assert.deepEqual(agentsOf(OTHER), { "agent_hush@12": 0.99, "agent_hush@13": 0.01 });
      sent();
      for (const [percent, refusal] of [
        [50, /AGP-027 .*: rollout\.percent: skips a step\. Promote one step at a time\./],
        [250, /AGP-001 .*: rollout\.percent must be a number from 0 to 100\.\n/],
      ] as const) {
        stack.write(yaml(percent));
        assert.match((await hushed(stack.preview({ expectFailure: true, diff: true }))).output, refusal);
      }

      stack.write(yaml(10));
      stack.setConfig(atPercent(50));
      assert.equal(diffOf(await hushed(stack.preview({ diff: true })), both), YAML_STEP);
      sentNothing();
      await hushed(stack.up());
      assert.deepEqual(agentsOf(numbers[0]), front(0.5, 0.5));
      assert.deepEqual(agentsOf(OTHER), { "agent_hush@12": 0.9, "agent_hush@13": 0.1 });
      assert.equal(sent().length, numbers.length + 1);

      stack.setConfig({ ...atPercent(0), "agent-platform:maxShift": 1 });
      assert.equal(diffOf(await hushed(stack.preview({ diff: true })), both), YAML_ABORT);
      await hushed(stack.up());
      assert.deepEqual(agentsOf(numbers[0]), { "agent_front@12": 1 });
      assert.equal(sent().length, numbers.length);
    });
  });
});
