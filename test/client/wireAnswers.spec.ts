import assert from "node:assert/strict";
import fc from "fast-check";
import { chatFromWire, numberAnswerFromWire, voiceFromWire } from "../../provider/client/wire";
import type { NumberRecord } from "../../provider/core/routing/client";

describe("numberAnswerFromWire", () => {
  const rows: [string, unknown, ReturnType<typeof numberAnswerFromWire>][] = [
    ["an empty object", {}, { value: {}, issues: [] }],
    ["fields that are not known", { a: 1, numbers: [{ b: 2 }] }, { value: { numbers: [{}] }, issues: [] }],
    [
      "explicit nulls",
      { success: null, numbers: null, assignment: null },
      { value: { success: null, numbers: null, assignment: null }, issues: [] },
    ],
    [
      "the whole record of 2.2",
      {
        success: true,
        message: "done",
        numbers: [
          {
            id: 1,
            number: "+1555",
            base_number: "+1555",
            account_sid: "sid",
            workspace_id: 42,
            agent_id: "agent_o",
            default_agent_id: "agent_d",
            inbound_agent_id: "agent_a",
            inbound_agents: [
              { agent_id: "agent_a", agent_version: 12, weight: 0.7 },
              { agent_id: "agent_b", agent_version: null, weight: 0.3, x: 1 },
            ],
            outbound_agents: [],
            inbound_agent_version: 12,
            outbound_agent_version: null,
            application_sid: "app",
            phone_number_sid: "pn",
            inbound_webhook_url: "https://hook.example",
            is_time_routing_enabled: true,
            platform_import_error: false,
            platform_import_error_message: null,
          },
        ],
        assignment: { account_sid: "sid", workspace_id: 42, agent_id: "agent_o", inbound_agents: null },
      },
      {
        value: {
          success: true,
          message: "done",
          numbers: [
            {
              id: 1,
              number: "+1555",
              baseNumber: "+1555",
              accountSid: "sid",
              workspaceId: 42,
              agentId: "agent_o",
              defaultAgentId: "agent_d",
              inboundAgentId: "agent_a",
              inboundAgents: [
                { agentId: "agent_a", agentVersion: 12, weight: 0.7 },
                { agentId: "agent_b", weight: 0.3 },
              ],
              outboundAgents: [],
              inboundAgentVersion: 12,
              outboundAgentVersion: null,
              applicationSid: "app",
              phoneNumberSid: "pn",
              inboundWebhookUrl: "https://hook.example",
              isTimeRoutingEnabled: true,
              platformImportError: false,
              platformImportErrorMessage: null,
            } satisfies Required<NumberRecord>,
          ],
          assignment: { accountSid: "sid", workspaceId: 42, agentId: "agent_o", inboundAgents: null },
        },
        issues: [],
      },
    ],
    [
      "a text for a number is absent, not converted",
      { assignment: { workspace_id: "42", agent_id: "agent_o" } },
      { value: { assignment: { agentId: "agent_o" } }, issues: ["assignment.workspace_id"] },
    ],
    [
      "a number beyond 2^53",
      { numbers: [{ id: 2 ** 53, number: "1" }] },
      { value: { numbers: [{ number: "1" }] }, issues: ["numbers[0].id"] },
    ],
    [
      "a fraction for a version",
      { numbers: [{ inbound_agent_version: 1.5 }] },
      { value: { numbers: [{}] }, issues: ["numbers[0].inbound_agent_version"] },
    ],
    [
      "an entry's version of a wrong type",
      { assignment: { inbound_agents: [{ agent_id: "agent_a", agent_version: "12", weight: 1 }] } },
      {
        value: { assignment: { inboundAgents: [{ agentId: "agent_a", weight: 1 }] } },
        issues: ["assignment.inbound_agents[0].agent_version"],
      },
    ],
    [
      "entries whose weights cannot be read are no list",
      {
        assignment: {
          inbound_agents: [
            { agent_id: "agent_a", weight: "70" },
            { agent_id: "agent_b", weight: null },
          ],
          agent_id: "agent_o",
        },
      },
      {
        value: { assignment: { agentId: "agent_o" } },
        issues: ["assignment.inbound_agents[0].weight", "assignment.inbound_agents[1].weight"],
      },
    ],
    [
      "an entry that is no object",
      { assignment: { outbound_agents: ["agent_a"] } },
      { value: { assignment: {} }, issues: ["assignment.outbound_agents[0]"] },
    ],
    ["a text", "ok", undefined],
  ];
  for (const [name, json, expected] of rows) {
    it(name, () => {
      assert.deepEqual(numberAnswerFromWire(structuredClone(json)), expected);
    });
  }

  it("reads any JSON or refuses it, and never invents a field", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        const read = numberAnswerFromWire(structuredClone(json));
        assert.equal(read === undefined, typeof json !== "object" || json === null || Array.isArray(json));
      }),
    );
  });
});

describe("voiceFromWire", () => {
  const rows: [string, unknown, ReturnType<typeof voiceFromWire>][] = [
    ["the id alone", { voiceId: "v" }, { value: { voiceId: "v" }, issues: [] }],
    ["no id", { name: "Ann" }, undefined],
    ["an empty id", { voiceId: "" }, undefined],
    ["an id that is no text", { voiceId: 7 }, undefined],
    ["a null id", { voiceId: null }, undefined],
    [
      "tags and dates",
      { voiceId: "v", tags: ["a"], createdAt: "2026-03-01T12:00:00Z", updatedAt: "2026-03-01T12:00:00.123+02:00" },
      {
        value: {
          voiceId: "v",
          tags: ["a"],
          createdAt: "2026-03-01T12:00:00Z",
          updatedAt: "2026-03-01T12:00:00.123+02:00",
        },
        issues: [],
      },
    ],
    [
      "tags and dates of a wrong form",
      { voiceId: "v", tags: ["a", 1], createdAt: "yesterday", updatedAt: 0 },
      { value: { voiceId: "v" }, issues: ["tags[1]", "createdAt", "updatedAt"] },
    ],
  ];
  for (const [name, json, expected] of rows) {
    it(name, () => {
      assert.deepEqual(voiceFromWire(json), expected);
    });
  }
});

describe("chatFromWire", () => {
  it("reads the chat of 2.4", () => {
    const read = chatFromWire({
      chatId: "chat_1",
      agentId: "chat_agent_a",
      version: 7,
      status: "open",
      type: "web_chat",
      metadata: { any: { thing: [1] } },
      endedAt: null,
      messages: [{ content: "hi", name: null, tool_calls: [{ id: 1 }] }, {}],
      service_dynamic_variables: { name: "Ann" },
      overrideDynamicVariables: [],
    });
    assert.deepEqual(read, {
      value: {
        chatId: "chat_1",
        agentId: "chat_agent_a",
        version: 7,
        status: "open",
        type: "web_chat",
        metadata: { any: { thing: [1] } },
        endedAt: null,
        messages: [{ content: "hi", name: null, toolCalls: [{ id: 1 }] }, {}],
        serviceDynamicVariables: { name: "Ann" },
      },
      issues: ["overrideDynamicVariables"],
    });
  });

  it("needs an id, or one that is known", () => {
    assert.equal(chatFromWire({ status: "open" }), undefined);
    assert.deepEqual(chatFromWire({}, "chat_1"), { value: { chatId: "chat_1" }, issues: [] });
    assert.deepEqual(chatFromWire({ chatId: "chat_2" }, "chat_1"), { value: { chatId: "chat_2" }, issues: [] });
    assert.equal(chatFromWire([], "chat_1"), undefined);
  });
});
