import assert from "node:assert/strict";
import fc from "fast-check";
import { clean, printable, redact, spelledOut } from "../../provider/core/common/redact";
import { nameText, plainText } from "../../provider/core/common/schemas";
import { anyText } from "../support/characters";

const token = 'sk_live-4"2/9\\f+Q==';

const base64 = (text: string) => Buffer.from(text).toString("base64");

/** How a server, or a gateway in front of it, may hand a text back. */
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  "small letters": (text) => text.toLowerCase(),
  base64,
  "base64url without padding": (text) => Buffer.from(text).toString("base64url"),
  "base64 over lines": (text) => base64(text).replace(/.{19}/g, "$&\r\n "),
  "base64 of UTF-16": (text) => Buffer.from(text, "utf16le").toString("base64"),
  hex: (text) => Buffer.from(text).toString("hex"),
  "HEX:BYTES": (text) =>
    Buffer.from(text)
      .toString("hex")
      .toUpperCase()
      .replace(/..(?=.)/g, "$&:"),
  "a URL": encodeURIComponent,
  "a URL, every character": (text) => Buffer.from(text).toString("hex").replace(/../g, "%$&"),
  JSON: (text) => JSON.stringify(text),
  "escapes of JSON": (text) => text.replace(/./g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
  "entities of HTML": (text) => text.replace(/[^a-z]/gi, (one) => `&#${one.charCodeAt(0)};`),
  "a list of bytes": (text) => JSON.stringify([...Buffer.from(text)]),
};

/** A second reading of what a text may hold: every substring in every encoding, as deep as the encodings above are put into each other. */
function reads(text: string, token: string, depth = 2): boolean {
  const packed = text.replace(/[\s\0]/g, "");
  if (packed.toLowerCase().includes(token.toLowerCase())) {
    return true;
  }
  if (depth === 0) {
    return false;
  }
  const runs = (form: RegExp) => packed.match(form) ?? [];
  const from = (run: string, encoding: "base64" | "hex") =>
    [...run.slice(0, 4)].map((_, start) => Buffer.from(run.slice(start), encoding).toString("latin1"));
  const number = (digits: string, base: number) => String.fromCharCode(Number.parseInt(digits, base));
  const decoded = [
    packed.replace(/%(..)/g, (_, digits) => number(digits, 16)),
    packed.replace(/\\u(....)/g, (_, digits) => number(digits, 16)).replace(/\\(["\\])/g, "$1"),
    packed.replace(/&#(\d+);/g, (_, digits) => number(digits, 10)),
    ...runs(/[\d,]{9,}/g).map((list) =>
      list
        .split(",")
        .map((byte) => number(byte, 10))
        .join(""),
    ),
    ...runs(/[a-z0-9+/_-]{8,}/gi).flatMap((run) => from(run, "base64")),
    ...runs(/[a-f0-9:]{8,}/gi).flatMap((run) => from(run.replaceAll(":", ""), "hex")),
  ];
  return decoded.some((one) => one !== packed && reads(one, token, depth - 1));
}

/** As settings allow it, and not made of the marker that takes its place. */
const tokens = fc
  .string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)), minLength: 8 })
  .filter((one) => !/^[[\]token]*$/.test(one));

