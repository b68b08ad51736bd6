import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import type { Emulator, Fault, LoggedRequest } from "../../emulator";
import type { Status } from "../../emulator/admin";
import { checkRows } from "../support/rows";
import {
  call,
  closeAfterEach,
  codeOf,
  defaultResponse,
  number,
  postChat,
  postVoice,
  put,
  start,
  statusesOf,
  withChanges,
} from "./support";

/** A PUT's body, and the routing that results from it. */
const body = { outboundAgentId: "agent_o" };
const assigned = { inboundAgents: {}, outboundAgentId: "agent_o" };

/** Returns the part of a log entry that shows how a fault affected the request. */
const effectOn = (logged: LoggedRequest | undefined) => ({
  fault: logged?.fault,
  status: logged?.status,
  applied: logged?.applied,
});

async function inject(fault: Fault) {
  const emulator = await start();
  return { emulator, handle: emulator.inject(fault) };
}

describe("a reset fault", () => {
  closeAfterEach();

  const rows: readonly { name: string; fault: Fault; status: number | undefined; applied: boolean }[] = [
    { name: "after applying the request", fault: { kind: "reset" }, status: undefined, applied: true },
    {
      name: "without applying the request",
      fault: { kind: "reset", applied: false },
      status: undefined,
      applied: false,
    },
    {
      name: "mid-response after applying the request",
      fault: { kind: "reset", inBody: true },
      status: 200,
      applied: true,
    },
    {
      name: "mid-response without applying the request",
      fault: { kind: "reset", inBody: true, applied: false },
      status: 200,
      applied: false,
    },
  ];
  for (const { name, fault, status, applied } of rows) {
    it(`resets the connection ${name}`, async () => {
      const { emulator } = await inject(fault);
      assert.equal(await codeOf(put(emulator, body)), "ECONNRESET");
      assert.deepEqual(effectOn(emulator.requests[0]), { fault: fault.kind, status, applied });
      assert.deepEqual(emulator.routing(number), applied ? assigned : undefined);
      assert.deepEqual((await put(emulator, body)).json, await defaultResponse(body));
    });
  }
});

describe("a status fault", () => {
  closeAfterEach();

  it("overrides the emulator's headers regardless of their case", async () => {
    const emulator = await start();
    const headers = { "content-type": "text/plain", "content-length": "1", "x-request-id": "request-7" };
    emulator.inject({ kind: "status", status: 422, body: "refused", headers });
    const reply = await put(emulator, body);
    assert.equal(reply.status, 422);
    assert.equal(reply.text, "refused");
    assert.equal(reply.headers["content-type"], "text/plain");
    assert.equal(reply.headers["x-request-id"], "request-7");
  });

  for (const { name, fault, status, type, text, applied } of [
    {
      name: "without a body",
      fault: { kind: "status", status: 302, body: undefined },
      status: 302,
      type: undefined,
      text: "",
      applied: false,
    },
    {
      name: "with the default body",
      fault: { kind: "status", status: 503 },
      status: 503,
      type: "application/json; charset=utf-8",
      text: '{"error":"injected 503"}',
      applied: false,
    },
    {
      name: "with a custom body",
      fault: { kind: "status", status: 503, body: "x", headers: { "Content-Type": "text/x" } },
      status: 503,
      type: "text/x",
      text: "x",
      applied: false,
    },
    {
      name: "without a body",
      fault: { kind: "status", status: 503, body: undefined },
      status: 503,
      type: undefined,
      text: "",
      applied: false,
    },
    {
      name: "with a custom body",
      fault: { kind: "status", status: 206, body: {} },
      status: 206,
      type: "application/json; charset=utf-8",
      text: "{}",
      applied: true,
    },
    {
      name: "without applying the request",
      fault: { kind: "status", status: 206, body: undefined, applied: false },
      status: 206,
      type: undefined,
      text: "",
      applied: false,
    },
    {
      name: "after applying the request",
      fault: { kind: "status", status: 500, body: undefined, applied: true },
      status: 500,
      type: undefined,
      text: "",
      applied: true,
    },
    {
      name: "without a body",
      fault: { kind: "status", status: 204, body: undefined },
      status: 204,
      type: undefined,
      text: "",
      applied: true,
    },
  ] as const satisfies readonly {
    readonly name: string;
    readonly fault: Fault;
    readonly status: number;
    readonly type: string | undefined;
    readonly text: string;
    readonly applied: boolean;
  }[]) {
    it(`returns a ${status} ${name}`, async () => {
      const { emulator } = await inject(fault);
      const reply = await put(emulator, body);
      assert.equal(reply.status, status, "the status");
      assert.equal(reply.headers["content-type"], type, "the media type");
      assert.equal(reply.text, text);
      assert.deepEqual(effectOn(emulator.requests[0]), { fault: fault.kind, status, applied });
      assert.deepEqual(emulator.routing(number), applied ? assigned : undefined);
    });
  }
});

