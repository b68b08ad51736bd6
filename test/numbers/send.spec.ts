import assert from "node:assert/strict";
import { describe, it } from "mocha";
import type { HttpReply } from "../../provider/base/world";
import { numberGroup } from "../../provider/numbers/lifecycle";
import { sendAll } from "../../provider/numbers/send";
import { NEW, type NumbersState } from "../../provider/numbers/state";
import { membersOf, type NumbersInputs } from "../../provider/routing/group";
import { SavedError } from "../../provider/words/message";
import { hastyRuntime } from "../api/support";
import { namedIn } from "../support/named";
import { response, silence } from "../support/replies";
import { newRun } from "../support/session";
import { many } from "./groupSupport";

/**
 * Tests when a run stops sending requests, and which number the next run starts with. A fake transport chooses each
 * response by the number's index.
 */

const numbers = many(60);
const inboundAgents = { "agent_a@1": 100 };
const ENDPOINT = "https://platform.example";

const OK = response(200, '{"success":true}');
const refused = (status: number, retryAfter?: string): HttpReply =>
  response(status, '{"error":"not today"}', retryAfter);
const busy = refused(429, "120");
const reset = silence("open", "ECONNRESET");
const unreachable = silence("nowhere", "ECONNREFUSED");
const otherSplit = response(200, '{"numbers":[{"inbound_agents":[{"agent_id":"agent_z","weight":1}]}]}');

/** Returns the platform's response for the number at this index in `numbers`. */
type Responder = (index: number) => HttpReply;

/** Creates a run that sends one request at a time. `sent` collects the indexes of the numbers that got a request. */
function runOn(respond: Responder) {
  const sent: number[] = [];
  const transport = async ({ url }: { url: URL }) => {
    const number = decodeURIComponent(url.pathname.split("/").at(-2) ?? "");
    const index = numbers.indexOf(number);
    sent.push(index);
    return respond(index);
  };
  const world = { clock: hastyRuntime(), openTransport: () => transport, concurrency: 1 };
  return { sent, run: newRun(ENDPOINT, "an-access-token", { attempts: 1 }, world) };
}

const indexes = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

/**
 * Responds with `reply` for the indexes from `from` (inclusive) to `to` (exclusive), and with success for all others.
 */
const only =
  (from: number, to: number, reply: HttpReply): Responder =>
  (index) =>
    index >= from && index < to ? reply : OK;
const mixed = [OK, OK, refused(401), busy, refused(403)];

interface Row {
  readonly name: string;
  readonly respond: Responder;
  /** The expected number of requests. */
  readonly sent: number;
}

async function sentBy(respond: Responder, isRollback: boolean) {
  const { sent, run } = runOn(respond);
  const assignments = numbers.map((number) => ({ number, routing: { inboundAgents }, mayHave: [] }));
  const results = await sendAll(assignments, { label: "it", run, isRollback });
  return { sent, results };
}

describe("a change to 60 numbers", () => {
  const rows: readonly Row[] = [
    { name: "reaches every number if no request fails", respond: () => OK, sent: 60 },
    { name: "stops sending if the first three requests get a 422", respond: only(0, 3, refused(422)), sent: 3 },
    { name: "stops sending if the first three requests get a 401", respond: only(0, 3, refused(401)), sent: 3 },
    {
      name: "stops sending if the first three responses show a different split",
      respond: only(0, 3, otherSplit),
      sent: 3,
    },
    { name: "stops sending if the first three connections fail", respond: () => unreachable, sent: 3 },
    { name: "keeps sending if only the first two requests are rejected", respond: only(0, 2, refused(401)), sent: 60 },
    {
      name: "keeps sending even if the first 30 requests get a 404",
      respond: only(0, 30, refused(404)),
      sent: 60,
    },
    { name: "keeps sending after a 403", respond: only(22, 23, refused(403)), sent: 60 },
    { name: "keeps sending after a 429 with a long Retry-After", respond: only(21, 22, busy), sent: 60 },
    {
      name: "keeps sending after 40 non-consecutive failures",
      respond: (index) => (index % 3 ? refused(500) : OK),
      sent: 60,
    },
    { name: "stops sending after 32 consecutive 422 responses", respond: only(10, 60, refused(422)), sent: 42 },
    { name: "stops sending after 32 consecutive 404 responses", respond: only(1, 60, refused(404)), sent: 33 },
    { name: "stops sending after 32 consecutive 500 responses", respond: only(10, 60, refused(500)), sent: 42 },
  ];
  for (const { name, respond, sent } of rows) {
    it(name, async () => assert.deepEqual((await sentBy(respond, false)).sent, indexes(0, sent)));
  }

  it("reports how many failures stopped the run", async () => {
    const afterThree = (await sentBy(only(0, 3, refused(422)), false)).results.at(-1);
    const after32 = (await sentBy(only(10, 60, refused(422)), false)).results.at(-1);
    assert.equal(afterThree?.became, "not sent");
    assert.equal(after32?.became, "not sent");
    assert.deepEqual(
      [afterThree, after32].map((result) => namedIn(result?.cause?.text ?? "")),
      ["3", "32"],
    );
  });
});

