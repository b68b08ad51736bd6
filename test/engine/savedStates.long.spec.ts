import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { StackState } from "../support/engine";
import { byTarget, put, withPlatformStack } from "../support/platformStack";

/** Stack states saved by version 0.1.0 before its release. All later versions must be able to use them. */

/** The base URL in the saved states. The tests replace it with the emulator's. */
const RECORDED_URL = "http://127.0.0.1:1";

const savedState = (name: string, url: string): StackState =>
  JSON.parse(readFileSync(join(__dirname, "testdata/saved", `${name}.json`), "utf8").replaceAll(RECORDED_URL, url));

/**
 * A program with a number that sets every argument, a group whose state has `hadAllCalls`, a voice, a chat, and an
 * unresolved chat.
 */
const WHOLE = `
  import * as pulumi from "@pulumi/pulumi";
  import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat } from "pulumi-agent-platform";
  new NumberAssignment("support", {
    number: "+15551230001",
    accountSid: "4f9c2a10-0000-4000-8000-000000000001",
    workspaceId: 42,
    outboundAgentId: "agent_out",
    outboundAgentVersion: 3,
    inboundAgents: { "agent_front@12": 80, "agent_front@13": 20 },
    inboundWebhookUrl: pulumi.secret("https://hooks.example.com/inbound?key=k"),
    isTimeRoutingEnabled: true,
    triggers: { asserted: "2026-01-01" },
  });
  new NumberGroup("sales", {
    numbers: { "+15551230010": "London", "+15551230011": "Paris" },
    inboundAgents: { agent_sales: 1 },
  });
  new CommunityVoice("nova", {
    workspaceId: 42,
    voiceProvider: "provider_a",
    providerVoiceId: "voice-1",
    voiceName: "Nova",
    publicUserId: "user-1",
  });
  const chat = { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15551230001" };
  new SmsChat("reminder", { ...chat, toNumber: "+15551239999", metadata: { campaign: "spring" } });
  new SmsChat("notice", { ...chat, toNumber: "+15551238888" });`;

/**
 * A program whose saved state has unfinished changes: a number with an unknown outcome, a rejected number, and a number
 * that still has to be cleared.
 */
const UNFINISHED = `
  import { NumberAssignment, NumberGroup } from "pulumi-agent-platform";
  new NumberAssignment("desk", { number: "+15551230020", inboundAgents: { "agent_front@12": 80, "agent_front@13": 20 } });
  new NumberGroup("field", {
    numbers: ["+15551230030", "+15551230031"],
    outboundAgentId: "agent_day",
    inboundAgents: { agent_field: 1 },
  });
  new NumberGroup("fewer", { numbers: ["+15551230040"], inboundAgents: { agent_fewer: 1 } });`;

describe("states of older versions", () => {
  it("sends no requests for a state saved by version 0.1.0", () =>
    withPlatformStack({ program: WHOLE }, async ({ stack, platform, sentNothing }) => {
      stack.import(savedState("whole", platform.url));
      // Pulumi updates each resource whose create failed. In this state, that is only the unresolved chat.
      const { changeSummary } = await stack.up();
      assert.deepEqual(changeSummary, { same: 5, update: 1 });
      sentNothing();
    }));

  it("applies the unfinished changes of a state saved by version 0.1.0", () =>
    withPlatformStack({ program: UNFINISHED }, async ({ stack, platform, sent }) => {
      stack.import(savedState("unfinished", platform.url));
      await stack.up();
      const front = (agent_version: number, weight: number) => ({ agent_id: "agent_front", agent_version, weight });
      assert.deepEqual(byTarget(sent()), [
        [put("+15551230020"), { inboundAgents: [front(12, 80), front(13, 20)] }],
        [
          put("+15551230031"),
          { outboundAgentId: "agent_day", inboundAgents: [{ agent_id: "agent_field", weight: 1 }] },
        ],
        [put("+15551230041"), { inboundAgents: [] }],
      ]);
    }));
});
