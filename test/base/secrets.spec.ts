import assert from "node:assert/strict";
import fc from "fast-check";
import { type Secrets, tokenAsSecret, withhold } from "../../provider/base/secrets";
import { ENCODERS } from "../support/encoders";

const token = "sk_live-4/2+9f+Q==";
const webhook = 'https://hooks.example.com/in/a%2Fb?key=4f 1c&pin="7"';
const secrets: Secrets = new Map([
  [token, "the access token"],
  [webhook, "inboundWebhookUrl"],
]);

describe("withhold", () => {
  for (const [encoder, encode] of Object.entries(ENCODERS)) {
    for (const [name, secret] of [
      ["the access token", token],
      ["inboundWebhookUrl", webhook],
    ] as const) {
      it(`shows no part of a text that repeats ${name} as ${encoder} writes it`, () => {
        const shown = withhold(`the value ${encode(secret)} is wrong`, secrets);
        const whole = `[withheld, because it repeats ${name}]`;
        assert.equal(
          shown,
          encode(secret).includes(secret) ? `the value ${encode(secret).replace(secret, `[${name}]`)} is wrong` : whole,
        );
      });

      it(`sees through a form around ${name} as ${encoder} writes it`, () => {
        assert.equal(
          withhold(`q=${encodeURIComponent(encode(secret))}`, secrets),
          `[withheld, because it repeats ${name}]`,
        );
      });
    }
  }

  const rows: readonly [name: string, text: string, shown: string][] = [
    [
      "a text without secrets",
      "weights must sum to 100%, not 90 &amp; 20",
      "weights must sum to 100%, not 90 &amp; 20",
    ],
    ["a secret as it was sent", `bad token ${token}!`, "bad token [the access token]!"],
    ["two secrets as they were sent", `${token} for ${webhook}`, "[the access token] for [inboundWebhookUrl]"],
    ["a token in lower case", `got ${token.toLowerCase()}.`, "got [the access token]."],
    [
      "one secret plain and one encoded",
      `${token} ${encodeURIComponent(webhook)}`,
      "[withheld, because it repeats the access token and inboundWebhookUrl]",
    ],
    [
      "one secret both plain and encoded",
      `${token} ${encodeURIComponent(token)}`,
      "[withheld, because it repeats the access token]",
    ],
    ["half of a surrogate pair", `\ud800 ${token}`, "\ud800 [the access token]"],
    [
      "escapes that mean no character",
      "\\u{ffffff} &#9999999; &unknown; %zz \\",
      "\\u{ffffff} &#9999999; &unknown; %zz \\",
    ],
  ];
  for (const [name, text, shown] of rows) {
    it(`shows ${name}`, () => assert.equal(withhold(text, secrets), shown));
  }

  it("replaces the longer of two secrets of which one is a part of the other", () => {
    const both: Secrets = new Map([
      ["https://a.example", "first"],
      ["https://a.example/key", "second"],
    ]);
    assert.equal(withhold("at https://a.example/key", both), "at [second]");
  });

  it("hides nothing without a token", () => assert.equal(withhold("text", tokenAsSecret("")), "text"));

  it("never shows a token of any characters, as any server writes it", () => {
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
          // A text without the marker was not recognised; one with it may hold the secret only where the marker spells it.
          assert.match(shown, /the access token\]/);
          assert.ok(!shown.split(/\[[^\]]*the access token\]/).some((part) => part.includes(encode(secret))), shown);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
