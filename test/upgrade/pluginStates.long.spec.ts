import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "mocha";
import { version } from "../../package.json";
import { type PlatformStack, withPlatformStack } from "../support/platformStack";
import { keep, kept, keptFile, releasesOf } from "./kept";

/**
 * What the plugin of every released version wrote, kept for good: today's must preview it empty, and refresh, update and destroy it.
 * `WRITE_STATE=1` writes the one of the version in package.json.
 */
const fileOf = (release: string) => keptFile("plugin", release);

const program = (weight: number) => ({
  resources: {
    support: {
      type: "agent-platform:NumberAssignment",
      properties: {
        number: "+15551230001",
        accountSid: "4f9c2a10-0000-4000-8000-000000000001",
        workspaceId: 42,
        outboundAgentId: "agent_out",
        outboundAgentVersion: 3,
        inboundAgents: { "agent_front@12": 100 - weight, "agent_front@13": weight },
        inboundWebhookUrl: { "fn::secret": "https://hooks.example.com/inbound?key=k" },
        isTimeRoutingEnabled: true,
        triggers: { asserted: "2026-01-01" },
      },
    },
    sales: {
      type: "agent-platform:NumberGroup",
      properties: {
        numbers: { "+15551230010": "London", "+15551230011": "Paris" },
        inboundAgents: { agent_sales: 1 },
      },
    },
    nova: {
      type: "agent-platform:CommunityVoice",
      properties: {
        workspaceId: 42,
        voiceProvider: "provider_a",
        providerVoiceId: "voice-1",
        voiceName: "Nova",
        publicUserId: "user-1",
      },
    },
    reminder: {
      type: "agent-platform:SmsChat",
      properties: {
        workspaceId: 42,
        agentId: "chat_agent_1",
        fromNumber: "+15551230001",
        toNumber: "+15551239999",
        metadata: { campaign: "spring" },
      },
    },
  },
});

async function write({ stack, platform }: PlatformStack): Promise<void> {
  await stack.up();
  // The second split leaves a previous one in the state.
  stack.write(program(20));
  await stack.up();
  keep(fileOf(version), await stack.exportText(), platform.url);
}

describe("a state of an earlier release of the plugin", () => {
  it("is kept for the version in package.json", async () => {
    if (process.env.WRITE_STATE !== undefined) {
      await withPlatformStack({ program: program(10) }, write);
    }
    assert.ok(existsSync(fileOf(version)), `write it with WRITE_STATE=1: ${fileOf(version)}`);
  });

  for (const release of releasesOf("plugin")) {
    it(`previews empty, refreshes, updates and is destroyed: ${release}`, async () => {
      await withPlatformStack({ program: program(20) }, async ({ stack, platform, sent, sentNothing }) => {
        stack.import(kept(fileOf(release), platform.url));
        // A saved onDelete is dropped by an update that sends nothing.
        await stack.up();
        await stack.refresh({ args: ["--expect-no-changes"] });
        await stack.up({ args: ["--expect-no-changes"] });
        sentNothing();
        stack.write(program(30));
        assert.deepEqual((await stack.up()).changeSummary, { same: 4, update: 1 });
        assert.deepEqual(platform.routing("+15551230001")?.inboundAgents, {
          "agent_front@12": 70,
          "agent_front@13": 30,
        });
        sent();
        await stack.destroy();
        assert.deepEqual(platform.routing("+15551230001")?.inboundAgents, {});
        for (const number of ["+15551230010", "+15551230011"]) {
          assert.deepEqual(platform.routing(number)?.inboundAgents, {});
        }
        assert.deepEqual(stack.resources(), []);
        assert.equal(sent().filter(([call]) => /^POST .*\/end$/.test(call)).length, 1);
      });
    });
  }
});