describe("a rollback of 60 numbers", () => {
  const rows: readonly Row[] = [
    {
      name: "keeps sending even if the first three requests are rejected",
      respond: only(0, 3, refused(422)),
      sent: 60,
    },
    { name: "keeps sending even if every request gets a 401", respond: () => refused(401), sent: 60 },
    { name: "keeps sending after 40 consecutive 501 responses", respond: only(0, 40, refused(501)), sent: 60 },
    {
      name: "keeps sending despite a mix of successes and errors",
      respond: (index) => mixed[index % 5] ?? OK,
      sent: 60,
    },
    { name: "stops sending after 32 consecutive requests without a response", respond: only(1, 60, reset), sent: 33 },
    { name: "stops sending after 32 consecutive failed connections", respond: () => unreachable, sent: 32 },
    {
      name: "keeps sending after 40 non-consecutive requests without a response",
      respond: (index) => (index % 3 ? reset : OK),
      sent: 60,
    },
  ];
  for (const { name, respond, sent } of rows) {
    it(name, async () => assert.deepEqual((await sentBy(respond, true)).sent, indexes(0, sent)));
  }
});

describe("a group of 60 numbers", () => {
  const inputs: NumbersInputs = { numbers: `${numbers.join("\n")}\n`, inboundAgents, endpoint: ENDPOINT };

  /**
   * Runs the same update `count` times. Returns the first three indexes that each run sends and, by reason, how many
   * numbers the last state lists as unapplied.
   */
  async function runs(initialState: NumbersState, respond: Responder, count: number) {
    const firstIndexes: number[][] = [];
    let state = initialState;
    for (let index = 0; index < count; index += 1) {
      const { sent, run } = runOn(respond);
      await numberGroup.update("group-1", state, inputs, run).then(
        (saved) => {
          state = saved;
        },
        (error: unknown) => {
          state = error instanceof SavedError ? (error.state as NumbersState) : state;
        },
      );
      firstIndexes.push(sent.slice(0, 3));
    }
    const missed = (state.unapplied ?? []).map(({ reason, numbers }) => [reason, membersOf({ numbers }).size]);
    return { firstIndexes, missed };
  }

  it("saves rejected and unsent numbers separately", async () => {
    const { missed } = await runs(NEW, only(0, 3, refused(422)), 1);
    assert.deepEqual(missed, [
      ["rejected", 3],
      ["not sent", 57],
    ]);
  });

  it("starts the next run at the first unsent number", async () => {
    const { firstIndexes, missed } = await runs(NEW, only(0, 4, refused(401)), 2);
    assert.deepEqual(firstIndexes, [
      [0, 1, 2],
      [3, 4, 5],
    ]);
    assert.deepEqual(missed, [["rejected", 4]]);
  });

  it("starts the next run at the first number if every connection failed", async () => {
    const { firstIndexes, missed } = await runs(NEW, () => unreachable, 2);
    assert.deepEqual(firstIndexes, [
      [0, 1, 2],
      [0, 1, 2],
    ]);
    assert.deepEqual(missed, []);
  });

  const front = (percent: number) => ({ stable: "agent_a@1", candidate: "agent_b@1", percent });

  it("tries to return every number to 0% despite rejections", async () => {
    const before = { ...inputs, rollout: front(10), inboundAgents: { "agent_a@1": 90, "agent_b@1": 10 } };
    const { sent, run } = runOn(only(0, 3, refused(422)));
    const update = numberGroup.update("group-1", before, { ...inputs, rollout: front(0) }, run);
    await assert.rejects(update, SavedError);
    assert.deepEqual(sent, indexes(0, 60));
  });

  it("sends a new abort even if the state already shows the stable split", async () => {
    // A killed run can leave this state behind. It shows that all calls go to the stable agent, although some numbers
    // may already route calls to the candidate.
    const before = { ...inputs, rollout: front(0) };
    const aborted = { agent: "agent_b@1", percent: 10, at: "2026-11-25T10:00:00Z" };
    const { sent, run } = runOn(only(0, 3, refused(422)));
    const update = numberGroup.update("group-1", before, { ...inputs, rollout: { ...front(0), aborted } }, run);
    await assert.rejects(update, SavedError);
    assert.deepEqual(sent, indexes(0, 60));
  });

  it("tries to unassign every number despite rejections", async () => {
    const { sent, run } = runOn(only(0, 3, refused(422)));
    await assert.rejects(numberGroup.delete("group-1", inputs, run), {
      message: /: 57 of 60 numbers were cleared and 3 failed\./,
    });
    assert.deepEqual(sent, indexes(0, 60));
  });
});

describe("a group of two numbers", () => {
  it("does not change the saved state if both requests are rejected", async () => {
    const firstTwo = `${numbers[0]}\n${numbers[1]}\n`;
    const saved: NumbersState = { numbers: firstTwo, inboundAgents: { "agent_b@1": 1 }, endpoint: ENDPOINT };
    const { sent, run } = runOn(() => refused(401));
    const news = { ...saved, inboundAgents };
    // An error with this name saves no state.
    await assert.rejects(numberGroup.update("group-1", saved, news, run), { name: "ResourceError" });
    assert.deepEqual(sent, [0, 1]);
  });
});
