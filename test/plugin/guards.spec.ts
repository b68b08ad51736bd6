import assert from "node:assert/strict";
import type { ServiceError } from "@grpc/grpc-js";
import { describe, it } from "mocha";
import { type Emulator, startEmulator } from "../../emulator";
import { type PluginWire, startPluginWire, urnOf } from "../support/pluginWire";

const SUPPORT = urnOf("NumberAssignment", "support");
const number = "+15551230001";
const front = (stable: number, candidate: number) => ({ "agent_front@12": stable, "agent_front@13": candidate });
const GUARDS = {
  weightTotal: 100,
  maxShift: 25,
  approvedAgents: ["agent_front@12", "agent_front@13"],
  maxUnapproved: 5,
};

/** As the engine hands the settings of a stack over: each as a text. */
const asTexts = (settings: object) =>
  Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]),
  );

describe("guards over the plugin's wire", () => {
  let emulator: Emulator;
  let wire: PluginWire | undefined;

  before(async () => {
    emulator = await startEmulator();
  });
  afterEach(async () => {
    await wire?.close();
    wire = undefined;
  });
  after(() => emulator.close());

  async function configured(settings: Readonly<Record<string, unknown>>, env = {}): Promise<PluginWire> {
    emulator.clearRequests();
    wire = await startPluginWire({
      settings: { baseUrl: emulator.url, ...settings },
      env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token, ...env },
    });
    return wire;
  }

  /** What diff says of a change of the split. */
  async function changed(on: PluginWire, split: object): Promise<string> {
    const olds = { number, inboundAgents: front(90, 10), endpoint: emulator.url };
    const news = await on.inputs(SUPPORT, { number, inboundAgents: split }, olds);
    return on.diff(SUPPORT, number, olds, news).then(
      ({ changes }) => `passed, ${changes ? "a change" : "no change"}`,
      (error: unknown) => (error as ServiceError).details,
    );
  }
  const refusal = (code: string, text: string) =>
    `${code} NumberAssignment "support" (${number}): inboundAgents: ${text} Nothing was sent for this resource.`;

  it("refuse a change at its preview", async () => {
    const on = await configured(asTexts(GUARDS));
    assert.equal(
      await changed(on, front(10, 90)),
      refusal(
        "AGP-021",
        "moves 80 percentage points of traffic; limit 25 (agent_front@12 90 % → 10 %, agent_front@13 10 % → 90 %). Move less traffic at a time, or raise maxShift.",
      ),
    );
    assert.equal(
      await changed(on, { ...front(70, 10), "agent_new@1": 20 }),
      refusal(
        "AGP-023",
        "agent_new@1 is not approved. Unapproved agents would receive 20 % (now 0 %, limit 5 %). Name approved agents, or approve these in agent-platform:approvedAgents.",
      ),
    );
    assert.equal(
      await changed(on, front(80, 10)),
      refusal(
        "AGP-020",
        "the weights sum to 90, expected 100 (agent_front@12 80, agent_front@13 10). Change a weight, or weightTotal.",
      ),
    );
    assert.equal(await changed(on, front(80, 20)), "passed, a change");
    assert.equal(await changed(on, front(90, 10)), "passed, no change");
    assert.deepEqual(emulator.requests, []);
  });
  it("refuse a new resource in check", async () => {
    const on = await configured(asTexts(GUARDS));
    const [[property, reason] = []] = await on.reasons(SUPPORT, { number, inboundAgents: { "agent_new@1": 100 } });
    assert.equal(property, "");
    assert.match(
      String(reason),
      /^AGP-023 NumberAssignment "support" \(\+15551230001\): inboundAgents: agent_new@1 is not approved\. Unapproved agents would receive 100 %/,
    );
    assert.deepEqual(emulator.requests, []);
  });

  it("freeze refuses a create, a change and a delete", async () => {
    const on = await configured({ freeze: "holiday traffic" });
    const reason = /changes are frozen: holiday traffic\./;
    assert.match(String(await on.reasons(SUPPORT, { number, inboundAgents: front(90, 10) })), reason);
    assert.match(await changed(on, front(80, 20)), reason);
    const state = { number: "4001", inboundAgents: front(90, 10), endpoint: emulator.url };
    await assert.rejects(on.delete(urnOf("NumberAssignment", "gone"), "4001", state), reason);
    assert.deepEqual(emulator.requests, []);
  });

  it("are bypassed for one run, which says so at the resource", async () => {
    const on = await configured(asTexts(GUARDS), { AGENT_PLATFORM_BYPASS: "incident 42" });
    assert.equal(await changed(on, front(10, 90)), "passed, a change");
    const warned = on.heard
      .filter(({ isWarning }) => isWarning)
      .map(({ urn, text }) => [urn, text.split(" inboundAgents")[0]]);
    assert.deepEqual(warned, [
      [
        SUPPORT,
        `AGP-068 NumberAssignment "support" (${number}): AGENT_PLATFORM_BYPASS (incident 42) bypassed 1 guard: AGP-021`,
      ],
    ]);
  });
});
