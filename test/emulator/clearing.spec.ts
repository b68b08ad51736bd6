import assert from "node:assert/strict";
import type { Profile } from "../../emulator";
import { outbound, split } from "./expected";
import { number, puts, refuses } from "./support";

describe("emulator: how a binding is removed, clears (row 3)", () => {
  const whole = { ...split, ...outbound, inboundWebhookUrl: "https://h.example", isTimeRoutingEnabled: true };
  const bound = {
    inboundAgents: { "agent_b@4": 30, "agent_a@12": 70 },
    ...outbound,
    inboundWebhookUrl: "https://h.example",
    isTimeRoutingEnabled: true,
  };
  const nothing = { inboundAgents: {} };
  const nulls = {
    inboundAgents: null,
    outboundAgentId: null,
    outboundAgentVersion: null,
    inboundWebhookUrl: null,
    isTimeRoutingEnabled: null,
  };
  const empties = { inboundAgents: [], outboundAgentId: "", inboundWebhookUrl: "" };
  const afterEmpties = { inboundAgents: {}, isTimeRoutingEnabled: true };
  const kept = (clears: Profile["clears"], body: unknown, expected: unknown) => async () => {
    const { emulator, reply } = await puts({ clears }, whole, body);
    assert.equal(reply.status, 200);
    assert.deepEqual(emulator.routing(number), expected);
  };
  it("any: null clears", kept("any", nulls, nothing));
  it("any: an empty value clears", kept("any", empties, afterEmpties));
  it("any: leaving out keeps", kept("any", {}, bound));
  it("null: null clears", kept("null", nulls, nothing));
  it("null: an empty value is ignored", kept("null", empties, bound));
  it("null: leaving out keeps", kept("null", {}, bound));
  it("empty: null is ignored", kept("empty", nulls, bound));
  it("empty: an empty value clears", kept("empty", empties, afterEmpties));
  it("empty: leaving out keeps", kept("empty", {}, bound));
  it("omit: null is ignored", kept("omit", nulls, bound));
  it("omit: an empty value is ignored", kept("omit", { ...whole, ...empties }, bound));
  it("omit: leaving out clears", kept("omit", {}, nothing));
  it("nullRefused: an empty value clears", kept("nullRefused", empties, afterEmpties));
  it("emptyRefused: null clears", kept("emptyRefused", nulls, nothing));
  it("nullRefused: null is invalid", () =>
    refuses({ clears: "nullRefused" }, { inboundAgents: null }, 400, "inboundAgents must not be null"));
  it("emptyRefused: an empty list is invalid", () =>
    refuses({ clears: "emptyRefused" }, { inboundAgents: [] }, 400, "inboundAgents must not be empty"));
  it("emptyRefused: an empty text is invalid", () =>
    refuses({ clears: "emptyRefused" }, { outboundAgentId: "" }, 400, "outboundAgentId must not be empty"));
});
