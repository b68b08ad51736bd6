import assert from "node:assert/strict";
import { withPlatformStack } from "../support/platformStack";

/** Everything depends on the id of a voice, which is unknown while the voice is to be replaced. */
const program = (voiceName: string) => `
  import * as pulumi from "@pulumi/pulumi";
  import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat } from "pulumi-agent-platform";
  const voice = new CommunityVoice("nova", {
    workspaceId: 42, voiceProvider: "provider_a", providerVoiceId: "voice-1", voiceName: "${voiceName}", publicUserId: "user-1",
  });
  const agentId = voice.voiceId.apply((id) => "agent_" + id);
  const known = [{ agentId: "agent_b", weight: 1 }];
  new NumberAssignment("agent", { number: "4001", inboundAgents: [{ agentId, weight: 1 }, ...known] });
  new NumberAssignment("list", { number: "4002", inboundAgents: agentId.apply((id) => [{ agentId: id, weight: 1 }]) });
  new NumberAssignment("canary", { number: "4003", rollout: agentId.apply(() => "front") });
  new NumberAssignment("weight", { number: "4004", inboundAgents: [{ agentId: "agent_b", weight: agentId.apply((id) => id.length) }] });
  new NumberAssignment("webhook", { number: "4005", inboundAgents: known, inboundWebhookUrl: pulumi.interpolate\`https://hooks.example.com/\${voice.voiceId}\` });
  new NumberAssignment("triggers", { number: "4006", inboundAgents: known, triggers: { voice: voice.voiceId } });
  new NumberAssignment("number", { number: agentId.apply(() => "4007"), inboundAgents: known });
  new NumberGroup("numbers", { numbers: agentId.apply(() => ["4008"]), inboundAgents: known });
  new NumberGroup("group", { numbers: ["4009"], inboundAgents: [{ agentId, weight: 1 }] });
  new SmsChat("metadata", { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550000002", metadata: { agentId } });
  new SmsChat("recipient", { workspaceId: 42, agentId: agentId.apply((id) => "chat_" + id), fromNumber: "+15550000001", toNumber: "+15550000003" });`;

const config = { "agent-platform:rollouts": { front: { stable: "agent_a", candidate: "agent_b", percent: 10 } } };

describe("values that are not known at preview", () => {
  it("pass, send nothing, and replace nothing but what would send again", async () => {
    await withPlatformStack({ program: program("Nova"), config }, async ({ stack, sent, sentNothing, platform }) => {
      assert.deepEqual((await stack.preview()).changeSummary, { create: 13 });
      sentNothing();
      await stack.up();
      assert.equal(sent().length, 12);
      assert.deepEqual(platform.routing("4003")?.inboundAgents, { agent_a: 90, agent_b: 10 });

      stack.write(program("Stella"));
      const { steps, changeSummary } = await stack.preview();
      sentNothing();
      assert.deepEqual(changeSummary, { replace: 2, update: 10, same: 1 });
      assert.deepEqual(
        steps
          .filter(({ op }) => op === "replace")
          .map(({ name, replaceReasons }) => [name, ...replaceReasons])
          .sort(),
        [
          ["nova", "voiceName"],
          ["recipient", "agentId"],
        ],
      );
    });
  });
});
