import assert from "node:assert/strict";
import { InvalidRequestError } from "../../provider/client/path";
import { assignmentToWire, communityVoiceToWire, smsChatToWire } from "../../provider/client/wire";
import type { AssignNumberRequest } from "../../provider/core/routing/client";
import { chat } from "./support";

describe("assignmentToWire", () => {
  const rows: [string, Omit<AssignNumberRequest, "number">, unknown][] = [
    [
      "everything, with the names of 4.1",
      {
        accountSid: "sid",
        workspaceId: 42,
        outboundAgentId: "agent_o",
        outboundAgentVersion: 3,
        inboundAgents: [
          { agentId: "agent_a", agentVersion: 12, weight: 70 },
          { agentId: "agent_b", weight: 30 },
        ],
        inboundWebhookUrl: "https://hook.example",
        isTimeRoutingEnabled: false,
      } satisfies Required<Omit<AssignNumberRequest, "number" | "extraFields">>,
      {
        accountSid: "sid",
        workspaceId: 42,
        outboundAgentId: "agent_o",
        outboundAgentVersion: 3,
        inboundAgents: [
          { agent_id: "agent_a", agent_version: 12, weight: 70 },
          { agent_id: "agent_b", weight: 30 },
        ],
        inboundWebhookUrl: "https://hook.example",
        isTimeRoutingEnabled: false,
      },
    ],
    [
      "null, the empty list and the empty text are sent as they are",
      { outboundAgentId: null, inboundAgents: null, inboundWebhookUrl: "", isTimeRoutingEnabled: null },
      { outboundAgentId: null, inboundAgents: null, inboundWebhookUrl: "", isTimeRoutingEnabled: null },
    ],
    [
      "weight 0 stays",
      { inboundAgents: [{ agentId: "agent_a", weight: 0 }] },
      { inboundAgents: [{ agent_id: "agent_a", weight: 0 }] },
    ],
    [
      "fields that are not declared",
      { workspaceId: 1, extraFields: { outboundAgents: [{ x: 1 }], y: null } },
      { workspaceId: 1, outboundAgents: [{ x: 1 }], y: null },
    ],
  ];
  for (const [name, request, body] of rows) {
    it(name, () => {
      assert.deepEqual(JSON.parse(assignmentToWire({ number: "+15551234567", ...request })), body);
    });
  }

  it("refuses an extra field that has an argument of its own", () => {
    assert.throws(
      () => assignmentToWire({ number: "1", extraFields: { workspaceId: 1 } }),
      new InvalidRequestError("extraFields contains workspaceId, which has an argument of its own: nothing was sent."),
    );
  });

  for (const weight of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
    it(`refuses the weight ${weight}, which JSON would turn into null`, () => {
      assert.throws(
        () => assignmentToWire({ number: "1", inboundAgents: [{ agentId: "agent_a", weight }] }),
        new InvalidRequestError(`weight is ${weight}, which JSON cannot express: nothing was sent.`),
      );
    });
  }
});

describe("the bodies of the POSTs", () => {
  it("a chat, with the names of 4.2", () => {
    const body = smsChatToWire({
      workspaceId: 42,
      agentId: "chat_agent_a",
      fromNumber: "+15551234567",
      toNumber: "+15557654321",
      metadata: { a: [1, null], __proto__: { x: 1 } },
      serviceDynamicVariables: { name: 'O"Neill\r\n🙂' },
    });
    assert.deepEqual(JSON.parse(body), {
      workspaceId: 42,
      agent_id: "chat_agent_a",
      from_number: "+15551234567",
      to_number: "+15557654321",
      metadata: { a: [1, null] },
      service_dynamic_variables: { name: 'O"Neill\r\n🙂' },
    });
  });

  it("a voice, without what travels in headers (4.3)", () => {
    const body = communityVoiceToWire({
      workspaceId: 42,
      voiceProvider: "provider",
      providerVoiceId: "id",
      voiceName: "Ann",
      publicUserId: "user",
      actorType: "platform_admin",
      providerScope: "scope",
      workspaceContext: "context",
    });
    assert.equal(
      body,
      '{"workspaceId":42,"voiceProvider":"provider","providerVoiceId":"id","voiceName":"Ann","publicUserId":"user"}',
    );
  });

  it("what cannot be written as JSON", () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    let deep: unknown = 1;
    for (let depth = 0; depth < 100_000; depth += 1) {
      deep = [deep];
    }
    for (const metadata of [circle, { deep }]) {
      assert.throws(
        () => smsChatToWire({ ...chat, metadata }),
        new InvalidRequestError("The request cannot be written as JSON: nothing was sent."),
      );
    }
    assert.throws(
      () => smsChatToWire({ ...chat, metadata: { count: 1n } }),
      new InvalidRequestError("count is 1, which JSON cannot express: nothing was sent."),
    );
  });
});
