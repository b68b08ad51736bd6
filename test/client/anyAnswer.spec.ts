import assert from "node:assert/strict";
import { inspect } from "node:util";
import fc from "fast-check";
import { causeText } from "../../provider/core/messages";
import { startRawServer } from "../support/rawServer";
import { assignment, clientFor, voice } from "./support";

const token = "test-access-token+/=";

/** Does the text hold the token: as it is, in a URL, or in base64? */
function betrays(text: string): boolean {
  const decoded = (text.match(/[\w+/-]{8,}/g) ?? []).map((run) => Buffer.from(run, "base64").toString("latin1"));
  return [text, ...decoded].some((form) => form.includes(token) || form.includes(encodeURIComponent(token)));
}

describe("any response at all", () => {
  const word = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.constantFrom(token, encodeURIComponent(token), Buffer.from(token).toString("base64"), "\u001b[2J", "__proto__"),
  );
  const body = fc.oneof(
    fc.jsonValue().map((value) => JSON.stringify(value)),
    word.map((error) => JSON.stringify({ error })),
    word.map((message) => JSON.stringify({ success: false, message, error: { message } })),
    word.map((text) => JSON.stringify({ voiceId: text, numbers: [{ number: text, id: text }] })),
    word,
    fc.constantFrom("<html>", "", "null", "[".repeat(5000)),
  );
  const headerText = fc.string({ unit: fc.constantFrom(...'abc/;=", 0159-:'), maxLength: 20 });
  const headers = fc.record({
    "content-type": fc.oneof(fc.constantFrom("application/json", "text/html", `text/${token}`), headerText),
    "x-request-id": fc.oneof(fc.constant(token), headerText),
    location: fc.oneof(fc.constantFrom(`https://${token}.example/`, `/x?${token}`, "//"), headerText),
    "content-encoding": fc.constantFrom("identity", "identity", "gzip", "br"),
  });

  function response(status: number, fields: Record<string, string>, text: string, cut: number): Uint8Array {
    const content = Buffer.from(text);
    const lines = Object.entries({ ...fields, "content-length": String(content.length) }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    const whole = Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n${lines.join("")}\r\n`), content]);
    return whole.subarray(0, Math.ceil(whole.length * cut));
  }

  it("has one of three outcomes, and a text that is short, printable and without the token (property 15)", async () => {
    let bytes: Uint8Array = Buffer.alloc(0);
    const server = await startRawServer((socket) => socket.end(bytes));
    const answers = fc
      .tuple(fc.integer({ min: 200, max: 999 }), headers, body, fc.constantFrom(1, 1, 1, 0.9, 0.5, 0.1))
      .map((parts) => response(...parts));
    const isSafe = async (answer: Uint8Array) => {
      bytes = answer;
      const client = clientFor({ url: server.url, token }, { attempts: 1, requestTimeout: 2 });
      const before = server.requests.length;
      for (const outcome of [await client.assignNumber(assignment), await client.addCommunityVoice(voice)]) {
        assert.ok(["applied", "rejected", "unknown"].includes(outcome.outcome));
        const text = outcome.outcome === "applied" ? "" : causeText(outcome.failure);
        assert.ok(Buffer.byteLength(text) <= 2048 && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text), JSON.stringify(text));
        const isFailed = outcome.outcome !== "applied";
        assert.ok(!isFailed || !betrays([text, inspect(outcome, { depth: 9 }), JSON.stringify(outcome)].join("\n")));
      }
      assert.equal(server.requests.length, before + 2);
    };
    try {
      await fc.assert(fc.asyncProperty(answers, isSafe), { numRuns: 150 });
    } finally {
      await server.close();
    }
  });
});
