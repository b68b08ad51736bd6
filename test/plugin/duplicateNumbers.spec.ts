import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { type Emulator, startEmulator } from "../../emulator";
import { type PluginWire, secret, startPluginWire, urnOf } from "../support/pluginWire";

const inboundAgents = { agent_a: 1 };
const TWICE =
  'AGP-003 NumberGroup "desk::two": number +15551230001 is declared twice: by NumberAssignment "one" and by NumberGroup "desk::two". Remove one of them: otherwise they overwrite each other in every run.';

describe("a number that a program declares twice, through the plugin", () => {
  let emulator: Emulator;
  const wires: PluginWire[] = [];

  async function provider(): Promise<PluginWire> {
    const wire = await startPluginWire({ settings: { baseUrl: emulator.url } });
    wires.push(wire);
    return wire;
  }

  before(async () => {
    emulator = await startEmulator();
  });
  afterEach(async () => {
    await Promise.all(wires.splice(0).map((wire) => wire.close()));
  });
  after(async () => {
    await emulator.close();
  });

  const one = (wire: PluginWire, number: unknown = "+15551230001") =>
    wire.reasons(urnOf("NumberAssignment", "one"), { number, inboundAgents });
  const two = (wire: PluginWire, number = "+15551230001") =>
    wire.reasons(urnOf("NumberGroup", "desk::two"), { numbers: ["+15551230002", number], inboundAgents });

  it("is refused, whichever kinds they are; the first keeps it", async () => {
    const only = await provider();
    assert.deepEqual(await one(only), []);
    assert.deepEqual(await two(only), [["", TWICE]]);
    // The engine checks a replacement twice.
    assert.deepEqual(await one(only), []);
  });

  it("is named by nobody where it is a secret of one of them", async () => {
    const only = await provider();
    assert.deepEqual(await one(only, secret("+15551230001")), []);
    const [[, reason = ""] = []] = await two(only);
    assert.equal(reason, TWICE.replace("number +15551230001", "a secret number"));
  });
});
