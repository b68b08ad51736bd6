import assert from "node:assert/strict";
import { inspect } from "node:util";
import fc from "fast-check";
import { addCommunityVoice } from "../../provider/api/addCommunityVoice";
import { assignNumber } from "../../provider/api/assignNumber";
import { classify } from "../../provider/api/attempt";
import { decide, type RetryQuestion } from "../../provider/api/exchange";
import { causeText, type Failure, type Outcome } from "../../provider/api/failure";
import type { HttpReply, Transport } from "../../provider/base/world";
import { namedIn } from "../support/named";
import { response, silence } from "../support/replies";
import { checkRows } from "../support/rows";
import { assignment, clientFor, voice } from "./support";
import { virtualTime } from "./virtualTime";

/** The replies to successive attempts, and how long each takes to arrive. The last entry repeats. */
type Script = readonly { reply: HttpReply; ms: number }[];

const timedOutReply: HttpReply = { came: "nothing", reached: "open", timedOut: true, code: "ERR_ABORTED" };

interface Options {
  readonly attempts?: number;
  readonly requestTimeout?: number;
  readonly chance?: () => number;
}

/** An attempt to send the request, and the reply to it. Times are in milliseconds of virtual time. */
interface Attempt {
  readonly at: number;
  readonly endedAt: number;
  readonly reply: HttpReply;
}

function setUp(script: Script, { chance, ...options }: Options = {}) {
  const time = virtualTime(chance);
  const sent: Attempt[] = [];
  const sentAt: number[] = [];
  const timeouts = new Set<number>();
  const transport: Transport = async (_request, timeoutMs) => {
    timeouts.add(timeoutMs);
    const at = time.now();
    const { reply, ms } = script[Math.min(sentAt.length, script.length - 1)] ?? { reply: timedOutReply, ms: 0 };
    sentAt.push(at);
    const isTimedOut = ms >= timeoutMs;
    await time.delay(isTimedOut ? timeoutMs : ms);
    const received = isTimedOut ? timedOutReply : reply;
    sent.push({ at, endedAt: time.now(), reply: received });
    return received;
  };
  const client = clientFor({ url: "https://a.example" }, { clock: time, openTransport: () => transport, ...options });
  return {
    time,
    sent,
    sentAt,
    timeouts,
    put: () => time.run(client.assignNumber(assignment)),
    post: () => time.run(client.addCommunityVoice(voice)),
  };
}

function assertRetryAfterRespected(sent: readonly Attempt[]): void {
  for (const [index, { reply, endedAt }] of sent.slice(0, -1).entries()) {
    const seconds = Number(reply.came === "response" && reply.status >= 400 ? reply.headers.retryAfter : 0) || 0;
    const nextAt = sent[index + 1]?.at ?? 0;
    assert.ok(nextAt >= endedAt + seconds * 1000, `waited only ${nextAt - endedAt} ms after Retry-After: ${seconds}`);
  }
}

const is429 = ({ reply }: Attempt): boolean => reply.came === "response" && reply.status === 429;

/** Returns the failure that this reply alone would lead to, or undefined if the reply means success. */
function failureIn(reply: HttpReply, isPost: boolean, wallClockMs = 0): Failure | undefined {
  const settings = { baseUrl: "https://h" };
  const call = isPost ? addCommunityVoice(voice, settings) : assignNumber(assignment, settings);
  const exchange = { operation: call.operation, attempts: 1, elapsedMs: 0 };
  const context = { token: "t", host: "h", wallClockMs, timeoutMs: 1, exchange };
  return classify<unknown>(reply, call, context).failure;
}

/** Returns true if the attempt's reply doesn't show whether the platform carried out the request. */
const isDoubtful = ({ reply }: Attempt, isPost: boolean): boolean => failureIn(reply, isPost)?.outcome === "unknown";

