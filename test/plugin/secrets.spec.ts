import assert from "node:assert/strict";
import type { ServiceError } from "@grpc/grpc-js";
import { describe, it } from "mocha";
import { type Emulator, startEmulator } from "../../emulator";
import { type PluginWire, type Props, secret, startPluginWire, urnOf } from "../support/pluginWire";
import { rejectionOf } from "../support/rejected";

const SUPPORT = urnOf("NumberAssignment", "support");
const POOL = urnOf("NumberGroup", "pool");
const CHAT = urnOf("SmsChat", "chat");
const SIGNATURE = "4dabf18193072939515e22adb298388d";

/** Every secret of these tests holds one of these. */
const HUSHED = /hush|1555123007/;

/** The values without those that are marked as secret: of what is left, anybody may read everything. */
function inClear(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(inClear);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return SIGNATURE in value
    ? "[secret]"
    : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inClear(item)]));
}

describe("secret arguments over the plugin's wire", () => {
  let emulator: Emulator;
  let wire: PluginWire;
  const answers: unknown[] = [];

  before(async () => {
    emulator = await startEmulator();
    wire = await startPluginWire({
      settings: { baseUrl: emulator.url, maxShift: 50 },
      env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token, TEST_ATTEMPTS: "1" },
    });
  });
  afterEach(() => {
    for (const answer of answers.splice(0)) {
      assert.doesNotMatch(JSON.stringify(inClear(answer)), HUSHED);
    }
    for (const { text } of wire.heard) {
      assert.doesNotMatch(text, HUSHED);
    }
    assert.doesNotMatch(wire.stderr, HUSHED);
  });
  after(async () => {
    await wire.close();
    await emulator.close();
  });

  /** Everything that goes back to the engine is searched. */
  const seen = <Answer>(answer: Answer): Answer => {
    answers.push(answer);
    return answer;
  };
  async function refused(call: Promise<unknown>): Promise<string> {
    const error = (await rejectionOf(call)) as ServiceError;
    seen(error.details);
    return error.details;
  }
  const created = async (urn: string, args: object) => {
    const inputs = seen(await wire.inputs(urn, args));
    return { inputs, ...seen(await wire.create(urn, inputs)) };
  };

  const routing = {
    inboundAgents: secret({ agent_hush: 90, agent_b: 10 }),
    inboundWebhookUrl: secret("https://hooks.example.com/in?key=hush"),
  };

  it("are sent as they are, stay secret in the state through a change, and show in no preview", async () => {
    const one = await created(SUPPORT, { number: secret("+15551230070"), ...routing });
    assert.deepEqual(emulator.routing("+15551230070"), {
      inboundAgents: { agent_hush: 90, agent_b: 10 },
      inboundWebhookUrl: "https://hooks.example.com/in?key=hush",
    });
    const { number, inboundAgents, inboundWebhookUrl } = one.state;
    assert.deepEqual({ number, inboundAgents, inboundWebhookUrl }, { number: secret("+15551230070"), ...routing });
    assert.match(one.id, /^number-/);

    const args = { number: secret("+15551230070"), ...routing, inboundAgents: secret({ agent_hush: 50, agent_b: 50 }) };
    const news = seen(await wire.inputs(SUPPORT, args, one.inputs));
    const { changes } = seen(await wire.diff(SUPPORT, one.id, one.state, news, one.inputs));
    assert.equal(changes, true);
    const state = seen(await wire.update(SUPPORT, one.id, one.state, news, one.inputs));
    assert.deepEqual(state.previousInboundAgents, routing.inboundAgents);
    assert.deepEqual(emulator.routing("+15551230070")?.inboundAgents, { agent_hush: 50, agent_b: 50 });

    // No longer a secret in the program: what repeats the split of before is one all the same.
    const open = { number: secret("+15551230070"), inboundAgents: { agent_b: 1, agent_c: 1 } };
    const opened = seen(await wire.inputs(SUPPORT, open, news));
    const last = seen(await wire.update(SUPPORT, one.id, state, opened, news));
    assert.deepEqual(last.inboundAgents, open.inboundAgents);
    assert.deepEqual(last.previousInboundAgents, secret({ agent_hush: 50, agent_b: 50 }));
  });

  it("are named by no refusal, neither of an argument nor of a guard nor of the platform", async () => {
    const check = async (urn: string, args: Props) => seen(await wire.reasons(urn, args));
    assert.match(
      String(await check(SUPPORT, { number: secret("+1555123007x hush"), inboundAgents: { agent_a: 1 } })),
      /^,AGP-001 /,
    );
    assert.match(
      String(await check(SUPPORT, { number: "4009", inboundAgents: secret({ "agent_hush@@": 1 }) })),
      /^,AGP-001 /,
    );
    assert.match(
      String(await check(SUPPORT, { number: "4009", inboundAgents: {}, inboundWebhookUrl: secret("hush") })),
      /^,AGP-001 /,
    );

    const one = await created(SUPPORT, { number: secret("+15551230071"), ...routing });
    const far = { number: secret("+15551230071"), inboundAgents: secret({ agent_hush: 10, agent_b: 90 }) };
    const news = seen(await wire.inputs(SUPPORT, far, one.inputs));
    assert.match(await refused(wire.diff(SUPPORT, one.id, one.state, news, one.inputs)), /^AGP-021 /);

    emulator.inject({ kind: "status", status: 422, body: { error: "no agent for +15551230072" } });
    const inputs = seen(await wire.inputs(POOL, { numbers: secret(["+15551230072"]), ...routing }));
    assert.match(await refused(wire.create(POOL, inputs)), /returned 422 to PUT .*: "no agent for …"/);
  });

  it("are saved as secrets where the outcome is unknown, and told of without their values", async () => {
    emulator.inject({ operation: "createSmsChat", kind: "resetAfterRequest", applied: true });
    const args = {
      workspaceId: 42,
      agentId: "chat_agent_a",
      fromNumber: "+15550000001",
      toNumber: secret("+15551230073"),
      metadata: { note: secret("hush") },
    };
    const inputs = seen(await wire.inputs(CHAT, args));
    assert.deepEqual([inputs.toNumber, inputs.metadata], [secret("+15551230073"), secret({ note: "hush" })]);
    const failed = wire.savedBy(await rejectionOf(wire.create(CHAT, inputs)));
    seen(failed);
    assert.match(failed?.id ?? "", /^unresolved-/);
    assert.deepEqual(
      [failed?.properties.toNumber, failed?.properties.metadata],
      [secret("+15551230073"), secret({ note: "hush" })],
    );
  });

  it("hold in the keys of a map as well: agents and labels", async () => {
    const args = {
      numbers: secret({ "+15551230074": "hush line", "+15551230075": "" }),
      inboundAgents: { agent_a: 1 },
    };
    const one = await created(POOL, args);
    const fewer = { ...args, numbers: secret({ "+15551230075": "hush" }) };
    const news = seen(await wire.inputs(POOL, fewer, one.inputs));
    const found = seen(await wire.diff(POOL, one.id, one.state, news, one.inputs));
    assert.deepEqual(found.replaces, ["numbers"]);
  });
});

