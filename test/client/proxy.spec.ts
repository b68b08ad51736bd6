import { equal } from "node:assert/strict";
import { proxyRefusal } from "../../provider/client/proxy";

const base = "https://api.example.com:8443/v1";
const proxy = "http://user:secret@proxy.example:3128";

function sentence(variable: string, host = "api.example.com:8443", hostname = "api.example.com"): string {
  return `${variable} names a proxy for ${host}, and this client uses none: add ${hostname} to NO_PROXY, or unset ${variable}.`;
}

describe("proxyRefusal", () => {
  const refused: [string, Record<string, string>, string][] = [
    ["HTTPS_PROXY", { HTTPS_PROXY: proxy }, "HTTPS_PROXY"],
    ["https_proxy", { https_proxy: proxy }, "https_proxy"],
    ["ALL_PROXY", { ALL_PROXY: proxy }, "ALL_PROXY"],
    ["all_proxy", { all_proxy: proxy }, "all_proxy"],
    ["a NO_PROXY for another host", { HTTPS_PROXY: proxy, NO_PROXY: "example.org" }, "HTTPS_PROXY"],
    ["a NO_PROXY that is only an ending", { HTTPS_PROXY: proxy, NO_PROXY: "ample.com" }, "HTTPS_PROXY"],
    ["a NO_PROXY for another port", { HTTPS_PROXY: proxy, NO_PROXY: "api.example.com:443" }, "HTTPS_PROXY"],
    ["a NO_PROXY below the host", { HTTPS_PROXY: proxy, NO_PROXY: "x.api.example.com" }, "HTTPS_PROXY"],
    ["an empty NO_PROXY", { HTTPS_PROXY: proxy, NO_PROXY: " , " }, "HTTPS_PROXY"],
    ["a lone dot in NO_PROXY", { HTTPS_PROXY: proxy, NO_PROXY: "." }, "HTTPS_PROXY"],
  ];
  for (const [name, env, variable] of refused) {
    it(`refuses with ${name}`, () => {
      equal(proxyRefusal(base, env), sentence(variable));
    });
  }

  const noProxies = [
    "api.example.com",
    "API.Example.com",
    "example.com",
    ".example.com",
    "*.example.com",
    "com",
    "*",
    "api.example.com:8443",
    ".example.com:8443",
    "localhost, example.com",
    "localhost example.com",
  ];
  for (const value of noProxies) {
    it(`lets the host through with NO_PROXY ${value}`, () => {
      equal(proxyRefusal(base, { HTTPS_PROXY: proxy, NO_PROXY: value }), undefined);
      equal(proxyRefusal(base, { ALL_PROXY: proxy, no_proxy: value }), undefined);
    });
  }

  it("knows addresses of version 6", () => {
    const url = "https://[2001:db8::1]:8443";
    equal(proxyRefusal(url, { HTTPS_PROXY: proxy }), sentence("HTTPS_PROXY", "[2001:db8::1]:8443", "[2001:db8::1]"));
    for (const value of ["2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:8443"]) {
      equal(proxyRefusal(url, { HTTPS_PROXY: proxy, NO_PROXY: value }), undefined);
    }
  });

  it("never applies to loopback", () => {
    const env = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy };
    for (const url of ["http://127.0.0.1:1", "http://localhost", "https://[::1]"]) {
      equal(proxyRefusal(url, env), undefined);
    }
  });

  it("does not apply where no variable says so", () => {
    for (const env of [{}, { HTTPS_PROXY: "" }, { HTTPS_PROXY: " " }, { HTTP_PROXY: proxy }, { NO_PROXY: "x" }]) {
      equal(proxyRefusal(base, env), undefined);
    }
  });
});
