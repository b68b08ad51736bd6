import assert from "node:assert/strict";
import { type Profile, startEmulator } from "../../emulator";
import { checkRows } from "../support/rows";
import {
  a70,
  assertRefused,
  b30,
  closeAfterEach,
  defaultResponse,
  fixedClock,
  number,
  outbound,
  put,
  puts,
  refuses,
  split,
  start,
  statusesOf,
  withChanges,
} from "./support";

const describeProfile = (profile: Partial<Profile>): string =>
  Object.entries(profile)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");

describe("the emulator with custom switches", () => {
  closeAfterEach();

  // See assumption 2 in docs/assumptions.md.
  it("clears fields that a PUT omits", async () => {
    const { emulator, reply } = await puts(
      { omittedFields: "replace" },
      { ...split, ...outbound },
      { isTimeRoutingEnabled: true },
    );
    assert.deepEqual(reply.json, await defaultResponse({ isTimeRoutingEnabled: true }));
    assert.deepEqual(emulator.routing(number), { inboundAgents: {}, isTimeRoutingEnabled: true });
  });

  const initial = { ...split, ...outbound };
  const nulls = { inboundAgents: null, outboundAgentId: null };
  const empties = { inboundAgents: [], outboundAgentId: "" };
  const resultOf = async (profile: Partial<Profile>, body: unknown) => {
    const { emulator, reply } = await puts(profile, initial, body);
    const { inboundAgents = {}, outboundAgentId } = emulator.routing(number) ?? {};
    return {
      status: reply.status,
      inbound: Object.keys(inboundAgents).length > 0,
      outbound: outboundAgentId !== undefined,
    };
  };

  // See assumption 3 in docs/assumptions.md. Each body has at least one value that can't clear its field. If the
  // platform ignores such values, the agents in `kept` remain.
  const partial = [
    { clears: { clearInbound: "empty", clearOthers: "null" }, body: nulls, kept: { inbound: true, outbound: false } },
    { clears: { clearInbound: "empty", clearOthers: "null" }, body: empties, kept: { inbound: false, outbound: true } },
    { clears: { clearInbound: "null", clearOthers: "empty" }, body: nulls, kept: { inbound: false, outbound: true } },
    { clears: { clearInbound: "none", clearOthers: "none" }, body: empties, kept: { inbound: true, outbound: true } },
  ] as const;
  const rowName = ({ clears, body }: (typeof partial)[number]): string =>
    `${body === nulls ? "nulls" : "empty values"}, ${describeProfile(clears)}`;

  it("rejects null and empty values that cannot clear a field", () =>
    checkRows(partial, rowName, async ({ clears, body }) =>
      assert.deepEqual(await resultOf({ ...clears, notClearing: "refused" }, body), {
        status: 422,
        inbound: true,
        outbound: true,
      }),
    ));

  it("ignores null and empty values that cannot clear a field", () =>
    checkRows(partial, rowName, async ({ clears, body, kept }) =>
      assert.deepEqual(await resultOf({ ...clears, notClearing: "ignored" }, body), { status: 200, ...kept }),
    ));

  it("clears fields set to null if the switches allow it", () =>
    checkRows(["refused", "ignored"] as const, String, async (notClearing) =>
      assert.deepEqual(await resultOf({ clearInbound: "any", clearOthers: "any", notClearing }, nulls), {
        status: 200,
        inbound: false,
        outbound: false,
      }),
    ));

  // See assumption 4 in docs/assumptions.md.
  it("returns 204 without a body after applying a PUT", async () => {
    const { emulator, reply } = await puts({ putStatus: 204 }, split);
    assert.equal(reply.status, 204, "the status");
    assert.equal(reply.text, "", "the body");
    assert.equal(reply.headers["content-length"], undefined, "the Content-Length header");
    assert.deepEqual(emulator.routing(number), { inboundAgents: { "agent_b@4": 30, "agent_a@12": 70 } });
  });

  // See assumption 5 in docs/assumptions.md.
  it("returns 200 with `success: false` without applying the PUT", async () => {
    const { emulator, reply } = await puts({ success: "false" }, split);
    assert.equal(reply.status, 200, "the status");
    assert.equal((reply.json as { success: unknown }).success, false, "`success` in the response");
    assert.equal(emulator.routing(number), undefined);
    assert.equal(emulator.requests[0]?.applied, false);
  });

  it("omits `success` from the response", async () => {
    const { reply } = await puts({ success: "absent" }, {});
    assert.equal("success" in (reply.json as object), false, "the response contains `success`");
    assert.deepEqual({ success: true, ...(reply.json as object) }, await defaultResponse({}));
  });

  const weights = (...list: number[]) => ({
    inboundAgents: list.map((weight, index) => ({ agent_id: `agent_${index}`, weight })),
  });
  // See assumption 7 in docs/assumptions.md.
  it("rejects weights that do not add up to the required total", () => {
    const rows = [
      { rule: "sum100", refused: weights(50, 49), accepted: weights(33.3, 33.3, 33.4) },
      { rule: "sum1", refused: weights(50, 50), accepted: weights(0.7, 0.2, 0.1) },
    ] as const;
    return checkRows(
      rows,
      ({ rule }) => rule,
      async ({ rule, refused, accepted }) => {
        await refuses({ weights: rule }, refused, 422);
        assert.equal((await puts({ weights: rule }, accepted)).reply.status, 200);
      },
    );
  });

  // See assumption 8 in docs/assumptions.md.
  it("scales the weights in its responses but stores them unchanged", () => {
    const rows = [
      { responseWeights: "scaled1", weight: 1 / 3 },
      { responseWeights: "scaled100rounded", weight: 33 },
    ] as const;
    return checkRows(
      rows,
      ({ responseWeights }) => responseWeights,
      async ({ responseWeights, weight }) => {
        const thirds = { inboundAgents: ["c", "a", "b"].map((id) => ({ agent_id: `agent_${id}`, weight: 2 })) };
        const { emulator, reply } = await puts({ responseWeights }, thirds);
        const inboundAgents = thirds.inboundAgents.map((entry) => ({ ...entry, weight }));
        assert.deepEqual(reply.json, withChanges(await defaultResponse(thirds), { inbound_agents: inboundAgents }));
        assert.deepEqual(emulator.routing(number), { inboundAgents: { agent_c: 2, agent_a: 2, agent_b: 2 } });
      },
    );
  });

  // See assumption 10 in docs/assumptions.md.
  it("accepts `outboundAgents` only if configured to", async () => {
    const body = { outboundAgents: [a70, b30], other: 1 };
    const unsupported = await defaultResponse(body);
    assert.deepEqual(unsupported, await defaultResponse({}));
    const { emulator, reply } = await puts({ outboundAgents: "accepted" }, body);
    const { numbers, ...accepted } = withChanges(unsupported, { outbound_agents: [a70, b30] });
    assert.deepEqual(reply.json, { ...accepted, numbers: [{ ...numbers[0], outbound_agent_version: 12 }] });
    assert.deepEqual(emulator.routing(number)?.outboundAgents, { "agent_a@12": 70, "agent_b@4": 30 });
  });

  // See assumption 11 in docs/assumptions.md.
  for (const { name, records, changes } of [
    { name: "returns an empty list of number records", records: "none", changes: [] },
    {
      name: "returns records for the number and its extensions",
      records: "several",
      changes: [{ id: 101_001, number: `${number}#901` }, {}, { id: 201_001, number: `${number}#902` }],
    },
    {
      name: "returns the number formatted with spaces",
      records: "otherFormat",
      changes: [{ number: "+155 512 345 67", base_number: "+155 512 345 67" }],
    },
    {
      name: "returns a record with a base number but a null number",
      records: "baseNumberOnly",
      changes: [{ number: null }],
    },
  ] as const) {
    it(name, async () => {
      const { reply } = await puts({ records }, {});
      const { numbers, ...rest } = await defaultResponse({});
      assert.deepEqual(reply.json, { ...rest, numbers: changes.map((change) => ({ ...numbers[0], ...change })) });
    });
  }

  // See assumption 14 in docs/assumptions.md.
  it("rejects an agent without a version", () =>
    refuses({ agentVersion: "required" }, { inboundAgents: [{ agent_id: "agent_a", weight: 1 }] }, 400));

  it("adds the latest agent version to the response but does not store it", async () => {
    const bare = { inboundAgents: [{ agent_id: "agent_a", weight: 1 }], outboundAgentId: "agent_o" };
    const { emulator, reply } = await puts({ agentVersion: "latest" }, bare);
    const agents = [{ agent_id: "agent_a", agent_version: 7, weight: 1 }];
    assert.deepEqual(reply.json, await defaultResponse({ ...bare, inboundAgents: agents, outboundAgentVersion: 7 }));
    assert.deepEqual(emulator.routing(number), { inboundAgents: { agent_a: 1 }, outboundAgentId: "agent_o" });
  });

  // See assumption 17 in docs/assumptions.md.
  for (const { name, importError, message } of [
    { name: "an import error without a message", importError: "true", message: null },
    {
      name: "an import error with a message",
      importError: "trueWithMessage",
      message: "the number could not be imported",
    },
  ] as const) {
    it(`assigns the agents but returns ${name}`, async () => {
      const { emulator, reply } = await puts({ importError }, split);
      const fields = { platform_import_error: true, platform_import_error_message: message };
      assert.deepEqual(reply.json, withChanges(await defaultResponse(split), fields));
      assert.deepEqual(emulator.routing(number), { inboundAgents: { "agent_b@4": 30, "agent_a@12": 70 } });
    });
  }

  it("omits unset fields from the response", async () => {
    const { reply } = await puts({ unsetFields: "absent" }, {});
    const expected = JSON.stringify(await defaultResponse({}), (_, value) => value ?? undefined);
    assert.deepEqual(reply.json, JSON.parse(expected));
  });

  // See assumption 30 in docs/assumptions.md.
  for (const { name, retryAfter, header } of [
    { name: "with a Retry-After header", retryAfter: "seconds", header: "1" },
    { name: "without a Retry-After header", retryAfter: "absent", header: undefined },
  ] as const) {
    it(`returns a 429 ${name} if the rate limit is exceeded`, async () => {
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

  // See assumption 40 in docs/assumptions.md.
  it("rejects unknown agents and versions", async () => {
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

describe("the emulator's authentication", () => {
  closeAfterEach();

  for (const { title, options } of [
    { title: "without a token", options: { token: "" } },
    { title: "with a wrong token", options: { token: "other" } },
    { title: "without the Bearer scheme", options: { headers: { Authorization: "Basic secret" } } },
  ]) {
    it(`rejects a request ${title}`, async () => {
      const emulator = await start({ token: "secret" });
      const reply = await put(emulator, { outboundAgentId: "agent_o" }, options);
      assertRefused(reply, 401);
      const [logged] = emulator.requests;
      assert.equal(emulator.numbers.size, 0, "the number of stored numbers");
      assert.equal(logged?.authorized, false, "`authorized` in the log");
      assert.equal(logged?.applied, false, "`applied` in the log");
    });
  }
});
