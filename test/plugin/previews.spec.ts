import assert from "node:assert/strict";
import { type Emulator, startEmulator } from "../../emulator";
import { type PluginWire, startPluginWire, UNKNOWN, urnOf } from "../support/pluginWire";

const LINE = urnOf("NumberAssignment", "line");

/** What a preview of an update says of the outputs: unknown is only what the update may change. */
describe("the preview of an update over the plugin's wire", () => {
  let emulator: Emulator;
  let wire: PluginWire;
  before(async () => {
    emulator = await startEmulator();
    wire = await startPluginWire({
      settings: { baseUrl: emulator.url },
      env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token },
    });
  });
  after(async () => {
    await wire.close();
    await emulator.close();
  });

  it("of a number names what a PUT may change", async () => {
    const args = { number: "4001", inboundAgents: { "agent_a@1": 1 } };
    const inputs = await wire.inputs(LINE, args);
    const { id, state } = await wire.create(LINE, inputs);
    const news = await wire.inputs(LINE, { ...args, inboundAgents: { "agent_a@2": 1 } }, inputs);
    emulator.clearRequests();
    const shown = await wire.update(LINE, id, state, news, inputs, { preview: true });
    assert.equal(emulator.requests.length, 0);
    const names = Object.keys(shown).filter((name) => !(name in news));
    const unknown = names.filter((name) => shown[name] === UNKNOWN).sort();
    assert.deepEqual(unknown, ["platformIds", "previousInboundAgents", "since"]);
    const kept = names.filter((name) => name in state && !unknown.includes(name));
    assert.deepEqual(
      kept.map((name) => shown[name]),
      kept.map((name) => state[name]),
    );
  });
});
