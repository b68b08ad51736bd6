import assert from "node:assert/strict";
import { output } from "@pulumi/pulumi";
import { startEmulator } from "../../emulator";
import { NumberGroup, type RolloutArgs } from "../../provider";
import { ref } from "../support/engineProject";
import { newInlineStack } from "../support/inlineStack";
import { diffBlock, withPlatformStack } from "../support/platformStack";

/** The argument `rollout` through the real engine: its split, its diff, and what the engine's options make of it. */

const OPTIONS = ["", "inboundAgents", "rollout", "rollout.percent", "*"] as const;
const numberOf = (index: number) => `+1555000000${index}`;

const program = (percent: number, webhook = "a") => `
  import { NumberAssignment } from "pulumi-agent-platform";
  const options = ${JSON.stringify(OPTIONS)};
  options.forEach((option, index) => new NumberAssignment("line" + index, {
    number: "+1555000000" + index,
    rollout: { stable: "agent_front@12", candidate: "agent_front@13", percent: ${percent} },
    inboundWebhookUrl: option === "*" ? undefined : "https://hooks.example.com/${webhook}",
  }, { ignoreChanges: option === "" ? [] : [option] }));`;

const front = (stable: number, candidate: number) => ({ "agent_front@12": stable, "agent_front@13": candidate });

