import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpsServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { chooseProxy } from "../../provider/client/proxy";
import { type ClientProcess, type Ending, type Order, startClientProcess } from "../support/clientProcess";
import { type ConnectProxy, type ProxyBehaviour, startConnectProxy } from "../support/connectProxy";
import { closeAll, listen } from "../support/rawServer";
import { authority, key, other } from "./certificates";
import { assignment, chat, voice, withEnvironment } from "./support";

const base = "https://api.example.com:8443/v1";
const value = "http://user:secret@proxy.example:3128";

type Env = Readonly<Record<string, string>>;

/** The proxy's host, or what is wrong with it. */
const chosen = (env: Env, url = base): string | undefined =>
  withEnvironment(env, () => {
    const { proxy, problem } = chooseProxy(url);
    return problem ?? proxy?.host;
  });

describe("the proxy of a base URL", () => {
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

/** The certificate of the platform's server is for this host, and an authority has signed it that no machine trusts. */
const HOST = "other.example";
const PASSWORD = "proxy-pass:w@rd";
const CREDENTIALS = `user:${encodeURIComponent(PASSWORD)}`;

const PUT = ["assignNumber", assignment] as const;
const POST = ["addCommunityVoice", voice] as const;

describe("requests through a proxy", () => {
  let folder: string;
  let platformPort: number;
  let proxy: ConnectProxy;
  let seen: string[] = [];
  const sockets = new Set<Duplex>();
  let client: ClientProcess;
  let isCut = false;
  const platform = createHttpsServer({ key, cert: other }, (request, response) => {
    seen.push(
      `${request.method} ${request.headers.host} ${request.headers["proxy-authorization"] ?? "no credentials"}`,
    );
    request.resume().on("end", () => {
      if (isCut) {
        proxy.cut();
        return;
      }
      response.setHeader("content-type", "application/json");
      response.end('{"voiceId":"v1","chatId":"c1","success":true}');
    });
  });
  platform.on("connection", (socket) => sockets.add(socket));

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "client-proxy-"));
    await writeFile(join(folder, "ca.pem"), authority);
    platformPort = await listen(platform);
    proxy = await startConnectProxy(platformPort);
    client = startClientProcess({ ...unproxied(), NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"), DEBUG: "*" });
  });
  beforeEach(() => {
    seen = [];
    (proxy.connects as unknown[]).length = 0;
  });
  after(async () => {
    await proxy.close();
    await closeAll(platform, sockets);
    await rm(folder, { recursive: true });
  });

  const unproxied = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !/_proxy$/i.test(name)));

  /** Neither the endings nor what the process prints may hold the password, in any form. */
  function assertSecret(text: string): void {
    for (const form of [PASSWORD, encodeURIComponent(PASSWORD), Buffer.from(`user:${PASSWORD}`).toString("base64")]) {
      assert.ok(!text.includes(form), text);
    }
  }

  async function run(
    requests: Order["requests"],
    env: Readonly<Record<string, string>>,
    options: Order["options"] = {},
  ): Promise<Ending[]> {
    const endings = await client.run({ url: `https://${HOST}`, env, options, requests });
    assertSecret(JSON.stringify(endings) + client.printed);
    return endings;
  }

  const through = () => ({ HTTPS_PROXY: `http://${CREDENTIALS}@127.0.0.1:${proxy.port}` });
  const named = () => `the proxy 127.0.0.1:${proxy.port}`;

  it("arrive: each POST in a tunnel of its own, PUTs in one, with the credentials for the proxy alone", async () => {
    proxy.behaviour = "tunnel";
    const endings = await run([PUT, PUT, POST, ["createSmsChat", chat], PUT], through());
    assert.deepEqual(
      endings,
      Array.from({ length: 5 }, () => ({ outcome: "applied", attempts: 1 })),
    );
    const authorization = `Basic ${Buffer.from(`user:${PASSWORD}`).toString("base64")}`;
    assert.deepEqual(
      proxy.connects,
      Array.from({ length: 3 }, () => ({ target: `${HOST}:443`, authorization })),
    );
    assert.deepEqual(
      seen,
      ["PUT", "PUT", "POST", "POST", "PUT"].map((method) => `${method} ${HOST} no credentials`),
    );
  });

  const refusals: [string, ProxyBehaviour, () => string, number][] = [
    ["wants another password (407)", { status: 407 }, () => `${named()} returned 407 to CONNECT ${HOST}:443`, 1],
    ["cannot reach the platform (502)", { status: 502 }, () => `${named()} returned 502 to CONNECT ${HOST}:443`, 4],
    ["resets the connection", "reset", () => `${named()} closed the connection before anything was sent`, 4],
  ];
  for (const [name, behaviour, detail, attempts] of refusals) {
    it(`are not sent, by a POST neither, where it ${name}`, async () => {
      proxy.behaviour = behaviour;
      const endings = await run([POST, PUT], through());
      const expected = { outcome: "rejected", cause: "proxy", detail: detail(), attempts };
      assert.deepEqual(endings, [expected, expected]);
      assert.equal(proxy.connects.length, 2 * attempts);
      assert.deepEqual(seen, []);
    });
  }

  it("are not sent where it is slow, or is not there", async () => {
    proxy.behaviour = "silent";
    const options = { requestTimeout: 0.3, attempts: 2 };
    const slow = await run([POST], through(), options);
    const detail = `no connection to ${named()} within 0.3 s`;
    assert.deepEqual(slow, [{ outcome: "rejected", cause: "proxy", detail, attempts: 2 }]);
    const gone = await startConnectProxy(platformPort);
    await gone.close();
    const endings = await run([POST], { ALL_PROXY: `http://${CREDENTIALS}@127.0.0.1:${gone.port}` });
    const refused = `connection refused by the proxy 127.0.0.1:${gone.port}`;
    assert.deepEqual(endings, [{ outcome: "rejected", cause: "proxy", detail: refused, attempts: 4 }]);
    assert.deepEqual(seen, []);
  });

  it("have an unknown outcome where it closes the tunnel half-way: a PUT is sent again, a POST is not", async () => {
    proxy.behaviour = "tunnel";
    isCut = true;
    const endings = await run([POST, PUT], through(), { attempts: 2 });
    const cut = `${HOST}:443 (through ${named()}) closed the connection before it responded (ECONNRESET)`;
    assert.deepEqual(endings, [
      { outcome: "unknown", cause: "noAnswer", detail: cut, attempts: 1 },
      { outcome: "unknown", cause: "noAnswer", detail: cut, attempts: 2 },
    ]);
    isCut = false;
    assert.equal(seen.length, 3);
  });

  it("keep no process", async () => {
    assert.equal(await client.end(), 0);
  });
});
