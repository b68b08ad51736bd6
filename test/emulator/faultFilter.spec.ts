import assert from "node:assert/strict";
import { type Fault, faultKinds } from "../../emulator";
import { body, inject } from "./faultSupport";
import { faultOf, postChat, postVoice, put, start, statusesOf } from "./support";

describe("emulator: when a fault meets a request", () => {
  it("once by default, then never more", async () => {
    const { emulator } = await inject({ kind: "status", status: 500 });
    assert.deepEqual(await statusesOf(emulator, 3), [500, 200, 200]);
  });

  it("after so many requests, so many times", async () => {
    const { emulator, handle } = await inject({ kind: "status", status: 500, after: 1, times: 2 });
    assert.deepEqual(await statusesOf(emulator, 4), [200, 500, 500, 200]);
    assert.equal(handle.hits, 2);
  });

  it("until it is removed", async () => {
    const { emulator, handle } = await inject({ kind: "status", status: 500, times: Number.POSITIVE_INFINITY });
    assert.deepEqual(await statusesOf(emulator, 3), [500, 500, 500]);
    handle.remove();
    assert.deepEqual(await statusesOf(emulator, 1), [200]);
    emulator.inject({ kind: "status", status: 500, times: Number.POSITIVE_INFINITY });
    emulator.clearFaults();
    assert.deepEqual(await statusesOf(emulator, 1), [200]);
  });

  it("one after the other, in the order of injection", async () => {
    const { emulator } = await inject({ kind: "status", status: 500 });
    emulator.inject({ kind: "status", status: 502 });
    emulator.inject({ kind: "status", status: 503, after: 3 });
    assert.deepEqual(await statusesOf(emulator, 5), [500, 502, 200, 503, 200]);
  });

  it("of one operation, or of one number", async () => {
    const { emulator } = await inject({ kind: "status", status: 500, operation: "createSmsChat" });
    emulator.inject({ kind: "status", status: 502, number: "4001" });
    assert.equal((await put(emulator, body)).status, 200);
    assert.equal((await postVoice(emulator)).status, 200);
    assert.equal((await postChat(emulator)).status, 500);
    assert.equal((await put(emulator, body, {}, "4001")).status, 502);
    assert.deepEqual(emulator.routing("4001"), undefined);
  });

  it("refuses a fault that does not exist", async () => {
    const emulator = await start();
    const kinds = faultKinds.join(", ");
    assert.throws(
      () => emulator.inject(faultOf("nope" as Fault["kind"])),
      new Error(`Fault kind "nope" does not exist. Kinds: ${kinds}.`),
    );
    assert.throws(
      () => emulator.inject({ kind: "status", status: 99 }),
      new Error("Fault status: `status` must be an integer from 200 to 999."),
    );
  });
});