describe("a contradict fault", () => {
  closeAfterEach();

  it("replaces the inbound agent in the response by default", async () => {
    const { emulator } = await inject({ kind: "contradict" });
    const agentId = "agent_of_a_contradiction";
    const otherAgent = { inbound_agent_id: agentId, inbound_agents: [{ agent_id: agentId, weight: 100 }] };
    assert.deepEqual((await put(emulator, body)).json, withChanges(await defaultResponse(body), otherAgent));
  });

  it("patches the response without changing the stored routing", async () => {
    const { emulator } = await inject({
      kind: "contradict",
      patch: { success: undefined, assignment: { agent_id: "agent_x" } },
      record: { agent_id: null, outbound_agents: [] },
    });
    const { numbers, ...whole } = await defaultResponse(body);
    const record = { ...numbers[0], agent_id: null, outbound_agents: [] };
    assert.deepEqual((await put(emulator, body)).json, {
      message: "Assignment updated",
      numbers: [record],
      assignment: { ...whole.assignment, agent_id: "agent_x" },
    });
    assert.deepEqual(emulator.routing(number), assigned);
  });
});

describe("a hold fault", () => {
  closeAfterEach();

  it("applies a held request immediately but delays the response", async () => {
    const { emulator, handle } = await inject({ kind: "hold" });
    const waiting = put(emulator, body);
    const [logged] = await emulator.waitForRequests(1);
    assert.deepEqual(effectOn(logged), { fault: "hold", status: undefined, applied: true });
    assert.deepEqual(emulator.routing(number), assigned);
    handle.release();
    assert.equal((await waiting).status, 200);
    assert.equal(emulator.requests[0]?.status, 200);
  });

  it("applies a held request only after release if `applied` is false", async () => {
    const times = "always";
    const { emulator, handle } = await inject({ kind: "hold", operation: "assignNumber", applied: false, times });
    const waiting = [put(emulator, body), put(emulator, body, {}, "4001")];
    await emulator.waitForRequests(2);
    assert.equal((await postVoice(emulator)).status, 200);
    assert.equal(emulator.numbers.size, 0);
    handle.release();
    assert.deepEqual(
      (await Promise.all(waiting)).map(({ status }) => status),
      [200, 200],
    );
    assert.deepEqual(emulator.routing(number), assigned);
    assert.deepEqual(emulator.routing("4001"), assigned);
    assert.equal((await put(emulator, {})).status, 200);
  });

  it("closes held connections when the emulator closes", async () => {
    const { emulator } = await inject({ kind: "hold" });
    const waiting = codeOf(put(emulator, body));
    await emulator.waitForRequests(1);
    await emulator.close();
    assert.equal(await waiting, "ECONNRESET");
  });

  it("does not apply a held request if its connection closes", async () => {
    const { emulator, handle } = await inject({ kind: "hold", applied: false });
    const waiting = codeOf(put(emulator, body));
    await emulator.waitForRequests(1);
    await emulator.stopListening();
    handle.release();
    assert.equal(await waiting, "ECONNRESET");
    assert.equal(emulator.routing(number), undefined);
    assert.equal(emulator.requests[0]?.applied, false, "`applied` in the log");
  });
});

