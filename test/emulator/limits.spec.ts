import assert from "node:assert/strict";
import { answer } from "./expected";
import { call, errorForms, fixedClock, number, postChat, postVoice, put, start, statusesOf } from "./support";

const unauthorized = { error: "the access token is not valid" };

describe("emulator: a body that no platform would read", () => {
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  const send = (emulator: Awaited<ReturnType<typeof start>>, body: string) =>
    call(emulator, "POST", "/api/chats/outbound-sms", body);

  it("is refused where it is nested 100,000 deep, and the emulator goes on", async () => {
    const emulator = await start();
    const reply = await send(emulator, nested(100_000));
    assert.deepEqual(
      [reply.status, reply.json],
      [400, { error: "the body must be a JSON object, nested at most 64 levels deep" }],
    );
    assert.equal((await put(emulator, {})).status, 200);
  });

  it("is read up to 64 levels", async () => {
    const emulator = await start();
    const reply = await send(emulator, nested(64));
    assert.deepEqual([reply.status, reply.json], [400, { error: "workspaceId is required" }]);
    assert.equal((await send(emulator, nested(65))).status, 400);
  });

  it("is refused above 8 MiB, and not kept", async () => {
    const emulator = await start();
    const reply = await send(emulator, `{"a":"${"x".repeat(8 * 2 ** 20)}"}`);
    assert.deepEqual([reply.status, reply.json], [413, { error: "the body is larger than 8388608 bytes" }]);
    assert.equal(emulator.requests[0]?.rawBody, "");
    assert.equal((await put(emulator, {})).status, 200);
  });
});

describe("emulator: tokens and accounts", () => {
  for (const [title, options] of [
    ["no token", { token: "" }],
    ["another token", { token: "other" }],
    ["another scheme", { headers: { Authorization: "Basic secret" } }],
  ] as const) {
    it(`answers 401 to ${title} and applies nothing`, async () => {
      const emulator = await start({ token: "secret" });
      const reply = await put(emulator, { outboundAgentId: "agent_o" }, options);
      assert.deepEqual([reply.status, reply.json], [401, unauthorized]);
      assert.equal(emulator.numbers.size, 0);
      const [logged] = emulator.requests;
      assert.deepEqual([logged?.authorized, logged?.applied, logged?.status], [false, false, 401]);
    });
  }

  it("makes a token up that depends on the seed alone", async () => {
    const tokens = [await start(), await start(), await start({ seed: 2 })].map(({ token }) => token);
    assert.equal(tokens[0], tokens[1]);
    assert.notEqual(tokens[0], tokens[2]);
    assert.match(tokens[0] ?? "", /^emulator-token-[0-9a-f]{16}$/);
  });

  it("keeps the numbers, voices and chats of several accounts apart", async () => {
    const emulator = await start({
      token: "one",
      tokens: { two: { accountSid: "sid-two", workspaceId: 7 }, three: { accountSid: "sid-two" }, four: {} },
    });
    await put(emulator, { outboundAgentId: "agent_1" });
    await put(emulator, { outboundAgentId: "agent_2" }, { token: "two" });
    await postVoice(emulator, undefined, { token: "two" });
    await postChat(emulator, undefined, { token: "four" });
    assert.deepEqual(emulator.routing(number), { inboundAgents: {}, outboundAgentId: "agent_1" });
    const second = { inboundAgents: {}, outboundAgentId: "agent_2" };
    assert.deepEqual(emulator.routing(number, { token: "two" }), second);
    assert.deepEqual(emulator.routing(number, { token: "three" }), second);
    assert.equal(emulator.routing(number, { token: "four" }), undefined);
    assert.deepEqual([emulator.voices.length, emulator.account({ token: "three" }).voices.length], [0, 1]);
    assert.deepEqual([emulator.chats.length, emulator.account({ token: "four" }).chats.length], [0, 1]);
    const { accountSid, workspaceId } = emulator.account({ token: "two" });
    assert.deepEqual([accountSid, workspaceId, emulator.requests[1]?.accountSid], ["sid-two", 7, "sid-two"]);
    assert.deepEqual(emulator.account({ token: "two" }).numbers.get(number)?.workspaceId, 7);
    assert.throws(() => emulator.routing(number, { token: "five" }), new Error("No account has this token."));
  });

  it("takes its first token from `tokens` where there is no other", async () => {
    const emulator = await start({ tokens: { only: { accountSid: "sid", workspaceId: 9 } } });
    assert.equal(emulator.token, "only");
    assert.deepEqual([emulator.account().accountSid, emulator.account().workspaceId], ["sid", 9]);
    assert.equal((await put(emulator, {})).status, 200);
  });

  it("rotates a token: the old one is refused, the new one opens the same account", async () => {
    const emulator = await start({ token: "old", accountSid: "sid" });
    await put(emulator, { outboundAgentId: "agent_o" });
    emulator.addToken("new", { accountSid: "sid" });
    emulator.revokeToken("old");
    assert.equal((await put(emulator, {})).status, 401);
    assert.equal((await put(emulator, {}, { token: "new" })).status, 200);
    assert.deepEqual(emulator.routing(number, { token: "new" }), { inboundAgents: {}, outboundAgentId: "agent_o" });
    assert.deepEqual(emulator.routing(number), { inboundAgents: {}, outboundAgentId: "agent_o" });
  });

  it("tokenExpiresAfter (row 28) refuses the token after so many requests", async () => {
    const emulator = await start({ profile: { tokenExpiresAfter: 2 } });
    assert.equal((await put(emulator, {})).status, 200);
    assert.equal((await postVoice(emulator)).status, 200);
    const reply = await put(emulator, { outboundAgentId: "agent_o" });
    assert.deepEqual([reply.status, reply.json], [401, { error: "the access token has expired" }]);
    assert.deepEqual(emulator.routing(number), { inboundAgents: {} });
  });
});

