import assert from "node:assert/strict";
import type { Profile } from "../../emulator";
import { a70, answer, b30, outbound, shownSplit, split, without } from "./expected";
import { errorForms, number, puts, refuses } from "./support";

describe("emulator: switches for what a PUT may say", () => {
  describe("requiredFields (row 1)", () => {
    it("refuses a body without the account", () =>
      refuses({ requiredFields: "accountSid" }, {}, 400, "accountSid is required"));
    it("refuses a body without the workspace", () =>
      refuses({ requiredFields: "workspaceId" }, { workspaceId: null }, 400, "workspaceId is required"));
    it("refuses a body without one of the two", () =>
      refuses({ requiredFields: "accountSid+workspaceId" }, { accountSid: "s" }, 400, "workspaceId is required"));
    it("accepts a body with both", async () => {
      const { reply } = await puts({ requiredFields: "accountSid+workspaceId" }, { accountSid: "s", workspaceId: 1 });
      assert.equal(reply.status, 200);
    });
  });

  it("omittedFields=replace (row 2) clears what a PUT leaves out", async () => {
    const { emulator, reply } = await puts(
      { omittedFields: "replace" },
      { ...split, ...outbound },
      { isTimeRoutingEnabled: true },
    );
    assert.deepEqual(reply.json, answer(emulator, { is_time_routing_enabled: true }));
    assert.deepEqual(emulator.routing(number), { inboundAgents: {}, isTimeRoutingEnabled: true });
  });

  describe("putStatus, putBody and success (rows 4 and 5)", () => {
    for (const putStatus of [200, 201, 202] as const) {
      it(`answers ${putStatus} with the whole body`, async () => {
        const { emulator, reply } = await puts({ putStatus }, split);
        assert.equal(reply.status, putStatus);
        assert.deepEqual(reply.json, answer(emulator, shownSplit, { inbound_agent_version: 4 }));
      });
    }

    it("answers 204 without a body, and applies", async () => {
      const { emulator, reply } = await puts({ putStatus: 204 }, split);
      assert.deepEqual([reply.status, reply.text, reply.headers["content-length"]], [204, "", undefined]);
      assert.deepEqual(emulator.routing(number), { inboundAgents: { "agent_b@4": 30, "agent_a@12": 70 } });
    });

    it("answers an empty 200", async () => {
      const { reply } = await puts({ putBody: "none" }, split);
      assert.deepEqual([reply.status, reply.text, reply.headers["content-length"]], [200, "", "0"]);
    });

    for (const [profile, expected] of [
      [{ putBody: "successOnly" }, () => ({ success: true })],
      [{ success: "absent" }, (whole) => without(whole, "success")],
      [{ success: "null" }, (whole) => ({ ...whole, success: null })],
    ] satisfies [Partial<Profile>, (whole: Record<string, unknown>) => object][]) {
      it(`answers 200 with ${JSON.stringify(profile)}`, async () => {
        const { emulator, reply } = await puts(profile, {});
        assert.deepEqual([reply.status, reply.json], [200, expected(answer(emulator))]);
      });
    }

    it("answers success false with a 2xx and applies nothing", async () => {
      const { emulator, reply } = await puts({ success: "false" }, split);
      assert.deepEqual([reply.status, reply.json], [200, { success: false, message: "assignment not possible" }]);
      assert.equal(emulator.routing(number), undefined);
      assert.equal(emulator.requests[0]?.applied, false);
    });

    it("answers success false only where it refuses", async () => {
      const profile = { success: "falseOnRefusal", putStatus: 202 } as const;
      const { emulator, reply } = await puts(profile, split, { workspaceId: "x" });
      assert.deepEqual(
        [reply.status, reply.json],
        [202, { success: false, message: "workspaceId has the wrong type" }],
      );
      assert.deepEqual(
        emulator.requests.map(({ applied }) => applied),
        [true, false],
      );
    });
  });

  describe("errorStatuses and putErrorBody (row 6)", () => {
    const broken = { inboundAgents: [a70] };
    it("refuses with 400 and 422", async () => {
      await refuses({}, { workspaceId: "x" }, 400, "workspaceId has the wrong type");
      await refuses({ weights: "sum100" }, broken, 422, "inboundAgents: weights must sum to 100");
    });
    it("refuses with 401 and 409", async () => {
      const errorStatuses = "401/403/409";
      await refuses({ errorStatuses }, { workspaceId: "x" }, 401, "workspaceId has the wrong type");
      await refuses({ errorStatuses, weights: "sum100" }, broken, 409, "inboundAgents: weights must sum to 100");
    });
    for (const [putErrorBody, type, text] of errorForms(400, "workspaceId has the wrong type")) {
      it(`words an error as ${putErrorBody}`, async () => {
        const { reply } = await puts({ putErrorBody }, { workspaceId: "x" });
        assert.deepEqual([reply.status, reply.headers["content-type"], reply.text], [400, type, text]);
      });
    }
  });

  describe("weights (row 7)", () => {
    const weights = (...list: number[]) => ({
      inboundAgents: list.map((weight, index) => ({ agent_id: `agent_${index}`, weight })),
    });
    for (const [rule, body, error] of [
      ["sum100", weights(50, 49), "weights must sum to 100"],
      ["sum1", weights(50, 50), "weights must sum to 1"],
      ["integers", weights(33.3, 66.7), "weights must be integers"],
      ["max2", weights(1, 1, 1), "at most 2 agents"],
    ] as const) {
      it(`${rule} refuses`, () => refuses({ weights: rule }, body, 422, `inboundAgents: ${error}`));
    }
    for (const [rule, body] of [
      ["any", weights(0, 0.1, 1e308)],
      ["sum100", weights(33.3, 33.3, 33.4)],
      ["sum1", weights(0.7, 0.2, 0.1)],
      ["integers", weights(1, 2)],
      ["max2", weights(1, 2)],
      ["sum100", weights()],
    ] as const) {
      it(`${rule} accepts ${body.inboundAgents.map(({ weight }) => weight).join(" / ") || "an empty list"}`, async () => {
        assert.equal((await puts({ weights: rule }, body)).reply.status, 200);
      });
    }
  });

  describe("outboundAgents and unknownFields (row 10)", () => {
    const body = { outboundAgents: [a70, b30] };
    it("ignores outboundAgents", async () => {
      const { emulator, reply } = await puts({}, { ...body, other: 1 });
      assert.deepEqual(reply.json, answer(emulator));
    });
    it("accepts outboundAgents", async () => {
      const { emulator, reply } = await puts({ outboundAgents: "accepted", unknownFields: "refused" }, body);
      assert.deepEqual(reply.json, answer(emulator, { outbound_agents: [a70, b30] }, { outbound_agent_version: 12 }));
      assert.deepEqual(emulator.routing(number), {
        inboundAgents: {},
        outboundAgents: { "agent_a@12": 70, "agent_b@4": 30 },
      });
    });
    it("refuses a field that the interface does not name", async () => {
      await refuses({ unknownFields: "refused" }, body, 400, "unknown field outboundAgents");
      await refuses({ unknownFields: "refused", outboundAgents: "accepted" }, { other: 1 }, 400, "unknown field other");
    });
  });

  describe("agentVersion (row 14)", () => {
    const bare = { inboundAgents: [{ agent_id: "agent_a", weight: 1 }], outboundAgentId: "agent_o" };
    it("refuses an entry without a version", () =>
      refuses({ agentVersion: "required" }, bare, 400, "inboundAgents[0].agent_version is required"));
    it("answers with the latest version; the store holds none", async () => {
      const { emulator, reply } = await puts({ agentVersion: "latest", latestVersion: 9 }, bare);
      const shared = {
        agent_id: "agent_o",
        inbound_agent_id: "agent_a",
        inbound_agents: [{ agent_id: "agent_a", agent_version: 9, weight: 1 }],
        outbound_agents: [{ agent_id: "agent_o", agent_version: 9, weight: 100 }],
      };
      const recordOnly = { default_agent_id: "agent_o", inbound_agent_version: 9, outbound_agent_version: 9 };
      assert.deepEqual(reply.json, answer(emulator, shared, recordOnly));
      assert.deepEqual(emulator.routing(number), { inboundAgents: { agent_a: 1 }, outboundAgentId: "agent_o" });
    });
  });

  it("numberForms=e164Only (row 16) refuses an extension", async () => {
    await refuses({ numberForms: "e164Only" }, {}, 400, "number must be in international format", "4001");
    await refuses({ numberForms: "e164Only" }, {}, 400, "number must be in international format", `${number}#12`);
    assert.equal((await puts({ numberForms: "e164Only" }, {})).reply.status, 200);
  });

  describe("unknownAgents (row 40)", () => {
    const missing = { inboundAgents: [{ agent_id: "agent_missing1", weight: 1 }] };
    it("accepts them", async () => assert.equal((await puts({}, missing)).reply.status, 200));
    it("answers 404", () => refuses({ unknownAgents: "404" }, missing, 404, "agent agent_missing1 not found"));
    it("answers 422 to an outbound agent", () =>
      refuses({ unknownAgents: "422" }, { outboundAgentId: "agent_missing" }, 422, "agent agent_missing not found"));
    it("knows the agents and versions that it was told", async () => {
      const profile = { unknownAgents: "404", knownAgents: ["agent_a@12", "agent_o"] } as const;
      assert.equal((await puts(profile, { inboundAgents: [a70], ...outbound })).reply.status, 200);
      assert.equal((await puts(profile, { outboundAgentId: "agent_a" })).reply.status, 200);
      await refuses(profile, { inboundAgents: [{ ...a70, agent_version: 13 }] }, 404, "agent agent_a not found");
    });
  });

  it("unknownNumbers=404 knows the numbers that it was told", async () => {
    const profile = { unknownNumbers: "404", knownNumbers: [number] } as const;
    assert.equal((await puts(profile, {})).reply.status, 200);
    await refuses(profile, {}, 404, "number 4001 not found", "4001");
  });
});