describe("fault injection", () => {
  closeAfterEach();

  it("honors the `after` and `times` options of a fault", async () => {
    const { emulator } = await inject({ kind: "status", status: 500 });
    assert.deepEqual(await statusesOf(emulator, 3), [500, 200, 200]);
    const handle = emulator.inject({ kind: "status", status: 500, after: 1, times: 2 });
    assert.deepEqual(await statusesOf(emulator, 4), [200, 500, 500, 200]);
    assert.equal(handle.hits, 2);
    const always = emulator.inject({ kind: "status", status: 500, times: "always" });
    assert.deepEqual(await statusesOf(emulator, 2), [500, 500]);
    always.remove();
    assert.deepEqual(await statusesOf(emulator, 1), [200]);
  });

  it("injects faults in the order they were added", async () => {
    const { emulator } = await inject({ kind: "status", status: 500 });
    emulator.inject({ kind: "status", status: 502 });
    emulator.inject({ kind: "status", status: 503, after: 3 });
    assert.deepEqual(await statusesOf(emulator, 5), [500, 502, 200, 503, 200]);
  });

  it("rejects a fault with an invalid kind, status or operation", async () => {
    const emulator = await start();
    assert.throws(() => emulator.inject({ kind: "nope" as "hold" }), /"nope"/);
    assert.throws(() => emulator.inject({ kind: "status", status: 99 }), /200 to 999/);
    assert.throws(() => emulator.inject({ kind: "reset", operation: "chat" as "unknown" }), /"chat"/);
  });
});

describe("the emulator's admin endpoint", () => {
  closeAfterEach();

  const admin = async (emulator: Emulator, init?: RequestInit) => {
    const reply = await fetch(`${emulator.url}/emulator`, init);
    return [reply.status, await reply.json()] as [number, Status & { readonly error: string }];
  };
  const change = (body: unknown, type = "application/json") => ({
    method: "PUT",
    headers: { "Content-Type": type },
    body: JSON.stringify(body),
  });

  it("lists numbers, chats and voices, including a chat whose response was lost", async () => {
    const { emulator } = await inject({ kind: "reset", operation: "createSmsChat" });
    await put(emulator, body);
    assert.equal(await codeOf(postChat(emulator)), "ECONNRESET");
    await postVoice(emulator);
    const [status, { requests, numbers, chats, voices, faults }] = await admin(emulator);
    assert.equal(status, 200, "the status");
    assert.equal(requests, 3, "the number of requests");
    assert.deepEqual(faults, []);
    assert.deepEqual(numbers, [{ number, ...assigned }]);
    const [, chat, voice] = emulator.requests;
    assert.equal(chats[0]?.chatId, chat?.createdId, "the chat's ID");
    assert.equal(voices[0]?.voiceId, voice?.createdId, "the voice's ID");
    assert.equal(emulator.chats[0]?.chatId, chat?.createdId);
    assert.equal(emulator.requests.length, 3);
  });

  it("releases held requests when the faults are replaced", async () => {
    const { emulator } = await inject({ kind: "hold" });
    const waiting = put(emulator, body);
    await emulator.waitForRequests(1);
    const faults = [{ kind: "status", status: 503, number: "4001", times: "always" }];
    const [, status] = await admin(emulator, change({ faults }));
    assert.deepEqual(status.faults, faults);
    assert.equal((await waiting).status, 200);
    assert.equal((await put(emulator, body, {}, "4001")).status, 503, "a PUT for the number in the fault");
    assert.equal((await put(emulator, body)).status, 200, "a PUT for another number");
    await admin(emulator, change({ faults: [] }));
    assert.equal((await put(emulator, body, {}, "4001")).status, 200);
  });

  it("rejects invalid requests without changing the current faults", async () => {
    const { emulator } = await inject({ kind: "status", status: 503 });
    for (const { name, init, expected } of [
      { name: "another method", init: { method: "POST" }, expected: 405 },
      { name: "another media type", init: change({ faults: [] }, "text/plain"), expected: 415 },
      { name: "a body without faults", init: change({}), expected: 400 },
      { name: "an unknown kind of fault", init: change({ faults: [{ kind: "nope" }] }), expected: 400 },
    ]) {
      const [status, { error }] = await admin(emulator, init);
      assert.equal(status, expected, name);
      assert.equal(typeof error, "string", name);
    }
    assert.deepEqual(await statusesOf(emulator, 1), [503]);
  });

  const invalid: readonly { name: string; fault: object; named: RegExp }[] = [
    { name: "with a control character in a header", fault: { headers: { "X-Note": "a\u0001" } }, named: /X-Note/ },
    {
      name: "with a control character in a repeated header",
      fault: { headers: { "X-Note": ["a", "b\n"] } },
      named: /X-Note/,
    },
    { name: "with a space in a header name", fault: { headers: { "X Note": "a" } }, named: /X Note/ },
    { name: "with a Trailer header", fault: { headers: { Trailer: "X-Note" } }, named: /headers/ },
    { name: "whose `headers` value is a string", fault: { headers: "X-Note: a" }, named: /headers/ },
    { name: "whose `after` value is a string", fault: { after: "soon" }, named: /after/ },
    { name: "whose `after` value is negative", fault: { after: -1 }, named: /after/ },
  ];
  for (const { name, fault, named } of invalid) {
    it(`rejects a fault ${name}`, async () => {
      const emulator = await start();
      const [status, { error }] = await admin(
        emulator,
        change({ faults: [{ kind: "status", status: 503, ...fault }] }),
      );
      assert.deepEqual(await statusesOf(emulator, 1), [200], "a request that no fault hits");
      assert.equal(status, 400);
      assert.match(error, named);
    });
  }
});

