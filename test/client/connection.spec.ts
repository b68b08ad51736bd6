import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { promisify } from "node:util";
import { classifySilence } from "../../provider/client/failure";
import { type Silence, watchConnection } from "../../provider/client/transport";
import { closeAll, listen, startRawServer } from "../support/rawServer";
import { authority, good, key, other } from "./certificates";
import { assignment, clientFor, emulatorForEach, facts, hastyRuntime, voice } from "./support";

const ok200 = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 17\r\n\r\n{"voiceId": "v1"}';

describe("connections", () => {
  const start = emulatorForEach();
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) {
      await close();
    }
  });

  async function tcp(onConnection: (socket: Socket) => void, tls?: string): Promise<number> {
    const sockets = new Set<Socket>();
    const accept = (socket: Socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined);
      onConnection(socket);
    };
    const server = tls === undefined ? createServer(accept) : createTlsServer({ key, cert: tls }, accept);
    closing.push(() => closeAll(server, sockets));
    return listen(server);
  }

  it("a refused connection is tried four times, by a POST as well, and nothing was sent", async () => {
    const emulator = await start();
    await emulator.stopListening();
    const client = clientFor(emulator);
    const expected = `rejected, unreachable: no response, 4 attempts: connection refused by 127.0.0.1:${emulator.port}`;
    assert.equal(facts(await client.assignNumber(assignment)), expected);
    assert.equal(facts(await client.addCommunityVoice(voice)), expected);
    assert.deepEqual(client.runtime.waits, [500, 1000, 2000, 500, 1000, 2000]);
    await emulator.listenAgain();
    assert.equal(emulator.requests.length, 0);
  });

  it("a POST is sent once the server is there again", async () => {
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
    assert.equal(facts(await client.addCommunityVoice(voice)), "applied: 200, 3 attempts");
    assert.equal(emulator.requests.length, 1);
    assert.equal(emulator.voices.length, 1);
  });

  it("PUTs share connections, each POST has its own", async () => {
    const server = await startRawServer((socket) => socket.write(ok200));
    closing.push(server.close);
    const client = clientFor(server, { concurrency: 3 });
    await Promise.all(Array.from({ length: 30 }, () => client.assignNumber(assignment)));
    assert.equal(server.connections, 3);
    await Promise.all(Array.from({ length: 6 }, () => client.addCommunityVoice(voice)));
    assert.equal(server.connections, 9);
    assert.equal(server.requests.length, 36);
  });

  it("that never complete a response leave the outcome unknown", async () => {
    const server = await startRawServer((socket) => socket.write(ok200.slice(0, -5)));
    closing.push(server.close);
    const client = clientFor(server, { requestTimeout: 0.1, attempts: 1 });
    assert.equal(
      facts(await client.addCommunityVoice(voice)),
      `unknown, noResponse: 200, 1 attempt: the response from 127.0.0.1:${server.port} was not complete within 0.1 s`,
    );
  });

  it("one whose beginning was missed counts as open, because bytes of the request may have left", async () => {
    const server = await startRawServer((socket) => socket.destroy());
    closing.push(server.close);
    const { got } = await import("got");
    const stream = got.stream(server.url, { method: "POST", body: "{}", retry: { limit: 0 } });
    await once(stream, "request");
    const reached = watchConnection(stream);
    await once(stream, "response").catch(() => undefined);
    assert.deepEqual([reached(), server.requests.length], ["open", 1]);
  });

  it("a server that takes connections and says nothing in TLS has been sent nothing", async () => {
    const port = await tcp(() => undefined);
    const client = clientFor({ url: `https://127.0.0.1:${port}` }, { requestTimeout: 0.05, attempts: 2 });
    assert.equal(
      facts(await client.addCommunityVoice(voice)),
      `rejected, unreachable: no response, 2 attempts: no connection to 127.0.0.1:${port} within 0.05 s`,
    );
  });

  const untrusted: [name: string, certificate: string | undefined, reason: string][] = [
    ["an unknown authority", good, "its certificate is signed by an unknown authority"],
    ["no TLS on the port", undefined, "it does not speak TLS on this port"],
  ];
  for (const [name, certificate, reason] of untrusted) {
    it(`sends nothing, and tries once, with ${name}`, async () => {
      let bytes = 0;
      const port = await tcp((socket) => {
        if (certificate === undefined) {
          socket.write("HTTP/1.1 400 Bad Request\r\n\r\n");
        } else {
          socket.on("data", (chunk) => (bytes += chunk.length));
        }
      }, certificate);
      const client = clientFor({ url: `https://127.0.0.1:${port}` });
      const seen = [facts(await client.assignNumber(assignment)), facts(await client.addCommunityVoice(voice))];
      const expected = `rejected, tls: no response, 1 attempt: no trusted connection to 127.0.0.1:${port}: ${reason}`;
      assert.deepEqual(seen, [expected, expected]);
      assert.equal(bytes, 0);
    });
  }

  it("trusts what NODE_EXTRA_CA_CERTS names, for the host that it is for, whatever NODE_TLS_REJECT_UNAUTHORIZED says", async () => {
    const response = (socket: Socket) => socket.once("data", () => socket.write(ok200));
    const ports = [good, other].map((certificate) => tcp(response, certificate));
    const folder = await mkdtemp(join(tmpdir(), "client-tls-"));
    closing.push(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, "ca.pem"), authority);
    const script = `
      const { clientFor } = require("./test/client/support");
      (async () => {
        for (const port of ${JSON.stringify(await Promise.all(ports))}) {
          const client = clientFor({ url: "https://127.0.0.1:" + port });
          for (const outcome of [
            await client.addCommunityVoice(${JSON.stringify(voice)}), await client.assignNumber(${JSON.stringify(assignment)}),
          ]) console.log(outcome.outcome, outcome.failure?.cause, outcome.failure?.detail.replace(/.*: /, ""));
        }
      })();`;
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"), NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const { stdout } = await promisify(execFile)(process.execPath, ["-r", "tsx/cjs", "-e", script], { env });
    const expected = ["applied undefined undefined", "rejected tls its certificate is for another host"];
    // A POST and a PUT have connections of their own kind.
    assert.deepEqual(
      stdout.trim().split("\n"),
      expected.flatMap((line) => [line, line]),
    );
  });
});