describe("account and workspace that are secret in the settings, over the plugin's wire", () => {
  const accountSid = "4f9c2a10-0000-4000-8000-000000000001";
  let emulator: Emulator;
  let wire: PluginWire;
  before(async () => {
    emulator = await startEmulator();
    wire = await startPluginWire({
      settings: { baseUrl: emulator.url, accountSid: secret(accountSid), workspaceId: secret("42") },
      env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token },
    });
  });
  after(async () => {
    await wire.close();
    await emulator.close();
  });

  it("are secret in the inputs and in the state of each resource that takes them from there", async () => {
    const inputs = await wire.inputs(SUPPORT, { number: "4001", inboundAgents: { "agent_a@1": 1 } });
    assert.deepEqual([inputs.accountSid, inputs.workspaceId], [secret(accountSid), secret(42)]);
    const { state } = await wire.create(SUPPORT, inputs);
    assert.deepEqual([state.accountSid, state.workspaceId], [secret(accountSid), secret(42)]);
    assert.equal((emulator.requests[0]?.body as Props | undefined)?.accountSid, accountSid);
    const chat = { agentId: "chat_agent_a", fromNumber: "+15551230001", toNumber: "+15551239999" };
    assert.deepEqual((await wire.inputs(CHAT, chat)).workspaceId, secret(42));
  });

  it("are as the program writes them in a resource that names its own", async () => {
    const inputs = await wire.inputs(SUPPORT, { number: "4001", accountSid, workspaceId: 43 });
    assert.deepEqual([inputs.accountSid, inputs.workspaceId], [accountSid, 43]);
  });
});
