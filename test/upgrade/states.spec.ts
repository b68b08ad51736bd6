import { strict as assert } from "node:assert";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { version } from "../../package.json";
import { type PlatformStack, withPlatformStack } from "../support/platformStack";

/**
 * A state that every released version wrote, kept for good: today's code must preview it empty, and refresh, update and
 * destroy it. `WRITE_STATE=1` writes the one of the version in package.json.
 */
const testdata = join(__dirname, "testdata");
const fileOf = (release: string) => join(testdata, `state-${release}.json`);

/** Never an address that answers: the test puts the emulator's in its place. */
const PLACEHOLDER = "http://127.0.0.1:1";

const program = (percent: number) => `
  import * as pulumi from "@pulumi/pulumi";
  import { canary, CommunityVoice, NumberAssignment, NumberGroup, SmsChat, split } from "pulumi-agent-platform";
  new NumberAssignment("support", {
    number: "+15551230001",
    accountSid: "4f9c2a10-0000-4000-8000-000000000001",
    workspaceId: 42,
    outboundAgentId: "agent_out",
    outboundAgentVersion: 3,
    inboundAgents: canary("agent_front@12", "agent_front@13", ${percent}),
    inboundWebhookUrl: pulumi.secret("https://hooks.example.com/inbound?key=k"),
    isTimeRoutingEnabled: true,
    onDelete: { inboundAgents: split({ "agent_fallback@1": 1 }) },
    triggers: { asserted: "2026-01-01" },
    weightTotal: 100,
    maxShift: 50,
  });
  new NumberGroup("sales", {
    numbers: { "+15551230010": "London", "+15551230011": "Paris" },
    inboundAgents: split({ agent_sales: 1 }),
    overrides: { "+15551230010": { outboundAgentId: "agent_night" } },
  });
  new CommunityVoice("nova", {
    workspaceId: 42, voiceProvider: "provider_a", providerVoiceId: "voice-1", voiceName: "Nova", publicUserId: "user-1",
  });
  new SmsChat("reminder", {
    workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15551230001", toNumber: "+15551239999", metadata: { campaign: "spring" },
  });`;

const releases = readdirSync(testdata)
  .map((file) => /^state-(.+)\.json$/.exec(file)?.[1])
  .filter((release) => release !== undefined);

async function write({ stack, platform }: PlatformStack): Promise<void> {
  await stack.up();
  // The second split leaves a previous one in the state.
  stack.write(program(20));
  await stack.up();
  const text = await stack.exportText();
  writeFileSync(fileOf(version), text.replaceAll(platform.url, PLACEHOLDER));
}

describe("a state of an earlier release", () => {
  it("is kept for the version in package.json", async () => {
    if (process.env.WRITE_STATE !== undefined) await withPlatformStack({ program: program(10) }, write);
    assert.ok(existsSync(fileOf(version)), `write it with WRITE_STATE=1: ${fileOf(version)}`);
  });

  for (const release of releases) {
    it(`previews empty, refreshes, updates and is destroyed: ${release}`, async () => {
      await withPlatformStack({ program: program(20) }, async ({ stack, platform, sent, sentNothing }) => {
        const state = readFileSync(fileOf(release), "utf8").replaceAll(PLACEHOLDER, platform.url);
        await stack.import(JSON.parse(state));
        await stack.preview({ args: ["--expect-no-changes"] });
        await stack.refresh({ args: ["--expect-no-changes"] });
        await stack.up({ args: ["--expect-no-changes"] });
        sentNothing();
        stack.write(program(30));
        const { changeSummary } = await stack.up();
        assert.deepEqual(changeSummary, { same: 4, update: 1 });
        assert.deepEqual(platform.routing("+15551230001")?.inboundAgents, {
          "agent_front@12": 70,
          "agent_front@13": 30,
        });
        sent();
        await stack.destroy();
        assert.deepEqual(platform.routing("+15551230001")?.inboundAgents, { "agent_fallback@1": 1 });
        assert.deepEqual(platform.routing("+15551230010")?.inboundAgents, {});
        assert.deepEqual(stack.resources(), []);
        assert.deepEqual(
          sent()
            .filter(([call]) => call.startsWith("POST"))
            .map(([call]) => call.replace(/[^/]+\/end$/, "{chatId}/end")),
          ["POST /api/chats/{chatId}/end"],
        );
      });
    });
  }
});
