import assert from "node:assert/strict";
import type { FaultAction } from "../../emulator";
import type { Outcome } from "../../provider/api/failure";
import { MAX_BODY_BYTES } from "../../provider/api/http";
import { counted } from "../../provider/words/message";
import { appliedBut500, loginPage, redirect } from "../support/answers";
import { checkRows } from "../support/rows";
import { assignment, clientFor, emulatorForEach, facts, NUMBER, voice } from "./support";

/** A fault on the platform, and the failure it causes. */
interface Row {
  readonly name: string;
  readonly fault: FaultAction;
  readonly cause: string;
  /**
   * The facts named in the failure's detail (see `namedIn`). `H` stands for the host and port, and a final `N` for the
   * number of bytes received.
   */
  readonly names: string;
  readonly status?: number;
  /** The platform's error message. */
  readonly platformMessage?: string;
}

const returning = (status: number, cause: string, more: object = {}): Row => ({
  name: `a ${status}`,
  fault: { kind: "status", status, ...more },
  cause,
  names: "H",
  status,
  platformMessage: `injected ${status}`,
});

/** Faults after which the client can't know whether the platform carried out the request. */
const doubtful: readonly Row[] = [
  {
    name: "a connection reset",
    fault: { kind: "reset" },
    cause: "noResponse",
    names: "H ECONNRESET",
  },
  {
    name: "a timeout",
    fault: { kind: "hold" },
    cause: "noResponse",
    names: "H 0.5",
  },
  {
    name: "a truncated response",
    fault: { kind: "reset", inBody: true },
    cause: "noResponse",
    names: "H N",
    status: 200,
  },
  {
    name: "a response with invalid JSON",
    fault: { kind: "status", status: 200, body: '{"success": tru' },
    cause: "unusable",
    names: "JSON 15 application/json",
    status: 200,
  },
  {
    name: "an HTML sign-in page",
    fault: loginPage(),
    cause: "unusable",
    names: `JSON ${loginPage().body.length} text/html`,
    status: 200,
  },
  {
    name: "an oversized response",
    fault: { kind: "status", status: 200, body: " ".repeat(2 * MAX_BODY_BYTES) },
    cause: "unusable",
    names: `${MAX_BODY_BYTES}`,
    status: 200,
  },
  {
    name: "a 500 for a request that succeeded",
    fault: appliedBut500,
    cause: "serverError",
    names: "H",
    status: 500,
    platformMessage: "injected 500",
  },
  {
    name: "a 502 with an HTML page",
    fault: loginPage(502),
    cause: "serverError",
    names: "H text/html",
    status: 502,
  },
];

const doubtfulStatuses: readonly Row[] = [
  returning(408, "noResponse"),
  returning(503, "serverError"),
  returning(599, "serverError"),
  returning(600, "unusable"),
];

const refused: readonly Row[] = [
  ...[400, 407, 425, 499].map((status) => returning(status, "refused")),
  returning(413, "refused", { headers: { "Retry-After": "1" } }),
  returning(401, "unauthenticated"),
  returning(403, "forbidden"),
  returning(404, "notFound"),
  returning(501, "serverError"),
  returning(505, "serverError"),
];

const redirecting = (name: string, fault: FaultAction & { readonly status: number }, names = ""): Row => ({
  name,
  fault,
  cause: "redirected",
  names: `H ${names}`.trim(),
  status: fault.status,
});

/**
 * Redirects leave the outcome unknown, because the platform may have carried out the request first. A 303, for example,
 * usually follows a successful POST.
 */
const redirected: readonly Row[] = [
  ...[300, 303, 308, 399].map((status) =>
    redirecting(`a ${status}`, redirect("https://other.example/path?token=1", status), "https://other.example"),
  ),
  redirecting("a 302 to its own path", redirect()),
  redirecting("a 302 with an invalid location", redirect("//[bad"), "302"),
  redirecting("a 304", redirect("/redirected", 304)),
];

