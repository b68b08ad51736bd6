import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { clearModes, toBody, toClear } from "../../provider/core/routing/routing";

const nothingCleared = { bindings: [], extraFields: [] };

describe("the ways of clearing", () => {
  it("are tried from null to empty to omission", () =>
    assert.deepEqual(clearModes("auto", undefined), ["null", "empty", "omit"]));
  it("begin with what worked before in this run", () =>
    assert.deepEqual(clearModes("auto", "omit"), ["omit", "null", "empty"]));
  it("are the one that the setting names", () => assert.deepEqual(clearModes("empty", "omit"), ["empty"]));
});

describe("what is to be cleared", () => {
  const before = {
    workspaceId: 42,
    inboundAgents: { "agent_a@1": 1 },
    outboundAgentId: "agent_o",
    outboundAgentVersion: 3,
    inboundWebhookUrl: "https://h.example",
    isTimeRoutingEnabled: true,
    extraFields: { a: 1, b: 2 },
  };

  it("is what was managed and is gone", () => {
    assert.deepEqual(toClear(before, { workspaceId: 42, inboundAgents: { "agent_a@1": 1 }, extraFields: { b: 2 } }), {
      bindings: ["outboundAgentId", "outboundAgentVersion", "inboundWebhookUrl", "isTimeRoutingEnabled"],
      extraFields: ["a"],
    });
  });
  it("is nothing where nothing was managed", () => assert.deepEqual(toClear({}, { workspaceId: 1 }), nothingCleared));
  it("is a wire field of any name, such as one that every object has", () => {
    assert.deepEqual(toClear({ extraFields: { constructor: 1 } }, { extraFields: { b: 2 } }).extraFields, [
      "constructor",
    ]);
  });
  it("is the list of agents where the program writes []", () => {
    assert.deepEqual(toClear({}, { inboundAgents: {} }).bindings, ["inboundAgents"]);
    assert.deepEqual(toClear(before, { ...before, inboundAgents: {} }).bindings, ["inboundAgents"]);
  });
  it("is not a false that takes the place of a true", () => {
    assert.deepEqual(toClear({ isTimeRoutingEnabled: true }, { isTimeRoutingEnabled: false }), nothingCleared);
  });
});

describe("the body of a PUT", () => {
  const gone = {
    bindings: ["inboundAgents", "outboundAgentId", "outboundAgentVersion", "isTimeRoutingEnabled"] as const,
    extraFields: ["a"],
  };
  const cleared = { ...gone, bindings: [...gone.bindings] };

  it("holds what is declared and nothing else", () => {
    assert.deepEqual(
      toBody({ workspaceId: 42, inboundAgents: { "agent_b@2": 1, agent_a: 2 } }, nothingCleared, "null"),
      {
        workspaceId: 42,
        inboundAgents: [
          { agentId: "agent_a", weight: 2 },
          { agentId: "agent_b", agentVersion: 2, weight: 1 },
        ],
      },
    );
  });
  it("says null", () => {
    assert.deepEqual(toBody({ workspaceId: 42, inboundAgents: {} }, cleared, "null"), {
      workspaceId: 42,
      inboundAgents: null,
      outboundAgentId: null,
      outboundAgentVersion: null,
      isTimeRoutingEnabled: null,
      extraFields: { a: null },
    });
  });
  it("says empty, and leaves out a version, which has no empty form", () => {
    assert.deepEqual(toBody({ extraFields: { b: 1 } }, cleared, "empty"), {
      inboundAgents: [],
      outboundAgentId: "",
      isTimeRoutingEnabled: false,
      extraFields: { a: null, b: 1 },
    });
  });
  it("says nothing", () => assert.deepEqual(toBody({ workspaceId: 42 }, cleared, "omit"), { workspaceId: 42 }));
});