describe("emulator: limits and errors", () => {
  for (const [retryAfter, header] of [
    ["seconds", "1"],
    ["date", "Tue, 01 Jan 2030 00:00:01 GMT"],
    ["absent", undefined],
  ] as const) {
    it(`rateLimit (row 30) with retryAfter=${retryAfter}`, async () => {
      const clock = fixedClock();
      const emulator = await start({ profile: { rateLimit: 2, retryAfter }, clock });
      assert.deepEqual(await statusesOf(emulator, 2), [200, 200]);
      const refused = await put(emulator, {});
      assert.deepEqual([refused.status, refused.json], [429, { error: "too many requests" }]);
      assert.equal(refused.headers["retry-after"], header);
      assert.equal(emulator.requests[2]?.applied, false);
      clock.move(499);
      assert.deepEqual(await statusesOf(emulator, 1), [429]);
      clock.move(1);
      assert.deepEqual(await statusesOf(emulator, 2), [200, 429]);
      clock.move(60_000);
      assert.deepEqual(await statusesOf(emulator, 3), [200, 200, 429]);
    });
  }

  it("sizeLimit (row 31) answers 413 to what is larger", async () => {
    const emulator = await start({ profile: { sizeLimit: 40 } });
    assert.equal((await put(emulator, { inboundWebhookUrl: "x".repeat(16) })).status, 200);
    const reply = await put(emulator, { inboundWebhookUrl: "é".repeat(16) });
    assert.deepEqual([reply.status, reply.json], [413, { error: "the body is larger than 40 bytes" }]);
  });

  for (const [errorBody, type, text] of errorForms(400, "workspaceId is required")) {
    it(`errorBody=${errorBody} (row 29) words the refusal of a POST, not of a PUT`, async () => {
      const emulator = await start({ profile: { errorBody } });
      for (const reply of [await postChat(emulator, {}), await postVoice(emulator, {})]) {
        assert.deepEqual([reply.status, reply.headers["content-type"], reply.text], [400, type, text]);
      }
      assert.deepEqual((await put(emulator, {}, { token: "other" })).json, unauthorized);
    });
  }

  it("escapes what it quotes in HTML", async () => {
    const emulator = await start({ profile: { errorBody: "html" } });
    const reply = await call(emulator, "POST", "/api/chats/%3Cb%3E/end", {});
    assert.equal(
      reply.text,
      "<!doctype html>\n<html><head><title>404</title></head><body><h1>chat &#60;b&#62; not found</h1></body></html>\n",
    );
  });

  it("latencyMs delays the answer, not the action", async () => {
    const emulator = await start({ latencyMs: 60_000 });
    const controller = new AbortController();
    const waiting = put(emulator, { outboundAgentId: "agent_o" }, { signal: controller.signal });
    const [logged] = await emulator.waitForRequests(1);
    assert.deepEqual([logged?.applied, logged?.status], [true, undefined]);
    assert.deepEqual(emulator.routing(number), { inboundAgents: {}, outboundAgentId: "agent_o" });
    controller.abort();
    await assert.rejects(waiting, { name: "AbortError" });
  });

  it("latencyMs answers in the end", async () => {
    const emulator = await start({ latencyMs: 5 });
    assert.deepEqual((await put(emulator, {})).json, answer(emulator));
  });
});
