import assert from "node:assert/strict";
import { type Emulator, startEmulator } from "../../emulator";
import { same } from "../../provider/core/common/equality";
import { type PluginWire, type Props, startPluginWire, UNKNOWN, urnOf } from "../support/pluginWire";

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

  async function previewed(urn: string, args: Props, change: Props) {
    const inputs = await wire.inputs(urn, args);
    const { id, state } = await wire.create(urn, inputs);
    const news = await wire.inputs(urn, { ...args, ...change }, inputs);
    emulator.clearRequests();
    const shown = await wire.update(urn, id, state, news, inputs, { preview: true });
    assert.equal(emulator.requests.length, 0);
    const names = Object.keys(shown).filter((name) => !(name in news));
    return {
      unknown: names.filter((name) => shown[name] === UNKNOWN).sort(),
      kept: names
        .filter((name) => name in state && shown[name] !== UNKNOWN)
        .every((name) => same(shown[name], state[name])),
    };
  }
  const line = { number: "4001", inboundAgents: { "agent_a@1": 1 } };

  it("of a number names what a PUT may change", async () => {
    assert.deepEqual(await previewed(LINE, line, { inboundAgents: { "agent_a@2": 1 } }), {
      unknown: ["platformIds", "previousInboundAgents", "since"],
      kept: true,
    });
  });
});
