import assert from "node:assert/strict";
import type { FaultAction } from "../../emulator";
import type { Outcome } from "../../provider/core/api/operations";
import { appliedBut500, loginPage, redirect } from "../support/answers";
import { assignment, chat, clientFor, emulatorForEach, facts, NUMBER, type TestClient, voice } from "./support";

interface Row {
  readonly fault: FaultAction;
  readonly cause: string;
  /** `H` is host and port, `N` a number of bytes. */
  readonly detail: string;
  readonly status?: number;
  readonly words?: string;
}

/** Faults after which the client cannot know what the platform did (R2, R3). */
const doubtful: Row[] = [
  {
    fault: { kind: "resetAfterRequest" },
    cause: "noResponse",
    detail: "H closed the connection before it responded (ECONNRESET)",
  },
  { fault: { kind: "silence" }, cause: "noResponse", detail: "no response from H within 0.5 s" },
  {
    fault: { kind: "resetInBody" },
    cause: "noResponse",
    detail: "H closed the connection in the middle of its response, after N bytes",
    status: 200,
  },
  {
    fault: { kind: "drip", ms: 100 },
    cause: "noResponse",
    detail: "the response from H was not complete within 0.5 s",
    status: 200,
  },
  {
    fault: { kind: "invalidJson" },
    cause: "unusable",
    detail: "not JSON, N bytes, content-type application/json",
    status: 200,
  },
  { fault: loginPage(), cause: "unusable", detail: "not JSON, N bytes, content-type text/html", status: 200 },
  { fault: { kind: "huge" }, cause: "unusable", detail: "the response is larger than N bytes", status: 200 },
  { fault: appliedBut500, cause: "serverError", detail: "from H", status: 500, words: "injected 500" },
  { fault: { kind: "status", status: 408 }, cause: "noResponse", detail: "from H", status: 408, words: "injected 408" },
  ...[503, 599].map((status) => ({
    fault: { kind: "status" as const, status },
    cause: "serverError",
    detail: "from H",
    status,
    words: `injected ${status}`,
  })),
  {
    fault: loginPage(502),
    cause: "serverError",
    detail: "from H, content-type text/html",
    status: 502,
  },
  { fault: { kind: "status", status: 600 }, cause: "unusable", detail: "from H", status: 600, words: "injected 600" },
];

/** Answers that are a clear no. */
const refused: Row[] = [
  ...[400, 407, 425, 499].map((status) => [status, "refused"] as const),
  [401, "unauthenticated"] as const,
  [403, "forbidden"] as const,
  [404, "notFound"] as const,
  [501, "serverError"] as const,
  [505, "serverError"] as const,
].map(([status, cause]) => ({
  fault: { kind: "status", status },
  cause,
  detail: "from H",
  status,
  words: `injected ${status}`,
}));

const elsewhere = "H redirects to https://other.example, which is not followed";
refused.push(
  ...[300, 303, 308, 399].map((status) => ({
    fault: redirect("https://other.example/path?token=1", status),
    cause: "redirected",
    detail: elsewhere,
    status,
  })),
  {
    fault: redirect(),
    cause: "redirected",
    detail: "H redirects to another path of the same host, which is not followed",
    status: 302,
  },
  {
    fault: redirect("//[bad"),
    cause: "redirected",
    detail: "H redirects to no address, which is not followed",
    status: 302,
  },
  {
    fault: redirect("/redirected", 304),
    cause: "redirected",
    detail: "H returned 304 (not modified), which was not asked for",
    status: 304,
  },
  {
    fault: { kind: "status", status: 413, headers: { "Retry-After": "1" } },
    cause: "refused",
    detail: "from H",
    status: 413,
    words: "injected 413",
  },
);

const posts: [string, (client: TestClient) => Promise<Outcome<unknown>>][] = [
  ["addCommunityVoice", (client) => client.addCommunityVoice(voice)],
  ["createSmsChat", (client) => client.createSmsChat(chat)],
];

function nameOf({ fault }: Row): string {
  const { kind, ...rest } = fault;
  return `${kind}${Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : ""}`;
}

describe("faults", () => {
  const start = emulatorForEach();
  const slow = ["silence", "drip"];

  /** Faults that a timeout ends have a short one, and two attempts instead of four. */
  async function setUp({ fault }: Row, times: number) {
    const emulator = await start();
    emulator.inject({ ...fault, times });
    const isSlow = slow.includes(fault.kind);
    const client = clientFor(emulator, isSlow ? { requestTimeout: 0.5, attempts: 2 } : {});
    return { emulator, client, attempts: isSlow ? 2 : 4 };
  }

  function expected(row: Row, port: number, outcome: "rejected" | "unknown", attempts: number): string {
    const { cause, detail, status = "no response", words } = row;
    const said = words === undefined ? "" : ` "${words}"`;
    const tries = `${status}, ${attempts} attempt${attempts === 1 ? "" : "s"}`;
    return `${outcome}, ${cause}: ${tries}: ${detail.replaceAll(/\bH\b/g, `127.0.0.1:${port}`)}${said}`;
  }

  const shown = (outcome: Outcome<unknown>) => facts(outcome).replace(/\d+ bytes/, "N bytes");

  for (const row of doubtful) {
    it(`a PUT is sent again after ${nameOf(row)}`, async () => {
      const { emulator, client } = await setUp(row, 1);
      const outcome = await client.assignNumber(assignment);
      assert.equal(facts(outcome), "applied: 200, 2 attempts");
      assert.deepEqual(emulator.routing(NUMBER)?.inboundAgents, { "agent_a@12": 70, agent_b: 30 });
      assert.equal(client.runtime.waits.length, 1);
    });

    it(`a PUT has an unknown outcome after every time ${nameOf(row)}`, async () => {
      const { emulator, client, attempts } = await setUp(row, Number.POSITIVE_INFINITY);
      const outcome = await client.assignNumber(assignment);
      assert.equal(shown(outcome), expected(row, emulator.port, "unknown", attempts));
      assert.deepEqual(client.runtime.waits, [500, 1000, 2000].slice(0, attempts - 1));
      assert.equal(emulator.requests.length, attempts);
    });

    for (const [operation, post] of posts) {
      it(`${operation} is not sent again after ${nameOf(row)}`, async () => {
        const { emulator, client } = await setUp(row, 1);
        const status =
          row.status === 200 && operation === "createSmsChat" && row.fault.kind !== "status" ? 201 : row.status;
        const outcome = await post(client);
        assert.equal(shown(outcome), expected({ ...row, ...(status && { status }) }, emulator.port, "unknown", 1));
        assert.equal(emulator.requests.length, 1);
      });
    }
  }

  for (const row of refused) {
    it(`nothing is sent again after ${nameOf(row)}`, async () => {
      // A redirect may be the response to a request that was carried out, as a 303 is.
      const outcome = row.cause === "redirected" ? "unknown" : "rejected";
      for (const send of [
        (client: TestClient) => client.assignNumber(assignment),
        (client: TestClient) => client.endChat({ chatId: "chat_1", workspaceId: 42 }),
        ...posts.map(([, post]) => post),
      ]) {
        const { emulator, client } = await setUp(row, Number.POSITIVE_INFINITY);
        assert.equal(shown(await send(client)), expected(row, emulator.port, outcome, 1));
        assert.equal(emulator.requests.length, 1);
        assert.deepEqual(client.runtime.waits, []);
      }
    });
  }
});
