import assert from "node:assert/strict";
import { chooseProxy } from "../../provider/api/http";
import type { NoResponse, ProxyServer } from "../../provider/base/world";
import { numberAssignment } from "../../provider/numbers/lifecycle";
import type { Run } from "../../provider/run/run";
import { hastyRuntime, withEnvironment } from "../api/support";
import { urnOf } from "../support/providerCalls";
import { rejectionOf } from "../support/rejected";
import { newRun } from "../support/session";

/** What is read if no response comes. Those with a response are in test/numbers/messages.spec.ts, each cause's detail in test/api. */

const url = "https://platform.example.com";
const token = "an-access-token";
const number = "+15551234567";
const inputs = {
  __urn: urnOf("numberAssignment", "support"),
  number,
  workspaceId: 42,
  inboundAgents: { agent_a: 1 },
  endpoint: url,
};

function runWith(reply: Partial<NoResponse>, proxy?: ProxyServer): Run {
  const nothing: NoResponse = { came: "nothing", reached: "nowhere", timedOut: false, code: "", ...reply };
  const chosen = proxy === undefined ? {} : { proxy };
  const world = { clock: hastyRuntime(), chooseProxy: () => chosen, openTransport: () => async () => nothing };
  return newRun(url, token, {}, world);
}

const env = { HTTPS_PROXY: "http://user:password@proxy.example.com:3128" };
const proxied = (reply: Partial<NoResponse>) => runWith(reply, withEnvironment(env, () => chooseProxy(url)).proxy);

const create = async (run: Run) => numberAssignment.create(inputs, run);
const unsent = (code: string, why: string, attempts: string, remedy: string) =>
  `${code} NumberAssignment "support" (${number}): routing unchanged; ${why} (PUT /api/numbers/{number}/agent).
  ${attempts}.
  Nothing is saved.
  ${remedy}
  More: npx pulumi-agent-platform help ${code}`;

const FOUR = "4 attempts in 3.5 s";
const ONE = "1 attempt in 0.0 s";
const OF_A_CERTIFICATE = `Check the host and the port of the base URL (${url}), and the certificate of the server there. If your company has its own certificate authority, set NODE_EXTRA_CA_CERTS to the file with its certificate.`;
const OF_A_PROXY =
  "Check the proxy that HTTPS_PROXY or ALL_PROXY names, and what it allows. To go around it, add the platform's host to NO_PROXY.";

describe("a request that no response came to", () => {
  for (const [run, message] of [
    [
      runWith({ code: "ECONNREFUSED" }),
      unsent(
        "AGP-035",
        "no connection to platform.example.com:443 (ECONNREFUSED)",
        FOUR,
        `Check the base URL (${url}) and the network, then rerun.`,
      ),
    ],
    [
      runWith({ code: "CERT_HAS_EXPIRED", reached: "tcp" }),
      unsent("AGP-036", "no trusted connection to platform.example.com:443 (CERT_HAS_EXPIRED)", ONE, OF_A_CERTIFICATE),
    ],
    [
      runWith({ code: "ERR_TLS_CERT_ALTNAME_INVALID", reached: "tcp" }),
      unsent(
        "AGP-036",
        "no trusted connection to platform.example.com:443 (ERR_TLS_CERT_ALTNAME_INVALID)",
        ONE,
        OF_A_CERTIFICATE,
      ),
    ],
    [
      proxied({ proxyStatus: 407 }),
      unsent(
        "AGP-038",
        "the proxy proxy.example.com:3128 returned 407 to CONNECT platform.example.com:443",
        ONE,
        "Write the user name and the password of the proxy into HTTPS_PROXY: `http://user:password@host:port`.",
      ),
    ],
    [
      proxied({ proxyStatus: 403 }),
      unsent(
        "AGP-038",
        "the proxy proxy.example.com:3128 returned 403 to CONNECT platform.example.com:443",
        ONE,
        OF_A_PROXY,
      ),
    ],
    [
      proxied({ code: "ECONNREFUSED" }),
      unsent("AGP-038", "no connection to the proxy proxy.example.com:3128 (ECONNREFUSED)", FOUR, OF_A_PROXY),
    ],
  ] as const) {
    it(`reads ${message.split(" (PUT")[0]}`, async () => {
      assert.equal(String(((await rejectionOf(create(run))) as Error).message), message);
    });
  }

  it("reads AGP-015 if the address of the proxy cannot be used", async () => {
    await withEnvironment({ HTTPS_PROXY: "socks5://user:password@proxy.example.com" }, async () => {
      const message =
        /^AGP-015 Nothing was sent\. The address of the proxy in HTTPS_PROXY or ALL_PROXY cannot be used: write it as .*\.$/;
      assert.throws(() => newRun(url, token).api(), { message });
    });
  });
});