describe("the emulator's server", () => {
  closeAfterEach();

  it("listens only on 127.0.0.1", async () => {
    const emulator = await start();
    assert.equal(emulator.url, `http://127.0.0.1:${emulator.port}`);
    const external = Object.values(networkInterfaces())
      .flat()
      .find((net) => net && !net.internal && net.family === "IPv4");
    const socket = connect(emulator.port, external?.address ?? "127.0.0.2");
    const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException];
    assert.equal(error.code, "ECONNREFUSED");
  });

  it("rejects requests with a non-local Host header", () => {
    const hosts = ["attacker.example", "attacker.example:8080", "127.0.0.1.attacker.example", "192.168.0.7"];
    return checkRows(hosts, String, async (host) => {
      const emulator = await start();
      const reply = await put(emulator, body, { headers: { Host: host } });
      assert.equal(reply.status, 403, "a request to the platform");
      const faults = await call(
        emulator,
        "PUT",
        "/emulator",
        { faults: [{ kind: "hold" }] },
        { headers: { Host: host } },
      );
      assert.equal(faults.status, 403, "a change of the faults");
      assert.equal(emulator.requests.length, 0, "the number of logged requests");
      assert.equal((await put(emulator, body)).status, 200, "a request that no fault holds");
    });
  });

  it("accepts requests with a local Host header", () =>
    checkRows(["127.0.0.1", "localhost:8080", "LOCALHOST", "[::1]:8080", "127.9.9.9"], String, async (host) => {
      const reply = await put(await start(), body, { headers: { Host: host } });
      assert.equal(reply.status, 200);
    }));

  it("rejects a pending `waitForRequests` when the server closes", async () => {
    const emulator = await start();
    await put(emulator, body);
    const waiting = emulator.waitForRequests(2);
    const rejected = assert.rejects(waiting, /after 1 requests.* 2/);
    await emulator.close();
    await rejected;
  });
});
