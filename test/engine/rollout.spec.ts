import assert from "node:assert/strict";
import { withPlatformStack } from "../support/platformStack";

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
      assert.deepEqual((await stack.up()).changeSummary, { same: OPTIONS.length + 1 });
      sentNothing();

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
        stack.write(one(`${rollout.replace("10", '"10%" as any')}`));
        const text = await stack.preview({ expectFailure: true });
        assert.match(
          text.output,
          /AGP-001 NumberGroup "support": rollout\.percent must be a number from 0 to 100; found "10%"\.\n/,
        );
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

  it("keeps a secret rollout secret: its split, its diff and its refusals", async () => {
    const secret = (percent: string) =>
      one(
        "rollout, inboundAgents: undefined",
        `const rollout = pulumi.secret({ stable: "agent_hush@12", candidate: "agent_hush@13", percent: ${percent} } as any);`,
      );
    await withPlatformStack({ program: secret("10") }, async ({ stack, sent, sentNothing, platform }) => {
      await stack.up();
      sent();
      assert.ok(JSON.stringify(platform.dump()).includes("agent_hush"), "the platform gets it in clear");
      stack.write(secret("20"));
      const { output } = await stack.preview({ diff: true });
      const up = await stack.up();
      for (const [text, where] of [
        [output, "the diff"],
        [up.output, "the output"],
        [stack.stateText(), "the state"],
      ] as const) {
        assert.ok(!text.includes("agent_hush"), `${where} holds a secret:\n${text}`);
      }
      sent();
      stack.write(secret('"agent_hush"'));
      const refused = await stack.preview({ expectFailure: true });
      assert.match(
        refused.output,
        /AGP-001 NumberGroup "support": rollout\.percent must be a number from 0 to 100\.\n/,
      );
      sentNothing();
    });
  });
});
