import assert from "node:assert/strict";
import { assignment, chat, clientForEach, facts, type TestClient, voice } from "./support";

describe("rate limits", () => {
  const start = clientForEach();
  const rows: [string, Record<string, string | string[]>, number][] = [
    ["no Retry-After: backoff", {}, 500],
    ["Retry-After: 1", { "Retry-After": "1" }, 1000],
    [
      "a date by the server's clock",
      { Date: "Sun, 01 Mar 2026 12:00:00 GMT", "Retry-After": "Sun, 01 Mar 2026 12:00:07 GMT" },
      7000,
    ],
  ];
  for (const [name, headers, waitMs] of rows) {
    it(`every operation is sent again after 429, ${name} (F25, F26)`, async () => {
      for (const send of [
        (client: TestClient) => client.assignNumber(assignment),
        (client: TestClient) => client.addCommunityVoice(voice),
        (client: TestClient) => client.createSmsChat(chat),
      ]) {
        const { emulator, client } = await start();
        emulator.inject({ kind: "status", status: 429, headers });
        assert.equal((await send(client)).outcome, "applied");
        assert.deepEqual(client.runtime.waits, [waitMs]);
        assert.equal(emulator.requests.length, 2);
      }
    });
  }

  for (const [name, value, seconds] of [["an hour", "3600", 3600]] as const) {
    it(`a pause of ${name} is not waited for: it is said, and nothing else is sent (F26)`, async () => {
      const { emulator, client } = await start();
      emulator.inject({
        kind: "status",
        status: 429,
        headers: { "Retry-After": value },
        times: Number.POSITIVE_INFINITY,
      });
      const first = await client.assignNumber(assignment);
      assert.ok(first.outcome === "rejected");
      assert.equal(
        facts(first),
        `rejected, rateLimited: 429, 1 attempt: from 127.0.0.1:${emulator.port} "injected 429"`,
      );
      assert.equal(first.failure.retryAfterSeconds, seconds);
      assert.deepEqual(client.runtime.waits, []);
      assert.equal(emulator.requests.length, 1);
    });
  }

  it("while the platform wants an hour of silence, what waits is not sent", async () => {
    const { emulator, client } = await start({ concurrency: 2 });
    emulator.inject({
      kind: "status",
      status: 429,
      headers: { "Retry-After": "3600" },
      times: Number.POSITIVE_INFINITY,
    });
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => client.addCommunityVoice(voice)));
    assert.equal(emulator.requests.length, 2);
    for (const outcome of outcomes.slice(2)) {
      assert.ok(outcome.outcome === "rejected");
      const { cause, detail, retryAfterSeconds, exchange } = outcome.failure;
      assert.equal(cause, "rateLimited");
      assert.ok(
        /^not sent: 127\.0\.0\.1:\d+ returned 429 earlier and asks for no requests for another 3\d\d\d(\.\d)? s$/.test(
          detail,
        ),
        detail,
      );
      assert.ok((retryAfterSeconds ?? 0) > 3590);
      assert.equal(exchange.attempts, 0);
    }
  });

  it("a PUT waits as long as a 503 asks for, a POST is not sent again (F26)", async () => {
    const { emulator, client } = await start();
    emulator.inject({ kind: "status", status: 503, headers: { "Retry-After": "7" } });
    assert.equal((await client.assignNumber(assignment)).outcome, "applied");
    assert.deepEqual(client.runtime.waits, [7000]);
    emulator.inject({ kind: "status", status: 503, headers: { "Retry-After": "3600" }, times: 2 });
    for (const send of [() => client.assignNumber(assignment), () => client.addCommunityVoice(voice)]) {
      const outcome = await send();
      assert.ok(outcome.outcome === "unknown");
      assert.equal(outcome.failure.cause, "serverError");
      assert.equal(outcome.failure.retryAfterSeconds, 3600);
    }
    assert.equal(emulator.requests.length, 4);
  });
});
