import assert from "node:assert/strict";
import { parseToken } from "../../provider/core/config/readSettings";
import { parseBaseUrl } from "../../provider/core/platform/endpoint";

describe("parseBaseUrl", () => {
  const accepted: [string, string][] = [
    ["https://api.example.com", "https://api.example.com"],
    ["https://api.example.com/", "https://api.example.com"],
    ["https://api.example.com/v1/agents/", "https://api.example.com/v1/agents"],
    ["HTTPS://API.Example.COM:443", "https://api.example.com"],
    ["https://api.example.com//", "https://api.example.com"],
    [" https://api.example.com\n", "https://api.example.com"],
    ["https://bücher.example", "https://xn--bcher-kva.example"],
    ["https://[2001:db8::1]:8443/x", "https://[2001:db8::1]:8443/x"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["http://localhost:3000", "http://localhost:3000"],
    ["http://[::1]:3000", "http://[::1]:3000"],
  ];
  for (const [text, url] of accepted) {
    it(`takes ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parseBaseUrl(text), { url });
    });
  }

  const write = "write it as https://host";
  const plain = "must use https: http would send the token unencrypted, and is accepted only on loopback.";
  const segments = 'has an empty, "." or ".." segment in its path: write the path without it.';
  const userinfo = "must contain no user name or password: the access token is a separate setting.";
  const begin = "must begin with https:// and a host (http:// only on loopback).";
  const refused: [string, string][] = [
    ["", `is empty: ${write}.`],
    ["api.example.com", begin],
    ["ftp://api.example.com", begin],
    ["https:///api", begin],
    ["https://a b.example", `contains a space, a backslash or a control character: ${write}.`],
    ["https://api.example.com?x=1", `must have no query and no fragment: ${write} or https://host/path.`],
    ["https://user:pass@api.example.com", userinfo],
    ["https://user@api.example.com", userinfo],
    ["https://a.example:99999", `cannot be read as a URL: ${write}.`],
    ["http://api.example.com", plain],
    ["http://localhost.example.com", plain],
    ["https://a.example/x/../y", segments],
    ["https://a.example/%2e%2E/y", segments],
    ["https://a.example//y", segments],
  ];
  for (const [text, problem] of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parseBaseUrl(text), { problem: `The base URL ${problem}` });
    });
  }

  it("never quotes what may hold a password", () => {
    assert.ok(!parseBaseUrl("https://user:hunter2@api.example.com").problem?.includes("hunter2"));
  });
});

describe("parseToken", () => {
  for (const text of ["abcdefgh", "abcdefgh\n", "abcdefgh\r\n", "abcdefgh\n\n"]) {
    it(`takes ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parseToken(text), { token: "abcdefgh" });
    });
  }

  const bearer = 'The access token begins with "Bearer": give only the token; the word is added when it is sent.';
  const odd =
    "The access token contains a space, a control character or a letter that is not ASCII: copy it again, on one line.";
  const short = "The access token has fewer than 8 characters: copy the whole token again.";
  const refused: [string, string][] = [
    ["", "The access token is empty."],
    ["Bearer abc", bearer],
    ["a b", odd],
    ["a\u0000b", odd],
    ["café", odd],
    // Taken out of a response, it would change the ids in it.
    ["a", short],
  ];
  for (const [text, problem] of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.equal(parseToken(text).problem, problem);
    });
  }
});
