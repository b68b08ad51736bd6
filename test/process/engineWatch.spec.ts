import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import { join } from "node:path";
import { listen } from "../support/rawServer";
import { repository } from "../support/repository";

/** See killedGroup.long.spec.ts for a test that a provider sends no more requests after its engine is killed. */
describe("the engine watch", () => {
  let engine: Http2Server;
  let address: string;
  let connections: ServerHttp2Session[];
  let child: ChildProcess | undefined;

  beforeEach(async () => {
    connections = [];
    engine = createServer().on("session", (session) => connections.push(session));
    address = `127.0.0.1:${await listen(engine)}`;
  });
  afterEach(() => {
    child?.kill("SIGKILL");
    closeEngine();
  });

  const closeConnections = () => {
    for (const connection of connections.splice(0)) {
      connection.destroy();
    }
  };
  const closeEngine = () => {
    engine.close();
    closeConnections();
  };

  /** Starts a process that uses the engine watch. Without the watch, the process would never end. */
  function start(): { ended: Promise<unknown[]> } {
    const file = JSON.stringify(join(repository, "provider/engine/world.ts"));
    const program = `require(${file}).endWithEngine(); setInterval(() => {}, 60_000);`;
    // The last two arguments are the ones that the engine passes to a provider process.
    const args = ["-r", "tsx/cjs", "-e", program, "/cmd/dynamic-provider", address];
    child = spawn(process.execPath, args, { cwd: repository, stdio: "inherit" });
    return { ended: once(child, "exit") };
  }

  it("stops the plugin process when the engine exits", async () => {
    const connected = once(engine, "session");
    const { ended } = start();
    await connected;
    closeEngine();
    assert.deepEqual(await ended, [1, null]);
  });

  it("stops the plugin process if the engine is already gone", async () => {
    closeEngine();
    assert.deepEqual(await start().ended, [1, null]);
  });

  it("reconnects to the engine if the connection closes", async () => {
    const connected = once(engine, "session");
    const { ended } = start();
    await connected;
    const reconnected = once(engine, "session");
    closeConnections();
    assert.equal(await Promise.race([reconnected.then(() => "goes on"), ended]), "goes on");
  });
});
