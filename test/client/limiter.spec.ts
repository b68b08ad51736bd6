import assert from "node:assert/strict";
import { createLimiter, type Limiter } from "../../provider/client/limiter";
import { type VirtualTime, virtualTime } from "./virtualTime";

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

const fixedWindow = (perSecond: number): Server => {
  let window = 0;
  let count = 0;
  return (now) => {
    count = Math.floor(now / 1000) === window ? count : 0;
    window = Math.floor(now / 1000);
    count += count < perSecond ? 1 : Number.POSITIVE_INFINITY;
    const takes = Number.isFinite(count);
    count = takes ? count : perSecond;
    return takes;
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
  readonly concurrency?: number;
  readonly latencyMs?: number;
  readonly retryAfterMs?: (refusals: number) => number;
}

async function apply(load: Load, time: VirtualTime, limiter: Limiter) {
  const { server, numbers, latencyMs = 4, retryAfterMs = () => 1000 } = load;
  let requests = 0;
  async function one(): Promise<void> {
    const slot = limiter.enter();
    for (let refusals = 1; ; refusals += 1) {
      assert.equal(await slot.permit(), "go");
      requests += 1;
      await time.delay(latencyMs / 2);
      const isTaken = server(time.now());
      await time.delay(latencyMs / 2);
      slot.settle(isTaken ? "responded" : { pauseMs: retryAfterMs(refusals) });
      if (isTaken) {
        break;
      }
    }
    slot.release();
  }
  await Promise.all(Array.from({ length: numbers }, one));
  return { perSecond: numbers / (time.now() / 1000), requests };
}

function run(load: Load) {
  const time = virtualTime();
  return time.run(apply(load, time, createLimiter(load.concurrency ?? 16, 60_000, time)));
}

describe("the limiter", () => {
  it("keeps as many under way as its slots, in the order of their coming", async () => {
    const time = virtualTime();
    const limiter = createLimiter(3, 60_000, time);
    const events: string[] = [];
    let underWay = 0;
    let most = 0;
    const one = async (name: number) => {
      const slot = limiter.enter();
      await slot.permit();
      events.push(`${name}`);
      underWay += 1;
      most = Math.max(most, underWay);
      await time.delay(10);
      underWay -= 1;
      slot.settle("responded");
      slot.release();
    };
    await time.run(Promise.all(Array.from({ length: 10 }, (_, index) => one(index))));
    assert.equal(events.join(" "), "0 1 2 3 4 5 6 7 8 9");
    assert.equal(most, 3);
    assert.equal(time.now(), 40);
  });

  it("sends without any wait until a 429 comes", async () => {
    const { requests, perSecond } = await run({ server: () => true, numbers: 1600, latencyMs: 10 });
    assert.equal(requests, 1600);
    assert.equal(Math.round(perSecond), 1600);
  });

  it("holds all for the longest pause of one, and lets the oldest go first", async () => {
    const time = virtualTime();
    const limiter = createLimiter(16, 60_000, time);
    const slots = Array.from({ length: 3 }, () => limiter.enter());
    const sent: [number, number][] = [];
    const turn = async (index: number) => {
      await slots[index]?.permit();
      sent.push([index, time.now()]);
    };
    await time.run(Promise.all(slots.map((_, index) => turn(index))));
    sent.length = 0;
    for (const [index, pauseMs] of [500, 2000, 300].entries()) {
      slots[index]?.settle({ pauseMs });
    }
    await time.run(Promise.all([turn(2), turn(1), turn(0)]));
    assert.deepEqual(
      sent.map(([index]) => index),
      [0, 1, 2],
    );
    assert.equal(sent[0]?.[1], 2000);
  });

  it("refuses at once, and all who wait, while the pause is longer than an operation may take", async () => {
    const time = virtualTime();
    const limiter = createLimiter(3, 60_000, time);
    const [one, two, three] = [limiter.enter(), limiter.enter(), limiter.enter()];
    await one.permit();
    await two.permit();
    one.settle({ pauseMs: 1000 });
    const waiting = three.permit();
    two.settle({ pauseMs: 3_600_000 });
    assert.deepEqual(await waiting, { blockedForMs: 3_600_000 });
    assert.deepEqual(await one.permit(), { blockedForMs: 3_600_000 });
    await time.run(time.delay(3_540_001));
    assert.equal(await time.run(one.permit()), "go");
  });

  const loads: [string, Load, { atLeast: number; extra: number }][] = [
    ["a bucket of 100", { server: bucket(100, 100), numbers: 3000 }, { atLeast: 95, extra: 40 }],
    ["a sliding window", { server: slidingWindow(100), numbers: 3000 }, { atLeast: 90, extra: 30 }],
    [
      "a sliding window, 100 ms away",
      { server: slidingWindow(100), numbers: 3000, latencyMs: 100 },
      { atLeast: 85, extra: 60 },
    ],
    [
      "a window, no Retry-After",
      { server: fixedWindow(100), numbers: 3000, retryAfterMs: (n) => 500 * 2 ** (n - 1) },
      { atLeast: 90, extra: 40 },
    ],
    ["10 a second", { server: bucket(10, 10), numbers: 1000 }, { atLeast: 9, extra: 60 }],
    [
      "one every six seconds",
      { server: bucket(1 / 6, 1), numbers: 50, retryAfterMs: () => 6000 },
      { atLeast: 0.08, extra: 60 },
    ],
  ];
  for (const [name, load, { atLeast, extra }] of loads) {
    it(`learns the rate of ${name}`, async () => {
      const { perSecond, requests } = await run(load);
      assert.ok(perSecond >= atLeast, `${perSecond.toFixed(1)} a second`);
      assert.ok(requests - load.numbers <= extra, `${requests} requests for ${load.numbers} numbers`);
    });
  }
});
