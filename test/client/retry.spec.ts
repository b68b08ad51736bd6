import assert from "node:assert/strict";
import fc from "fast-check";
import { backoff, decide, parseRetryAfter, type RetryClass, type RetryQuestion } from "../../provider/client/retry";

const question: RetryQuestion = {
  isRepeatable: true,
  retryClass: "unknown",
  attempts: 1,
  got429: 0,
  attemptLimit: 4,
  elapsedMs: 0,
  deadlineMs: 60_000,
  attemptMs: 30_000,
  retryAfterMs: undefined,
  random: 0.5,
};

describe("decide", () => {
  const rows: [string, Partial<RetryQuestion>, ReturnType<typeof decide>][] = [
    ["PUT, unknown, 1st of 4: half of a second", {}, { waitMs: 500 }],
    ["PUT, unknown, 2nd of 4: half of two seconds", { attempts: 2 }, { waitMs: 1000 }],
    ["PUT, unknown, 4th of 4: stop", { attempts: 4 }, { waitMs: 4000, stop: "attempts" }],
    ["PUT, unknown, 9th of 10: the backoff is capped", { attempts: 9, attemptLimit: 10 }, { waitMs: 8000 }],
    ["PUT, final: stop", { retryClass: "final" }, { waitMs: 0, stop: "final" }],
    ["POST, unknown: stop", { isRepeatable: false }, { waitMs: 0, stop: "final" }],
    ["POST, unreachable: again", { isRepeatable: false, retryClass: "unreachable" }, { waitMs: 500 }],
    ["POST, unknown host: again, once (F2)", { isRepeatable: false, retryClass: "unknownHost" }, { waitMs: 500 }],
    ["unknown host, 2nd: stop (F2)", { retryClass: "unknownHost", attempts: 2 }, { waitMs: 1000, stop: "attempts" }],
    ["POST, 429: again", { isRepeatable: false, retryClass: "rateLimited", attempts: 0, got429: 1 }, { waitMs: 500 }],
    ["429, small chance: the floor", { retryClass: "rateLimited", got429: 1, random: 0 }, { waitMs: 200 }],
    [
      "429, attempts: 1: stop",
      { retryClass: "rateLimited", got429: 1, attemptLimit: 1 },
      { waitMs: 500, stop: "attempts" },
    ],
    ["429, 4th time: the floor doubles", { retryClass: "rateLimited", got429: 4, random: 0 }, { waitMs: 1600 }],
    ["429, 5th time of 4 attempts: still again", { retryClass: "rateLimited", got429: 5 }, { waitMs: 8000 }],
    ["429, Retry-After: 1", { retryClass: "rateLimited", got429: 1, retryAfterMs: 1000, random: 0 }, { waitMs: 1000 }],
    ["429, Retry-After: 0: the floor", { retryClass: "rateLimited", got429: 1, retryAfterMs: 0 }, { waitMs: 200 }],
    [
      "429, Retry-After: 3600: stop at once",
      { retryClass: "rateLimited", got429: 1, retryAfterMs: 3_600_000 },
      { waitMs: 3_600_000, stop: "deadline" },
    ],
    ["503 to a PUT, Retry-After: 7", { retryAfterMs: 7000 }, { waitMs: 7000 }],
    ["503 to a PUT, Retry-After: 0: the floor", { retryAfterMs: 0 }, { waitMs: 200 }],
    ["a wait that ends with the deadline: stop", { elapsedMs: 59_500 }, { waitMs: 500, stop: "deadline" }],
    ["a wait that ends just before the deadline: again", { elapsedMs: 59_499 }, { waitMs: 500 }],
    [
      "POST, 429, and a whole attempt just fits after the wait: again",
      { isRepeatable: false, retryClass: "rateLimited", got429: 1, elapsedMs: 29_500 },
      { waitMs: 500 },
    ],
    [
      "POST, 429, and a whole attempt does not fit after the wait: stop",
      { isRepeatable: false, retryClass: "rateLimited", got429: 1, elapsedMs: 29_501 },
      { waitMs: 500, stop: "deadline" },
    ],
    [
      "POST, unreachable, and a whole attempt does not fit: stop",
      { isRepeatable: false, retryClass: "unreachable", elapsedMs: 29_501 },
      { waitMs: 500, stop: "deadline" },
    ],
    [
      "POST, 429, and a deadline shorter than an attempt: stop",
      { isRepeatable: false, retryClass: "rateLimited", got429: 1, deadlineMs: 10_000 },
      { waitMs: 500, stop: "deadline" },
    ],
    [
      "429 to a PUT, and the rest is shorter than an attempt: again",
      { retryClass: "rateLimited", got429: 1, elapsedMs: 59_499 },
      { waitMs: 500 },
    ],
  ];
  for (const [name, change, expected] of rows) {
    it(name, () => {
      assert.deepEqual(decide({ ...question, ...change }), expected);
    });
  }

  const failures: RetryClass[] = ["rateLimited", "unreachable", "unknownHost", "unknown", "final"];
  const questions = fc.record({
    isRepeatable: fc.boolean(),
    retryClass: fc.constantFrom(...failures),
    attempts: fc.integer({ min: 1, max: 200 }),
    got429: fc.integer({ min: 1, max: 200 }),
    attemptLimit: fc.integer({ min: 1, max: 100 }),
    elapsedMs: fc.double({ min: 0, max: 200_000, noNaN: true }),
    deadlineMs: fc.double({ min: 1, max: 100_000, noNaN: true }),
    attemptMs: fc.double({ min: 1, max: 100_000, noNaN: true }),
    retryAfterMs: fc.option(fc.double({ min: 0, max: 1e12, noNaN: true }), { nil: undefined }),
    random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  });

  it("keeps the deadline, the limit of attempts and Retry-After (property 17)", () => {
    fc.assert(
      fc.property(questions, (asked) => {
        const { waitMs, stop } = decide(asked);
        if (stop === undefined) {
          assert.ok(asked.elapsedMs + waitMs < asked.deadlineMs);
          assert.ok(asked.retryClass === "rateLimited" || asked.attempts < asked.attemptLimit);
          assert.ok(waitMs >= (asked.retryAfterMs ?? 0));
          assert.ok(asked.retryClass !== "final");
          assert.ok(asked.isRepeatable || asked.retryClass !== "unknown");
          assert.ok(asked.isRepeatable || asked.elapsedMs + waitMs + asked.attemptMs <= asked.deadlineMs);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("backoff", () => {
  it("is anything from nothing up to a limit that doubles from 1 s to 16 s", () => {
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6, 100].map((attempt) => backoff(attempt, 1)),
      [1000, 2000, 4000, 8000, 16_000, 16_000, 16_000],
    );
    assert.equal(backoff(3, 0), 0);
    assert.equal(backoff(3, 0.25), 1000);
  });
});

describe("parseRetryAfter", () => {
  // A date without a zone must not be read by the machine's: east of Greenwich it would be over before it began.
  const zone = process.env.TZ;
  before(() => {
    process.env.TZ = "Asia/Tokyo";
  });
  after(() => {
    if (zone === undefined) {
      delete process.env.TZ;
    } else {
      process.env.TZ = zone;
    }
  });

  const now = Date.parse("2026-03-01T12:00:00Z");
  const rows: [string[], number | undefined][] = [
    [[], undefined],
    [["1"], 1000],
    [["-5"], undefined],
    [[" 3 "], 3000],
    [["1.5"], undefined],
    [["soon"], undefined],
    [["Sun, 01 Mar 2026 12:00:07 GMT"], 7000],
    [["Sunday, 01-Mar-26 12:00:07 GMT"], 7000],
    [["Sun, 01 Mar 2026 11:59:00 GMT"], 0],
    [["Sun Mar  1 12:00:07 2026"], 7000],
    [["Sun, 01 Mar 2026 13:00:07 +0100"], 7000],
    [["Sun, 99 Mar 2026 12:00:07 GMT"], undefined],
    [["soon", "2"], 2000],
    [["2", "9"], 2000],
  ];
  for (const [headers, expected] of rows) {
    it(`${JSON.stringify(headers).slice(0, 60)} -> ${expected}`, () => {
      assert.equal(parseRetryAfter(headers, now), expected);
    });
  }
});
