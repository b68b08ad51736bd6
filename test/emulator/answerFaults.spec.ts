import assert from "node:assert/strict";
import type { Emulator } from "../../emulator";
import { body, bound, inject, met, whole } from "./faultSupport";
import { faultOf, number, postChat, postVoice, put, start } from "./support";

describe("emulator: faults in the answer", () => {
  const text = (emulator: Emulator) => JSON.stringify(whole(emulator)).length;

  for (const kind of ["slowHeaders", "contradict"] as const) {
    it(`${kind}: the answer comes whole`, async () => {
      const { emulator } = await inject(faultOf(kind, { ms: kind === "slowHeaders" ? 5 : 0 }));
      const reply = await put(emulator, body);
      assert.deepEqual(reply.json, whole(emulator));
      assert.deepEqual(met(emulator.requests[0]), [kind, 200, true]);
    });
  }

  it("drip: the answer comes whole, byte by byte", async () => {
    const emulator = await start({ profile: "putStatus=204" });
    emulator.inject({ kind: "drip", ms: 0 });
    assert.equal((await put(emulator, body)).text, '{"success":true}');
    assert.deepEqual(met(emulator.requests[0]), ["drip", 200, true]);
  });

  it("invalidJson: the last character is missing", async () => {
    const { emulator } = await inject({ kind: "invalidJson" });
    const reply = await put(emulator, body);
    assert.deepEqual([reply.json, reply.headers["content-type"]], [undefined, "application/json; charset=utf-8"]);
    assert.deepEqual(JSON.parse(`${reply.text}}`), whole(emulator));
  });

  it("html: a login page, and nothing applied", async () => {
    const { emulator } = await inject({ kind: "html" });
    const reply = await put(emulator, body);
    assert.deepEqual([reply.status, reply.headers["content-type"]], [200, "text/html; charset=utf-8"]);
    assert.match(reply.text, /^<!doctype html>\n<html><head><title>Sign in<\/title>/);
    assert.equal(emulator.routing(number), undefined);
    emulator.inject({ kind: "html", status: 511, body: "<p>" });
    const own = await put(emulator, body);
    assert.deepEqual([own.status, own.text], [511, "<p>"]);
  });

  it("huge: white space after the answer", async () => {
    const { emulator } = await inject({ kind: "huge", bytes: 2 ** 20 });
    const reply = await put(emulator, body);
    assert.equal(reply.bytes.length, text(emulator) + 2 ** 20);
    assert.deepEqual(reply.json, whole(emulator));
  });

  it("redirect: the second server sees nothing of what is not followed", async () => {
    const second = await start();
    const { emulator } = await inject({ kind: "redirect", status: 307, location: `${second.url}/elsewhere` });
    const reply = await put(emulator, body);
    assert.deepEqual([reply.status, reply.headers.location, reply.text], [307, `${second.url}/elsewhere`, ""]);
    emulator.inject({ kind: "redirect" });
    const own = await put(emulator, body);
    assert.deepEqual([own.status, own.headers.location], [302, "/redirected"]);
    assert.deepEqual([second.requests.length, emulator.numbers.size], [0, 0]);
  });

  for (const [fault, type, text] of [
    [{ status: 503 }, "application/json; charset=utf-8", '{"error":"injected 503"}'],
    [{ status: 503, body: "", headers: { "Content-Type": "text/x" } }, "text/x", ""],
    [{ status: 503, body: undefined }, undefined, ""],
  ] as const) {
    it(`status: ${JSON.stringify(fault)}`, async () => {
      const { emulator } = await inject({ kind: "status", ...fault });
      const reply = await put(emulator, body);
      assert.deepEqual([reply.status, reply.headers["content-type"], reply.text], [503, type, text]);
      assert.deepEqual(met(emulator.requests[0]), ["status", 503, false]);
      assert.equal(emulator.routing(number), undefined);
    });
  }

  it("status: a header twice, or with any text", async () => {
    const { emulator } = await inject({ kind: "status", status: 429, headers: { "Retry-After": ["1", "soon"] } });
    const { rawHeaders } = await put(emulator, body);
    const values = rawHeaders.filter((_, index) => rawHeaders[index - 1] === "Retry-After");
    assert.deepEqual(values, ["1", "soon"]);
  });

  it("status: a 2xx applies, unless it says that it does not", async () => {
    const { emulator } = await inject({ kind: "status", status: 206, body: {} });
    assert.deepEqual([(await put(emulator, body)).status, emulator.routing(number)], [206, bound]);
    emulator.inject({ kind: "status", status: 200, applied: false });
    await put(emulator, { outboundAgentId: "agent_p" });
    assert.deepEqual(emulator.routing(number), bound);
  });

  it("appliedBut500: the platform has acted", async () => {
    const { emulator } = await inject({ kind: "appliedBut500" });
    const reply = await postVoice(emulator);
    assert.deepEqual([reply.status, reply.json], [500, { error: "internal error" }]);
    assert.equal(emulator.voices.length, 1);
    assert.deepEqual(met(emulator.requests[0]), ["appliedBut500", 500, true]);
  });

  it("noContent: a success without a body, so that an identifier is lost", async () => {
    const { emulator } = await inject({ kind: "noContent" });
    const reply = await postChat(emulator);
    assert.deepEqual([reply.status, reply.text, emulator.chats.length], [204, "", 1]);
    emulator.inject({ kind: "noContent", status: 200 });
    assert.deepEqual((await postChat(emulator)).headers["content-length"], "0");
  });

  it("contradict: fields of the answer, and of every record", async () => {
    const { emulator } = await inject({
      kind: "contradict",
      patch: { success: undefined, assignment: { agent_id: "agent_x" } },
      record: { agent_id: null, outbound_agents: [] },
    });
    const { success: _, ...rest } = whole(emulator);
    const [record] = rest.numbers as object[];
    assert.deepEqual((await put(emulator, body)).json, {
      ...rest,
      numbers: [{ ...record, agent_id: null, outbound_agents: [] }],
      assignment: { ...(rest.assignment as object), agent_id: "agent_x" },
    });
    assert.deepEqual(emulator.routing(number), bound);
  });
});
