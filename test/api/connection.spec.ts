import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { promisify } from "node:util";
import { addCommunityVoice } from "../../provider/api/addCommunityVoice";
import { classify } from "../../provider/api/attempt";
import type { Failure } from "../../provider/api/failure";
import { watchConnection } from "../../provider/api/http";
import type { NoResponse } from "../../provider/base/world";
import { namedIn } from "../support/named";
import { closeAll, listen, startRawServer } from "../support/rawServer";
import { checkRows } from "../support/rows";
import { authority, key, loopbackCertificate, otherHostCertificate } from "./certificates";
import { assignment, clientFor, emulatorForEach, facts, hastyRuntime, voice } from "./support";

const ok200 = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 17\r\n\r\n{"voiceId": "v1"}';

describe("connections to the platform", () => {
  const start = emulatorForEach();
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) {
      await close();
    }
  });

  async function startTcpServer(onConnection: (socket: Socket) => void, certificate?: string): Promise<number> {
    const sockets = new Set<Socket>();
    const accept = (socket: Socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined);
      onConnection(socket);
    };
    const server =
      certificate === undefined ? createServer(accept) : createTlsServer({ key, cert: certificate }, accept);
    closing.push(() => closeAll(server, sockets));
    return listen(server);
  }

  it("retries a refused connection three times, even for a POST", async () => {
    const emulator = await start();
    await emulator.stopListening();
    const client = clientFor(emulator);
    const expected = `not sent, unreachable: no response, 4 attempts: 127.0.0.1:${emulator.port} ECONNREFUSED`;
    assert.equal(facts(await client.assignNumber(assignment)), expected);
    assert.equal(facts(await client.addCommunityVoice(voice)), expected);
    assert.deepEqual(client.runtime.waits, [500, 1000, 2000, 500, 1000, 2000]);
    await emulator.listenAgain();
    assert.equal(emulator.requests.length, 0);
  });

  it("retries a POST until the server accepts connections", async () => {
    const emulator = await start();
    await emulator.stopListening();
    const clock = hastyRuntime();
    const delay: typeof clock.delay = async (ms) => {
      await clock.delay(ms);
      if (clock.waits.length === 2) {
        await emulator.listenAgain();
      }
    };
    const client = clientFor(emulator, { clock: { ...clock, delay } });
    assert.equal(facts(await client.addCommunityVoice(voice)), "applied: 200");
    assert.equal(emulator.requests.length, 1);
    assert.equal(emulator.voices.length, 1);
  });

  it("reuses connections for PUTs, but not for POSTs", async () => {
    const server = await startRawServer((socket) => socket.write(ok200));
    closing.push(server.close);
    const client = clientFor(server, { concurrency: 3 });
    await Promise.all(Array.from({ length: 30 }, () => client.assignNumber(assignment)));
    assert.equal(server.connections, 3);
    await Promise.all(Array.from({ length: 6 }, () => client.addCommunityVoice(voice)));
    assert.equal(server.connections, 9);
    assert.equal(server.requests.length, 36);
  });

  it("reports an unknown outcome if the response body times out", async () => {
    const server = await startRawServer((socket) => socket.write(ok200.slice(0, -5)));
    closing.push(server.close);
    const client = clientFor(server, { requestTimeout: 1, attempts: 1 });
    assert.equal(
      facts(await client.addCommunityVoice(voice)),
      `unknown, noResponse: 200, 1 attempt: 127.0.0.1:${server.port} 1`,
    );
  });
  for (const { name, headers, id } of [
    {
      name: "prefers X-Request-ID over CF-Ray as the request ID",
      headers: "x-request-id: req-1\r\ncf-ray: 8f1-FRA\r\n",
      id: "req-1",
    },
    { name: "uses CF-Ray as the request ID if X-Request-ID is missing", headers: "cf-ray: 8f1-FRA\r\n", id: "8f1-FRA" },
    {
      name: "uses X-Amzn-RequestId as the request ID",
      headers: "x-amzn-RequestId: c6af9ac6-7b61\r\n",
      id: "c6af9ac6-7b61",
    },
  ]) {
    it(name, async () => {
      const refusal = `HTTP/1.1 400 Bad Request\r\n${headers}content-length: 0\r\n\r\n`;
      const server = await startRawServer((socket) => socket.write(refusal));
      closing.push(server.close);
      const outcome = await clientFor(server).assignNumber(assignment);
      assert.equal(outcome.failure?.exchange.requestId, id);
    });
  }

  // Part of the request may already have been sent, so it isn't safe to assume that the platform never received it.
  it("assumes that a connection was opened if its socket event was missed", async () => {
    const server = await startRawServer((socket) => socket.destroy());
    closing.push(server.close);
    const { got } = await import("got");
    const stream = got.stream(server.url, { method: "POST", body: "{}", retry: { limit: 0 } });
    await once(stream, "request");
    const reached = watchConnection(stream);
    await once(stream, "response").catch(() => undefined);
    assert.deepEqual([reached(), server.requests.length], ["open", 1]);
  });

  it("reports that nothing was sent if the TLS handshake times out", async () => {
    const port = await startTcpServer(() => undefined);
    const client = clientFor({ url: `https://127.0.0.1:${port}` }, { requestTimeout: 0.05, attempts: 2 });
    assert.equal(
      facts(await client.addCommunityVoice(voice)),
      `not sent, unreachable: no response, 2 attempts: 127.0.0.1:${port} 0.05`,
    );
  });

  const untrusted: [name: string, certificate: string | undefined, reason: string][] = [
    ["a server with an untrusted certificate", loopbackCertificate, "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ["a server that does not speak TLS", undefined, "EPROTO"],
  ];
  for (const [name, certificate, reason] of untrusted) {
    it(`sends no request to ${name}`, async () => {
      let received = "";
      const port = await startTcpServer((socket) => {
        socket.on("data", (chunk) => (received += chunk.toString("latin1")));
        if (certificate === undefined) {
          socket.write("HTTP/1.1 400 Bad Request\r\n\r\n");
        }
      }, certificate);
      const client = clientFor({ url: `https://127.0.0.1:${port}` });
      const outcomes = [facts(await client.assignNumber(assignment)), facts(await client.addCommunityVoice(voice))];
      const expected = `not sent, tls: no response, 1 attempt: 127.0.0.1:${port} ${reason}`;
      assert.deepEqual(outcomes, [expected, expected]);
      assert.doesNotMatch(received, /HTTP\/1\.1/);
    });
  }

  it("trusts certificates from NODE_EXTRA_CA_CERTS, but verifies host names", async () => {
    const respond = (socket: Socket) => socket.once("data", () => socket.write(ok200));
    const ports = [loopbackCertificate, otherHostCertificate].map((certificate) =>
      startTcpServer(respond, certificate),
    );
    const folder = await mkdtemp(join(tmpdir(), "client-tls-"));
    closing.push(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, "ca.pem"), authority);
    const script = `
      const { clientFor } = require("./test/api/support");
      (async () => {
        for (const port of ${JSON.stringify(await Promise.all(ports))}) {
          const client = clientFor({ url: "https://127.0.0.1:" + port });
          for (const outcome of [
            await client.addCommunityVoice(${JSON.stringify(voice)}), await client.assignNumber(${JSON.stringify(assignment)}),
          ]) console.log(outcome.failure?.outcome, outcome.failure?.cause, outcome.failure?.detail.replace(/.*[(]/, "("));
        }
      })();`;
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"), NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const { stdout } = await promisify(execFile)(process.execPath, ["-r", "tsx/cjs", "-e", script], { env });
    const expected = ["undefined undefined undefined", "not sent tls (ERR_TLS_CERT_ALTNAME_INVALID)"];
    // PUTs reuse connections and POSTs don't, so the script sends both to each server and expects the same outcome.
    assert.deepEqual(
      stdout.trim().split("\n"),
      expected.flatMap((line) => [line, line]),
    );
  });
});

