import assert from "node:assert/strict";
import { type Profile, startEmulator } from "../../emulator";
import {
  a70,
  assertRefused,
  b30,
  changed,
  closeAfterEach,
  fixedClock,
  number,
  outbound,
  put,
  puts,
  refuses,
  split,
  start,
  statusesOf,
  usual,
} from "./support";

const inWords = (profile: Partial<Profile>): string =>
  Object.entries(profile)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");

interface Kept {
  readonly status: number;
  readonly inbound: boolean;
  readonly outbound: boolean;
}

const kept = ({ inbound, outbound }: Kept): string =>
  ["clears both fields", "keeps one field", "keeps both fields"][Number(inbound) + Number(outbound)] ?? "";

describe("the emulator, with its switches for PUTs,", () => {
  closeAfterEach();

  it("clears fields that a PUT omits if omittedFields=replace (assumption 2)", async () => {
    const { emulator, reply } = await puts(
      { omittedFields: "replace" },
      { ...split, ...outbound },
      { isTimeRoutingEnabled: true },
    );
    assert.deepEqual(reply.json, await usual({ isTimeRoutingEnabled: true }));
    assert.deepEqual(emulator.routing(number), { inboundAgents: {}, isTimeRoutingEnabled: true });
  });

  const whole = { ...split, ...outbound };
  const nulls = { inboundAgents: null, outboundAgentId: null };
  const empties = { inboundAgents: [], outboundAgentId: "" };
  const left = async (profile: Partial<Profile>, body: unknown) => {
    const { emulator, reply } = await puts(profile, whole, body);
    const { inboundAgents = {}, outboundAgentId } = emulator.routing(number) ?? {};
    return {
      status: reply.status,
      inbound: Object.keys(inboundAgents).length > 0,
      outbound: outboundAgentId !== undefined,
    };
  };
  for (const notClearing of ["refused", "ignored"] as const) {
    const status = notClearing === "refused" ? 422 : 200;
    const isKept = notClearing === "refused";
    for (const {
      clears: [clearInbound, clearOthers],
      body,
      expected,
    } of [
      { clears: ["empty", "null"], body: nulls, expected: { status, inbound: true, outbound: isKept } },
      { clears: ["empty", "null"], body: empties, expected: { status, inbound: isKept, outbound: true } },
      { clears: ["null", "empty"], body: nulls, expected: { status, inbound: isKept, outbound: true } },
      { clears: ["none", "none"], body: empties, expected: { status, inbound: true, outbound: true } },
      { clears: ["any", "any"], body: nulls, expected: { status: 200, inbound: false, outbound: false } },
    ] as const) {
      const profile = { clearInbound, clearOthers };
      it(`${kept(expected)} after a PUT of ${body === nulls ? "nulls" : "empty values"} if ${inWords({ ...profile, notClearing })} (assumption 3)`, async () =>
        assert.deepEqual(await left({ ...profile, notClearing }, body), expected));
    }
  }

  it("applies a PUT and returns no body if putStatus=204 (assumption 4)", async () => {
    const { emulator, reply } = await puts({ putStatus: 204 }, split);
    assert.equal(reply.status, 204, "the status");
    assert.equal(reply.text, "", "the body");
    assert.equal(reply.headers["content-length"], undefined, "the length");
    assert.deepEqual(emulator.routing(number), { inboundAgents: { "agent_b@4": 30, "agent_a@12": 70 } });
  });

  it("rejects a PUT with status 200 if success=false (assumption 5)", async () => {
    const { emulator, reply } = await puts({ success: "false" }, split);
    assert.equal(reply.status, 200, "the status");
    assert.equal((reply.json as { success: unknown }).success, false, "the field success");
    assert.equal(emulator.routing(number), undefined);
    assert.equal(emulator.requests[0]?.applied, false);
  });

  it("omits `success` from the response if success=absent (assumption 5)", async () => {
    const { reply } = await puts({ success: "absent" }, {});
    assert.deepEqual({ success: true, ...(reply.json as object) }, await usual({}));
  });

  const weights = (...list: number[]) => ({
    inboundAgents: list.map((weight, index) => ({ agent_id: `agent_${index}`, weight })),
  });
  for (const { rule, refused, accepted } of [
    { rule: "sum100", refused: weights(50, 49), accepted: weights(33.3, 33.3, 33.4) },
    { rule: "sum1", refused: weights(50, 50), accepted: weights(0.7, 0.2, 0.1) },
  ] as const) {
    it(`checks the sum of the weights if weights=${rule} (assumption 7)`, async () => {
      await refuses({ weights: rule }, refused, 422);
      assert.equal((await puts({ weights: rule }, accepted)).reply.status, 200);
    });
  }

  for (const { responseWeights, weight } of [
    { responseWeights: "scaled1", weight: 1 / 3 },
    { responseWeights: "scaled100rounded", weight: 33 },
  ] as const) {
    it(`scales weights only in responses if responseWeights=${responseWeights} (assumption 8)`, async () => {
      const thirds = { inboundAgents: ["c", "a", "b"].map((id) => ({ agent_id: `agent_${id}`, weight: 2 })) };
      const { emulator, reply } = await puts({ responseWeights }, thirds);
      const inboundAgents = thirds.inboundAgents.map((entry) => ({ ...entry, weight }));
      assert.deepEqual(reply.json, changed(await usual(thirds), { inbound_agents: inboundAgents }));
      assert.deepEqual(emulator.routing(number), { inboundAgents: { agent_c: 2, agent_a: 2, agent_b: 2 } });
    });
  }

  it("ignores or accepts outboundAgents, depending on the setting (assumption 10)", async () => {
    const body = { outboundAgents: [a70, b30], other: 1 };
    const ignored = await usual(body);
    assert.deepEqual(ignored, await usual({}));
    const { emulator, reply } = await puts({ outboundAgents: "accepted" }, body);
    const { numbers, ...accepted } = changed(ignored, { outbound_agents: [a70, b30] });
    assert.deepEqual(reply.json, { ...accepted, numbers: [{ ...numbers[0], outbound_agent_version: 12 }] });
    assert.deepEqual(emulator.routing(number)?.outboundAgents, { "agent_a@12": 70, "agent_b@4": 30 });
  });

  for (const { records, changes } of [
    { records: "none", changes: [] },
    {
      records: "several",
      changes: [{ id: 101_001, number: `${number}#901` }, {}, { id: 201_001, number: `${number}#902` }],
    },
    { records: "otherFormat", changes: [{ number: "+155 512 345 67", base_number: "+155 512 345 67" }] },
    { records: "baseNumberOnly", changes: [{ number: null }] },
  ] as const) {
    it(`lists the records in the form set by records=${records} (assumption 11)`, async () => {
      const { reply } = await puts({ records }, {});
      const { numbers, ...rest } = await usual({});
      assert.deepEqual(reply.json, { ...rest, numbers: changes.map((change) => ({ ...numbers[0], ...change })) });
    });
  }

  it("rejects agents without a version if agentVersion=required (assumption 14)", () =>
    refuses({ agentVersion: "required" }, { inboundAgents: [{ agent_id: "agent_a", weight: 1 }] }, 400));

  it("returns the latest version without storing it if agentVersion=latest (assumption 14)", async () => {
    const bare = { inboundAgents: [{ agent_id: "agent_a", weight: 1 }], outboundAgentId: "agent_o" };
    const { emulator, reply } = await puts({ agentVersion: "latest" }, bare);
    const agents = [{ agent_id: "agent_a", agent_version: 7, weight: 1 }];
    assert.deepEqual(reply.json, await usual({ ...bare, inboundAgents: agents, outboundAgentVersion: 7 }));
    assert.deepEqual(emulator.routing(number), { inboundAgents: { agent_a: 1 }, outboundAgentId: "agent_o" });
  });

  for (const { importError, message } of [
    { importError: "true", message: null },
    { importError: "trueWithMessage", message: "the number could not be imported" },
  ] as const) {
    it(`assigns the agents but reports an import error if importError=${importError} (assumption 17)`, async () => {
      const { emulator, reply } = await puts({ importError }, split);
      const fields = { platform_import_error: true, platform_import_error_message: message };
      assert.deepEqual(reply.json, changed(await usual(split), fields));
      assert.deepEqual(emulator.routing(number), { inboundAgents: { "agent_b@4": 30, "agent_a@12": 70 } });
    });
  }

  it("omits unset fields from the response if unsetFields=absent", async () => {
    const { reply } = await puts({ unsetFields: "absent" }, {});
    const whole = JSON.stringify(await usual({}), (_, value) => value ?? undefined);
    assert.deepEqual(reply.json, JSON.parse(whole));
  });

  for (const { retryAfter, header } of [
    { retryAfter: "seconds", header: "1" },
    { retryAfter: "absent", header: undefined },
  ] as const) {
    it(`limits the request rate with retryAfter=${retryAfter} (assumption 30)`, async () => {
      const clock = fixedClock();
      const emulator = await start({ profile: { rateLimit: 2, retryAfter }, clock });
      assert.deepEqual(await statusesOf(emulator, 2), [200, 200]);
      const refused = await put(emulator, {});
      assertRefused(refused, 429);
      assert.equal(refused.headers["retry-after"], header);
      assert.equal(emulator.requests[2]?.applied, false);
      clock.move(499);
      assert.deepEqual(await statusesOf(emulator, 1), [429]);
      clock.move(1);
      assert.deepEqual(await statusesOf(emulator, 2), [200, 429]);
    });
  }

  it("rejects unknown agents and versions only if unknownAgents says so (assumption 40)", async () => {
    const missing = { inboundAgents: [{ agent_id: "agent_missing1", weight: 1 }] };
    assert.equal((await puts({}, missing)).reply.status, 200);
    await refuses({ unknownAgents: "404" }, missing, 404);
    const profile = { unknownAgents: "422", knownAgents: ["agent_a@12", "agent_o"] } as const;
    assert.equal((await puts(profile, { inboundAgents: [a70], ...outbound })).reply.status, 200);
    assert.equal((await puts(profile, { outboundAgentId: "agent_a" })).reply.status, 200);
    await refuses(profile, { inboundAgents: [{ ...a70, agent_version: 13 }] }, 422);
  });

  for (const { name, profile, named } of [
    { name: "an unknown switch", profile: { claers: "null" }, named: /"claers"/ },
    { name: "an invalid switch value", profile: { omittedFields: "nul" }, named: /omittedFields.*"nul"/ },
  ]) {
    it(`refuses to start with ${name}`, () =>
      assert.rejects(startEmulator({ profile: profile as Partial<Profile> }), named));
  }
});

describe("the emulator's token", () => {
  closeAfterEach();

  for (const { title, options } of [
    { title: "a missing token", options: { token: "" } },
    { title: "a wrong token", options: { token: "other" } },
    { title: "a scheme other than Bearer", options: { headers: { Authorization: "Basic secret" } } },
  ]) {
    it(`returns 401 for ${title} and changes nothing`, async () => {
      const emulator = await start({ token: "secret" });
      const reply = await put(emulator, { outboundAgentId: "agent_o" }, options);
      assertRefused(reply, 401);
      const [logged] = emulator.requests;
      assert.equal(emulator.numbers.size, 0, "numbers in the store");
      assert.equal(logged?.authorized, false, "the log says that it was authorized");
      assert.equal(logged?.applied, false, "the log says that it was applied");
    });
  }
});
