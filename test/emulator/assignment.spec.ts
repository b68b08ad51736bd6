import assert from "node:assert/strict";
import { a70, answer } from "./expected";
import { call, number, put, refuses, start } from "./support";

const b30 = { agent_id: "agent_b", weight: 30 };

describe("emulator: number assignment", () => {
  it("accepts a number that it has never seen and answers the whole record", async () => {
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
    const shared = {
      account_sid: "sid",
      workspace_id: 7,
      agent_id: "agent_o",
      inbound_agent_id: "agent_a",
      outbound_agents: [{ agent_id: "agent_o", agent_version: 3, weight: 100 }],
      inbound_agents: [a70, b30],
      is_time_routing_enabled: true,
    };
    const recordOnly = {
      default_agent_id: "agent_o",
      inbound_agent_version: 12,
      outbound_agent_version: 3,
      inbound_webhook_url: "https://example.com/hook",
    };
    assert.equal(reply.status, 200);
    assert.equal(reply.headers["content-type"], "application/json; charset=utf-8");
    assert.deepEqual(reply.json, answer(emulator, shared, recordOnly));
    assert.deepEqual(emulator.routing(number), {
      inboundAgents: { "agent_a@12": 70, agent_b: 30 },
      outboundAgentId: "agent_o",
      outboundAgentVersion: 3,
      inboundWebhookUrl: "https://example.com/hook",
      isTimeRoutingEnabled: true,
    });
    assert.deepEqual(emulator.numbers.get(number), {
      number,
      accountSid: "sid",
      workspaceId: 7,
      ...emulator.routing(number),
    });
  });

  it("drops the version of an outbound agent that is replaced or cleared", async () => {
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

  it("logs the request as it was on the wire, without its token", async () => {
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
    });
    assert.equal(JSON.stringify(emulator.requests).includes("very-secret"), false);
  });

  for (const [title, body, message] of [
    ["a body that is no object", [1], "the body must be a JSON object"],
    ["a body that is no JSON", "{", "the body must be a JSON object"],
    ["a field of the wrong type", { workspaceId: "42" }, "workspaceId has the wrong type"],
    ["an entry without an agent", { inboundAgents: [a70, { weight: 1 }] }, "inboundAgents[1].agent_id is required"],
  ] as const) {
    it(`refuses ${title} and changes nothing`, () => refuses({}, body, 400, message));
  }

  it("refuses a body that is not declared as JSON", async () => {
    const emulator = await start();
    const reply = await put(emulator, "{}", { headers: { "Content-Type": "text/plain" } });
    assert.deepEqual([reply.status, reply.json], [415, { error: "the body must be application/json" }]);
  });

  for (const [path, status, error] of [
    ["/api/numbers/%zz/agent", 400, "the path is not well encoded"],
    ["/api/numbers//agent", 404, "no such path"],
    ["/api/numbers/a/b/agent", 404, "no such path"],
    ["/api/agent", 404, "no such path"],
    ["/api/chats/outbound-sms", 405, "PUT is not possible here"],
  ] as const) {
    it(`answers ${status} to PUT ${path}`, async () => {
      const emulator = await start();
      const reply = await call(emulator, "PUT", path, {});
      assert.deepEqual([reply.status, reply.json], [status, { error }]);
      assert.equal(emulator.requests[0]?.path, path);
    });
  }

  for (const odd of ["+15551234567#12", "a/b", "..", "é".repeat(10_000)]) {
    it(`decodes the number ${odd.slice(0, 20)} of ${odd.length} characters out of one path segment`, async () => {
      const emulator = await start();
      const reply = await put(emulator, { outboundAgentId: "agent_o" }, {}, odd);
      assert.equal(reply.status, 200);
      assert.deepEqual(emulator.routing(odd), { inboundAgents: {}, outboundAgentId: "agent_o" });
      assert.equal(emulator.requests[0]?.number, odd);
    });
  }
});
