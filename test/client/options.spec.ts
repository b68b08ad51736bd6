import assert from "node:assert/strict";
import { createClient } from "../../provider/client/client";
import { InvalidOptionsError } from "../../provider/client/errors";
import { type ClientOptions, parseOptions } from "../../provider/client/options";
import { readSettings } from "../../provider/core/config/readSettings";

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

  const name = "must be a header name: letters, digits, `-` and `_`, at most 100 characters.";
  const own = "must be a header that HTTP does not use itself.";
  const seconds = "must be a number of seconds above 0 and at most 86400.";
  const rows: [string, Partial<Record<keyof ClientOptions, unknown>>, string][] = [
    ["no base URL", { baseUrl: undefined }, "The base URL is empty: write it as https://host."],
    [
      "a base URL without TLS",
      { baseUrl: "http://api.example.com" },
      "The base URL must use https: http would send the token unencrypted, and is accepted only on loopback.",
    ],
    ["no token", { accessToken: undefined }, "The access token is missing."],
    ["an empty token", { accessToken: "" }, "The access token is empty."],
    ["a timeout of 0", { requestTimeoutSeconds: 0 }, `requestTimeoutSeconds ${seconds}`],
    ["a timeout of NaN", { requestTimeoutSeconds: Number.NaN }, `requestTimeoutSeconds ${seconds}`],
    ["an endless deadline", { deadlineSeconds: Number.POSITIVE_INFINITY }, `deadlineSeconds ${seconds}`],
    ["no attempts", { attempts: 0 }, "attempts must be from 1 to 100."],
    ["half an attempt", { attempts: 1.5 }, "attempts must be an integer."],
    ["no concurrency", { concurrency: 0 }, "concurrency must be from 1 to 1000."],
    ["a header with a line break", { actorTypeHeader: "x\r\ny" }, `actorTypeHeader ${name}`],
    ["an empty header", { providerScopeHeader: "" }, `providerScopeHeader ${name}`],
    ["a header of HTTP's own", { workspaceContextHeader: "Authorization" }, `workspaceContextHeader ${own}`],
    ["another one", { workspaceContextHeader: "content-length" }, `workspaceContextHeader ${own}`],
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

  /** What the client makes of an option, and what a stack makes of the setting of the same meaning. */
  function both(option: keyof ClientOptions, setting: string, value: unknown): [client: boolean, stack: boolean] {
    const values: Readonly<Record<string, unknown>> = { baseUrl: options.baseUrl, [setting]: value };
    const read = readSettings({ get: (key) => values[key], env: {}, readApproved: () => "" });
    const make = () => parseOptions({ ...options, [option]: value } as ClientOptions);
    return [isTaken(make), "settings" in read];
  }

  function isTaken(make: () => unknown): boolean {
    try {
      make();
      return true;
    } catch {
      return false;
    }
  }

  const limits: [keyof ClientOptions, string, readonly unknown[], readonly unknown[]][] = [
    [
      "actorTypeHeader",
      "actorTypeHeader",
      ["X-Actor", "x_actor", "X.Actor!", "x".repeat(100)],
      ["a b", "a:b", "x\r\ny", "ä", "Authorization", "Content-Length", "x".repeat(101)],
    ],
    ["requestTimeoutSeconds", "requestTimeout", [0.1, 86_400], [0, -1, 86_401, Number.NaN]],
    ["deadlineSeconds", "deadline", [0.1, 86_400], [0, 86_401, Number.POSITIVE_INFINITY]],
    ["attempts", "attempts", [1, 100], [0, 1.5, 101]],
    ["concurrency", "concurrency", [1, 1000], [0, 1001]],
  ];
  for (const [option, setting, taken, refused] of limits) {
    it(`take and refuse the same of ${option} as a stack's settings`, () => {
      assert.deepEqual(
        taken.map((value) => both(option, setting, value)),
        taken.map(() => [true, true]),
      );
      assert.deepEqual(
        refused.map((value) => both(option, setting, value)),
        refused.map(() => [false, false]),
      );
    });
  }
});
