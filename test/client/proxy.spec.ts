import assert from "node:assert/strict";
import { chooseProxy } from "../../provider/client/proxy";

const base = "https://api.example.com:8443/v1";
const value = "http://user:secret@proxy.example:3128";

type Env = Readonly<Record<string, string>>;

/** The proxy's host, or what is wrong with it. */
function chosen(env: Env, url = base): string | undefined {
  const choice = chooseProxy(url, env);
  if ("problem" in choice) {
    return choice.problem;
  }
  return choice.proxy?.host;
}

describe("chooseProxy", () => {
  const used: [string, Env][] = [
    ["HTTPS_PROXY", { HTTPS_PROXY: value }],
    ["https_proxy", { https_proxy: value }],
    ["ALL_PROXY", { ALL_PROXY: value }],
    ["all_proxy", { all_proxy: value }],
    ["HTTPS_PROXY before ALL_PROXY", { HTTPS_PROXY: value, ALL_PROXY: "http://other" }],
    ["a NO_PROXY for another host", { HTTPS_PROXY: value, NO_PROXY: "example.org" }],
    ["a NO_PROXY that is only an ending", { HTTPS_PROXY: value, NO_PROXY: "ample.com" }],
    ["a NO_PROXY for another port", { HTTPS_PROXY: value, NO_PROXY: "api.example.com:443" }],
    ["a NO_PROXY below the host", { HTTPS_PROXY: value, NO_PROXY: "x.api.example.com" }],
    ["a NO_PROXY for a network", { HTTPS_PROXY: value, NO_PROXY: "10.0.0.0/8,::/0,x/8,10.0.0.0/99" }],
    ["an empty NO_PROXY", { HTTPS_PROXY: value, NO_PROXY: " , " }],
    ["a lone dot in NO_PROXY", { HTTPS_PROXY: value, NO_PROXY: "." }],
  ];
  for (const [name, env] of used) {
    it(`goes through the proxy with ${name}`, () => {
      assert.equal(chosen(env), "proxy.example:3128");
    });
  }

  const direct = [
    "api.example.com",
    "API.Example.com",
    "example.com",
    ".example.com",
    "*.example.com",
    "api.example.com.",
    ".example.com.:8443",
    "com",
    "*",
    "api.example.com:8443",
    ".example.com:8443",
    "localhost, example.com",
    "localhost example.com",
  ];
  for (const noProxy of direct) {
    it(`goes directly with NO_PROXY ${noProxy}`, () => {
      assert.equal(chosen({ HTTPS_PROXY: value, NO_PROXY: noProxy }), undefined);
      assert.equal(chosen({ ALL_PROXY: value, no_proxy: noProxy }), undefined);
    });
  }

  it("goes directly to a network that NO_PROXY names", () => {
    const go = (url: string, noProxy: string) => chosen({ HTTPS_PROXY: value, NO_PROXY: noProxy }, url);
    assert.equal(go("https://api.example.com.", "example.com"), undefined);
    assert.equal(go("https://10.1.2.3", "10.0.0.0/8"), undefined);
    assert.equal(go("https://[2001:db8::1]", "2001:db8::/32"), undefined);
    assert.equal(go("https://11.1.2.3", "10.0.0.0/8"), "proxy.example:3128");
  });

  it("goes directly to loopback, and where no variable names a proxy for https", () => {
    const env = { HTTP_PROXY: value, HTTPS_PROXY: value, ALL_PROXY: value };
    for (const url of ["http://127.0.0.1:1", "http://localhost", "https://[::1]"]) {
      assert.equal(chosen(env, url), undefined);
    }
    for (const none of [
      {},
      { HTTPS_PROXY: "" },
      { HTTPS_PROXY: " " },
      { HTTP_PROXY: value },
      { NO_PROXY: "x" },
    ] as Env[]) {
      assert.equal(chosen(none), undefined);
    }
  });

  it("knows an address of version 6 in NO_PROXY", () => {
    for (const noProxy of [
      "2001:db8::1",
      "[2001:db8::1]",
      "[2001:db8::1]:8443",
      "2001:DB8:0:0:0:0:0:1",
      "[2001:0db8::0001]:8443",
    ]) {
      assert.equal(chosen({ HTTPS_PROXY: value, NO_PROXY: noProxy }, "https://[2001:db8::1]:8443"), undefined);
    }
  });

  const written: [string, string][] = [
    ["proxy.example:3128", "proxy.example:3128"],
    ["http://proxy.example", "proxy.example:80"],
    ["https://proxy.example", "proxy.example:443"],
    ["http://user@proxy.example:1", "proxy.example:1"],
    ["  http://10.0.0.1:8080/  ", "10.0.0.1:8080"],
  ];
  for (const [text, host] of written) {
    it(`reads ${JSON.stringify(text)}`, () => {
      assert.equal(chosen({ HTTPS_PROXY: text }), host);
    });
  }

  const kind = "must begin with http:// or https://: this client knows no other kind of proxy.";
  const version6 =
    "names a proxy, and the proxy or the base URL is an address of version 6, which is not supported there: write a host name.";
  const refused: [string, string][] = [
    ["socks5://user:secret@proxy.example", kind],
    ["file:///secret", "cannot be read as the address of a proxy: write it as http://host:port."],
    ["http://", "cannot be read as the address of a proxy: write it as http://host:port."],
    ["user:secret@@:x", "cannot be read as the address of a proxy: write it as http://host:port."],
    ["http://user:50%secret@proxy.example", "has a stray % in its user name or password: write it as %25."],
    ["http://[2001:db8::1]:3128", version6],
  ];
  for (const [text, problem] of refused) {
    it(`refuses ${JSON.stringify(text)} without showing it`, () => {
      assert.equal(chosen({ HTTPS_PROXY: text }), `HTTPS_PROXY ${problem}`);
    });
  }

  it("refuses a base URL of version 6 through a proxy", () => {
    assert.equal(chosen({ https_proxy: value }, "https://[2001:db8::1]"), `https_proxy ${version6}`);
  });
});
