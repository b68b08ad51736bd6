import assert from "node:assert/strict";
import { fixFor } from "../../provider/api/failure";
import { Limiter } from "../../provider/api/limiter";
import { fixOf } from "../../provider/words/codes";
import { checkRows } from "../support/rows";
import { assignment, clientForEach, facts, NUMBER, SEND, voice } from "./support";
import { virtualTime } from "./virtualTime";

/** A limiter of so many slots, on a clock of its own. */
function setUp(slots = 16) {
  const time = virtualTime();
  return { time, limiter: new Limiter(slots, time) };
}

/** So many requests in a window are accepted. */
function fixedWindow(most: number, windowMs = 1000) {
  const counts = new Map<number, number>();
  return (now: number) => {
    const window = Math.floor(now / windowMs);
    const count = counts.get(window) ?? 0;
    counts.set(window, count + 1);
    return count < most;
  };
}

/** Applies so many numbers, 16 at a time, at a platform whose 429 asks for so long. Says how long it took, and how many requests. */
function run(accepts: (now: number) => boolean, numbers: number, pauseMs: number) {
  const { time, limiter } = setUp();
  let requests = 0;
  async function one(): Promise<void> {
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
  const all = Promise.all(Array.from({ length: numbers }, one));
  return time.run(all.then(() => ({ seconds: time.now() / 1000, requests })));
}

describe("the request limiter", () => {
  it("never exceeds the maximum number of concurrent requests", async () => {
    const { time, limiter } = setUp(3);
    const events: number[] = [];
    let [underWay, most] = [0, 0];
    const one = async (name: number) => {
      await limiter.enter();
      events.push(name);
      underWay += 1;
      most = Math.max(most, underWay);
      await time.delay(10);
      underWay -= 1;
      limiter.leave();
    };
    const all = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    for (const endsAt of [40, 80]) {
      await time.run(Promise.all(all.map(one)));
      assert.deepEqual([events.splice(0), most, time.now()], [all, 3, endsAt]);
    }
  });

  it("doesn't delay requests before the first 429", async () => {
    assert.deepEqual(await run(() => true, 1600, 1000), { seconds: 0.4, requests: 1600 });
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

  /** Each 429 is of a request that was sent after the pause of the one before, or as many come at once as the row says. */
  const rows: { name: string; refusals: number; atOnce: number; apartMs: number }[] = [
    { name: "spaces requests 50 ms apart after a 429", refusals: 1, atOnce: 1, apartMs: 50 },
    { name: "spaces requests 50 ms apart after 16 simultaneous 429s", refusals: 1, atOnce: 16, apartMs: 50 },
    { name: "spaces requests 100 ms apart after a second burst of 429s", refusals: 2, atOnce: 16, apartMs: 100 },
    { name: "spaces requests 400 ms apart after four 429s", refusals: 4, atOnce: 1, apartMs: 400 },
    { name: "never spaces requests more than one second apart", refusals: 9, atOnce: 1, apartMs: 1000 },
  ];
  for (const { name, refusals, atOnce, apartMs } of rows) {
    it(name, async () => {
      const { time, limiter } = setUp();
      const work = async () => {
        for (let refusal = 0; refusal < refusals; refusal += 1) {
          await limiter.takeTurn();
          const sentAt = time.now();
          for (let one = 0; one < atOnce; one += 1) {
            limiter.pause(sentAt, 1000);
            await time.delay(1);
          }
        }
        const turns: number[] = [];
        const turn = () => limiter.takeTurn().then(() => turns.push(time.now()));
        await Promise.all([turn(), turn(), turn(), turn()]);
        // The distance stays, however long nothing is sent.
        await time.delay(3_600_000);
        await Promise.all([turn(), turn()]);
        return turns.map((now, index) => now - (turns[index - 1] ?? 0));
      };
      const [, ...apart] = await time.run(work());
      assert.deepEqual(apart.slice(0, 3).concat(apart.slice(4)), [apartMs, apartMs, apartMs, apartMs]);
    });
  }

  const loads: { name: string; most: number; windowMs: number; pauseMs: number; seconds: number; extra: number }[] = [
    { name: "10 requests per second", most: 10, windowMs: 1000, pauseMs: 1000, seconds: 70, extra: 40 },
    { name: "100 requests per second", most: 100, windowMs: 1000, pauseMs: 1000, seconds: 16, extra: 16 },
    { name: "200 requests per minute", most: 200, windowMs: 60_000, pauseMs: 60_000, seconds: 66, extra: 16 },
  ];
  for (const { name, most, windowMs, pauseMs, seconds, extra } of loads) {
    it(`assigns 300 numbers within ${seconds} s if the rate limit is ${name}`, async () => {
      const took = await run(fixedWindow(most, windowMs), 300, pauseMs);
      assert.ok(took.seconds <= seconds, `${took.seconds} s`);
      assert.ok(took.requests - 300 <= extra, `${took.requests} requests`);
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
