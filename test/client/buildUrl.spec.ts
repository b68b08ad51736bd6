import assert from "node:assert/strict";
import fc from "fast-check";
import { buildUrl, InvalidRequestError } from "../../provider/client/path";

const template = "/api/numbers/{number}/agent";

describe("buildUrl", () => {
  const rows: [string, string][] = [
    ["+15551234567", "/api/numbers/%2B15551234567/agent"],
    ["+1555#12", "/api/numbers/%2B1555%2312/agent"],
    ["a/b", "/api/numbers/a%2Fb/agent"],
    ["../x", "/api/numbers/..%2Fx/agent"],
    ["a?b=c", "/api/numbers/a%3Fb%3Dc/agent"],
    ["100%", "/api/numbers/100%25/agent"],
    ["🙂", "/api/numbers/%F0%9F%99%82/agent"],
    ["1".repeat(7500), `/api/numbers/${"1".repeat(7500)}/agent`],
  ];
  for (const [number, path] of rows) {
    it(`${JSON.stringify(number).slice(0, 60)} -> ${path.slice(0, 60)}`, () => {
      assert.equal(buildUrl("https://a.example", template, { number }).href, `https://a.example${path}`);
    });
  }

  it("keeps the path of the base URL", () => {
    assert.equal(
      buildUrl("https://a.example/v1", template, { number: "1" }).href,
      "https://a.example/v1/api/numbers/1/agent",
    );
  });

  const half = "contains a control or invisible character, or half a character";
  const refused: [unknown, string][] = [
    [undefined, "is empty"],
    [".", 'is ".", which would lead to another path'],
    ["..", 'is "..", which would lead to another path'],
    ["a\u0000b", half],
    ["e\u202ee", half],
    ["\ud800", half],
    ["1".repeat(7501), "needs more than 7500 characters of a URL"],
  ];
  for (const [number, problem] of refused) {
    it(`refuses ${JSON.stringify(number)?.slice(0, 20)}`, () => {
      assert.throws(
        () => buildUrl("https://a.example", template, { number }),
        new InvalidRequestError(`number ${problem}: nothing was sent.`),
      );
    });
  }

  it("refuses a base URL that a parser would read otherwise", () => {
    assert.throws(
      () => buildUrl("https://a.example/x/..", template, { number: "1" }),
      new InvalidRequestError(`${template} cannot be filled in so that it stays one path: nothing was sent.`),
    );
  });

  it("keeps any number one segment of four, or refuses it (property 16)", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom(..."./\\%?#+ 12eE;:@&\u0000\u202e") }),
    );
    fc.assert(
      fc.property(text, (number) => {
        let url: URL;
        try {
          url = buildUrl("https://a.example", template, { number });
        } catch (error) {
          assert.ok(error instanceof InvalidRequestError);
          return;
        }
        const segments = url.pathname.slice(1).split("/");
        assert.equal(segments.length, 4);
        assert.equal(decodeURIComponent(segments[2] ?? ""), number);
        assert.equal(url.pathname, `/api/numbers/${encodeURIComponent(number)}/agent`);
        assert.equal(url.search + url.hash, "");
      }),
      { numRuns: 2000 },
    );
  });
});
