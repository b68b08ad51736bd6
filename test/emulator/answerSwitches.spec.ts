import assert from "node:assert/strict";
import type { Emulator, Profile } from "../../emulator";
import { a70, answer, answerWithout, outbound, record, shownSplit, split, without } from "./expected";
import { number, put, puts, refuses, start } from "./support";

describe("emulator: switches for what the answer to a PUT shows", () => {
  describe("answerWeights (row 8) and answerOrder (row 9)", () => {
    const thirds = { inboundAgents: ["c", "a", "b"].map((id) => ({ agent_id: `agent_${id}`, weight: 2 })) };
    const shown = (weight: number, ...ids: string[]) => ({
      inbound_agents: ids.map((id) => ({ agent_id: `agent_${id}`, weight })),
      inbound_agent_id: "agent_c",
    });
    for (const [profile, changes] of [
      [{}, shown(2, "c", "a", "b")],
      [{ answerWeights: "scaled1" }, shown(1 / 3, "c", "a", "b")],
      [{ answerWeights: "scaled100rounded" }, shown(33, "c", "a", "b")],
      [{ answerOrder: "sorted" }, shown(2, "a", "b", "c")],
      [{ answerOrder: "reversed" }, shown(2, "b", "a", "c")],
    ] as const) {
      it(`${JSON.stringify(profile)}; the store holds what was sent`, async () => {
        const { emulator, reply } = await puts(profile, thirds);
        assert.deepEqual(reply.json, answer(emulator, changes));
        assert.deepEqual(emulator.routing(number), { inboundAgents: { agent_c: 2, agent_a: 2, agent_b: 2 } });
      });
    }

    it("leaves weights alone that are all zero", async () => {
      const zero = { inboundAgents: [{ agent_id: "agent_a", weight: 0 }] };
      const { emulator, reply } = await puts({ answerWeights: "scaled1" }, zero);
      assert.deepEqual(
        reply.json,
        answer(emulator, { inbound_agents: zero.inboundAgents, inbound_agent_id: "agent_a" }),
      );
    });
  });

  describe("records and assignment (row 11)", () => {
    const bound = { agent_id: "agent_o", outbound_agents: [{ agent_id: "agent_o", agent_version: 3, weight: 100 }] };
    const own = { ...bound, default_agent_id: "agent_o", outbound_agent_version: 3 };
    const numbersOf = async (records: Profile["records"], expected: (emulator: Emulator) => unknown[]) => {
      const { emulator, reply } = await puts({ records }, outbound);
      assert.deepEqual(reply.json, { ...answer(emulator, bound), numbers: expected(emulator) });
    };
    it("one", () => numbersOf("one", (emulator) => [record(emulator, own)]));
    it("none", () => numbersOf("none", () => []));
    it("several: the number among its extensions", () =>
      numbersOf("several", (emulator) => [
        record(emulator, { id: 101_001, number: `${number}#901` }),
        record(emulator, own),
        record(emulator, { id: 201_001, number: `${number}#902` }),
      ]));
    it("otherFormat", () =>
      numbersOf("otherFormat", (emulator) => [
        record(emulator, { ...own, number: "+1 (555) 123-4567", base_number: "+1 (555) 123-4567" }),
      ]));
    it("baseNumberOnly", () => numbersOf("baseNumberOnly", (emulator) => [record(emulator, { ...own, number: null })]));
    it("no assignment object", async () => {
      const { emulator, reply } = await puts({ assignment: "absent" }, {});
      assert.deepEqual(reply.json, without(answer(emulator), "assignment"));
    });
    it("groups the digits of a number of another plan", async () => {
      const emulator = await start({ profile: "records=otherFormat" });
      const reply = await put(emulator, {}, {}, "+442079460958#12");
      const { numbers } = reply.json as { numbers: Record<string, unknown>[] };
      assert.deepEqual([numbers[0]?.number, numbers[0]?.base_number], ["+442 079 460 958#12", "+442 079 460 958"]);
    });
  });

  describe("outboundMirror (row 12)", () => {
    const entries = [{ agent_id: "agent_o", agent_version: 3, weight: 100 }];
    const mirrors = ["agent_id", "default_agent_id", "outbound_agents"];
    for (const mirror of ["agent_id", "default_agent_id", "outbound_agents", "none"] as const) {
      it(`${mirror} alone`, async () => {
        const { emulator, reply } = await puts({ outboundMirror: mirror }, outbound);
        const hidden = mirrors.filter((name) => name !== mirror);
        const shared = { agent_id: "agent_o", outbound_agents: entries };
        const recordOnly = { default_agent_id: "agent_o", outbound_agent_version: mirror === "none" ? null : 3 };
        assert.deepEqual(reply.json, answerWithout(emulator, hidden, shared, recordOnly));
      });
    }
  });

  describe("inboundMirror (row 13)", () => {
    for (const [inboundMirror, hidden, version] of [
      ["inbound_agents", "inbound_agent_id", null],
      ["singleId", "inbound_agents", 4],
    ] as const) {
      it(`${inboundMirror}, without ${hidden}`, async () => {
        const { emulator, reply } = await puts({ inboundMirror }, split);
        const expected = answerWithout(emulator, [hidden], shownSplit, { inbound_agent_version: version });
        assert.deepEqual(reply.json, expected);
      });
    }
  });

  describe("importError (row 17)", () => {
    for (const [importError, fields] of [
      ["true", { platform_import_error: true, platform_import_error_message: null }],
      [
        "trueWithMessage",
        { platform_import_error: true, platform_import_error_message: "the number could not be imported" },
      ],
    ] as const) {
      it(importError, async () => {
        const { emulator, reply } = await puts({ importError }, split);
        assert.deepEqual(reply.json, answer(emulator, { ...shownSplit, ...fields }, { inbound_agent_version: 4 }));
        assert.deepEqual(emulator.routing(number), { inboundAgents: { "agent_b@4": 30, "agent_a@12": 70 } });
      });
    }
    it("absent", async () => {
      const { emulator, reply } = await puts({ importError: "absent" }, {});
      const names = ["platform_import_error", "platform_import_error_message"];
      assert.deepEqual(reply.json, answerWithout(emulator, names));
    });
  });

  it("unsetFields=absent leaves out what is not set", async () => {
    const { emulator, reply } = await puts({ unsetFields: "absent" }, {});
    const unset = Object.entries(record(emulator)).flatMap(([name, value]) => (value === null ? [name] : []));
    assert.deepEqual(reply.json, answerWithout(emulator, unset));
  });

  it("extraFields=everywhere (row 34) adds fields that nobody knows, __proto__ among them", async () => {
    const { reply } = await puts({ extraFields: "everywhere" }, split);
    const extra = '"x_extra":{"nested":[1,null,"text"]},"__proto__":{"polluted":true}';
    assert.equal(reply.text.split(extra).length - 1, 1 + 1 + 1 + 2 + 2);
    assert.equal((reply.json as { success: unknown }).success, true);
  });

  it("staleAnswers (row 37) shows what was bound before for so many answers; the store has the new agents", async () => {
    const emulator = await start({ profile: { staleAnswers: 2 } });
    const shown = { inbound_agents: [a70], inbound_agent_id: "agent_a" };
    const [stale, fresh] = [answer(emulator), answer(emulator, shown, { inbound_agent_version: 12 })];
    for (const expected of [stale, stale, fresh, fresh]) {
      assert.deepEqual((await put(emulator, { inboundAgents: [a70] })).json, expected);
      assert.deepEqual(emulator.routing(number), { inboundAgents: { "agent_a@12": 70 } });
    }
    assert.deepEqual((await put(emulator, { inboundAgents: [] })).json, fresh);
  });

  it("defaultAgentAfterClear=stays (row 38) keeps the last outbound agent as the default agent", async () => {
    const { emulator, reply } = await puts({ defaultAgentAfterClear: "stays" }, outbound, { outboundAgentId: null });
    assert.deepEqual(reply.json, answer(emulator, {}, { default_agent_id: "agent_o" }));
    assert.deepEqual(emulator.routing(number), { inboundAgents: {} });
  });

  describe("answerAccount (row 41) and foreignAccount", () => {
    it("names no account", async () => {
      const { emulator, reply } = await puts({ answerAccount: "absent" }, {});
      assert.deepEqual(reply.json, answerWithout(emulator, ["account_sid", "workspace_id"]));
    });
    it("names another account", async () => {
      const { emulator, reply } = await puts({ answerAccount: "different" }, { workspaceId: 7 });
      const { numbers } = reply.json as { numbers: [{ account_sid: string }] };
      const other = { account_sid: numbers[0].account_sid, workspace_id: 8 };
      assert.notEqual(other.account_sid, emulator.account().accountSid);
      assert.deepEqual(reply.json, answer(emulator, other));
      assert.equal(emulator.numbers.get(number)?.workspaceId, 7);
    });
    it("refuses another workspace or account than the token's", async () => {
      const error = "this token opens another account or workspace";
      await refuses({ foreignAccount: "403" }, { workspaceId: 43 }, 403, error);
      await refuses({ foreignAccount: "403" }, { accountSid: "s" }, 403, error);
      assert.equal((await puts({ foreignAccount: "403" }, { workspaceId: 42 })).reply.status, 200);
    });
  });
});