describe("an API request", () => {
  it("doesn't start another attempt after the deadline", async () => {
    const { put, sentAt, time } = setUp([{ reply: timedOutReply, ms: 1e9 }]);
    const { failure } = await put();
    assert.equal(failure?.outcome, "unknown");
    assert.deepEqual(sentAt, [0, 30_500, 61_500]);
    assert.equal(time.now(), 91_500);
    const { cause, detail, exchange } = failure;
    assert.deepEqual(
      [cause, namedIn(detail), exchange.attempts, exchange.elapsedMs],
      ["noResponse", "a.example:443 30", 3, 91_500],
    );
  });

  it("extends the retry deadline if the request timeout is 90 seconds", async () => {
    const { put, sentAt } = setUp([{ reply: timedOutReply, ms: 1e9 }], { requestTimeout: 90 });
    await put();
    assert.deepEqual(sentAt, [0, 90_500]);
  });

  const beforeRetry = [
    { name: "a late 429", reply: response(429, "{}", "2"), ms: 29_800 },
    { name: "a 429 that asks for 89 s", reply: response(429, "{}", "89"), ms: 600 },
    { name: "a refused connection", reply: silence("nowhere", "ECONNREFUSED"), ms: 29_800 },
  ] as const;
  it("gives each retry the full timeout", () =>
    checkRows(
      beforeRetry,
      ({ name }) => name,
      async ({ reply, ms }) => {
        const script = [
          { reply, ms },
          { reply: response(200, '{"voiceId":"v"}'), ms: 29_800 },
        ];
        for (const kind of ["put", "post"] as const) {
          const { sentAt, [kind]: send } = setUp(script);
          assert.deepEqual([(await send()).failure, sentAt.length], [undefined, 2]);
        }
      },
    ));

  it("does not count 429s as attempts", async () => {
    const limited = { reply: response(429), ms: 0 };
    const { put, sentAt } = setUp([...Array<typeof limited>(5).fill(limited), { reply: response(200), ms: 0 }]);
    const { failure } = await put();
    assert.deepEqual([failure, sentAt], [undefined, [0, 500, 1500, 3500, 7500, 15_500]]);
  });

  it("does not retry a 429 if the wait would exceed the deadline", async () => {
    const { put, sentAt } = setUp([{ reply: response(429, "{}", "89"), ms: 1001 }]);
    const { failure } = await put();
    assert.deepEqual([failure?.cause, failure?.outcome, sentAt], ["rateLimited", "rejected", [0]]);
  });

  for (const { name, last, cause, names } of [
    {
      name: "retries are refused",
      last: silence("nowhere", "ECONNREFUSED"),
      cause: "noResponse",
      names: "a.example:443 ECONNREFUSED",
    },
    { name: "the retry gets a 401", last: response(401), cause: "unauthenticated", names: "a.example:443" },
  ] as const) {
    it(`reports an unknown outcome if the connection is lost and ${name}`, async () => {
      const { put } = setUp([
        { reply: silence("open", "ECONNRESET"), ms: 1 },
        { reply: last, ms: 1 },
      ]);
      const { failure } = await put();
      assert.deepEqual(
        [failure?.outcome, failure?.cause, namedIn(failure?.detail ?? ""), namedIn(failure?.doubt ?? "")],
        ["unknown", cause, names, "a.example:443 ECONNRESET"],
      );
    });
  }

  it("mentions the earlier 502 if a retry gets a 400", async () => {
    const { put } = setUp([
      { reply: response(502), ms: 1 },
      { reply: response(400, '{"error":"no such agent"}'), ms: 1 },
    ]);
    const { failure } = await put();
    assert.equal(failure?.outcome, "unknown");
    assert.equal(namedIn(causeText(failure)), '400 /api/numbers/{number}/agent "no such agent" 502 a.example:443');
  });

  it("reports the platform's message if a response has no voice ID", async () => {
    const { post } = setUp([{ reply: response(200, '{"message":"ok"}'), ms: 1 }]);
    const { failure } = await post();
    assert.equal(failure?.outcome, "unknown");
    assert.equal(namedIn(causeText(failure)), '200 POST /api/voices/community voiceId "ok"');
  });

  it("redacts the access token in an unexpected error", async () => {
    const time = virtualTime();
    const transport: Transport = async () => {
      await time.delay(2000);
      throw new Error("nobody expected test-access-token");
    };
    const client = clientFor({ url: "https://a.example" }, { clock: time, openTransport: () => transport });
    const { failure } = await time.run(client.assignNumber(assignment));
    assert.equal(failure?.outcome, "unknown");
    assert.equal(failure.detail, "nobody expected [the access token]");
    assert.deepEqual([failure.exchange.attempts, failure.exchange.elapsedMs], [1, 2000]);
  });

  it("redacts the access token in a response's content type", async () => {
    const reply = response(400, "no");
    assert.ok(reply.came === "response", "expected a response");
    const headers = { ...reply.headers, contentType: "text/test-access-token" };
    const { failure } = await setUp([{ reply: { ...reply, headers }, ms: 1 }]).put();
    assert.equal(namedIn(failure?.detail ?? ""), "a.example:443 text/[the access token]");
  });

  it("ignores request IDs that are malformed or contain the access token", async () => {
    const withId = (requestId: string): HttpReply => {
      const reply = response(400);
      return reply.came === "response" ? { ...reply, headers: { ...reply.headers, requestId } } : reply;
    };
    for (const [id, expected] of [
      ["req-1/a", "req-1/a"],
      ["\u001b[31m", undefined],
      ["x-test-access-token", undefined],
      ["x".repeat(200), undefined],
    ] as const) {
      const outcome = await setUp([{ reply: withId(id), ms: 1 }]).put();
      assert.equal(outcome.failure?.exchange.requestId, expected);
    }
  });
});

