import assert from "node:assert/strict";
import { parseBody } from "../../provider/client/body";
import { isRefusal, platformWords } from "../../provider/client/wire";

describe("parseBody", () => {
  const json = "application/json";
  const unreadable = (detail: string, isPage = false) => ({ kind: "unreadable", detail, isPage }) as const;
  const levels = (count: number, inside = "") => `${"[".repeat(count)}${inside}${"]".repeat(count)}`;
  const rows: [string, Uint8Array | string, string | undefined, ReturnType<typeof parseBody>][] = [
    ["JSON", '{"a":1}', "application/json; charset=utf-8", { kind: "json", value: { a: 1 } }],
    ["JSON after a byte order mark", '\ufeff{"a":1}', undefined, { kind: "json", value: { a: 1 } }],
    ["nothing", "", json, { kind: "empty" }],
    ["half JSON", '{"a":', json, unreadable("not JSON, 5 bytes, content-type application/json")],
    ["a page", "<html>secret", "text/html; charset=x", unreadable("not JSON, 12 bytes, content-type text/html", true)],
    [
      "a page that calls itself JSON",
      " <html>",
      json,
      unreadable("not JSON, 7 bytes, content-type application/json", true),
    ],
    [
      "Latin-1",
      Buffer.from('{"a":"é"}', "latin1"),
      json,
      unreadable("not UTF-8, 9 bytes, content-type application/json"),
    ],
    ["65 levels", levels(65, "1"), undefined, unreadable("nested too deeply, 131 bytes, content-type unknown")],
    [
      "500,000 levels",
      levels(500_000),
      undefined,
      unreadable("nested too deeply, 1000000 bytes, content-type unknown"),
    ],
  ];
  for (const [name, bytes, type, expected] of rows) {
    it(`reads ${name}`, () => {
      assert.deepEqual(parseBody(Buffer.from(bytes), type, ""), expected);
    });
  }

  it("takes out what the engine cannot save, at any depth", () => {
    const text = String.raw`{"half \ud83d":["half \ud83d", 1e999], "signed":{"4dabf18193072939515e22adb298388d":"x"},
      "unknown":["04da6b54-80e4-46f7-96ec-b56ff0331ba9", "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7"]}`;
    assert.deepEqual(parseBody(Buffer.from(text), json, ""), {
      kind: "json",
      value: { "half \ufffd": ["half \ufffd", null], signed: {}, unknown: ["", ""] },
    });
  });

  it("takes __proto__ out, at any depth", () => {
    const body = parseBody(
      Buffer.from('{"__proto__":{"a":1},"list":[{"__proto__":{"b":2},"kept":3}]}'),
      "application/json",
      "",
    );
    const value = body.kind === "json" ? (body.value as { list: object[] }) : undefined;
    assert.deepEqual([Object.keys(value ?? {}), Object.keys(value?.list[0] ?? {})], [["list"], ["kept"]]);
    assert.equal(JSON.stringify(value), '{"list":[{"kept":3}]}');
  });
});

describe("isRefusal", () => {
  const rows: [unknown, boolean][] = [
    [{ success: false }, true],
    [{ error: "no such number" }, true],
    [{ error: "warning", success: true }, false],
    [{ error: "warning", numbers: [] }, false],
    [{ success: "false" }, false],
    [{}, false],
    [[], false],
  ];
  for (const [json, expected] of rows) {
    it(`${JSON.stringify(json)} -> ${expected}`, () => {
      assert.equal(isRefusal(json), expected);
    });
  }
});

describe("platformWords", () => {
  const rows: [unknown, string | undefined, boolean][] = [
    [{ error: "no" }, "no", true],
    [{ error: "no", message: "why" }, "no", false],
    [{ error: "no", status: 404, path: "/api/numbers/1/agent" }, "no", false],
    [{ error: "Not Found" }, "Not Found", false],
    [{ error: "no Route matched with those values" }, "no Route matched with those values", false],
    [{ error: "number not found" }, "number not found", true],
    [{ message: "why" }, "why", false],
    [{ error: { message: "deep" } }, "deep", false],
    ["bare", "bare", false],
    [["no"], undefined, false],
  ];
  for (const [json, words, isPlatformError] of rows) {
    it(`${JSON.stringify(json)} -> ${words}`, () => {
      assert.deepEqual(platformWords(json), { words, isPlatformError });
    });
  }
});

describe("a body", () => {
  it("holds no token: in a text, a key, or escapes", () => {
    const token = 'the"access.token';
    const escaped = [...token].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join("");
    const text = `{"${escaped}":["echo ${escaped}!",7,null,true]}`;
    assert.deepEqual(parseBody(Buffer.from(text), undefined, token), {
      kind: "json",
      value: { "[token]": ["echo [token]!", 7, null, true] },
    });
  });
});
