import assert from "node:assert/strict";
import { createServer as createHttpsServer } from "node:https";
import type { Duplex } from "node:stream";
import { mock } from "node:test";
import tls from "node:tls";
import type { Api } from "../../provider/api/exchange";
import { chooseProxy } from "../../provider/api/http";
import { counted } from "../../provider/words/message";
import { type Env, withEnvironment } from "../support/environment";
import { closeAll, listen } from "../support/rawServer";
import { checkRows } from "../support/rows";
import { newRun } from "../support/session";
import { authority, key, otherHostCertificate } from "./certificates";
import { type ConnectProxy, type ProxyBehaviour, startConnectProxy } from "./connectProxy";
import { assignment, type ClientOptions, chat, clientFor, facts, type TestClient, voice } from "./support";

const baseUrl = "https://api.example.com:8443/v1";
const proxyUrl = "http://user:secret@proxy.example:3128";

/** Returns the chosen proxy's host or, if the proxy can't be used, the environment variables that the error names. */
const chosen = (env: Env, url = baseUrl): string | undefined =>
  withEnvironment(env, () => {
    const { proxy, problem } = chooseProxy(url);
    return problem?.match(/[A-Z]+_PROXY/g)?.join(" ") ?? proxy?.host;
  });

describe("proxy selection", () => {
  it("reads the proxy from HTTPS_PROXY or ALL_PROXY", () => {
    assert.equal(chosen({ HTTPS_PROXY: proxyUrl, ALL_PROXY: "http://other" }), "proxy.example:3128");
    assert.equal(chosen({ all_proxy: proxyUrl, NO_PROXY: "example.org" }), "proxy.example:3128");
    assert.equal(chosen({ HTTPS_PROXY: "https://proxy.example" }), "proxy.example:443");
  });

  it("respects NO_PROXY and ignores HTTP_PROXY", () => {
    assert.equal(chosen({ HTTPS_PROXY: proxyUrl, NO_PROXY: "localhost,.example.com" }), undefined);
    assert.equal(chosen({ HTTP_PROXY: proxyUrl }), undefined);
  });

  it("does not use a proxy for loopback addresses", () => {
    for (const url of ["http://127.0.0.1:1", "http://localhost", "https://[::1]"]) {
      assert.equal(chosen({ HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl, ALL_PROXY: proxyUrl }, url), undefined, url);
    }
  });

  const unusable = [
    "socks5://user:secret@proxy.example",
    "user:secret@@:x",
    "http://user:50%secret@proxy.example",
    "http://[2001:db8::1]:3128",
  ];
  it("rejects an unusable proxy URL without printing it", () =>
    checkRows(
      unusable,
      (url) => url,
      (url) => {
        assert.equal(chosen({ HTTPS_PROXY: url }), "HTTPS_PROXY ALL_PROXY");
        const { problem } = withEnvironment({ HTTPS_PROXY: url }, () => chooseProxy(baseUrl));
        assert.doesNotMatch(problem ?? "", /secret|example|2001/);
      },
    ));

  it("fails with AGP-015 if the proxy URL is unusable", () =>
    withEnvironment({ HTTPS_PROXY: "socks5://user:password@proxy.example" }, () => {
      assert.throws(() => newRun(baseUrl, "an-access-token").api(), { message: /^AGP-015 .*HTTPS_PROXY.*ALL_PROXY/ });
    }));
});

/** The host name in the platform server's certificate. */
const HOST = "other.example";
const PASSWORD = "proxy-pass:w@rd";
const CREDENTIALS = `user:${encodeURIComponent(PASSWORD)}`;

type Send = (client: TestClient) => ReturnType<TestClient[keyof Api]>;
const PUT: Send = (client) => client.assignNumber(assignment);
const POST: Send = (client) => client.addCommunityVoice(voice);
const CHAT: Send = (client) => client.createSmsChat(chat);

