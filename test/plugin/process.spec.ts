import assert from "node:assert/strict";
import type { ServiceError } from "@grpc/grpc-js";
import type { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { after, before, describe, it } from "mocha";
import { type Emulator, startEmulator } from "../../emulator";
import { version } from "../../package.json";
import { PROVIDER, providerText } from "../../provider/core/platform/kinds";
import { NAMED_FIELDS } from "../../provider/core/routing/fields";
import { type ConnectProxy, startConnectProxy } from "../support/connectProxy";
import {
  ask,
  type PluginWire,
  type Props,
  secret,
  startPluginWire,
  struct,
  UNKNOWN,
  UNKNOWN_NUMBER,
  urnOf,
} from "../support/pluginWire";

const SUPPORT = urnOf("NumberAssignment", "support");
const PROVIDERS = "urn:pulumi:dev::calls::pulumi:providers:agent-platform::";

/** What no lifecycle shows: the engine's own calls. */
describe("the plugin's process", () => {
  let emulator: Emulator;
  let wire: PluginWire;

  before(async () => {
    emulator = await startEmulator();
    wire = await startPluginWire({
      settings: { baseUrl: emulator.url, version: "1.0.0" },
      env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token },
    });
  });
  after(async () => {
    await wire.close();
    await emulator.close();
  });

  it("says who it is, and that it takes secrets", async () => {
    const info = await ask<PluginInfo>((done) => wire.client.getPluginInfo(new Empty(), done));
    assert.equal(info.getVersion(), version);
    const handshake = await ask<proto.ProviderHandshakeResponse>((done) =>
      wire.client.handshake(new proto.ProviderHandshakeRequest(), done),
    );
    assert.deepEqual(
      [handshake.getAcceptSecrets(), handshake.getAcceptResources(), handshake.getAcceptOutputs()],
      [true, false, false],
    );
    const schema = await ask<proto.GetSchemaResponse>((done) =>
      wire.client.getSchema(new proto.GetSchemaRequest(), done),
    );
    assert.equal((JSON.parse(schema.getSchema()) as { version: string }).version, version);
  });

  it("hands a secret argument on as a secret, as a whole", async () => {
    const args = { number: "+15551230001", inboundAgents: { agent_b: 10 }, triggers: { reviewed: secret(90), by: 1 } };
    const inputs = await wire.inputs(SUPPORT, args);
    assert.deepEqual(inputs, {
      ...args,
      triggers: secret({ reviewed: 90, by: 1 }),
      endpoint: emulator.url,
      secretArguments: ["triggers"],
    });
    const { platformIds, since: _, ...state } = (await wire.create(SUPPORT, inputs)).state;
    assert.deepEqual(state, { ...inputs, [PROVIDER]: providerText("NumberAssignment") });
    assert.equal(typeof platformIds, "object");
  });

  it("takes an unknown value of any type for one, and at preview says which outputs are not known yet", async () => {
    const news = { number: "+15551230002", inboundAgents: { agent_a: UNKNOWN_NUMBER }, inboundWebhookUrl: UNKNOWN };
    const inputs = await wire.inputs(urnOf("NumberAssignment", "unknown"), news);
    assert.deepEqual(inputs, {
      number: "+15551230002",
      inboundAgents: UNKNOWN,
      inboundWebhookUrl: UNKNOWN,
      endpoint: emulator.url,
    });
    const requests = emulator.requests.length;
    const preview = await wire.create(SUPPORT, inputs, { preview: true });
    assert.deepEqual(preview.state, {
      ...Object.fromEntries(NAMED_FIELDS.map((field) => [field, UNKNOWN])),
      ...inputs,
      rollout: UNKNOWN,
      previousInboundAgents: UNKNOWN,
      since: UNKNOWN,
      platformIds: UNKNOWN,
    });
    assert.equal(emulator.requests.length, requests);
  });

  it("says of an update at preview that what a PUT may change is not known yet", async () => {
    const args = { number: "4001", inboundAgents: { "agent_a@1": 1 } };
    const urn = urnOf("NumberAssignment", "line");
    const inputs = await wire.inputs(urn, args);
    const { id, state } = await wire.create(urn, inputs);
    const news = await wire.inputs(urn, { ...args, inboundAgents: { "agent_a@2": 1 } }, inputs);
    const requests = emulator.requests.length;
    const shown = await wire.update(urn, id, state, news, inputs);
    assert.equal(emulator.requests.length, requests);
    const unknown = Object.keys(shown).filter((name) => shown[name] === UNKNOWN);
    assert.deepEqual(unknown.sort(), ["platformIds", "previousInboundAgents", "since"]);
    assert.deepEqual([shown.number, shown.inboundAgents], [state.number, news.inboundAgents]);
  });

  it("warns at the resource whose call it is", async () => {
    wire.heard.length = 0;
    const nova = urnOf("CommunityVoice", "nova");
    await wire.delete(nova, "voice_1", { workspaceId: 42, voiceName: "Nova", endpoint: wire.settings.baseUrl });
    assert.deepEqual(
      wire.heard.map(({ urn, isWarning, isEphemeral, text }) => [urn, isWarning, isEphemeral, text.slice(0, 8)]),
      [[nova, true, false, "AGP-063 "]],
    );
  });

  it("hands the state back at a refresh, secrets included, and refuses an import by id in one sentence", async () => {
    const props = { number: "+15551230001", inboundAgents: secret({ agent_a: 1 }), endpoint: emulator.url };
    const read = (request: proto.ReadRequest) => ask<proto.ReadResponse>((done) => wire.client.read(request, done));
    const request = new proto.ReadRequest().setUrn(SUPPORT).setId("+15551230001");
    const refreshed = await read(request.clone().setProperties(struct(props)).setInputs(struct(props)));
    assert.deepEqual(refreshed.getProperties()?.toJavaScript(), props);
    assert.deepEqual(refreshed.getInputs()?.toJavaScript(), props);
    await assert.rejects(
      () => read(request.clone().setProperties(struct({}))),
      (error: ServiceError) =>
        error.details ===
        'AGP-007 NumberAssignment "+15551230001": the API has no read endpoint, so nothing can be imported by its id alone. ' +
          "Write an import file with `npx pulumi-agent-platform takeover --import`, then run `pulumi import --file`.",
    );
    await assert.rejects(
      () => read(new proto.ReadRequest().setUrn(urnOf("SmsChat", "reminder")).setId("chat_1")),
      (error: ServiceError) =>
        error.details ===
        'AGP-007 SmsChat "chat_1": the API has no read endpoint, so nothing can be imported by its id alone. ' +
          'Declare it with adopt: "chat_1". That records it, and sends nothing.',
    );
  });

  it("does not know a resource of a later release", async () => {
    await assert.rejects(
      () => wire.check(urnOf("Agent", "new"), {}),
      (error: ServiceError) => error.details === "This version of the plugin has no resource Agent.",
    );
  });

  const checkConfig = async (name: string, news: Props) => {
    const request = new proto.CheckRequest().setUrn(`${PROVIDERS}${name}`).setNews(struct(news));
    const response = await ask<proto.CheckResponse>((done) => wire.client.checkConfig(request, done));
    return {
      inputs: response.getInputs()?.toJavaScript(),
      reasons: response.getFailuresList().map((failure) => failure.getReason()),
    };
  };

  it("refuses settings and any provider but the default one, and marks the token as a secret", async () => {
    assert.deepEqual(await checkConfig("default", { baseUrl: emulator.url, accessToken: "another-token" }), {
      inputs: { baseUrl: emulator.url, accessToken: secret("another-token") },
      reasons: [],
    });
    for (const name of ["second", "defaultish"]) {
      assert.deepEqual((await checkConfig(name, { baseUrl: emulator.url })).reasons, [
        `AGP-001 the explicit provider "${name}" is refused, because a stack has one account, that of its config. Put a second account in a second stack.`,
      ]);
    }
    assert.deepEqual(await checkConfig("default_1_0_0", { baseUrl: "no url" }), {
      inputs: { baseUrl: "no url" },
      reasons: [
        "AGP-010 agent-platform:baseUrl: The base URL must be https://host or https://host/path (http:// only on loopback). Run `pulumi config set agent-platform:baseUrl https://…`, or set AGENT_PLATFORM_BASE_URL.",
      ],
    });
    const { reasons } = await checkConfig("default_1_0_0", { baseUrl: emulator.url, maxshift: "5" });
    assert.match(reasons.join(), /^AGP-015 agent-platform:maxshift is not a setting, [^,]* agent-platform:maxShift\?/);
    const unknown = await checkConfig("default", { baseUrl: UNKNOWN, accessToken: "another-token" });
    assert.deepEqual(unknown.reasons, []);
  });
});

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
  });
});