describe("a request without a response", () => {
  const host = "h.example:443";
  const proxyHost = "proxy.example.com:3128";
  const rows: {
    readonly name: string;
    readonly change: Partial<NoResponse>;
    readonly kind: string;
    readonly names: string;
    readonly proxy?: string;
  }[] = [
    {
      name: "reports that nothing was sent if the proxy refuses the connection",
      change: { code: "ECONNREFUSED" },
      kind: "proxy, not sent, again",
      names: `${proxyHost} ECONNREFUSED`,
      proxy: proxyHost,
    },
    ...[403, 407].map((proxyStatus) => ({
      name: `reports that nothing was sent if the proxy returns a ${proxyStatus}`,
      change: { proxyStatus },
      kind: "proxy, not sent",
      names: `${proxyHost} ${proxyStatus} CONNECT ${host}`,
      proxy: proxyHost,
    })),
    {
      name: "reports that nothing was sent if the host name cannot be resolved",
      change: { code: "ENOTFOUND" },
      kind: "unreachable, not sent, again",
      names: `${host} ENOTFOUND`,
    },
    {
      name: "reports that nothing was sent if the connection attempt times out",
      change: { timedOut: true },
      kind: "unreachable, not sent, again",
      names: `${host} 30`,
    },
    {
      name: "reports that nothing was sent if the TLS handshake is interrupted",
      change: { reached: "tcp", code: "EPIPE" },
      kind: "unreachable, not sent, again",
      names: `${host} EPIPE`,
    },
    {
      name: "reports that nothing was sent if the certificate has expired",
      change: { reached: "tcp", code: "CERT_HAS_EXPIRED" },
      kind: "tls, not sent",
      names: `${host} CERT_HAS_EXPIRED`,
    },
    {
      name: "does not print an error code that contains an escape sequence",
      change: { reached: "tcp", code: "\u001b[31m" },
      kind: "tls, not sent",
      names: host,
    },
    {
      name: "reports that nothing was sent if the request contains an invalid character",
      change: { code: "ERR_INVALID_CHAR" },
      kind: "unreachable, not sent",
      names: `${host} ERR_INVALID_CHAR`,
    },
    {
      name: "reports an unknown outcome if an open connection breaks",
      change: { reached: "open", code: "EPIPE" },
      kind: "noResponse, unknown, again",
      names: `${host} EPIPE`,
    },
    {
      name: "reports an unknown outcome if the response times out",
      change: { reached: "open", timedOut: true },
      kind: "noResponse, unknown, again",
      names: `${host} 30`,
    },
    {
      name: "reports an unknown outcome if the response is not HTTP",
      change: { reached: "open", code: "HPE_INVALID_CONSTANT" },
      kind: "unusable, unknown, again",
      names: `${host} HTTP`,
    },
  ];
  const call = addCommunityVoice(voice, { baseUrl: "https://h" });
  const failureOf = (change: Partial<NoResponse>, proxy?: string): Failure => {
    const reply: NoResponse = { came: "nothing", reached: "nowhere", timedOut: false, code: "", ...change };
    const exchange = { operation: call.operation, attempts: 1, elapsedMs: 0 };
    const { failure } = classify(reply, call, {
      token: "an-access-token",
      host,
      proxy,
      wallClockMs: 0,
      timeoutMs: 30_000,
      exchange,
    });
    return failure ?? assert.fail();
  };
  for (const { name, change, kind, names, proxy } of rows) {
    it(name, () => {
      const { cause, outcome, retry, detail, hint } = failureOf(change, proxy);
      assert.deepEqual(
        [`${cause}, ${outcome}${retry ? ", again" : ""}`, namedIn(detail), hint],
        [kind, names, undefined],
      );
    });
  }

  it("may be retried after a temporary network error", () =>
    checkRows(
      ["EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL", "EMFILE"],
      (code) => code,
      (code) => assert.equal(failureOf({ code }).retry, true),
    ));
});
