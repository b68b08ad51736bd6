import assert from "node:assert/strict";
import type { FaultAction } from "../../emulator";
import type { Outcome } from "../../provider/api/failure";
import { MAX_BODY_BYTES } from "../../provider/api/http";
import { appliedBut500, loginPage, redirect } from "../support/answers";
import { assignment, chat, clientFor, emulatorForEach, facts, NUMBER, type TestClient, voice } from "./support";

/** In the detail, `H` is host and port, `N` a number of bytes. */
type Row = readonly [
  fault: FaultAction,
  cause: string,
  detail: string,
  status?: number | undefined,
  words?: string | undefined,
];

const returning = (status: number, cause: string, more: object = {}): Row => [
  { kind: "status", status, ...more },
  cause,
  "from H",
  status,
  `injected ${status}`,
];

const HUGE = " ".repeat(2 * MAX_BODY_BYTES);

/** Faults after which the client cannot know what the platform did. */
const doubtful: Row[] = [
  [{ kind: "reset" }, "noResponse", "H closed the connection before it responded (ECONNRESET)"],
  [{ kind: "hold" }, "noResponse", "no response from H within 0.5 s"],
  [
    { kind: "reset", inBody: true },
    "noResponse",
    "H closed the connection in the middle of its response, after N bytes",
    200,
  ],
  [
    { kind: "status", status: 200, body: '{"success": tru' },
    "unusable",
    "not JSON, N bytes, content-type application/json",
    200,
  ],
  [loginPage(), "unusable", "not JSON, N bytes, content-type text/html", 200],
  [{ kind: "status", status: 200, body: HUGE }, "unusable", "the response is larger than N bytes", 200],
  [appliedBut500, "serverError", "from H", 500, "injected 500"],
  [loginPage(502), "serverError", "from H, content-type text/html", 502],
  returning(408, "noResponse"),
  returning(503, "serverError"),
  returning(599, "serverError"),
  returning(600, "unusable"),
];

/** Responses that are a clear no. */
const refused: Row[] = [
  ...[400, 407, 425, 499].map((status) => returning(status, "refused")),
  returning(413, "refused", { headers: { "Retry-After": "1" } }),
  returning(401, "unauthenticated"),
  returning(403, "forbidden"),
  returning(404, "notFound"),
  returning(501, "serverError"),
  returning(505, "serverError"),
];

/** A redirect may be the response to a request that was carried out, as a 303 is. */
const redirected: Row[] = [
  ...[300, 303, 308, 399].map(
    (status): Row => [
      redirect("https://other.example/path?token=1", status),
      "redirected",
      "H redirects to https://other.example, which is not followed",
      status,
    ],
  ),
  [redirect(), "redirected", "H redirects to a path of its own, which is not followed", 302],
  [redirect("//[bad"), "redirected", "H returned 302 without an address", 302],
  [redirect("/redirected", 304), "redirected", "H redirects to a path of its own, which is not followed", 304],
];

/** With the status of a success. */
const posts: [string, (client: TestClient) => Promise<Outcome<unknown>>, number][] = [
  ["addCommunityVoice", (client) => client.addCommunityVoice(voice), 200],
  ["createSmsChat", (client) => client.createSmsChat(chat), 201],
];

type Send = (client: TestClient) => Promise<Outcome<unknown>>;

const operations: [string, Send][] = [
  ["assignNumber", (client) => client.assignNumber(assignment)],
  ["endChat", (client) => client.endChat({ chatId: "chat_1", workspaceId: 42 })],
  ...posts.map(([operation, post]): [string, Send] => [operation, post]),
];

function nameOf([{ kind, ...rest }]: Row): string {
  return `${kind}${Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest).slice(0, 80)}` : ""}`;
}

describe("faults", () => {
  const start = emulatorForEach();
  /** A fault that a timeout ends has a short one, and two attempts instead of four. */
  async function setUp([fault]: Row, times: number | "always") {
    const emulator = await start();
    emulator.inject({ ...fault, times });
    const isSlow = fault.kind === "hold";
    const client = clientFor(emulator, isSlow ? { requestTimeout: 0.5, attempts: 2 } : {});
    return { emulator, client, attempts: isSlow ? 2 : 4 };
  }

  function expected([, cause, detail, status, words]: Row, port: number, outcome: string, attempts: number): string {
    const said = words === undefined ? "" : ` "${words}"`;
    const tries = `${status ?? "no response"}, ${attempts} attempt${attempts === 1 ? "" : "s"}`;
    return `${outcome}, ${cause}: ${tries}: ${detail.replaceAll(/\bH\b/g, `127.0.0.1:${port}`)}${said}`;
  }

  const shown = (outcome: Outcome<unknown>) => facts(outcome).replace(/\d+ bytes/, "N bytes");

  for (const row of doubtful) {
    it(`a PUT is sent again after ${nameOf(row)}`, async () => {
      const { emulator, client } = await setUp(row, 1);
      const outcome = await client.assignNumber(assignment);
      assert.equal(facts(outcome), "applied: 200");
      assert.deepEqual(emulator.routing(NUMBER)?.inboundAgents, { "agent_a@12": 70, agent_b: 30 });
      assert.equal(client.runtime.waits.length, 1);
    });

    it(`a PUT has an unknown outcome after every time ${nameOf(row)}`, async () => {
      const { emulator, client, attempts } = await setUp(row, "always");
      const outcome = await client.assignNumber(assignment);
      assert.equal(shown(outcome), expected(row, emulator.port, "unknown", attempts));
      assert.deepEqual(client.runtime.waits, [500, 1000, 2000].slice(0, attempts - 1));
      assert.equal(emulator.requests.length, attempts);
    });

    for (const [operation, post, success] of posts) {
      it(`${operation} is not sent again after ${nameOf(row)}`, async () => {
        const { emulator, client } = await setUp(row, 1);
        const [fault, cause, detail, status, words] = row;
        const shownStatus = status === 200 && fault.kind !== "status" ? success : status;
        const outcome = await post(client);
        assert.equal(shown(outcome), expected([fault, cause, detail, shownStatus, words], emulator.port, "unknown", 1));
        assert.equal(emulator.requests.length, 1);
      });
    }
  }

  for (const [row, outcome] of [
    ...refused.map((row) => [row, "rejected"] as const),
    ...redirected.map((row) => [row, "unknown"] as const),
  ]) {
    for (const [operation, send] of operations) {
      it(`${operation} is not sent again after ${nameOf(row)}`, async () => {
        const { emulator, client } = await setUp(row, "always");
        assert.equal(shown(await send(client)), expected(row, emulator.port, outcome, 1));
        assert.equal(emulator.requests.length, 1);
        assert.deepEqual(client.runtime.waits, []);
      });
    }
  }
});
