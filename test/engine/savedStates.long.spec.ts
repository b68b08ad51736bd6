import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { StackState } from "../support/engine";
import { byTarget, put, withPlatformStack } from "../support/platformStack";

/** States as version 0.1.0 saved them before its release. Later versions take them up. */

/** The recorded base URL, at which nothing listens. */
const RECORDED_URL = "http://127.0.0.1:1";

const saved = (name: string, url: string): StackState =>
  JSON.parse(readFileSync(join(__dirname, "testdata/saved", `${name}.json`), "utf8").replaceAll(RECORDED_URL, url));

/** A number with every argument, a group whose state has `hadAllCalls`, a voice, a chat, and a chat of unknown outcome. */
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

/** A number of unknown outcome, a number that joined a group and was rejected, and one whose clear failed after it had left another. */
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
      stack.import(saved("whole", platform.url));
      // The engine writes down an unresolved chat again, because its last create has failed.
      const { changeSummary } = await stack.up();
      assert.deepEqual(changeSummary, { same: 5, update: 1 });
      sentNothing();
    }));

  it("applies the unfinished changes of a state saved by version 0.1.0", () =>
    withPlatformStack({ program: UNFINISHED }, async ({ stack, platform, sent }) => {
      stack.import(saved("unfinished", platform.url));
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
