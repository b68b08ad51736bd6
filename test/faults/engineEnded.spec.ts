import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import type { ServiceError } from "@grpc/grpc-js";
import { type Emulator, startEmulator } from "../../emulator";
import { type PluginWire, spawnPlugin, startPluginWire, urnOf } from "../support/pluginWire";
import { listen } from "../support/rawServer";

const numbers = Array.from({ length: 6 }, (_, index) => `+1555000000${index}`);

/** The plugin's process. That the SDK's does the same is in killedGroup.spec.ts. */
describe("a provider process whose engine has ended", () => {
  let emulator: Emulator;
  let engine: Http2Server;
  let engineAddress: string;
  let connections: ServerHttp2Session[];
  let wire: PluginWire | undefined;

  beforeEach(async () => {
    emulator = await startEmulator();
    connections = [];
    engine = createServer().on("session", (session) => connections.push(session));
    engineAddress = `127.0.0.1:${await listen(engine)}`;
  });

  afterEach(async () => {
    closeEngine();
    await wire?.close();
    await emulator.close();
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

  /** A group whose third number is under way. */
  async function sending() {
    wire = await startPluginWire({
      // A process that lives on gives up on that number, so that the test ends.
      settings: { baseUrl: emulator.url, requestTimeout: 10 },
      env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token, TEST_ATTEMPTS: "1", TEST_CONCURRENCY: "1" },
      engineAddress,
    });
    assert.equal(connections.length, 1, "it is watched from the start, before anything is sent");
    const urn = urnOf("NumberGroup", "pool");
    const inputs = await wire.inputs(urn, { numbers, inboundAgents: { agent_a: 1 } });
    const hold = emulator.inject({ kind: "hold", after: 2 });
    const created = wire.create(urn, inputs).catch((error: unknown) => error);
    await emulator.waitForRequests(3);
    return { created, release: () => hold.release() };
  }

  it("ends, and sends no further number", async () => {
    const { created } = await sending();
    closeEngine();
    assert.equal(((await created) as ServiceError).code, 14);
    assert.equal(emulator.requests.length, 3);
  });

  it("ends if the engine had ended before it could be met", async () => {
    closeEngine();
    const { ended } = await spawnPlugin({ engineAddress });
    await ended();
  });

  it("goes on if only the connection was closed", async () => {
    const { created, release } = await sending();
    const again = once(engine, "session");
    closeConnections();
    await Promise.race([again, created]);
    release();
    assert.ok(!((await created) instanceof Error));
    assert.equal(emulator.numbers.size, numbers.length);
  });
});
