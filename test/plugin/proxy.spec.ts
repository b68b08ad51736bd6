import assert from "node:assert/strict";
import { after, before, describe, it } from "mocha";
import { type ConnectProxy, startConnectProxy } from "../support/connectProxy";
import { type PluginWire, startPluginWire, urnOf } from "../support/pluginWire";

/** gRPC reads other variables than the client of the platform, and takes a proxy for loopback as well. */
describe("a plugin whose environment names a proxy that says nothing", () => {
  let proxy: ConnectProxy;
  let wire: PluginWire;

  before(async () => {
    proxy = await startConnectProxy(1);
    proxy.behaviour = "silent";
    const url = `http://127.0.0.1:${proxy.port}`;
    wire = await startPluginWire({
      settings: { baseUrl: "http://127.0.0.1:1" },
      env: { http_proxy: url, https_proxy: url, grpc_proxy: url, no_proxy: "", no_grpc_proxy: "" },
    });
  });
  after(async () => {
    await wire.close();
    await proxy.close();
  });

  it("tells its engine what it has to say, and asks the proxy for nothing", async () => {
    const urn = urnOf("CommunityVoice", "nova");
    await wire.delete(urn, "voice_1", { workspaceId: 42, voiceName: "Nova", endpoint: wire.settings.baseUrl });
    assert.deepEqual(
      wire.heard.map((heard) => [heard.urn, heard.text.slice(0, 7)]),
      [[urn, "AGP-063"]],
    );
    assert.deepEqual(proxy.connects, []);
    // What waits for the proxy waits for ever.
  }).timeout(20_000);
});
