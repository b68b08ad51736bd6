import assert from "node:assert/strict";
import { fixFor } from "../../provider/api/failure";
import { Limiter } from "../../provider/api/limiter";
import { fixOf } from "../../provider/words/codes";
import { checkRows } from "../support/rows";
import { assignment, clientForEach, facts, NUMBER, SEND, voice } from "./support";
import { virtualTime } from "./virtualTime";

/** Creates a limiter with this many slots, and the virtual clock that it runs on. */
function setUp(slots = 16) {
  const time = virtualTime();
  return { time, limiter: new Limiter(slots, time) };
}

/** Returns a function that accepts up to `limit` requests in each time window and rejects the others. */
function fixedWindow(limit: number, windowMs = 1000) {
  const counts = new Map<number, number>();
  return (now: number) => {
    const window = Math.floor(now / windowMs);
    const count = counts.get(window) ?? 0;
    counts.set(window, count + 1);
    return count < limit;
  };
}

/**
 * Simulates assigning this many numbers, 16 at a time. A request that isn't accepted pauses the limiter, as a 429 does,
 * and is sent again.
 */
function assignNumbers(accepts: (now: number) => boolean, numberCount: number, pauseMs: number) {
  const { time, limiter } = setUp();
  let requests = 0;
  async function assignOne(): Promise<void> {
    await limiter.enter();
    let isAccepted = false;
    while (!isAccepted) {
      await limiter.takeTurn();
      const sentAt = time.now();
      requests += 1;
      await time.delay(4);
      isAccepted = accepts(time.now());
      if (!isAccepted) {
        limiter.pause(sentAt, pauseMs);
      }
    }
    limiter.leave();
  }
  const assigned = Promise.all(Array.from({ length: numberCount }, assignOne));
  return time.run(assigned.then(() => ({ seconds: time.now() / 1000, requests })));
}

describe("the request limiter", () => {
  it("never exceeds the maximum number of concurrent requests", async () => {
    const { time, limiter } = setUp(3);
    const started: number[] = [];
    let [running, peak] = [0, 0];
    const operation = async (index: number) => {
      await limiter.enter();
      started.push(index);
      running += 1;
      peak = Math.max(peak, running);
      await time.delay(10);
      running -= 1;
      limiter.leave();
    };
    const indexes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    for (const endsAt of [40, 80]) {
      await time.run(Promise.all(indexes.map(operation)));
      assert.deepEqual([started.splice(0), peak, time.now()], [indexes, 3, endsAt]);
    }
  });

  it("doesn't delay requests before the first 429", async () => {
    assert.deepEqual(await assignNumbers(() => true, 1600, 1000), { seconds: 0.4, requests: 1600 });
  });

  it("waits for the longest of several overlapping pauses", async () => {
    const { time, limiter } = setUp();
    await time.run(time.delay(5536.1));
    for (const pauseMs of [500, 60_000, 300]) {
      limiter.pause(time.now(), pauseMs);
    }
    await time.run(limiter.takeTurn());
    assert.equal(time.now(), 5536.1 + 60_000);
  });

  /**
   * The limiter gets `bursts` bursts of `burstSize` 429s. The requests of a burst are sent at the same time.
   * `intervalMs` is the expected interval between later requests.
   */
  const rows: { name: string; bursts: number; burstSize: number; intervalMs: number }[] = [
    { name: "spaces requests 50 ms apart after a 429", bursts: 1, burstSize: 1, intervalMs: 50 },
    { name: "spaces requests 50 ms apart after 16 simultaneous 429s", bursts: 1, burstSize: 16, intervalMs: 50 },
    { name: "spaces requests 100 ms apart after a second burst of 429s", bursts: 2, burstSize: 16, intervalMs: 100 },
    { name: "spaces requests 400 ms apart after four 429s", bursts: 4, burstSize: 1, intervalMs: 400 },
    { name: "never spaces requests more than one second apart", bursts: 9, burstSize: 1, intervalMs: 1000 },
  ];
  for (const { name, bursts, burstSize, intervalMs } of rows) {
    it(name, async () => {
      const { time, limiter } = setUp();
      const work = async () => {
        for (let burst = 0; burst < bursts; burst += 1) {
          await limiter.takeTurn();
          const sentAt = time.now();
          for (let index = 0; index < burstSize; index += 1) {
            limiter.pause(sentAt, 1000);
            await time.delay(1);
          }
        }
        const turns: number[] = [];
        const turn = () => limiter.takeTurn().then(() => turns.push(time.now()));
        await Promise.all([turn(), turn(), turn(), turn()]);
        // The interval still applies after an hour without requests.
        await time.delay(3_600_000);
        await Promise.all([turn(), turn()]);
        return turns.map((at, index) => at - (turns[index - 1] ?? 0));
      };
      const [, ...intervals] = await time.run(work());
      assert.deepEqual(intervals.slice(0, 3).concat(intervals.slice(4)), [
        intervalMs,
        intervalMs,
        intervalMs,
        intervalMs,
      ]);
    });
  }

  const loads: {
    name: string;
    limit: number;
    windowMs: number;
    pauseMs: number;
    seconds: number;
    maxRetries: number;
  }[] = [
    { name: "10 requests per second", limit: 10, windowMs: 1000, pauseMs: 1000, seconds: 70, maxRetries: 40 },
    { name: "100 requests per second", limit: 100, windowMs: 1000, pauseMs: 1000, seconds: 16, maxRetries: 16 },
    { name: "200 requests per minute", limit: 200, windowMs: 60_000, pauseMs: 60_000, seconds: 66, maxRetries: 16 },
  ];
  for (const { name, limit, windowMs, pauseMs, seconds, maxRetries } of loads) {
    it(`assigns 300 numbers within ${seconds} s if the rate limit is ${name}`, async () => {
      const result = await assignNumbers(fixedWindow(limit, windowMs), 300, pauseMs);
      assert.ok(result.seconds <= seconds, `took ${result.seconds} s`);
      assert.ok(result.requests - 300 <= maxRetries, `sent ${result.requests} requests`);
    });
  }
});

