import assert from "node:assert/strict";
import fc from "fast-check";
import { type Secrets, tokenAsSecret, withhold } from "../../provider/base/secrets";
import { ENCODERS } from "../support/encoders";
import { withheld } from "../support/named";

const token = "sk_live-4/2+9f+Q==";
const webhook = 'https://hooks.example.com/in/a%2Fb?key=4f 1c&pin="7\'#$"';
const secrets: Secrets = new Map([
  [token, "the access token"],
  [webhook, "inboundWebhookUrl"],
]);

describe("withhold", () => {
  for (const [encoder, encode] of Object.entries(ENCODERS)) {
    it(`redacts secrets that are ${encoder}`, () => {
      for (const [secret, name] of secrets) {
        const shown = withhold(`the value ${encode(secret)} is wrong`, secrets);
        if (encode(secret).includes(secret)) {
          assert.equal(shown, `the value ${encode(secret).replace(secret, `[${name}]`)} is wrong`);
        } else {
          assert.match(shown, withheld(name));
        }
        assert.match(withhold(`q=${encodeURIComponent(encode(secret))}`, secrets), withheld(name));
      }
    });
  }

  const rows: readonly [name: string, text: string, shown: string][] = [
    [
      "returns a string without secrets unchanged",
      "weights must sum to 100%, not 90 &amp; 20",
      "weights must sum to 100%, not 90 &amp; 20",
    ],
    ["replaces a secret with its name", `bad token ${token}!`, "bad token [the access token]!"],
    ["replaces two secrets with their names", `${token} for ${webhook}`, "[the access token] for [inboundWebhookUrl]"],
    ["redacts a token converted to lowercase", `got ${token.toLowerCase()}.`, "got [the access token]."],
    ["returns a lone surrogate unchanged", `\ud800 ${token}`, "\ud800 [the access token]"],
    [
      "returns invalid escape sequences unchanged",
      "\\u{ffffff} &#9999999; &unknown; %zz \\",
      "\\u{ffffff} &#9999999; &unknown; %zz \\",
    ],
  ];
  for (const [name, text, shown] of rows) {
    it(name, () => assert.equal(withhold(text, secrets), shown));
  }

  for (const [title, text, names] of [
    [
      "redacts the whole string if it contains a plain and an encoded secret",
      `${token} ${encodeURIComponent(webhook)}`,
      "the access token and inboundWebhookUrl",
    ],
    [
      "redacts the whole string if it contains a secret both plain and encoded",
      `${token} ${encodeURIComponent(token)}`,
      "the access token",
    ],
  ] as const) {
    it(title, () => assert.match(withhold(text, secrets), withheld(names)));
  }

  it("redacts the longer secret if it contains a shorter one", () => {
    const nested: Secrets = new Map([
      ["https://a.example", "first"],
      ["https://a.example/key", "second"],
    ]);
    assert.equal(withhold("at https://a.example/key", nested), "at [second]");
  });

  it("returns the string unchanged if the access token is empty", () =>
    assert.equal(withhold("text", tokenAsSecret("")), "text"));

  it("redacts random tokens in every encoding", () => {
    const tokens = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 8,
    });
    fc.assert(
      fc.property(
        tokens,
        fc.string(),
        fc.string(),
        fc.constantFrom(...Object.entries(ENCODERS)),
        (secret, before, after, [, encode]) => {
          const shown = withhold(`${before} ${encode(secret)} ${after}`, tokenAsSecret(secret));
          // The placeholder must appear, and the encoded secret must not appear outside of it. A random token can
          // happen to be part of the placeholder itself, such as `withheld`.
          assert.match(shown, /the access token\]/);
          assert.ok(!shown.split(/\[[^\]]*the access token\]/).some((part) => part.includes(encode(secret))), shown);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
