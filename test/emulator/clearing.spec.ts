import assert from "node:assert/strict";
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
  for (const [clears, ofNull, ofEmpty, ofOmission] of [
    ["any", nothing, afterEmpties, bound],
    ["null", nothing, bound, bound],
    ["empty", bound, afterEmpties, bound],
    ["omit", bound, bound, nothing],
    ["nullRefused", undefined, afterEmpties, bound],
    ["emptyRefused", nothing, undefined, bound],
  ] as const) {
    it(`${clears}: what null, an empty value and leaving out do`, async () => {
      // With `omit`, what a PUT leaves out is cleared, whatever else it says.
      const rest = clears === "omit" ? whole : {};
      for (const [body, expected] of [
        [{ ...rest, ...nulls }, ofNull],
        [{ ...rest, ...empties }, ofEmpty],
        [{}, ofOmission],
      ]) {
        const { emulator, reply } = await puts({ clears }, whole, body);
        assert.deepEqual(
          [reply.status, emulator.routing(number)],
          expected === undefined ? [400, bound] : [200, expected],
        );
      }
    });
  }

  it("nullRefused: null is invalid", () =>
    refuses({ clears: "nullRefused" }, { inboundAgents: null }, 400, "inboundAgents must not be null"));
  it("emptyRefused: an empty text is invalid", () =>
    refuses({ clears: "emptyRefused" }, { outboundAgentId: "" }, 400, "outboundAgentId must not be empty"));
});
