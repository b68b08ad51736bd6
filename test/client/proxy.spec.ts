import assert from "node:assert/strict";
import { chooseProxy } from "../../provider/client/proxy";
import { withEnvironment } from "./support";

const base = "https://api.example.com:8443/v1";
const value = "http://user:secret@proxy.example:3128";

type Env = Readonly<Record<string, string>>;

/** The proxy's host, or what is wrong with it. */
const chosen = (env: Env, url = base): string | undefined =>
  withEnvironment(env, () => {
    const { proxy, problem } = chooseProxy(url);
    return problem ?? proxy?.host;
  });

describe("chooseProxy", () => {
  it("goes through the proxy that HTTPS_PROXY or ALL_PROXY names, unless NO_PROXY names the host", () => {
    assert.equal(chosen({ HTTPS_PROXY: value, ALL_PROXY: "http://other" }), "proxy.example:3128");
    assert.equal(chosen({ all_proxy: value, NO_PROXY: "example.org" }), "proxy.example:3128");
    assert.equal(chosen({ HTTPS_PROXY: "https://proxy.example" }), "proxy.example:443");
    assert.equal(chosen({ HTTPS_PROXY: value, NO_PROXY: "localhost,.example.com" }), undefined);
    assert.equal(chosen({ HTTP_PROXY: value }), undefined);
  });

  it("always goes directly to loopback", () => {
    for (const url of ["http://127.0.0.1:1", "http://localhost", "https://[::1]"]) {
      assert.equal(chosen({ HTTP_PROXY: value, HTTPS_PROXY: value, ALL_PROXY: value }, url), undefined);
    }
  });

  for (const text of [
    "socks5://user:secret@proxy.example",
    "user:secret@@:x",
    "http://user:50%secret@proxy.example",
    "http://[2001:db8::1]:3128",
  ]) {
    it(`refuses ${JSON.stringify(text)} without showing it`, () => {
      assert.equal(
        chosen({ HTTPS_PROXY: text }),
        "The address of the proxy in HTTPS_PROXY or ALL_PROXY cannot be used: write it as http://host:port or http://user:password@host:port, with % as %25.",
      );
    });
  }
});
