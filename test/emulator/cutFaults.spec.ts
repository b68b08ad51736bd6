import assert from "node:assert/strict";
import { Agent } from "node:http";
import type { Fault } from "../../emulator";
import { body, bound, inject, met, whole } from "./faultSupport";
import { codeOf, number, postVoice, put, start } from "./support";

describe("emulator: faults that cut the connection", () => {
  it("refuse: RST before a byte is read; the request never arrives", async () => {
    const { emulator, handle } = await inject({ kind: "refuse" });
    assert.equal(await codeOf(put(emulator, body)), "ECONNRESET");
    assert.deepEqual([handle.hits, emulator.requests.length, emulator.numbers.size], [1, 0, 0]);
    assert.equal((await put(emulator, body)).status, 200);
  });

  it("refuse: meets a client that has kept a connection", async () => {
    const emulator = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await put(emulator, body, { agent });
    emulator.inject({ kind: "refuse" });
    assert.equal(await codeOf(put(emulator, body, { agent })), "ECONNRESET");
    assert.equal(emulator.requests.length, 1);
    agent.destroy();
  });

  it("refuse with an operation: waits for the request's head", async () => {
    const { emulator, handle } = await inject({ kind: "refuse", operation: "addCommunityVoice" });
    assert.equal((await put(emulator, body)).status, 200);
    assert.equal(await codeOf(postVoice(emulator)), "ECONNRESET");
    assert.deepEqual([handle.hits, emulator.voices.length], [1, 0]);
    assert.deepEqual(met(emulator.requests[1]), ["refuse", undefined, false]);
    assert.equal(emulator.requests[1]?.rawBody, "");
  });

  for (const [fault, code, status, applied] of [
    [{ kind: "resetBeforeRequest" }, "ECONNRESET", undefined, false],
    [{ kind: "resetBeforeRequest", applied: true }, "ECONNRESET", undefined, false],
    [{ kind: "resetAfterRequest" }, "ECONNRESET", undefined, false],
    [{ kind: "resetAfterRequest", applied: true }, "ECONNRESET", undefined, true],
    [{ kind: "resetInHeaders" }, "ECONNRESET", undefined, true],
    [{ kind: "resetInHeaders", applied: false }, "ECONNRESET", undefined, false],
    [{ kind: "resetInBody" }, "ECONNRESET", 200, true],
    [{ kind: "resetInBody", applied: false }, "ECONNRESET", 200, false],
    [{ kind: "truncated", bytes: 1 }, "ECONNRESET", 200, true],
    [{ kind: "truncated" }, "ECONNRESET", 200, true],
    [{ kind: "chunkedCut" }, "ECONNRESET", 200, true],
    [{ kind: "chunkedCut", applied: false }, "ECONNRESET", 200, false],
    [{ kind: "garbageStatusLine" }, "HPE_INVALID_CONSTANT", undefined, true],
    [{ kind: "garbageStatusLine", applied: false }, "HPE_INVALID_CONSTANT", undefined, false],
    [{ kind: "switching101" }, "upgraded", undefined, false],
  ] as const satisfies readonly (readonly [Fault, string, number | undefined, boolean])[]) {
    it(`${JSON.stringify(fault)}: the client sees ${code}, then all is well`, async () => {
      const { emulator, handle } = await inject(fault);
      assert.equal(await codeOf(put(emulator, body)), code);
      assert.deepEqual(met(emulator.requests[0]), [fault.kind, status, applied]);
      assert.deepEqual(emulator.routing(number), applied ? bound : undefined);
      assert.equal(handle.hits, 1);
      assert.deepEqual((await put(emulator, body)).json, whole(emulator));
    });
  }

  it("resetBeforeRequest: the body is not read", async () => {
    const { emulator } = await inject({ kind: "resetBeforeRequest" });
    await codeOf(put(emulator, body));
    assert.deepEqual([emulator.requests[0]?.rawBody, emulator.requests[0]?.body], ["", undefined]);
    assert.equal(emulator.requests[0]?.number, number);
  });

  it("raw: the bytes are the whole answer", async () => {
    const bytes = "HTTP/1.1 299 Odd\r\nContent-Length: 2\r\nX-Odd: 1\r\n\r\n{}";
    const { emulator } = await inject({ kind: "raw", bytes });
    const reply = await put(emulator, body);
    assert.deepEqual([reply.status, reply.text, reply.headers["x-odd"]], [299, "{}", "1"]);
    assert.deepEqual(met(emulator.requests[0]), ["raw", 299, true]);
  });

  it("keepAliveClosed: answers, and the next request on that connection meets an RST", async () => {
    const { emulator } = await inject({ kind: "keepAliveClosed" });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    assert.deepEqual((await put(emulator, body, { agent })).json, whole(emulator));
    assert.equal(await codeOf(postVoice(emulator, undefined, { agent })), "ECONNRESET");
    assert.deepEqual(emulator.requests.map(met), [
      ["keepAliveClosed", 200, true],
      ["keepAliveClosed", undefined, false],
    ]);
    assert.equal(emulator.voices.length, 0);
    assert.equal((await postVoice(emulator, undefined, { agent })).status, 200);
    agent.destroy();
  });

  it("silence: never answers, until the emulator closes", async () => {
    const { emulator } = await inject({ kind: "silence", applied: true });
    const waiting = codeOf(put(emulator, body));
    const [logged] = await emulator.waitForRequests(1);
    assert.deepEqual(met(logged), ["silence", undefined, true]);
    assert.deepEqual(emulator.routing(number), bound);
    await emulator.close();
    assert.equal(await waiting, "ECONNRESET");
  });
});
