import assert from "node:assert/strict";
import fc from "fast-check";
import { clean, redact } from "../../provider/core/common/redact";

const token = 'sk_live-4"2/9\\f+Q==';

describe("redact", () => {
  it("hides the token as it is, in a URL and in base64", () => {
    assert.equal(redact(`bad token ${token}!`, token), "bad token [token]!");
    assert.equal(redact(`?t=${encodeURIComponent(token)}&x`, token), "?t=[token]&x");
    assert.equal(redact(`?t=${Buffer.from(token).toString("base64")}&x`, token), "?t=[token]==&x");
  });

  it("drops a text that still holds the token, and leaves that of an empty one", () => {
    assert.equal(redact("x ]ab]ab]abab]ab]ab", "]ab]ab]ab"), "");
    assert.equal(redact("text", ""), "text");
  });

  it("leaves no token in any text (property 18)", () => {
    const tokens = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.base64String({ minLength: 4 }),
      fc.string({ unit: "binary", minLength: 1 }),
    );
    const forms: ((t: string) => string)[] = [
      (t) => t,
      (t) => (/\p{Surrogate}/u.test(t) ? t : encodeURIComponent(t)),
      (t) => Buffer.from(t).toString("base64"),
    ];
    fc.assert(
      fc.property(tokens, fc.string(), fc.string(), fc.constantFrom(...forms), (t, before, after, form) => {
        assert.ok(!redact(`${before}${form(t)}${after}${t}`, t).includes(t));
        assert.ok(!clean(`${before}${form(t)}${after}${t}`, t).includes(t));
      }),
      { numRuns: 500 },
    );
  });
});

describe("clean", () => {
  it("makes colours, lines, a change of direction and half a character harmless, and leaves ordinary text", () => {
    assert.equal(clean("\u001b[31mred\r\na\tb\u202ec\ud800", token), "\\u{1b}[31mred\\r\\na\\tb\\u{202e}c\\u{d800}");
    assert.equal(clean("Zoë: 50 % → 70 % 🙂", token), "Zoë: 50 % → 70 % 🙂");
  });

  it("cuts at 500 characters, never through one", () => {
    assert.equal(clean("x".repeat(500), token), "x".repeat(500));
    assert.equal(clean("x".repeat(501), token), `${"x".repeat(499)}…`);
    assert.equal(clean("🙂".repeat(300), token), `${"🙂".repeat(249)}…`);
    assert.equal(clean(`${"x".repeat(495)}\u0000`, token).length, 500);
  });

  it("is printable and short for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 2000 }), (text) => {
        const shown = clean(text, token);
        assert.ok(!/[\p{C}\p{Zl}\p{Zp}]/u.test(shown));
        assert.ok(shown.length <= 500);
      }),
    );
  });
});