describe("redact", () => {
  for (const [name, encode] of Object.entries(ENCODINGS)) {
    for (const [around, said] of Object.entries({
      token,
      "its header": `Bearer ${token}`,
      "a header before it": `Authorization: Bearer ${token}`,
      "JSON of headers": JSON.stringify({ headers: { authorization: `Bearer ${token}`, accept: "*/*" } }),
    })) {
      it(`leaves no token: ${around} as ${name}`, () => {
        const shown = clean(`the gateway got ${encode(said)} and says no`, token);
        assert.ok(!reads(shown, token), shown);
        assert.ok(reads(encode(said), token), "the second reading finds it before");
      });
    }
  }

  it("puts a marker in the place of the word that holds the token, and leaves the others", () => {
    const rows: [text: string, shown: string][] = [
      [`bad token ${token}!`, "bad token [token]!"],
      [`?t=${encodeURIComponent(token)}&x`, "?t=[token]&x"],
      [`?t=${base64(token)}&x`, "?t=[token]&x"],
      [
        `got "${base64(`Bearer ${token}`)}", wanted "${base64("Bearer another token")}"`,
        `got "[token]", wanted "${base64("Bearer another token")}"`,
      ],
      [`id ${Buffer.from(token).toString("hex")}.`, "id [token]."],
    ];
    for (const [text, shown] of rows) {
      assert.equal(redact(text, token), shown);
    }
  });

  it("drops a text that still holds the token, and leaves that of an empty one", () => {
    assert.equal(redact("x ]ab]ab]abab]ab]ab", "]ab]ab]ab"), "");
    assert.equal(redact(`${token.slice(0, 9)}\n${token.slice(9)}`, token), "");
    assert.equal(redact("text", ""), "text");
  });

  it("leaves no token in any text, in any two encodings in each other (property 18)", () => {
    const encoding = fc.constantFrom(...Object.values(ENCODINGS));
    fc.assert(
      fc.property(
        tokens,
        fc.string(),
        fc.string(),
        fc.string(),
        encoding,
        encoding,
        (t, head, before, after, inner, outer) => {
          const text = `${before}${outer(inner(`${head}${t}`))}${after}`;
          assert.ok(!reads(redact(text, t), t), redact(text, t));
          assert.ok(!reads(clean(text, t), t), clean(text, t));
        },
      ),
      { numRuns: 2000 },
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
      fc.property(anyText(2000), (text) => {
        const shown = clean(text, token);
        const seen = shown.replace(/(?<=\P{C})[\u{AD}\u{200B}-\u{200D}\u{600}-\u{605}\u{6DD}\u{70F}\u{8E2}]/gu, "");
        assert.ok(!/[\p{C}\p{Zl}\p{Zp}]/u.test(seen));
        assert.ok(shown.length <= 500);
      }),
    );
  });
});

describe("a text that people write", () => {
  const Written = {
    "a family": "\u{1F468}\u200d\u{1F469}\u200d\u{1F467} desk",
    "a heart on fire": "\u2764\ufe0f\u200d\u{1F525}",
    "a flag of tags": "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} Edinburgh",
    Persian: "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    Hindi: "\u0915\u094d\u200d\u0937",
    "a soft hyphen": "Kunden\u00addienst",
    Khmer: "\u1797\u17b6\u179f\u17b6\u200b\u1781\u17d2\u1798\u17c2\u179a",
  };
  for (const [what, text] of Object.entries(Written)) {
    it(`is a label, and is shown as it is: ${what}`, () => {
      assert.ok(nameText.safeParse(text).success);
      assert.deepEqual([printable(text), clean(text, "")], [text, text]);
      // An id has none of it, and a message about an id says so.
      assert.ok(!plainText.safeParse(text).success);
      assert.notEqual(spelledOut(text), text);
    });
  }

  const Hidden = {
    "an override of the direction": "a\u202eb",
    "an isolate": "a\u2066b\u2069",
    "a mark of the direction": "a\u200fb",
    "a joiner alone": "\u200d",
    "a joiner behind a space": "a \u200db",
    "two in a row": "a\u200d\u200cb",
    "tags without their flag": "a\u{E0067}\u{E0062}",
    "a byte order mark": "a\ufeffb",
    "a line": "a\u2028b",
    "a control character": "a\u001b[31m",
  };
  for (const [what, text] of Object.entries(Hidden)) {
    it(`has nothing that hides or turns it: ${what}`, () => {
      assert.equal(nameText.safeParse(text).error?.issues[0]?.message, "must hold no control or invisible characters");
      assert.match(printable(text), /\\u\{/);
    });
  }
});
