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
    [{ kind: "resetAfterRequest" }, "ECONNRESET", undefined, false],
    [{ kind: "resetAfterRequest", applied: true }, "ECONNRESET", undefined, true],
    [{ kind: "resetInHeaders" }, "ECONNRESET", undefined, true],
    [{ kind: "resetInHeaders", applied: false }, "ECONNRESET", undefined, false],
    [{ kind: "resetInBody" }, "ECONNRESET", 200, true],
    [{ kind: "resetInBody", applied: false }, "ECONNRESET", 200, false],
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
