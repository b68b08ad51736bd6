import assert from "node:assert/strict";
import { createLimiter, type Finish, type Slot } from "../../provider/client/limiter";
import { assignment, chat, clientForEach, facts, type TestClient, voice } from "./support";
import { virtualTime } from "./virtualTime";

/** Does the platform take a request at this time? */
type Server = (now: number) => boolean;

const bucket = (perSecond: number, burst: number): Server => {
  let left = burst;
  let since = 0;
  return (now) => {
    left = Math.min(burst, left + ((now - since) * perSecond) / 1000);
    since = now;
    const takes = left >= 1;
    left -= takes ? 1 : 0;
    return takes;
  };
};

const fixedWindow = (most: number, windowMs = 1000): Server => {
  const counts = new Map<number, number>();
  return (now) => {
    const window = Math.floor(now / windowMs);
    const count = counts.get(window) ?? 0;
    counts.set(window, count + 1);
    return count < most;
  };
};

const slidingWindow = (perSecond: number): Server => {
  let taken: number[] = [];
  return (now) => {
    taken = taken.filter((time) => time > now - 1000);
    if (taken.length >= perSecond) {
      return false;
    }
    taken.push(now);
    return true;
  };
};

interface Load {
  readonly server: Server;
  readonly numbers: number;
  readonly latencyMs?: number;
  readonly retryAfterMs?: (refusals: number) => number;
}

/** A limiter of 16 slots, or so many, on a clock of its own. */
function setUp(slots = 16) {
  const time = virtualTime();
  const limiter = createLimiter(slots, 60_000, time);
  const begin = async (target?: string): Promise<Slot> => {
    const slot = limiter.enter(target);
    assert.equal(await slot.permit(), "go");
    return slot;
  };
  const beginAll = (count: number) => Promise.all(Array.from({ length: count }, () => begin()));
  return { time, limiter, begin, beginAll };
}

function end(slot: Slot | undefined, result: Finish): void {
  slot?.finish(result);
  slot?.release();
}

/** Applies so many numbers, 16 at a time, and says how fast it was. */
function run({ server, numbers, latencyMs = 4, retryAfterMs = () => 1000 }: Load) {
  const { time, limiter } = setUp();
  let requests = 0;
  async function one(): Promise<void> {
    const slot = limiter.enter();
    let isTaken = false;
    for (let refusals = 1; !isTaken; refusals += 1) {
      assert.equal(await slot.permit(), "go");
      requests += 1;
      await time.delay(latencyMs / 2);
      isTaken = server(time.now());
      await time.delay(latencyMs / 2);
      const pauseMs = retryAfterMs(refusals);
      const isPaused = slot.finish(isTaken ? "accepted" : { pauseMs });
      await time.delay(isTaken || isPaused ? 0 : pauseMs);
    }
    slot.release();
  }
  const all = Promise.all(Array.from({ length: numbers }, one));
  return time.run(all.then(() => ({ perSecond: numbers / (time.now() / 1000), requests })));
}

