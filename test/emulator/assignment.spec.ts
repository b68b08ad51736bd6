import assert from "node:assert/strict";
import { ASSIGNMENT_FIELDS, fieldsIn, RECORD_FIELDS } from "../docs/blocks";
import { checkRows } from "../support/rows";
import {
  a70,
  assertRefused,
  call,
  closeAfterEach,
  number,
  outbound,
  put,
  puts,
  refuses,
  split,
  start,
} from "./support";

const b30 = { agent_id: "agent_b", weight: 30 };

describe("the emulator's number API", () => {
  closeAfterEach();

  it("creates a number on its first PUT and returns the full record", async () => {
    const emulator = await start();
    const reply = await put(emulator, {
      accountSid: "sid",
      workspaceId: 7,
      outboundAgentId: "agent_o",
      outboundAgentVersion: 3,
      inboundAgents: [a70, b30],
      inboundWebhookUrl: "https://example.com/hook",
      isTimeRoutingEnabled: true,
    });
    const assignment = {
      account_sid: "sid",
      workspace_id: 7,
      agent_id: "agent_o",
      inbound_agent_id: "agent_a",
      outbound_agents: [{ agent_id: "agent_o", agent_version: 3, weight: 100 }],
      inbound_agents: [a70, b30],
      is_time_routing_enabled: true,
      platform_import_error: false,
      platform_import_error_message: null,
    };
    const record = {
      ...assignment,
      id: 1001,
      number,
      base_number: number,
      application_sid: "APf62397107b865722c4a6f6dd1b759b8b",
      phone_number_sid: "PN7b04d9eaf4bd01fc354df0edaa2ab378",
      default_agent_id: "agent_o",
      inbound_agent_version: 12,
      outbound_agent_version: 3,
      inbound_webhook_url: "https://example.com/hook",
    };
    assert.equal(reply.status, 200);
    assert.equal(reply.headers["content-type"], "application/json; charset=utf-8");
    assert.deepEqual(reply.json, { success: true, message: "Assignment updated", numbers: [record], assignment });
    assert.deepEqual(emulator.routing(number), {
      inboundAgents: { "agent_a@12": 70, agent_b: 30 },
      outboundAgentId: "agent_o",
      outboundAgentVersion: 3,
      inboundWebhookUrl: "https://example.com/hook",
      isTimeRoutingEnabled: true,
    });
  });

  it("keeps an omitted outbound agent version only for the same agent", async () => {
    const emulator = await start();
    await put(emulator, { outboundAgentId: "agent_o", outboundAgentVersion: 3 });
    await put(emulator, { outboundAgentId: "agent_o" });
    assert.deepEqual(emulator.routing(number), {
      inboundAgents: {},
      outboundAgentId: "agent_o",
      outboundAgentVersion: 3,
    });
    await put(emulator, { outboundAgentId: "agent_p" });
    assert.deepEqual(emulator.routing(number), { inboundAgents: {}, outboundAgentId: "agent_p" });
  });

  it("logs a request in full except for the token", async () => {
    const emulator = await start({ token: "very-secret" });
    await call(emulator, "PUT", "/api/numbers/%2b15551234567/agent", '{"workspaceId": 42}', {
      headers: { "X-Own": "1" },
    });
    const [logged] = emulator.requests;
    assert.deepEqual(logged, {
      index: 0,
      operation: "assignNumber",
      method: "PUT",
      path: "/api/numbers/%2b15551234567/agent",
      number,
      body: { workspaceId: 42 },
      rawBody: '{"workspaceId": 42}',
      headers: {
        "content-type": "application/json",
        "content-length": "19",
        "x-own": "1",
        host: `127.0.0.1:${emulator.port}`,
        connection: "close",
      },
      authorized: true,
      status: 200,
      applied: true,
      createdId: undefined,
    });
    assert.equal(JSON.stringify(emulator.requests).includes("very-secret"), false);
  });

  for (const { title, body } of [
    { title: "a body that is not a JSON object", body: [1] },
    { title: "a field of the wrong type", body: { workspaceId: "42" } },
    { title: "an inbound agent without an ID", body: { inboundAgents: [a70, { weight: 1 }] } },
  ]) {
    it(`rejects ${title}`, () => refuses({}, body, 400));
  }

  it("rejects a body with the content type text/plain", async () => {
    const emulator = await start();
    const reply = await put(emulator, "{}", { headers: { "Content-Type": "text/plain" } });
    assertRefused(reply, 415);
  });

  for (const { name, path, status } of [
    { name: "a malformed escape in the path", path: "/api/numbers/%zz/agent", status: 400 },
    { name: "a path that does not exist", path: "/api/numbers/a/b/agent", status: 404 },
    { name: "a PUT to a POST-only path", path: "/api/chats/outbound-sms", status: 405 },
  ]) {
    it(`returns ${status} for ${name}`, async () => {
      const emulator = await start();
      const reply = await call(emulator, "PUT", path, {});
      assertRefused(reply, status);
      assert.equal(emulator.requests[0]?.path, path);
    });
  }

  it("reads numbers with special characters from the URL path", () =>
    checkRows(["+15551234567#12", "a/b", ".."], String, async (specialNumber) => {
      const emulator = await start();
      await put(emulator, { outboundAgentId: "agent_o" }, {}, specialNumber);
      assert.deepEqual(emulator.routing(specialNumber), { inboundAgents: {}, outboundAgentId: "agent_o" });
      assert.equal(emulator.requests[0]?.number, specialNumber);
    }));
});