describe("a rollout through the real engine", () => {
  it("is reviewed as one line, is the split in the platform's unit, and obeys ignoreChanges", async () => {
    const config = { "agent-platform:weightTotal": 1 };
    await withPlatformStack({ program: program(10), config }, async ({ stack, sent, sentNothing, platform }) => {
      await stack.up();
      assert.equal(sent().length, OPTIONS.length);
      assert.deepEqual(platform.routing(numberOf(0))?.inboundAgents, front(0.9, 0.1));

      stack.write(program(50, "b"));
      const { output } = await stack.preview({ diff: true });
      assert.match(
        output,
        /~ rollout +: \{\n +candidate: "agent_front@13"\n +~ percent +: 10 => 50\n +stable +: "agent_front@12"\n/,
      );
      sentNothing();
      const up = await stack.up();
      assert.deepEqual(
        OPTIONS.map((_, index) => platform.routing(numberOf(index))?.inboundAgents),
        [front(0.5, 0.5), front(0.9, 0.1), front(0.9, 0.1), front(0.9, 0.1), front(0.9, 0.1)],
      );
      const saved = stack.resources().filter(({ name }) => name.startsWith("line"));
      assert.deepEqual(
        saved.map(({ name, outputs }) => [name, (outputs.rollout as { percent: number }).percent]).sort(),
        OPTIONS.map((option, index) => [`line${index}`, option === "" ? 50 : 10]),
      );
      const ignored = `warning: AGP-028 NumberAssignment "line1" (${numberOf(1)}): rollout is not applied, because \`ignoreChanges\` keeps the saved inboundAgents. Remove inboundAgents from \`ignoreChanges\`.`;
      assert.deepEqual(
        up.diagnostics.filter(({ message }) => message.includes("AGP-")).map(({ message }) => message.trim()),
        [ignored],
      );
      sent();
      assert.deepEqual((await stack.up()).changeSummary, { same: OPTIONS.length + 1 });
      sentNothing();
    });
  });

  const one = (args: string, more = "") => `
    import * as pulumi from "@pulumi/pulumi";
    import { NumberAssignment, NumberGroup } from "pulumi-agent-platform";
    ${more}
    new NumberGroup("support", { numbers: ["+15550000001", "+15550000002"], ${args} });`;
  const rollout = 'rollout: { stable: "agent_front@12", candidate: "agent_front@13", percent: 10 }';

  it("takes the place of a split and the other way round, and neither may get lost or stand beside the other", async () => {
    await withPlatformStack(
      { program: one('inboundAgents: [{ agentId: "agent_front", agentVersion: 12, weight: 100 }]') },
      async (both) => {
        const { stack, sent, sentNothing, platform } = both;
        await stack.up();
        sent();
        stack.write(one(rollout));
        await stack.up();
        assert.equal(sent().length, 2);
        assert.deepEqual(platform.routing("+15550000001")?.inboundAgents, front(90, 10));

        stack.write(one(""));
        const lost = await stack.preview({ expectFailure: true });
        assert.match(
          lost.output,
          /AGP-002 NumberGroup "support": rollout was set and is now missing\. Restore it, or set `inboundAgents: \[\]` to unassign all agents\./,
        );
        stack.write(one(`${rollout}, inboundAgents: [{ agentId: "agent_front", agentVersion: 12, weight: 100 }]`));
        const both2 = await stack.preview({ expectFailure: true });
        assert.match(both2.output, /AGP-001 NumberGroup "support": write rollout or inboundAgents, not both\.\n/);
        sentNothing();

        stack.write(
          one(
            'inboundAgents: [{ agentId: "agent_front", agentVersion: 12, weight: 90 }, { agentId: "agent_front", agentVersion: 13, weight: 10 }]',
          ),
        );
        const back = await stack.up();
        assert.deepEqual(back.changeSummary, { update: 1, same: 1 });
        // The same split under another argument: nothing to send.
        sentNothing();
      },
    );
  });
});

const numbers = ["+15550000001", "+15550000002"];
const config = { "agent-platform:weightTotal": "1", "agent-platform:steps": "[1, 10, 50, 100]" };
const atPercent = (percent: number) => ({
  ...config,
  "test:front": { stable: "agent_front@12", candidate: "agent_front@13", percent },
});

/** What a reviewer reads of a step. */
const STEP = {
  TypeScript: `        endpoint     : "<url>"
      ~ inboundAgents: {
          ~ agent_front@12: 0.9 => 0.5
          ~ agent_front@13: 0.1 => 0.5
        }
        numbers      : "+15550000001\\n+15550000002\\n"
      ~ rollout      : {
            candidate: "agent_front@13"
          ~ percent  : 10 => 50
            stable   : "agent_front@12"
        }`,
  YAML: `      ~ inboundAgents: {
          ~ agent_front@12: 0.9 => 0.5
          ~ agent_front@13: 0.1 => 0.5
        }
      ~ rollout      : {
          ~ percent: 10 => 50
        }`,
};
const ABORT = {
  TypeScript: `        endpoint     : "<url>"
      ~ inboundAgents: {
          ~ agent_front@12: 0.5 => 1
          - agent_front@13: 0.5
        }
        numbers      : "+15550000001\\n+15550000002\\n"
      ~ rollout      : {
            candidate: "agent_front@13"
          ~ percent  : 50 => 0
            stable   : "agent_front@12"
        }`,
  YAML: `      ~ inboundAgents: {
          ~ agent_front@12: 0.5 => 1
          - agent_front@13: 0.5
        }
      ~ rollout      : {
          ~ percent: 50 => 0
        }`,
};

const edges = {
  TypeScript: `
    import { Config } from "@pulumi/pulumi";
    import { NumberGroup, type RolloutArgs } from "pulumi-agent-platform";
    const rollout = new Config().requireObject<RolloutArgs>("front");
    export const split = new NumberGroup("support", { numbers: ${JSON.stringify(numbers)}, rollout }).inboundAgents;`,
  YAML: {
    config: { front: { type: "object" } },
    resources: {
      support: { type: "agent-platform:NumberGroup", properties: { numbers, rollout: ref("front") } },
    },
    outputs: { split: ref("support.inboundAgents") },
  },
} as const;

for (const [language, written] of Object.entries(edges)) {
  describe(`a rollout that the stack's config holds, of a program in ${language}`, () => {
    it("is reviewed by its percentage, goes step by step, and back at once", async () => {
      const start = { program: written, config: atPercent(10) };
      await withPlatformStack(start, async ({ stack, sent, sentNothing, platform }) => {
        await stack.up();
        assert.deepEqual(platform.routing(numbers[1] ?? "")?.inboundAgents, front(0.9, 0.1));
        sent();

        stack.setConfig(atPercent(50));
        const diffOf = ({ output: text }: { readonly output: string }) =>
          diffBlock(text.replaceAll(platform.url, "<url>"), "support").join("\n");
        const step = diffOf(await stack.preview({ diff: true }));
        assert.equal(step, STEP[language as keyof typeof edges]);
        await stack.up();
        assert.deepEqual(platform.routing(numbers[0] ?? "")?.inboundAgents, front(0.5, 0.5));
        assert.equal(sent().length, numbers.length);

        stack.setConfig({ ...atPercent(0), "agent-platform:maxShift": 1 });
        const abort = diffOf(await stack.preview({ diff: true }));
        assert.equal(abort, ABORT[language as keyof typeof edges]);
        await stack.up();
        assert.deepEqual(platform.routing(numbers[0] ?? "")?.inboundAgents, { "agent_front@12": 1 });
        sent();
        assert.deepEqual((await stack.up()).changeSummary, { same: 2 });
        sentNothing();
      });
    });
  });
}

describe("a secret rollout of a program in YAML", () => {
  it("shows its candidate in no preview, no message, no output and no state", async () => {
    const program = (percent: unknown) => ({
      variables: {
        hush: { "fn::secret": { stable: "agent_hush@12", candidate: "agent_hush@13", percent } },
      },
      resources: {
        support: { type: "agent-platform:NumberGroup", properties: { numbers, rollout: ref("hush") } },
      },
    });
    await withPlatformStack({ program: program(1), config }, async ({ stack, sent, sentNothing, platform }) => {
      const texts = [(await stack.up()).output];
      assert.ok(JSON.stringify(platform.dump()).includes("agent_hush@13"));
      sent();
      for (const percent of [50, 250]) {
        stack.write(program(percent));
        texts.push((await stack.preview({ expectFailure: true, diff: true })).output);
      }
      assert.match(texts[1] ?? "", /AGP-027 .*: rollout\.percent: skips a step\. Promote one step at a time\./);
      assert.match(texts[2] ?? "", /AGP-001 .*: rollout\.percent must be a number from 0 to 100\.\n/);
      sentNothing();
      stack.write(program(10));
      texts.push((await stack.preview({ diff: true })).output, (await stack.up()).output, stack.stateText());
      for (const text of texts) {
        assert.ok(!text.includes("agent_hush"), text);
      }
    });
  });
});

describe("a rollout of an inline program", () => {
  it("may be an output, is applied, and may not be beside a split", async () => {
    const platform = await startEmulator();
    const rollout = (percent: number): RolloutArgs => ({
      stable: output("agent_front@12"),
      candidate: output("agent_front@13"),
      percent: output(percent),
    });
    const program =
      (percent: number, more: object = {}) =>
      async () =>
        void new NumberGroup("support", { numbers, rollout: output(rollout(percent)), ...more });
    const one = await newInlineStack(platform, "inline-rollout", program(10), config);
    try {
      await one.stack.up();
      assert.deepEqual(platform.routing(numbers[1] ?? "")?.inboundAgents, front(0.9, 0.1));
      const { length } = platform.requests;
      one.write(program(10, { inboundAgents: { "agent_front@12": 1 } }));
      assert.match(await one.failedUp(), /[Ww]rite rollout or inboundAgents, not both\./);
      one.write(program(100));
      assert.match(await one.failedUp(), /AGP-027 .* from 10 % to 100 % skips 50 %\./);
      assert.equal(platform.requests.length, length);
      one.write(program(0));
      await one.stack.up();
      assert.deepEqual(platform.routing(numbers[0] ?? "")?.inboundAgents, { "agent_front@12": 1 });
    } finally {
      one.remove();
      await platform.close();
    }
  });
});
