import assert from "node:assert/strict";
import fc from "fast-check";
import { nameText, plainText } from "../../provider/base/schemas";
import { clean, escapeInvisible, parseUrl, printable } from "../../provider/base/text";
import { anyText } from "../support/characters";

describe("parseUrl", () => {
  it("parses a non-ASCII URL after 100,000 other URLs", () => {
    for (let index = 0; index < 100_000; index += 1) {
      assert.notEqual(parseUrl(`https://a.example/${index}`), undefined);
    }
    assert.equal(parseUrl("https://b\u00fccher.example/x")?.host, "xn--bcher-kva.example");
  });
});

describe("clean", () => {
  it("escapes control characters and leaves ordinary text unchanged", () => {
    assert.equal(clean("\u001b[31mred\r\na\tb\u202ec\ud800"), "\\u{1b}[31mred\\r\\na\\tb\\u{202e}c\\u{d800}");
    assert.equal(clean("Zoë: 50% → 70% 🙂"), "Zoë: 50% → 70% 🙂");
  });

  it("truncates a string to 500 characters without splitting a surrogate pair", () => {
    assert.equal(clean("x".repeat(500)), "x".repeat(500));
    assert.equal(clean("x".repeat(501)), `${"x".repeat(499)}…`);
    assert.equal(clean("🙂".repeat(300)), `${"🙂".repeat(249)}…`);
    assert.equal(clean(`${"x".repeat(495)}\u0000`).length, 500);
  });

  it("returns at most 500 printable characters for any input", () => {
    fc.assert(
      fc.property(anyText(2000), (text) => {
        const shown = clean(text);
        assert.doesNotMatch(
          shown,
          /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Surrogate}]/u,
          "contains unprintable characters",
        );
        assert.ok(shown.length <= 500, `${shown.length} characters instead of at most 500`);
      }),
    );
  });
});

describe("name and label validation", () => {
  const accepted = {
    "a family emoji": "\u{1F468}\u200d\u{1F469}\u200d\u{1F467} desk",
    "a heart-on-fire emoji": "\u2764\ufe0f\u200d\u{1F525}",
    "a flag emoji made of tag characters": "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} Edinburgh",
    "Persian text": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "Hindi text": "\u0915\u094d\u200d\u0937",
    "a soft hyphen": "Kunden\u00addienst",
    "Khmer text": "\u1797\u17b6\u179f\u17b6\u200b\u1781\u17d2\u1798\u17c2\u179a",
  };
  for (const [label, text] of Object.entries(accepted)) {
    it(`accepts ${label} and prints it unchanged`, () => {
      assert.equal(nameText.safeParse(text).success, true, "valid as a name");
      assert.deepEqual([printable(text), clean(text)], [text, text]);
      // IDs must not contain invisible characters, and messages about IDs escape them.
      assert.equal(plainText.safeParse(text).success, false, "invalid as an ID");
      assert.notEqual(escapeInvisible(text), text);
    });
  }

  const hidden = {
    "a Unicode direction override": "a\u202eb",
    "a Unicode direction isolate": "a\u2066b\u2069",
    "a Unicode direction mark": "a\u200fb",
    "a lone surrogate": "a\ud800b",
    "a line separator": "a\u2028b",
    "a control character": "a\u001b[31m",
  };
  for (const [label, text] of Object.entries(hidden)) {
    it(`rejects ${label}`, () => {
      assert.equal(nameText.safeParse(text).success, false, "invalid as a name");
      assert.match(printable(text), /\\u\{/);
    });
  }

  const invisible = {
    "a zero-width joiner": "\u200d",
    spaces: " \u3000\u200b",
    "a flag's tag characters": "\u{E0067}\u{E0062}",
  };
  for (const [label, text] of Object.entries(invisible)) {
    it(`rejects a string that contains only ${label}`, () => {
      assert.equal(nameText.safeParse(text).success, false, "invalid as a name");
    });
  }
});
