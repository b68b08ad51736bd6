import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "mocha";
import { type Emulator, startEmulator } from "../../emulator";
import type { ResourceKind } from "../../provider/core/platform/kinds";
import { CONTEXT, POSTED_ARGS } from "../resources/inputs";
import { type PluginWire, type Props, startPluginWire, UNKNOWN, UNKNOWN_NUMBER, urnOf } from "../support/pluginWire";

interface Schema {
  readonly resources: Readonly<Record<string, { readonly inputProperties: Readonly<Record<string, object>> }>>;
}
const schema = JSON.parse(readFileSync(join(__dirname, "../../provider/edge/schema.json"), "utf8")) as Schema;
const argumentsOf = (kind: string) =>
  Object.keys(schema.resources[`agent-platform:index:${kind}`]?.inputProperties ?? {});

const routing = { inboundAgents: { "agent_a@1": 90, "agent_a@2": 10 } };
const WHOLE: Readonly<Record<ResourceKind, Props>> = {
  NumberAssignment: { number: "4001", ...routing },
  NumberGroup: { numbers: ["4002", "4003"], ...routing },
  ...POSTED_ARGS,
};

/** A preview knows not yet what another resource will be. */
describe("unknown values over the plugin's wire", () => {
  let emulator: Emulator;
  let wire: PluginWire;
  before(async () => {
    emulator = await startEmulator();
    wire = await startPluginWire({
      settings: { baseUrl: emulator.url, ...CONTEXT },
      env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token },
    });
  });
  after(async () => {
    await wire.close();
    assert.deepEqual(emulator.requests, []);
    await emulator.close();
  });

  /** As a new resource and as a change of one: check, diff and the preview of what would be sent. */
  async function previews(urn: string, kind: ResourceKind, args: Props): Promise<Props> {
    assert.deepEqual(await wire.reasons(urn, args), []);
    const inputs = await wire.inputs(urn, args);
    const created = await wire.create(urn, inputs, { preview: true });
    assert.equal(created.id, "");
    const olds = await wire.inputs(urn, WHOLE[kind]);
    const state = { ...olds, endpoint: emulator.url };
    const news = await wire.inputs(urn, args, olds);
    const found = await wire.diff(urn, "id", state, news, olds);
    assert.equal(found.changes, true, "what is not known is a change");
    return inputs;
  }

  /** Each case has a voice or a chat of its own, because the process remembers what an earlier case replaces. A number has one resource. */
  const urnIn = (kind: string, name: string) => urnOf(kind, kind.startsWith("Number") ? "one" : name);

  /** What is looked at while a resource is unresolved and never otherwise. */
  const NoChange = new Set(["adopt", "retryUnresolved"]);

  for (const [kind, whole] of Object.entries(WHOLE) as [ResourceKind, Props][]) {
    it(`may be any argument of a ${kind}`, async () => {
      for (const name of argumentsOf(kind)) {
        const urn = urnIn(kind, name);
        // A program writes one of the two.
        const { inboundAgents: _, ...others } = whole;
        const args = { ...(name === "rollout" ? others : whole), [name]: UNKNOWN };
        if (NoChange.has(name)) {
          assert.deepEqual(await wire.reasons(urn, args), []);
        } else {
          assert.equal((await previews(urn, kind, args))[name], UNKNOWN, name);
        }
      }
    });
  }

  it("may be a weight: it becomes the text that stands for an unknown value", async () => {
    const args = { number: "4001", inboundAgents: { "agent_a@1": UNKNOWN_NUMBER, "agent_a@2": 10 } };
    const { inboundAgents } = await previews(urnIn("NumberAssignment", "weight"), "NumberAssignment", args);
    assert.match(JSON.stringify(inboundAgents), new RegExp(UNKNOWN));
  });
});