describe("an API request with random responses", () => {
  const replies = fc.oneof(
    fc
      .tuple(
        fc.constantFrom(200, 204, 400, 401, 404, 408, 429, 500, 502, 503, 504),
        fc.constantFrom(
          ...["{}", "", "<html>", '{"voiceId":"v"}', '{"success":false}'],
          ...["echo test-access-token", '{"voiceId":"v","name":"test-access-token"}'],
        ),
        fc.constantFrom(undefined, "0", "1", "30", "3600", "soon"),
      )
      .map(([status, body, retryAfter]) => response(status, body, retryAfter)),
    fc
      .tuple(
        fc.constantFrom("nowhere" as const, "tcp" as const, "open" as const),
        fc.constantFrom("ECONNRESET", "ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "CERT_HAS_EXPIRED"),
      )
      .map(([reached, code]) => silence(reached, code)),
  );
  const scripts = fc.array(fc.record({ reply: replies, ms: fc.integer({ min: 0, max: 40_000 }) }), {
    minLength: 1,
    maxLength: 30,
  });

  const schedule = fc.record({
    script: scripts,
    attempts: fc.integer({ min: 1, max: 6 }),
    requestTimeout: fc.integer({ min: 1, max: 90 }),
    chance: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    isPost: fc.boolean(),
  });

  /** A finished request: the options it was sent with, its attempts and its outcome. */
  interface FinishedRequest {
    readonly isPost: boolean;
    readonly attempts: number;
    readonly requestTimeout: number;
    readonly outcome: Outcome<unknown>;
    readonly sent: readonly Attempt[];
    /** The attempts in `sent` whose outcome is unknown. */
    readonly doubtful: readonly Attempt[];
    readonly timeouts: ReadonlySet<number>;
  }

  const guarantees: Readonly<Record<string, (request: FinishedRequest) => void>> = {
    "never starts an attempt after the deadline": ({ requestTimeout, sent }) => {
      const deadline = Math.max(90, 2 * requestTimeout) * 1000;
      assert.deepEqual(
        sent.map(({ at }) => at).filter((at) => at >= deadline),
        [],
        `some attempts started after the deadline of ${deadline} ms`,
      );
    },
    "gives each attempt the configured timeout": ({ requestTimeout, timeouts }) =>
      assert.deepEqual([...timeouts], [requestTimeout * 1000], "the timeouts of the attempts"),
    "respects the attempt limit": ({ sent, attempts }) => {
      const counted = sent.filter((attempt) => !is429(attempt)).length;
      assert.ok(counted <= attempts, `${counted} attempts, but the limit is ${attempts}`);
    },
    "never retries a POST with an unknown outcome": ({ isPost, sent, doubtful }) => {
      const retries = doubtful[0] === undefined ? 0 : sent.length - 1 - sent.indexOf(doubtful[0]);
      assert.ok(!isPost || retries === 0, `${retries} attempts after a POST with an unknown outcome`);
    },
    "never reports a definite failure if any attempt may have succeeded": ({ outcome: { failure }, doubtful }) =>
      assert.ok(failure === undefined || failure.outcome === "unknown" || doubtful.length === 0, failure?.outcome),
    "never reveals the access token": ({ outcome }) =>
      assert.doesNotMatch(inspect(outcome, { depth: 9 }), /test-access-token/),
    "never retries before the Retry-After time has passed": ({ sent }) => assertRetryAfterRespected(sent),
  };
  for (const [guarantee, check] of Object.entries(guarantees)) {
    it(guarantee, () =>
      fc.assert(
        fc.asyncProperty(schedule, async ({ script, attempts, requestTimeout, chance, isPost }) => {
          const { put, post, sent, timeouts } = setUp(script, { attempts, requestTimeout, chance: () => chance });
          const outcome = await (isPost ? post() : put());
          const doubtful = sent.filter((attempt) => isDoubtful(attempt, isPost));
          check({ isPost, attempts, requestTimeout, outcome, sent, doubtful, timeouts });
        }),
        { numRuns: 500 },
      ),
    );
  }
});

describe("the retry policy", () => {
  const unknown = { outcome: "unknown", cause: "noResponse", retry: true } as const;
  const question: RetryQuestion = {
    failure: unknown,
    isRepeatable: true,
    attempts: 1,
    got429: 0,
    attemptLimit: 4,
    elapsedMs: 0,
    deadlineMs: 90_000,
    random: 0.5,
  };
  const limited = {
    failure: { outcome: "rejected", cause: "rateLimited", retry: true },
    attempts: 0,
    got429: 1,
  } as const;
  const unreachable = { outcome: "not sent", cause: "unreachable", retry: true } as const;
  const post = { isRepeatable: false } as const;
  const rows: readonly {
    readonly name: string;
    readonly change: Partial<RetryQuestion>;
    readonly waitMs: number;
    readonly last?: "last";
  }[] = [
    { name: "retries a PUT half a second after an unknown outcome", change: {}, waitMs: 500 },
    { name: "gives up after four attempts", change: { attempts: 4 }, waitMs: 4000, last: "last" },
    { name: "caps the wait between attempts", change: { attempts: 9, attemptLimit: 10 }, waitMs: 8000 },
    {
      name: "does not retry a PUT after a permanent failure",
      change: { failure: { ...unknown, retry: false } },
      waitMs: 0,
      last: "last",
    },
    { name: "does not retry a POST with an unknown outcome", change: post, waitMs: 0, last: "last" },
    { name: "retries a POST if the platform was unreachable", change: { ...post, failure: unreachable }, waitMs: 500 },
    { name: "waits at least 200 ms after a 429", change: { ...limited, random: 0 }, waitMs: 200 },
    { name: "doubles the minimum wait with each 429", change: { ...limited, got429: 4, random: 0 }, waitMs: 1600 },
    {
      name: "waits at least 200 ms even if a 503 has Retry-After: 0",
      change: { failure: { ...unknown, retryAfterMs: 0 } },
      waitMs: 200,
    },
    {
      name: "does not retry if the wait would last until the deadline",
      change: { elapsedMs: 89_500 },
      waitMs: 500,
      last: "last",
    },
    { name: "retries a PUT if the wait ends just before the deadline", change: { elapsedMs: 89_499 }, waitMs: 500 },
    {
      name: "retries a rate-limited POST if the wait ends just before the deadline",
      change: { ...post, ...limited, elapsedMs: 89_499 },
      waitMs: 500,
    },
  ];
  for (const { name, change, waitMs, last } of rows) {
    it(name, () => assert.deepEqual(decide({ ...question, ...change }), { waitMs, isLast: last === "last" }));
  }

  it("parses Retry-After as seconds or an HTTP date in GMT", () => {
    const now = Date.parse("2026-03-01T12:00:00Z");
    for (const [header, expected] of [
      ["", undefined],
      ["3", 3000],
      ["-5", undefined],
      ["1.5", undefined],
      ["Sun, 01 Mar 2026 12:00:07 GMT", 7000],
      ["Sun, 01 Mar 2026 11:59:00 GMT", 0],
      ["Sun, 99 Mar 2026 12:00:07 GMT", undefined],
      // Not accepted, because a date without a time zone would be parsed in the machine's local time.
      ["Sun Mar  1 12:00:07 2026", undefined],
    ] as const) {
      assert.equal(failureIn(response(429, "", header), false, now)?.retryAfterMs, expected, header);
    }
  });
});