describe("a connection that ends before a response", () => {
  const trusted = "no trusted connection to H:";
  const rows: [Partial<Silence>, kind: string, detail: string, why?: string][] = [
    [{ code: "ENOTFOUND" }, "unreachable, unreachable", "no address is known for H"],
    [{ code: "EAI_AGAIN" }, "unreachable, unreachable", "the name server did not respond for H"],
    [{ code: "EHOSTUNREACH" }, "unreachable, unreachable", "no route to H"],
    [{ code: "ETIMEDOUT" }, "unreachable, unreachable", "no connection to H in time"],
    [{ timedOut: true, code: "ERR_ABORTED" }, "unreachable, unreachable", "no connection to H within 30 s"],
    [{ reached: "tcp", code: "EPIPE" }, "unreachable, unreachable", "H closed the connection before anything was sent"],
    [{ reached: "tcp", code: "CERT_HAS_EXPIRED" }, "tls, final", `${trusted} its certificate has expired`, "expired"],
    [
      { reached: "tcp", code: "DEPTH_ZERO_SELF_SIGNED_CERT" },
      "tls, final",
      `${trusted} its certificate is self-signed`,
      "unknownAuthority",
    ],
    [{ reached: "tcp", code: "ERR_SSL_X" }, "tls, final", `${trusted} ERR_SSL_X`],
    [{ reached: "tcp", code: "\u001b[31m" }, "tls, final", `${trusted} no code`],
    [{ code: "ERR_INVALID_CHAR" }, "unreachable, final", "no connection to H: ERR_INVALID_CHAR"],
    [{ reached: "open", code: "EPIPE" }, "noResponse, unknown", "H closed the connection before it responded (EPIPE)"],
    [{ reached: "open", timedOut: true }, "noResponse, unknown", "no response from H within 30 s"],
    [{ reached: "open", code: "HPE_INVALID_CONSTANT" }, "unusable, unknown", "H sent something that is not HTTP"],
  ];
  for (const [change, kind, detail, why] of rows) {
    it(`is said: ${detail}`, () => {
      const reply: Silence = { came: "nothing", reached: "nowhere", timedOut: false, code: "", ...change };
      const { cause, retryClass, advice, ...failed } = classifySilence(reply, { host: "H" }, 30_000);
      assert.deepEqual([`${cause}, ${retryClass}`, failed, advice?.why], [kind, { detail }, why]);
    });
  }
});
