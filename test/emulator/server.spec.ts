import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { codeOf, number, put, start } from "./support";

const body = { outboundAgentId: "agent_o" };
const bound = { inboundAgents: {}, outboundAgentId: "agent_o" };

describe("emulator: the server", () => {
  it("listens on 127.0.0.1 and on nothing else", async () => {
    const emulator = await start();
    assert.equal(emulator.url, `http://127.0.0.1:${emulator.port}`);
    const other = Object.values(networkInterfaces())
      .flat()
      .find((net) => net && !net.internal && net.family === "IPv4");
    if (other === undefined) {
      return;
    }
    const socket = connect(emulator.port, other.address);
    const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException];
    assert.equal(error.code, "ECONNREFUSED");
  });

  it("stopListening closes the port; listenAgain opens the same one with the same state", async () => {
    const emulator = await start();
    await put(emulator, body);
    await emulator.stopListening();
    assert.equal(await codeOf(put(emulator, body)), "ECONNREFUSED");
    assert.equal(emulator.requests.length, 1);
    await emulator.listenAgain();
    assert.equal((await put(emulator, {})).status, 200);
    assert.deepEqual(emulator.routing(number), bound);
  });

  it("close cuts what is open, and may be called again", async () => {
    const emulator = await start();
    emulator.inject({ kind: "slowHeaders", ms: 60_000 });
    const waiting = codeOf(put(emulator, body));
    await emulator.waitForRequests(1);
    await emulator.close();
    await emulator.close();
    assert.equal(await waiting, "ECONNRESET");
    assert.deepEqual(emulator.routing(number), bound);
    assert.equal(await codeOf(put(emulator, body)), "ECONNREFUSED");
  });

  it("rejects who waits in vain when it closes", async () => {
    const emulator = await start();
    await put(emulator, body);
    const waiting = emulator.waitForRequests(2);
    const rejected = assert.rejects(
      waiting,
      new Error("The emulator was closed after 1 requests; a test waits for 2."),
    );
    await emulator.close();
    await rejected;
  });
});