describe("the limiter", () => {
  it("keeps as many under way as its slots, in the order of their coming", async () => {
    const { time, begin } = setUp(3);
    const events: number[] = [];
    let [underWay, most] = [0, 0];
    const one = async (name: number) => {
      const slot = await begin();
      events.push(name);
      underWay += 1;
      most = Math.max(most, underWay);
      await time.delay(10);
      underWay -= 1;
      end(slot, "accepted");
    };
    await time.run(Promise.all(Array.from({ length: 10 }, (_, index) => one(index))));
    assert.deepEqual([events, most, time.now()], [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 3, 40]);
  });

  it("sends without any wait until a 429 comes", async () => {
    const { requests, perSecond } = await run({ server: () => true, numbers: 1600, latencyMs: 10 });
    assert.deepEqual([requests, Math.round(perSecond)], [1600, 1600]);
  });

  it("lets all wait for the longest pause of one, and the oldest go first", async () => {
    const { time, beginAll } = setUp();
    const slots = await beginAll(3);
    for (const [index, pauseMs] of [500, 2000, 300].entries()) {
      slots[index]?.finish({ pauseMs });
    }
    const sent: [number, number][] = [];
    const again = (index: number) => slots[index]?.permit().then(() => sent.push([index, time.now()]));
    await time.run(Promise.all([again(2), again(1), again(0)]));
    assert.deepEqual(
      sent.map(([index]) => index),
      [0, 1, 2],
    );
    assert.equal(sent[0]?.[1], 2000);
  });

  it("refuses at once, and all who wait, if sixteen in a row are to wait longer than an operation may take", async () => {
    const { time, limiter, beginAll } = setUp();
    const slots = await beginAll(16);
    const waiting = limiter.enter().permit();
    for (const slot of slots) {
      slot.finish({ pauseMs: 3_600_000 });
    }
    assert.deepEqual(await waiting, { blockedForMs: 3_600_000 });
    assert.deepEqual(await slots[0]?.permit(), { blockedForMs: 3_600_000 });
    await time.run(time.delay(3_540_001));
    assert.equal(await time.run(slots[0]?.permit() ?? waiting), "go");
  });

  it("waits for a pause that is just as long as an operation may take, on a clock with fractions", async () => {
    const { time, begin, beginAll } = setUp();
    await time.run(time.delay(5536.1));
    const [slot] = await beginAll(1);
    end(slot, { pauseMs: 60_000 });
    await time.run(begin());
    assert.equal(time.now(), 5536.1 + 60_000);
  });

  it("refuses all if sixteen in a row get a 401", async () => {
    const { limiter, beginAll } = setUp();
    for (const slot of await beginAll(16)) {
      slot.finish("unauthenticated");
    }
    assert.equal(await limiter.enter().permit(), "rejected token");
  });

  it("does not if one of sixteen is accepted, or if they are of one number", async () => {
    const { begin, beginAll } = setUp();
    for (const [index, slot] of (await beginAll(16)).entries()) {
      end(slot, index === 8 ? "accepted" : "unauthenticated");
    }
    for (let count = 0; count < 20; count += 1) {
      end(await begin("+15550000001"), "unauthenticated");
    }
  });

  it("lets no more begin than would make sixteen, until it is known whether a 401 is of all", async () => {
    const { begin, beginAll } = setUp();
    const slots = await beginAll(16);
    let more = 0;
    const done = Promise.all(Array.from({ length: 5 }, () => begin().then(() => (more += 1))));
    for (const slot of slots.slice(0, 4)) {
      end(slot, "unauthenticated");
    }
    await new Promise(setImmediate);
    assert.equal(more, 1);
    end(slots[4], "accepted");
    await done;
  });

  it("pauses all once, and not again, if one number alone gets a 429 again and again", async () => {
    const { time, begin, beginAll } = setUp();
    for (const slot of await beginAll(10)) {
      end(slot, "accepted");
    }
    const bad = await begin("+15550000001");
    assert.equal(bad.finish({ pauseMs: 5000 }), true);
    await time.run(bad.permit());
    assert.equal(time.now(), 5000);
    assert.equal(bad.finish({ pauseMs: 5000 }), false);
    const good = await time.run(begin("+15550000002"));
    assert.equal(time.now(), 5500);
    assert.equal(good.finish({ pauseMs: 300 }), true);
  });

  const loads: [string, Load, { atLeast: number; extra: number }][] = [
    ["a bucket of 100", { server: bucket(100, 100), numbers: 3000 }, { atLeast: 97, extra: 20 }],
    ["a bucket of ten without a burst", { server: bucket(10, 1), numbers: 300 }, { atLeast: 4.8, extra: 20 }],
    [
      "a sliding window, 100 ms away",
      { server: slidingWindow(100), numbers: 3000, latencyMs: 100 },
      { atLeast: 68, extra: 30 },
    ],
    [
      "a window, no Retry-After",
      { server: fixedWindow(100), numbers: 3000, retryAfterMs: (n) => 500 * 2 ** (n - 1) },
      { atLeast: 80, extra: 25 },
    ],
    [
      "600 a minute",
      { server: fixedWindow(600, 60_000), numbers: 1000, retryAfterMs: () => 60_000 },
      { atLeast: 14, extra: 16 },
    ],
    [
      "one every six seconds",
      { server: bucket(1 / 6, 1), numbers: 50, retryAfterMs: () => 6000 },
      { atLeast: 0.12, extra: 30 },
    ],
    [
      "no limit, after 30 s of 429 alone",
      { server: (now) => now < 50 || now > 30_000, numbers: 3000, retryAfterMs: () => 30_000 },
      { atLeast: 80, extra: 16 },
    ],
  ];
  for (const [name, load, { atLeast, extra }] of loads) {
    it(`keeps the pace of ${name}`, async () => {
      const { perSecond, requests } = await run(load);
      assert.ok(perSecond >= atLeast, `${perSecond.toFixed(2)} a second`);
      assert.ok(requests - load.numbers <= extra, `${requests} requests for ${load.numbers} numbers`);
    });
  }
});

