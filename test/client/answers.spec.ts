import assert from "node:assert/strict";
import { startRawServer } from "../support/rawServer";
import { assignment, chat, clientFor, clientForEach, facts, voice } from "./support";

const OK = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

describe("answers", () => {
  const start = clientForEach();

  for (const status of [200, 206]) {
    it(`${status} is a success like any other 2xx (F13)`, async () => {
      const { emulator, client } = await start();
      emulator.inject({ kind: "status", status, body: { success: true, voiceId: "v", chatId: "c" }, times: 3 });
      assert.equal(facts(await client.assignNumber(assignment)), `applied: ${status}, 1 attempt`);
      assert.equal(facts(await client.addCommunityVoice(voice)), `applied: ${status}, 1 attempt`);
      assert.equal(facts(await client.createSmsChat(chat)), `applied: ${status}, 1 attempt`);
    });
  }

  for (const status of [200, 204]) {
    it(`${status} without a body: applied for a PUT and for the end of a chat, unknown for a POST that makes something (F14)`, async () => {
      const { emulator, client } = await start();
      emulator.inject({ kind: "noContent", status, times: Number.POSITIVE_INFINITY });
      const assigned = await client.assignNumber(assignment);
      assert.deepEqual(assigned, {
        outcome: "applied",
        answer: undefined,
        issues: [],
        exchange: assigned.outcome === "applied" ? assigned.exchange : undefined,
      });
      const unknown = `unknown, unusable: ${status}, 1 attempt: the response is empty`;
      assert.equal(facts(await client.addCommunityVoice(voice)), unknown);
      assert.equal(facts(await client.createSmsChat(chat)), unknown);
      const [started] = emulator.chats.values();
      const ended = await client.endChat({ chatId: started?.chatId ?? "", workspaceId: 42 });
      assert.equal(facts(ended), `applied: ${status}, 1 attempt`);
      assert.equal(emulator.requests.length, 4);
    });
  }

  it("success: false is a refusal with the platform's words (F11)", async () => {
    const { emulator, client } = await start();
    for (const [body, words] of [
      [{ success: false, message: "no such agent\u0007" }, ' "no such agent\\u{7}"'],
      [{ error: "no such number" }, ' "no such number"'],
      [{ success: false }, ""],
    ] as const) {
      emulator.inject({ kind: "status", status: 200, body });
      const no = `rejected, refused: 200, 1 attempt: 127.0.0.1:${emulator.port} says that the request failed${words}`;
      assert.equal(facts(await client.assignNumber(assignment)), no);
    }
  });

  it("a POST answered without an id is unknown, and its words are shown", async () => {
    const { emulator, client } = await start();
    const unknown = "unknown, unusable: 200, 1 attempt: the response has no";
    emulator.inject({ kind: "status", status: 200, body: { error: "library full" }, times: 2 });
    assert.equal(facts(await client.addCommunityVoice(voice)), `${unknown} voiceId "library full"`);
    assert.equal(facts(await client.createSmsChat(chat)), `${unknown} chatId "library full"`);
    emulator.inject({ kind: "status", status: 200, body: { voiceId: 7 } });
    assert.equal(facts(await client.addCommunityVoice(voice)), `${unknown} voiceId`);
    assert.equal(emulator.requests.length, 3);
  });

  it("a chat whose id no request could name is unknown, and any other id can be ended", async () => {
    const { emulator, client } = await start();
    for (const chatId of [".", "..", "a\nb", "x".repeat(7501)]) {
      emulator.inject({ kind: "contradict", patch: { chatId } });
      assert.equal(
        facts(await client.createSmsChat(chat)),
        "unknown, unusable: 201, 1 attempt: the chatId in the response cannot be part of a URL, so this chat could never be ended",
      );
    }
    for (const chatId of ["...", "a/b", "x".repeat(7000)]) {
      emulator.inject({ kind: "contradict", patch: { chatId } });
      assert.equal((await client.createSmsChat(chat)).outcome, "applied");
      emulator.inject({ kind: "status", status: 200, body: {} });
      assert.equal((await client.endChat({ chatId, workspaceId: 42 })).outcome, "applied");
      assert.equal(emulator.requests.at(-1)?.chatId, chatId);
    }
  });

  it("any 2xx ends a chat, but a page of someone else's does not (4.4, F10)", async () => {
    const { emulator, client } = await start();
    const end = () => client.endChat({ chatId: "chat_1", workspaceId: 42 });
    for (const body of [{}, "OK", [], null, { chatId: "chat_1" }]) {
      emulator.inject({ kind: "status", status: 200, body });
      assert.equal((await end()).outcome, "applied");
    }
    emulator.inject({ kind: "html" });
    assert.equal((await end()).outcome, "unknown");
    assert.equal(emulator.requests.length, 6);
  });

  it("JSON that is no object is no answer to a PUT, null is none at all", async () => {
    const { emulator, client } = await start({ attempts: 1 });
    for (const body of [[], '"ok"', "true", "7"]) {
      emulator.inject({ kind: "status", status: 200, body });
      const words = body === '"ok"' ? ' "ok"' : "";
      assert.equal(
        facts(await client.assignNumber(assignment)),
        `unknown, unusable: 200, 1 attempt: the response is JSON, but not an object${words}`,
      );
    }
    emulator.inject({ kind: "status", status: 200, body: "null" });
    assert.equal(facts(await client.assignNumber(assignment)), "applied: 200, 1 attempt");
  });

  it("a clear no does not settle what an attempt before it may have done", async () => {
    const { emulator, client } = await start();
    const host = `127.0.0.1:${emulator.port}`;
    emulator.inject({ kind: "resetAfterRequest", applied: true });
    emulator.inject({ kind: "status", status: 401 });
    assert.equal(
      facts(await client.assignNumber(assignment)),
      `unknown, unauthenticated: 401, 2 attempts: from ${host}; an earlier attempt may have been carried out (${host} closed the connection before it responded (ECONNRESET)) "injected 401"`,
    );
  });

  for (const [name, bytes, expected] of [
    [
      "cannot be decompressed",
      `${OK}Content-Encoding: gzip\r\nContent-Length: 14\r\n\r\nno gzip at all`,
      "200, 1 attempt: the response cannot be decompressed, content-type application/json",
    ],
    [
      "is not HTTP",
      "\u0000\u0001 not HTTP at all\r\n\r\n",
      "no response, 1 attempt: H sent something that is not HTTP",
    ],
  ] as const) {
    it(`an answer that ${name} is unusable`, async () => {
      const server = await startRawServer((socket) => socket.end(bytes));
      try {
        const outcome = await clientFor(server).addCommunityVoice(voice);
        assert.equal(facts(outcome).replace(/127\.0\.0\.1:\d+/, "H"), `unknown, unusable: ${expected}`);
        assert.equal(server.requests.length, 1);
      } finally {
        await server.close();
      }
    });
  }

  it("a large or broken error body does not change what its status says (F42)", async () => {
    const { emulator, client } = await start();
    const bodies: [unknown, string | undefined][] = [
      [{ error: "\u001b[31mred" }, "\\u{1b}[31mred"],
      [{ error: `echo ${emulator.token}` }, "echo [token]"],
      [{ error: "x".repeat(10_000_000) }, undefined],
      [{ error: "x".repeat(1000) }, `${"x".repeat(499)}…`],
    ];
    for (const [body, words] of bodies) {
      emulator.inject({ kind: "status", status: 422, body });
      const outcome = await client.assignNumber(assignment);
      assert.equal(outcome.outcome, "rejected");
      assert.equal(outcome.outcome === "rejected" && outcome.failure.platformMessage, words);
    }
  });
});
