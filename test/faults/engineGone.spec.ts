import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import type { ServiceError } from "@grpc/grpc-js";
import { type Emulator, startEmulator } from "../../emulator";
import { startPluginWire, urnOf } from "../support/pluginWire";
import { providerText } from "../support/providerCalls";
import { type ProviderProcess, startProvider } from "../support/providerProcess";
import { listen } from "../support/rawServer";
import { rejectionOf } from "../support/rejected";

const numbers = Array.from({ length: 6 }, (_, index) => `+1555000000${index}`);
const inboundAgents = [{ agentId: "agent_a", weight: 1 }];

describe("a provider process whose engine is gone", () => {
  let emulator: Emulator;
  let engine: Http2Server;
  let connections: ServerHttp2Session[];
  let provider: ProviderProcess;
  let orphan: ProviderProcess | undefined;

  beforeEach(async () => {
    emulator = await startEmulator();
    connections = [];
    engine = createServer().on("session", (session) => connections.push(session));
    provider = await startProvider({
      engineAddress: `127.0.0.1:${await listen(engine)}`,
      env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token, TEST_ATTEMPTS: "1", TEST_CONCURRENCY: "1" },
    });
    await provider.configure({
      "agent-platform:baseUrl": emulator.url,
      // A process that lives on gives the held number up, so that the test ends.
      "agent-platform:requestTimeout": 10,
    });
  });

  afterEach(async () => {
    closeEngine();
    await provider.close();
    await orphan?.close();
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
    const given = { numbers: `${numbers.join("\n")}\n`, inboundAgents, __provider: providerText("numberGroup") };
    const { inputs } = await provider.check(given);
    assert.equal(connections.length, 1, "it is watched from the start, before anything is sent");
    const held = emulator.inject({ kind: "hold", after: 2 });
    const created = provider.create(inputs).catch((error: unknown) => error);
    await emulator.waitForRequests(3);
    return { created, release: () => held.release() };
  }

  it("ends, and sends no further number", async () => {
    const { created } = await sending();
    closeEngine();
    const error = await created;
    assert.equal((error as ServiceError).code, 14);
    assert.equal(emulator.requests.length, 3);
  });

  it("ends where the engine was gone before it could be met", async () => {
    const { port } = engine.address() as AddressInfo;
    closeEngine();
    const started = await startProvider({ engineAddress: `127.0.0.1:${port}` });
    orphan = started;
    const numbersText = { numbers: "+15550000001\n", inboundAgents, __provider: providerText("numberGroup") };
    const asked = started
      .configure({ "agent-platform:baseUrl": emulator.url })
      .then(() => started.check(numbersText))
      .catch(() => {});
    await Promise.all([started.ended(), asked]);
  });

  it("ends at once at the signal with which the engine ends a run, for which the engine would wait five seconds", async () => {
    const number = { number: "4001", inboundAgents, __provider: providerText("numberAssignment") };
    await provider.create((await provider.check(number)).inputs);
    await provider.kill("SIGINT");
  });

  it("ends as a plugin, and sends no further number", async () => {
    const wire = await startPluginWire({
      settings: { baseUrl: emulator.url, requestTimeout: 10 },
      env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token, TEST_ATTEMPTS: "1", TEST_CONCURRENCY: "1" },
      engineAddress: `127.0.0.1:${(engine.address() as AddressInfo).port}`,
    });
    const urn = urnOf("NumberGroup", "pool");
    const inputs = await wire.inputs(urn, { numbers, inboundAgents: { agent_a: 1 } });
    emulator.inject({ kind: "hold", after: 2 });
    const created = rejectionOf(wire.create(urn, inputs));
    await emulator.waitForRequests(3);
    closeEngine();
    assert.equal(((await created) as ServiceError).code, 14);
    assert.equal(emulator.requests.length, 3);
    await wire.close();
  });

  it("goes on where only the connection was closed", async () => {
    const { created, release } = await sending();
    const again = once(engine, "session");
    closeConnections();
    await Promise.race([again, created]);
    release();
    assert.ok(!((await created) instanceof Error));
    assert.equal(emulator.numbers.size, numbers.length);
  });
});