describe("rate limits", () => {
  const start = clientForEach();
  const rows: [string, Record<string, string | string[]>, number][] = [
    ["backs off for half a second after a 429 without Retry-After", {}, 500],
    ["waits one second after a 429 with Retry-After: 1", { "Retry-After": "1" }, 1000],
    ["waits one minute after a 429 with Retry-After: 60", { "Retry-After": "60" }, 60_000],
    [
      "compares a Retry-After date with the server's Date header",
      { Date: "Sun, 01 Mar 2026 12:00:00 GMT", "Retry-After": "Sun, 01 Mar 2026 12:00:07 GMT" },
      7000,
    ],
  ];
  for (const [name, headers, waitMs] of rows) {
    it(name, () =>
      checkRows(
        Object.entries(SEND),
        ([operation]) => operation,
        async ([operation, send]) => {
          const { emulator, client } = await start();
          emulator.inject({ kind: "status", status: 429, headers });
          emulator.inject({ kind: "status", status: 200, body: { success: true, voiceId: "v", chatId: "c" } });
          assert.equal((await send(client)).failure, undefined);
          assert.deepEqual(client.runtime.waits, [waitMs]);
          assert.deepEqual(
            emulator.requests.map((request) => request.operation),
            [operation, operation],
          );
        },
      ),
    );
  }

  it("does not delay other requests if a 429 asks for a one-hour wait", async () => {
    const { emulator, client } = await start();
    const headers = { "Retry-After": "3600" };
    emulator.inject({ kind: "status", status: 429, headers, number: NUMBER, times: "always" });
    const outcomes = [
      await client.assignNumber(assignment),
      await client.assignNumber({ ...assignment, number: "+15550000002" }),
      await client.addCommunityVoice(voice),
    ];
    const host = `127.0.0.1:${emulator.port}`;
    assert.deepEqual(outcomes.map(facts), [
      `rejected, rateLimited: 429, 1 attempt: ${host} "injected 429"`,
      "applied: 200",
      "applied: 200",
    ]);
    assert.equal(outcomes[0]?.failure?.retryAfterMs, 3_600_000);
    assert.deepEqual(client.runtime.waits, []);
  });

  it("does not suggest a wait of 0 seconds if Retry-After is 0", async () => {
    const { emulator, client } = await start();
    const headers = { "Retry-After": "0" };
    emulator.inject({ kind: "status", status: 429, headers, times: "always" });
    const { failure } = await client.assignNumber(assignment);
    const access = { endpoint: emulator.url, tokenSource: "config" } as const;
    assert.ok(failure);
    assert.equal(fixFor("AGP-034", failure, access), fixOf("AGP-034"));
  });

  it("waits for a 503's Retry-After before retrying a PUT", async () => {
    const { emulator, client } = await start();
    emulator.inject({ kind: "status", status: 503, headers: { "Retry-After": "7" } });
    assert.equal((await client.assignNumber(assignment)).failure, undefined);
    assert.deepEqual(client.runtime.waits, [7000]);
  });

  it("does not retry if a 503 asks for a one-hour wait", async () => {
    const { emulator, client } = await start();
    emulator.inject({ kind: "status", status: 503, headers: { "Retry-After": "3600" }, times: 2 });
    for (const send of [() => client.assignNumber(assignment), () => client.addCommunityVoice(voice)]) {
      const { failure } = await send();
      assert.deepEqual(
        [failure?.outcome, failure?.cause, failure?.retryAfterMs],
        ["unknown", "serverError", 3_600_000],
      );
    }
    assert.equal(emulator.requests.length, 2);
  });
});