describe("requests through a proxy", () => {
  let platformPort: number;
  let proxy: ConnectProxy;
  let received: string[] = [];
  const sockets = new Set<Duplex>();
  let cutsTunnel = false;
  const platform = createHttpsServer({ key, cert: otherHostCertificate }, (request, response) => {
    received.push(
      `${request.method} ${request.headers.host} ${request.headers["proxy-authorization"] ?? "no credentials"}`,
    );
    request.resume().on("end", () => {
      if (cutsTunnel) {
        proxy.cut();
        return;
      }
      response.setHeader("content-type", "application/json");
      response.end('{"voiceId":"v1","chatId":"c1","success":true}');
    });
  });
  platform.on("connection", (socket) => sockets.add(socket));
  // Makes this process trust the test authority. It's too late to set NODE_EXTRA_CA_CERTS, because Node reads it only
  // when a process starts.
  const { createSecureContext } = tls;
  const trustAuthority: typeof createSecureContext = (options) => createSecureContext({ ...options, ca: authority });

  before(async () => {
    mock.method(tls, "createSecureContext", trustAuthority);
    platformPort = await listen(platform);
    proxy = await startConnectProxy(platformPort);
  });
  beforeEach(() => {
    received = [];
    (proxy.connects as unknown[]).length = 0;
  });
  after(async () => {
    mock.restoreAll();
    await proxy.close();
    await closeAll(platform, sockets);
  });

  /**
   * Sends requests one after the other and returns their outcomes. Asserts that no outcome contains the proxy password
   * in any form.
   */
  async function sendAll(sends: readonly Send[], env: Env, options: ClientOptions = {}): Promise<string[]> {
    const server = { url: `https://${HOST}` };
    const client = clientFor(server, { ...options, ...withEnvironment(env, () => chooseProxy(server.url)) });
    const outcomes: string[] = [];
    for (const send of sends) {
      const outcome = await send(client);
      for (const form of [PASSWORD, encodeURIComponent(PASSWORD), Buffer.from(`user:${PASSWORD}`).toString("base64")]) {
        assert.ok(!JSON.stringify(outcome).includes(form), `the outcome contains ${form}`);
      }
      outcomes.push(facts(outcome));
    }
    return outcomes;
  }

  const proxyEnv = () => ({ HTTPS_PROXY: `http://${CREDENTIALS}@127.0.0.1:${proxy.port}` });

  it("opens a new tunnel for each POST, but reuses one for PUTs", async () => {
    proxy.behaviour = "tunnel";
    assert.deepEqual(await sendAll([PUT, PUT, POST, CHAT, PUT], proxyEnv()), Array(5).fill("applied: 200"));
    const authorization = `Basic ${Buffer.from(`user:${PASSWORD}`).toString("base64")}`;
    assert.deepEqual(proxy.connects, Array(3).fill({ target: `${HOST}:443`, authorization }));
    assert.deepEqual(
      received,
      ["PUT", "PUT", "POST", "POST", "PUT"].map((method) => `${method} ${HOST} no credentials`),
    );
  });

  const refusals: readonly {
    readonly name: string;
    readonly behaviour: ProxyBehaviour;
    /** The facts named in the failure's detail (see `namedIn`). `P` stands for the proxy's host and port. */
    readonly names: string;
    readonly attempts: number;
  }[] = [
    {
      name: "rejects the password",
      behaviour: { status: 407 },
      names: `P 407 CONNECT ${HOST}:443`,
      attempts: 1,
    },
    {
      name: "returns a 502",
      behaviour: { status: 502 },
      names: `P 502 CONNECT ${HOST}:443`,
      attempts: 4,
    },
    { name: "resets the connection", behaviour: "reset", names: "P ECONNRESET", attempts: 4 },
  ];
  for (const { name, behaviour, names, attempts } of refusals) {
    it(`sends no request to the platform if the proxy ${name}`, async () => {
      proxy.behaviour = behaviour;
      const expected = `not sent, proxy: no response, ${counted(attempts, "attempt")}: ${names.replace("P", `127.0.0.1:${proxy.port}`)}`;
      assert.deepEqual(await sendAll([POST, PUT], proxyEnv()), [expected, expected]);
      assert.equal(proxy.connects.length, 2 * attempts);
      assert.deepEqual(received, []);
    });
  }

  it("sends no request to the platform if the proxy times out or is unreachable", async () => {
    proxy.behaviour = "silent";
    assert.deepEqual(await sendAll([POST], proxyEnv(), { requestTimeout: 0.3, attempts: 2 }), [
      `not sent, proxy: no response, 2 attempts: 127.0.0.1:${proxy.port} 0.3`,
    ]);
    const closedProxy = await startConnectProxy(platformPort);
    await closedProxy.close();
    assert.deepEqual(await sendAll([POST], { ALL_PROXY: `http://${CREDENTIALS}@127.0.0.1:${closedProxy.port}` }), [
      `not sent, proxy: no response, 4 attempts: 127.0.0.1:${closedProxy.port} ECONNREFUSED`,
    ]);
    assert.deepEqual(received, []);
  });

  it("reports an unknown outcome if the proxy closes the tunnel mid-request", async () => {
    proxy.behaviour = "tunnel";
    cutsTunnel = true;
    const lostConnection = `${HOST}:443 127.0.0.1:${proxy.port} ECONNRESET`;
    assert.deepEqual(await sendAll([POST, PUT], proxyEnv(), { attempts: 2 }), [
      `unknown, noResponse: no response, 1 attempt: ${lostConnection}`,
      `unknown, noResponse: no response, 2 attempts: ${lostConnection}`,
    ]);
    cutsTunnel = false;
    assert.equal(received.length, 3);
  });
});