describe("the pace after a 429", () => {
  /** So many are accepted at once, one is refused for so many milliseconds, or so many pass. */
  type Step = ["accept" | "refuse" | "pass", number];
  const burst: Step[] = [
    ["accept", 10],
    ["refuse", 1000],
  ];
  const tenSeconds = Array.from({ length: 20 }, (): Step[] => [
    ["accept", 1],
    ["pass", 500],
  ]).flat();

  const rows: [string, number, Step[]][] = [
    ["is what was accepted, by the time until the end of the pause", 100, burst],
    ["counts two pauses if nothing was accepted between them", 200, [...burst, ["refuse", 1000]]],
    ["counts no time in which nothing was to be sent", 100, [["accept", 10], ["pass", 300_000], ...burst]],
    ["counts five seconds of longer pauses", 500, [...burst, ["refuse", 2000], ["refuse", 60_000]]],
    ["is doubled after a second, if the 429 came at once", 50, [...burst, ["pass", 2000], ["accept", 1]]],
    [
      "is doubled after four times as long as requests were sent before",
      275,
      [...tenSeconds, ["refuse", 1000], ["pass", 41_000], ["accept", 1]],
    ],
    [
      "is doubled after a minute at the latest",
      262.5,
      [...tenSeconds, ...tenSeconds, ["refuse", 1000], ["pass", 61_000], ["accept", 1]],
    ],
  ];
  for (const [name, apartMs, steps] of rows) {
    it(name, async () => {
      const { time, begin } = setUp();
      const accept = async (): Promise<number> => {
        end(await begin(), "accepted");
        return time.now();
      };
      const does: Readonly<Record<Step[0], (amount: number) => Promise<unknown>>> = {
        accept: (count) => Promise.all(Array.from({ length: count }, accept)),
        refuse: async (pauseMs) => end(await begin(), { pauseMs }),
        pass: time.delay,
      };
      const work = async () => {
        for (const [verb, amount] of steps) {
          await does[verb](amount);
        }
        const sentAt = await accept();
        return (await accept()) - sentAt;
      };
      const apart = await time.run(work());
      assert.ok(Math.abs(apart - apartMs) < apartMs / 100, `${apart} ms`);
    });
  }
});

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
    it(`every operation is sent again after 429, ${name}`, async () => {
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

  it("a pause of an hour is not waited for: after sixteen in a row, and one under way, it is said and nothing else is sent", async () => {
    const { emulator, client } = await start({ concurrency: 2 });
    const headers = { "Retry-After": "3600" };
    emulator.inject({ kind: "status", status: 429, headers, times: Number.POSITIVE_INFINITY });
    const outcomes = await Promise.all(Array.from({ length: 30 }, () => client.addCommunityVoice(voice)));
    const host = `127.0.0.1:${emulator.port}`;
    assert.deepEqual(
      [...new Set(outcomes.map((one) => facts(one).replace(/3\d\d\d(\.\d)? s$/, "… s")))],
      [
        `rejected, rateLimited: 429, 1 attempt: from ${host} "injected 429"`,
        `rejected, rateLimited: no response, 0 attempts: not sent: ${host} returned 429 earlier and asks for no requests for another … s`,
      ],
    );
    for (const outcome of outcomes) {
      assert.ok(outcome.outcome === "rejected" && (outcome.failure.retryAfterSeconds ?? 0) > 3590);
    }
    assert.deepEqual([client.runtime.waits, emulator.requests.length], [[], 17]);
  });

  it("a PUT waits as long as a 503 asks for, a POST is not sent again", async () => {
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
