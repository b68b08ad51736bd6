import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import fc from "fast-check";
import type { Emulator } from "../../emulator";
import { numberAssignment } from "../../provider/resources/numberAssignment";
import { assign } from "../../provider/resources/numbers/assign";
import { assignment, chat, clientFor, emulatorForEach, facts, NUMBER, voice } from "../client/support";
import { startRawServer } from "../support/rawServer";
import { newRun } from "../support/session";

/** Of the last request, as it came. */
const metadataOf = ({ requests }: Emulator): unknown =>
  (requests.at(-1)?.body as { metadata?: unknown } | undefined)?.metadata;

/** What is sent and what comes back, byte for byte. */
describe("on the wire", () => {
  const start = emulatorForEach();

  it("a redirect is never followed: the other server sees no request", async () => {
    const elsewhere = await startRawServer((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"));
    try {
      const emulator = await start();
      const client = clientFor(emulator);
      for (const status of [301, 302, 303, 307, 308]) {
        for (const [expected, send] of [
          ["unknown", () => client.assignNumber(assignment)],
          ["unknown", () => client.addCommunityVoice(voice)],
          ["unknown", () => client.createSmsChat(chat)],
          ["unknown", () => client.endChat({ chatId: "chat_1", workspaceId: 42 })],
        ] as const) {
          emulator.inject({ kind: "redirect", status, location: `${elsewhere.url}/api` });
          const outcome = await send();
          assert.equal("failure" in outcome && outcome.failure.cause, "redirected");
          assert.equal(outcome.outcome, expected);
        }
      }
      assert.deepEqual([elsewhere.connections, emulator.requests.length], [0, 20]);
    } finally {
      await elsewhere.close();
    }
  });

  it("a key that comes twice counts as its last, in another case not at all", async () => {
    const emulator = await start({ token: "an-access-token" });
    const agents = (id: string) => `[{"agent_id":"${id}","weight":1}]`;
    const split = async (keys: string) => {
      const body = `{"success":false,"success":true,"numbers":[{"number":"${NUMBER}",${keys}}]}`;
      emulator.inject({ kind: "status", status: 200, body, times: 3 });
      const task = { number: NUMBER, routing: { inboundAgents: { agent_a: 1 } }, held: {} };
      const assigned = await assign(task, newRun(emulator.url, "an-access-token"));
      emulator.clearFaults();
      return assigned.result;
    };
    const [asked, other] = [agents("agent_a"), agents("agent_b")];
    assert.deepEqual(
      [
        await split(`"inbound_agents":${other},"inbound_agents":${asked}`),
        await split(`"inbound_agents":${asked},"inbound_agents":${other}`),
        await split(`"inbound_agents":${asked},"Inbound_Agents":${other},"inboundAgents":${other}`),
      ],
      ["applied", "different", "applied"],
    );
  });

  it("an answer that is stale for a moment is asked for again, and one that stays so is told", async () => {
    const emulator = await start({ token: "an-access-token" });
    const waits: number[] = [];
    const session = { ...newRun(emulator.url, "an-access-token"), wait: async (ms: number) => void waits.push(ms) };
    const task = { number: NUMBER, routing: { inboundAgents: { agent_a: 1 } }, held: {} };
    const stale = { kind: "contradict", record: { inbound_agents: [] } } as const;
    emulator.inject({ ...stale, times: 2 });
    assert.equal((await assign(task, session)).result, "applied");
    emulator.inject({ ...stale, times: 9 });
    assert.equal((await assign(task, session)).result, "different");
    assert.deepEqual([waits, emulator.requests.length], [[500, 1500, 500, 1500], 6]);
  });

  it("what the answer holds cannot drive a terminal: an import error, an agent's id", async () => {
    const emulator = await start({ token: "an-access-token" });
    const evil = "\u001b[2J\u202ered\r\n";
    const message = async (record: Readonly<Record<string, unknown>>) => {
      emulator.inject({ kind: "contradict", record, times: 3 });
      const session = newRun(emulator.url, "an-access-token");
      const inputs = { number: NUMBER, inboundAgents: { agent_a: 1 }, endpoint: emulator.url };
      const error = await numberAssignment.create(inputs, session).then(
        () => undefined,
        (thrown: Error) => thrown,
      );
      emulator.clearFaults();
      return error?.message.split("\n")[0];
    };
    assert.deepEqual(
      [
        await message({ platform_import_error: true, platform_import_error_message: evil }),
        await message({ inbound_agents: [{ agent_id: evil, weight: 1 }] }),
      ],
      [
        `AGP-050 NumberAssignment "${NUMBER}": the platform reports an import error: \\u{1b}[2J\\u{202e}red.`,
        `AGP-050 NumberAssignment "${NUMBER}": the response differs from the request: inboundAgents: sent agent_a 1, the platform returned \\u{1b}[2J\\u{202e}red\\r\\n 1.`,
      ],
    );
  });

  it("any text of a field comes back as it was sent", async () => {
    const emulator = await start();
    const client = clientFor(emulator);
    const texts = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("\r\n", "\u0000", "\u001b[31m", "\u2028", "\u202e", '"\\', "🙂".repeat(1000), "__proto__"),
    );
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        emulator.clearRequests();
        const metadata = { text, list: [text], inner: { [`key ${text}`]: null } };
        assert.equal((await client.createSmsChat({ ...chat, metadata })).outcome, "applied");
        assert.deepEqual(metadataOf(emulator), metadata);
      }),
      { numRuns: 60 },
    );
    const large = "x".repeat(1_000_000);
    assert.equal((await client.createSmsChat({ ...chat, metadata: { large } })).outcome, "applied");
    assert.deepEqual(metadataOf(emulator), { large });
  });

  it("no open file is left: nothing is sent, by a POST either, and said so", async () => {
    const emulator = await start();
    // got is loaded by the first request; then files are opened until the machine gives no more.
    const script = `
      const { openSync } = require("node:fs");
      const { clientFor } = require("./test/client/support");
      const client = clientFor({ url: "${emulator.url}", token: "${emulator.token}" }, { attempts: 2 });
      const assignment = ${JSON.stringify(assignment)};
      (async () => {
        await client.addCommunityVoice(${JSON.stringify(voice)});
        try { for (;;) openSync("/dev/null"); } catch {}
        for (const { outcome, failure } of [
          await client.assignNumber(assignment), await client.addCommunityVoice(${JSON.stringify(voice)}),
        ]) console.log(JSON.stringify([outcome, failure.cause, failure.detail, failure.exchange.attempts]));
      })();`;
    const { stdout } = await promisify(execFile)(
      "sh",
      ["-c", 'ulimit -n 200 && exec "$0" -r tsx/cjs -e "$1"', process.execPath, script],
      { cwd: `${__dirname}/../..` },
    );
    const detail = `too many open files for a connection to 127.0.0.1:${emulator.port}`;
    const unsent = JSON.stringify(["rejected", "unreachable", detail, 2]);
    assert.deepEqual(stdout.trim().split("\n"), [unsent, unsent]);
    assert.equal(emulator.requests.length, 1);
    assert.equal(facts(await clientFor(emulator).assignNumber(assignment)), "applied: 200, 1 attempt");
  });
});
