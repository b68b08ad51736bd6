import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { describe, it } from "mocha";
import { startEmulator } from "../../emulator";
import { startProvider } from "../support/providerProcess";
import { A, many } from "./groupSupport";

const __provider = 'exports.handler = () => require("pulumi-agent-platform/handlers").numberGroup';

/** Tells on standard error of every file of got that is loaded; got is an ES module, so `require.cache` would not show it. */
const hooks = `import { writeSync } from "node:fs";
export async function load(url, context, next) {
  if (url.includes("/node_modules/got/")) writeSync(2, "loaded got\\n");
  return next(url, context);
}`;
const dataUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
const watching = `--import=${dataUrl(`import { register } from "node:module"; register(${JSON.stringify(dataUrl(hooks))});`)}`;

describe("what a call of the provider loads and sends", () => {
  it("is no got, no connection and no token at preview, and got at the first request alone", async () => {
    const emulator = await startEmulator();
    const provider = await startProvider({ env: { NODE_OPTIONS: watching } });
    try {
      await provider.configure({
        "agent-platform:baseUrl": emulator.url,
        "agent-platform:accessToken": emulator.token,
      });
      const args = { numbers: many(50), inboundAgents: [{ ...A, weight: 1 }], __provider };
      const { inputs } = await provider.check(undefined, args);
      await provider.diff("x", inputs, { ...inputs, inboundAgents: { agent_b: 1 } });
      await provider.read("x", inputs);
      assert.equal(provider.stderr.includes("loaded got"), false);
      assert.equal(emulator.requests.length, 0);
      await provider.create(inputs);
      assert.equal(provider.stderr.includes("loaded got"), true);
      assert.equal(emulator.requests.length, 50);
    } finally {
      await provider.close();
      await emulator.close();
    }
  });

  it("keeps its connections: as many as requests may be under way, and no more for the next hundred", async () => {
    const emulator = await startEmulator();
    let connections = 0;
    const counter = createServer((socket) => {
      connections += 1;
      const onward = connect(emulator.port, "127.0.0.1");
      socket.on("error", () => onward.destroy()).pipe(onward);
      onward.on("error", () => socket.destroy()).pipe(socket);
    }).listen(0, "127.0.0.1");
    await once(counter, "listening");
    const provider = await startProvider();
    try {
      await provider.configure({
        "agent-platform:baseUrl": `http://127.0.0.1:${(counter.address() as AddressInfo).port}`,
        "agent-platform:accessToken": emulator.token,
      });
      const args = { numbers: many(100), inboundAgents: [{ ...A, weight: 1 }], __provider };
      const { inputs } = await provider.check(undefined, args);
      const { outs } = await provider.create(inputs);
      await provider.update("x", outs, { ...inputs, inboundAgents: { agent_b: 1 } });
      assert.equal(emulator.requests.length, 200);
      assert.equal(connections, 16);
    } finally {
      await provider.close();
      counter.close();
      await emulator.close();
    }
  });
});
