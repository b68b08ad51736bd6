import assert from "node:assert/strict";
import { createClient } from "../../provider/client/client";
import { InvalidOptionsError } from "../../provider/client/errors";
import { type ClientOptions, parseOptions } from "../../provider/client/options";

const options: ClientOptions = { baseUrl: "https://api.example.com", accessToken: "secret-token" };

describe("the options of a client", () => {
  it("have the defaults of the design", () => {
    const { baseUrl, host, attemptMs, deadlineMs, attempts, concurrency, headers } = parseOptions(options);
    assert.equal(
      JSON.stringify({ baseUrl, host, attemptMs, deadlineMs, attempts, concurrency, headers }),
      '{"baseUrl":"https://api.example.com","host":"api.example.com:443","attemptMs":30000,"deadlineMs":60000,"attempts":4,"concurrency":16,"headers":{}}',
    );
  });

  it("name the port that is meant", () => {
    assert.equal(parseOptions({ ...options, baseUrl: "http://127.0.0.1" }).host, "127.0.0.1:80");
    assert.equal(parseOptions({ ...options, baseUrl: "https://[::1]:8443/x" }).host, "[::1]:8443");
  });

  it("ask a function for the token each time", () => {
    const tokens = ["token-one\n", "token-two"];
    const { token } = parseOptions({ ...options, accessToken: () => tokens.shift() ?? "" });
    assert.equal(token(), "token-one");
    assert.equal(token(), "token-two");
    assert.throws(() => token(), new InvalidOptionsError("The access token is empty."));
  });

  const name = "must be a header name that HTTP does not use itself, of letters, digits and hyphens.";
  const rows: [string, Partial<Record<keyof ClientOptions, unknown>>, string][] = [
    ["no base URL", { baseUrl: undefined }, "The base URL is empty: write it as https://host."],
    [
      "a base URL without TLS",
      { baseUrl: "http://api.example.com" },
      "The base URL must use https: http would send the token unencrypted, and is accepted only on loopback.",
    ],
    ["no token", { accessToken: undefined }, "The access token is missing."],
    ["an empty token", { accessToken: "" }, "The access token is empty."],
    [
      "a timeout of 0",
      { requestTimeoutSeconds: 0 },
      "requestTimeoutSeconds must be a number of seconds above 0 and at most 86400, and is 0.",
    ],
    [
      "a timeout of NaN",
      { requestTimeoutSeconds: Number.NaN },
      "requestTimeoutSeconds must be a number of seconds above 0 and at most 86400, and is NaN.",
    ],
    [
      "an endless deadline",
      { deadlineSeconds: Number.POSITIVE_INFINITY },
      "deadlineSeconds must be a number of seconds above 0 and at most 86400, and is Infinity.",
    ],
    ["no attempts", { attempts: 0 }, "attempts must be a whole number from 1 to 100, and is 0."],
    ["half an attempt", { attempts: 1.5 }, "attempts must be a whole number from 1 to 100, and is 1.5."],
    ["no concurrency", { concurrency: 0 }, "concurrency must be a whole number from 1 to 1000, and is 0."],
    ["a header with a line break", { actorTypeHeader: "x\r\ny" }, `actorTypeHeader ${name}`],
    ["an empty header", { providerScopeHeader: "" }, `providerScopeHeader ${name}`],
    ["a header of HTTP's own", { workspaceContextHeader: "Authorization" }, `workspaceContextHeader ${name}`],
    ["another one", { workspaceContextHeader: "content-length" }, `workspaceContextHeader ${name}`],
    [
      "a proxy of another kind",
      { env: { HTTPS_PROXY: "socks5://user:pass@proxy" } },
      "HTTPS_PROXY must begin with http:// or https://: this client knows no other kind of proxy.",
    ],
  ];
  for (const [what, change, message] of rows) {
    it(`refuse ${what}`, () => {
      assert.throws(() => createClient({ ...options, ...change } as ClientOptions), new InvalidOptionsError(message));
    });
  }
});