describe("the API client on a failing platform", () => {
  const start = emulatorForEach();
  /** Starts an emulator with the row's fault, and a client for it. */
  async function setUp({ fault }: Row, times: number | "always") {
    const emulator = await start();
    emulator.inject({ ...fault, times });
    const isSlow = fault.kind === "hold";
    // Keep the test fast if requests time out.
    const client = clientFor(emulator, isSlow ? { requestTimeout: 0.5, attempts: 2 } : {});
    return { emulator, client, attempts: isSlow ? 2 : 4 };
  }

  function expected(
    { cause, names, status, platformMessage }: Row,
    port: number,
    outcome: string,
    attempts: number,
  ): string {
    const quoted = platformMessage === undefined ? "" : ` "${platformMessage}"`;
    const attempted = `${status ?? "no response"}, ${counted(attempts, "attempt")}`;
    return `${outcome}, ${cause}: ${attempted}: ${names.replace(/\bH\b/, `127.0.0.1:${port}`)}${quoted}`;
  }

  const actual = ({ names }: Row, outcome: Outcome<unknown>): string =>
    names.endsWith(" N") ? facts(outcome).replace(/\d+$/, "N") : facts(outcome);

  // The client treats all operations with the same HTTP method alike, so it's enough to test one PUT and one POST.
  async function retriesPut(row: Row): Promise<void> {
    const { emulator, client } = await setUp(row, 1);
    assert.equal(facts(await client.assignNumber(assignment)), "applied: 200");
    assert.deepEqual(emulator.routing(NUMBER)?.inboundAgents, { "agent_a@12": 70, agent_b: 30 });
    assert.equal(client.runtime.waits.length, 1);
  }

  async function doesNotRetryPost(row: Row): Promise<void> {
    const { emulator, client } = await setUp(row, 1);
    const outcome = await client.addCommunityVoice(voice);
    assert.equal(actual(row, outcome), expected(row, emulator.port, "unknown", 1));
    assert.equal(emulator.requests.length, 1);
  }

  for (const row of doubtful) {
    it(`retries a PUT after ${row.name}`, () => retriesPut(row));

    it(`does not retry a POST after ${row.name}`, () => doesNotRetryPost(row));
  }

  it("retries a PUT after a temporary or unknown error status", () =>
    checkRows(doubtfulStatuses, ({ name }) => name, retriesPut));

  it("does not retry a POST after a temporary or unknown error status", () =>
    checkRows(doubtfulStatuses, ({ name }) => name, doesNotRetryPost));

  it("reports an unknown outcome if all retries of a PUT fail", () =>
    checkRows(
      [...doubtful, ...doubtfulStatuses],
      ({ name }) => name,
      async (row) => {
        const { emulator, client, attempts } = await setUp(row, "always");
        const outcome = await client.assignNumber(assignment);
        assert.equal(actual(row, outcome), expected(row, emulator.port, "unknown", attempts));
        assert.deepEqual(client.runtime.waits, [500, 1000, 2000].slice(0, attempts - 1));
        assert.equal(emulator.requests.length, attempts);
      },
    ));

  async function sendsOnce(row: Row, outcome: string): Promise<void> {
    const { emulator, client } = await setUp(row, "always");
    const failure = expected(row, emulator.port, outcome, 1);
    assert.equal(facts(await client.assignNumber(assignment)), failure);
    assert.equal(facts(await client.addCommunityVoice(voice)), failure);
    assert.equal(emulator.requests.length, 2);
    assert.deepEqual(client.runtime.waits, []);
  }

  it("does not retry a request that the platform rejected", () =>
    checkRows(
      refused,
      ({ name }) => name,
      (row) => sendsOnce(row, "rejected"),
    ));

  it("does not retry a redirected request", () =>
    checkRows(
      redirected,
      ({ name }) => name,
      (row) => sendsOnce(row, "unknown"),
    ));
});
