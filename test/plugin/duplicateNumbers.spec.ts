import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "mocha";
import { type Emulator, startEmulator } from "../../emulator";
import { idleEngine } from "../support/idleEngine";
import { type PluginWire, secret, startPluginWire, urnOf } from "../support/pluginWire";
import { urnOf as kindUrn, providerText } from "../support/providerCalls";
import { startProvider } from "../support/providerProcess";

const inboundAgents = { agent_a: 1 };
const TWICE =
  'AGP-003 NumberGroup "desk::two": number +15551230001 is declared twice: by NumberAssignment "one" and by NumberGroup "desk::two". Remove one of them: otherwise they overwrite each other in every run.';

/** Each provider of a program has a process of its own. */
describe("a number that a program declares twice, through the plugin", () => {
  let emulator: Emulator;
  const wires: PluginWire[] = [];
  let run = "";

  /** The processes of one run have one engine. */
  async function provider(engineAddress: string, settings: object = {}): Promise<PluginWire> {
    const wire = await startPluginWire({ engineAddress, settings: { baseUrl: emulator.url, ...settings } });
    wires.push(wire);
    return wire;
  }

  before(async () => {
    emulator = await startEmulator();
  });
  beforeEach(() => {
    run = `127.0.0.1:${randomUUID()}`;
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
    const only = await provider(run);
    assert.deepEqual(await one(only), []);
    assert.deepEqual(await two(only), [["", TWICE]]);
    // The engine checks a replacement twice.
    assert.deepEqual(await one(only), []);
  });

  it("is refused once where both are checked at the same time", async () => {
    const [first, second] = [await provider(run), await provider(run)];
    const refused = (await Promise.all([one(first), two(second)])).flat();
    assert.equal(refused.length, 1);
    assert.match(
      String(refused[0]?.[1]),
      /^AGP-003 Number\w+ "(one" \(\+15551230001\)|desk::two"): number \+15551230001 is declared twice: by /,
    );
  });

  it("is named by nobody where it is a secret of one of them", async () => {
    const [first, second] = [await provider(run), await provider(run)];
    assert.deepEqual(await one(first, secret("+15551230001")), []);
    const [[, reason = ""] = []] = await two(second);
    assert.equal(reason, TWICE.replace("number +15551230001", "a secret number"));
  });

  it("is no business of another run, nor of one that has ended", async () => {
    const before = await provider(run);
    assert.deepEqual(await one(before), []);
    assert.deepEqual(await two(await provider(`127.0.0.1:${randomUUID()}`)), []);
    await before.close();
    assert.deepEqual(await two(await provider(run)), []);
  });
});

describe("a number that a program declares by a class and by a resource of the plugin", () => {
  it("is refused at the second one", async () => {
    const emulator = await startEmulator();
    const engineAddress = await idleEngine();
    const config = { "agent-platform:baseUrl": emulator.url, "agent-platform:accessToken": emulator.token };
    const [dynamic, plugin] = await Promise.all([
      startProvider({ edge: "dynamic", engineAddress }),
      startProvider({ edge: "plugin", engineAddress }),
    ]);
    try {
      await Promise.all([dynamic.configure(config), plugin.configure(config)]);
      const news = (name: string) => ({
        number: "+15557770001",
        inboundAgents,
        __provider: providerText("numberAssignment"),
        __urn: kindUrn("numberAssignment", name),
      });
      assert.deepEqual((await dynamic.check(undefined, news("one"))).failures, []);
      assert.deepEqual((await plugin.check(undefined, news("two"))).failures, [
        {
          property: "",
          reason:
            'AGP-003 NumberAssignment "two" (+15557770001): number +15557770001 is declared twice: by NumberAssignment "one" and by NumberAssignment "two". Remove one of them: otherwise they overwrite each other in every run.',
        },
      ]);
    } finally {
      await Promise.all([dynamic.close(), plugin.close(), emulator.close()]);
    }
  });
});