describe("the emulator's PUT response", () => {
  closeAfterEach();

  for (const { title, name, wireName } of [
    { title: "the webhook URL", name: "inboundWebhookUrl", wireName: "inbound_webhook_url" },
    { title: "the time routing flag", name: "isTimeRoutingEnabled", wireName: "is_time_routing_enabled" },
  ]) {
    it(`includes ${title} in exactly the objects documented to contain it`, async () => {
      assert.ok(fieldsIn("4.1").includes(name), `the interface has no field ${name}`);
      const value = name === "inboundWebhookUrl" ? "https://h.example" : true;
      const reply = await put(await start(), { [name]: value });
      const { numbers, assignment } = reply.json as { numbers: [object]; assignment: object };
      const values = [numbers[0], assignment].map((part) => Reflect.get(part, wireName));
      const expected = [RECORD_FIELDS, ASSIGNMENT_FIELDS].map((fields) =>
        fields.includes(wireName) ? value : undefined,
      );
      assert.deepEqual(values, expected);
    });
  }
});

describe("a PUT to the emulator", () => {
  closeAfterEach();

  const initial = { ...split, ...outbound, inboundWebhookUrl: "https://h.example", isTimeRoutingEnabled: true };
  const assigned = {
    inboundAgents: { "agent_b@4": 30, "agent_a@12": 70 },
    ...outbound,
    inboundWebhookUrl: "https://h.example",
    isTimeRoutingEnabled: true,
  };
  const nulls = {
    inboundAgents: null,
    outboundAgentId: null,
    outboundAgentVersion: null,
    inboundWebhookUrl: null,
    isTimeRoutingEnabled: null,
  };
  const empties = { inboundAgents: [], outboundAgentId: "", inboundWebhookUrl: "" };
  for (const { name, body, expected } of [
    { name: "clears fields set to null", body: nulls, expected: { inboundAgents: {} } },
    {
      name: "clears fields set to an empty list or string",
      body: empties,
      expected: { inboundAgents: {}, isTimeRoutingEnabled: true },
    },
    { name: "leaves omitted fields unchanged", body: {}, expected: assigned },
  ]) {
    it(name, async () => {
      const { emulator, reply } = await puts({}, initial, body);
      assert.equal(reply.status, 200, "the status");
      assert.deepEqual(emulator.routing(number), expected);
    });
  }
});

describe("the emulator's call simulation", () => {
  closeAfterEach();

  const weighted = (...weights: number[]) => ({
    inboundAgents: weights.map((weight, index) => ({ agent_id: `agent_${"abc"[index]}`, agent_version: 1, weight })),
  });

  it("distributes calls in proportion to the weights", async () => {
    const emulator = await start();
    for (const weights of [
      [90, 10],
      [0.9, 0.1],
    ]) {
      await put(emulator, weighted(...weights));
      const counts = emulator.calls(number, 10_000);
      assert.ok(Math.abs((counts["agent_b@1"] ?? 0) / 10_000 - 0.1) < 0.02, JSON.stringify(counts));
    }
  });

  it("does not connect calls if the number has no agents", async () =>
    assert.deepEqual((await start()).calls(number, 5), { "(no agents)": 5 }));

  it("routes no calls to an agent with weight 0", async () => {
    const emulator = await start();
    await put(emulator, weighted(0, 1));
    assert.deepEqual(emulator.calls(number, 100), { "agent_a@1": 0, "agent_b@1": 100 });
  });

  it("produces the same call counts for the same seed", async () => {
    const emulator = await start();
    await put(emulator, weighted(50, 50));
    const otherSeed = await start({ seed: 7 });
    await put(otherSeed, weighted(50, 50));
    const first = emulator.calls(number, 1000);
    assert.deepEqual(emulator.calls(number, 1000), first);
    assert.notDeepEqual(otherSeed.calls(number, 1000), first);
  });
});
