import assert from "node:assert/strict";
import type { ServiceError } from "@grpc/grpc-js";
import { LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import type { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import type { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import {
  CheckRequest,
  type CheckResponse,
  ConfigureRequest,
  CreateRequest,
  type CreateResponse,
  DiffRequest,
  DiffResponse,
  GetSchemaRequest,
  type GetSchemaResponse,
  PropertyDiff,
  ProviderHandshakeRequest,
  type ProviderHandshakeResponse,
  ReadRequest,
  type ReadResponse,
  UpdateRequest,
  type UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { after, before, describe, it } from "mocha";
import { type Emulator, startEmulator } from "../../emulator";
import { version } from "../../package.json";
import { listenAsEngine } from "../support/edges";
import { type ProviderProcess, startProvider } from "../support/providerProcess";

type Props = Record<string, JavaScriptValue>;
type Done<Response> = (error: ServiceError | null, response: Response) => void;

const SIGNATURE = "4dabf18193072939515e22adb298388d";
const secret = (value: JavaScriptValue) => ({ [SIGNATURE]: "1b47061264138c4ac30d75fd1eb44270", value });
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const UNKNOWN_NUMBER = "3eeb2bf0-c639-47a8-9e75-3b44932eb421";

const { DIFF_NONE, DIFF_SOME } = DiffResponse.DiffChanges;
const { UPDATE, UPDATE_REPLACE } = PropertyDiff.Kind;

const urnOf = (kind: string, name: string) => `urn:pulumi:dev::calls::agent-platform:index:${kind}::${name}`;
const SUPPORT = urnOf("NumberAssignment", "support");
const PROVIDERS = "urn:pulumi:dev::calls::pulumi:providers:agent-platform::";

/** The plugin's process, asked as the engine asks it: with secrets, unknown values and URNs. */
describe("the plugin's process", () => {
  let emulator: Emulator;
  let provider: ProviderProcess;
  let engine: Awaited<ReturnType<typeof listenAsEngine>>;
  let client: ResourceProviderClient;
  const heard: { urn: string; isWarning: boolean; isEphemeral: boolean; text: string }[] = [];

  const ask = <Response>(send: (done: Done<Response>) => void): Promise<Response> =>
    new Promise((resolve, reject) => send((error, response) => (error === null ? resolve(response) : reject(error))));
  const struct = (props: Props) => Struct.fromJavaScript(props);

  before(async () => {
    emulator = await startEmulator();
    provider = await startProvider({ edge: "plugin", env: { AGENT_PLATFORM_ACCESS_TOKEN: emulator.token } });
    client = provider.client;
    engine = await listenAsEngine((_, log) => {
      heard.push({
        urn: log.getUrn(),
        isWarning: log.getSeverity() === LogSeverity.WARNING,
        isEphemeral: log.getEphemeral(),
        text: log.getMessage(),
      });
    });
    await engine.attach(client);
    const args = struct({ baseUrl: emulator.url, version: "1.0.0" });
    await ask((done) => client.configure(new ConfigureRequest().setArgs(args).setAcceptsecrets(true), done));
  });
  after(async () => {
    await provider.close();
    engine.close();
    await emulator.close();
  });

  const check = (urn: string, news: Props, olds: Props = {}) =>
    ask<CheckResponse>((done) =>
      client.check(new CheckRequest().setUrn(urn).setOlds(struct(olds)).setNews(struct(news)), done),
    );
  const reasons = async (urn: string, news: Props) =>
    (await check(urn, news)).getFailuresList().map((failure) => [failure.getProperty(), failure.getReason()]);

  it("says who it is, and that it takes secrets", async () => {
    const info = await ask<PluginInfo>((done) => client.getPluginInfo(new Empty(), done));
    assert.equal(info.getVersion(), version);
    const handshake = await ask<ProviderHandshakeResponse>((done) =>
      client.handshake(new ProviderHandshakeRequest(), done),
    );
    assert.deepEqual(
      [handshake.getAcceptSecrets(), handshake.getAcceptResources(), handshake.getAcceptOutputs()],
      [true, false, false],
    );
    const schema = await ask<GetSchemaResponse>((done) => client.getSchema(new GetSchemaRequest(), done));
    assert.equal((JSON.parse(schema.getSchema()) as { version: string }).version, version);
  });

  it("hands a secret split on as a secret, as a whole, and what repeats it as well", async () => {
    const list = [
      { agentId: "agent_a", agentVersion: 1, weight: secret(90) },
      { agentId: "agent_b", weight: 10 },
    ];
    const checked = await check(SUPPORT, { number: "+15551230001", inboundAgents: list });
    const inputs = checked.getInputs()?.toJavaScript() as Props;
    const split = { "agent_a@1": 90, agent_b: 10 };
    assert.deepEqual(inputs, {
      number: "+15551230001",
      inboundAgents: secret(split),
      endpoint: emulator.url,
      secretArguments: ["inboundAgents"],
    });

    const created = await ask<CreateResponse>((done) =>
      client.create(new CreateRequest().setUrn(SUPPORT).setProperties(struct(inputs)), done),
    );
    const { platformIds, ...state } = (created.getProperties()?.toJavaScript() ?? {}) as Props;
    assert.deepEqual(state, inputs);
    assert.equal(typeof platformIds, "object");

    // The split of before is secret although the one of now is not.
    const news = { ...inputs, inboundAgents: { agent_c: 1 } };
    const updated = await ask<UpdateResponse>((done) =>
      client.update(
        new UpdateRequest()
          .setUrn(SUPPORT)
          .setId("+15551230001")
          .setOlds(struct({ ...state, platformIds: platformIds as JavaScriptValue }))
          .setOldInputs(struct(inputs))
          .setNews(struct(news)),
        done,
      ),
    );
    const after = updated.getProperties()?.toJavaScript() as Props;
    assert.deepEqual(after.inboundAgents, { agent_c: 1 });
    assert.deepEqual(after.previousInboundAgents, secret(split));
    assert.equal(emulator.requests.length, 2);
  });

  it("takes an unknown value of any type for one, and at preview says which outputs are not known yet", async () => {
    const news = { number: "+15551230002", inboundAgents: { agent_a: UNKNOWN_NUMBER }, inboundWebhookUrl: UNKNOWN };
    const inputs = (await check(urnOf("NumberAssignment", "unknown"), news)).getInputs()?.toJavaScript() as Props;
    assert.deepEqual(inputs, {
      number: "+15551230002",
      inboundAgents: UNKNOWN,
      inboundWebhookUrl: UNKNOWN,
      endpoint: emulator.url,
    });
    const requests = emulator.requests.length;
    const preview = await ask<CreateResponse>((done) =>
      client.create(new CreateRequest().setUrn(SUPPORT).setProperties(struct(inputs)).setPreview(true), done),
    );
    assert.deepEqual(preview.getProperties()?.toJavaScript(), {
      ...inputs,
      accountSid: UNKNOWN,
      workspaceId: UNKNOWN,
      outboundAgentId: UNKNOWN,
      outboundAgentVersion: UNKNOWN,
      isTimeRoutingEnabled: UNKNOWN,
      previousInboundAgents: UNKNOWN,
      platformIds: UNKNOWN,
    });
    assert.equal(emulator.requests.length, requests);
  });

  it("refuses without a property, so that the engine prints no value", async () => {
    assert.deepEqual(await reasons(SUPPORT, { number: "+1 hush", inboundAgents: { agent_a: 1 } }), [
      [
        "",
        "AGP-001 number starts with `+`, so it must be in international format: `+`, the country code, at most 15 digits, nothing else.",
      ],
    ]);
  });

  it("refuses a number that two resources declare, whichever kinds they are, and names no secret one", async () => {
    const inboundAgents = { agent_a: 1 };
    assert.deepEqual(await reasons(urnOf("NumberAssignment", "one"), { number: "+15551230003", inboundAgents }), []);
    // The engine checks a replacement twice.
    assert.deepEqual(await reasons(urnOf("NumberAssignment", "one"), { number: "+15551230003", inboundAgents }), []);
    const [[, reason = ""] = []] = await reasons(urnOf("NumberGroup", "two"), {
      numbers: ["+15551230004", "+15551230003"],
      inboundAgents,
    });
    assert.equal(
      reason,
      'AGP-003 number +15551230003 is declared twice: by NumberAssignment "one" and by NumberGroup "two". Remove one of them: otherwise they overwrite each other in every run.',
    );
    const [[, hidden = ""] = []] = await reasons(urnOf("NumberAssignment", "three"), {
      number: secret("+15551230003"),
      inboundAgents,
    });
    assert.match(hidden, /^AGP-003 a secret number is declared twice: by NumberAssignment "one" and by /);
  });

  it("names each agent that changed, and of what replaces that it does", async () => {
    const olds = {
      number: "+15551230005",
      inboundAgents: { "agent_a@1": 90, "agent_a@2": 10 },
      endpoint: emulator.url,
    };
    const diff = async (news: Props) => {
      const request = new DiffRequest().setUrn(SUPPORT).setId("+15551230005");
      request.setOlds(struct(olds)).setOldInputs(struct(olds)).setNews(struct(news));
      const response = await ask<DiffResponse>((done) => client.diff(request, done));
      const paths = [...response.getDetaileddiffMap().entries()].map(([path, one]) => [path, one.getKind()]);
      return { changes: response.getChanges(), replaces: response.getReplacesList(), paths };
    };
    assert.deepEqual(await diff(olds), { changes: DIFF_NONE, replaces: [], paths: [] });
    assert.deepEqual(await diff({ ...olds, inboundAgents: { "agent_a@1": 80, "agent_a@2": 20 } }), {
      changes: DIFF_SOME,
      replaces: [],
      paths: [
        ['inboundAgents["agent_a@1"]', UPDATE],
        ['inboundAgents["agent_a@2"]', UPDATE],
      ],
    });
    assert.deepEqual(await diff({ ...olds, number: "+15551230006" }), {
      changes: DIFF_SOME,
      replaces: ["number"],
      paths: [["number", UPDATE_REPLACE]],
    });
  });

  it("warns at the resource whose call it is", async () => {
    heard.length = 0;
    const insecure = urnOf("NumberAssignment", "insecure");
    await check(insecure, { number: "+15551230007", inboundWebhookUrl: "http://example.org/hook" });
    assert.deepEqual(
      heard.map(({ urn, isWarning, isEphemeral, text }) => [urn, isWarning, isEphemeral, text.slice(0, 8)]),
      [[insecure, true, false, "AGP-067 "]],
    );
  });

  it("hands the state back at a refresh, secrets included, and refuses an import by id in one sentence", async () => {
    const props = { number: "+15551230001", inboundAgents: secret({ agent_a: 1 }), endpoint: emulator.url };
    const read = (request: ReadRequest) => ask<ReadResponse>((done) => client.read(request, done));
    const request = new ReadRequest().setUrn(SUPPORT).setId("+15551230001");
    const refreshed = await read(request.clone().setProperties(struct(props)).setInputs(struct(props)));
    assert.deepEqual(refreshed.getProperties()?.toJavaScript(), props);
    assert.deepEqual(refreshed.getInputs()?.toJavaScript(), props);
    await assert.rejects(
      () => read(request.clone().setProperties(struct({}))),
      (error: ServiceError) =>
        error.details ===
        'AGP-007 NumberAssignment "+15551230001": the platform has no call to read it, so nothing can be imported by its id alone. ' +
          "Write an import file with `takeover --import`, which says what it holds, and run `pulumi import --file`.",
    );
  });

  it("does not know a resource of a later release", async () => {
    await assert.rejects(
      () => check(urnOf("Agent", "new"), {}),
      (error: ServiceError) => error.details === "This version of the plugin has no resource Agent.",
    );
  });

  const checkConfig = async (name: string, news: Props) => {
    const request = new CheckRequest().setUrn(`${PROVIDERS}${name}`).setNews(struct(news));
    const response = await ask<CheckResponse>((done) => client.checkConfig(request, done));
    return {
      inputs: response.getInputs()?.toJavaScript(),
      reasons: response.getFailuresList().map((failure) => failure.getReason()),
    };
  };

  it("refuses settings at the provider, writes down an explicit provider's name, and marks its token as a secret", async () => {
    assert.deepEqual(await checkConfig("second", { baseUrl: emulator.url, accessToken: "another" }), {
      inputs: { baseUrl: emulator.url, accessToken: secret("another"), instance: "second" },
      reasons: [],
    });
    assert.deepEqual((await checkConfig("second", { baseUrl: emulator.url })).reasons, [
      'AGP-013 AgentPlatform "second": give exactly one of accessToken and accessTokenEnv. An explicit provider never takes the token of the environment.',
    ]);
    assert.deepEqual(await checkConfig("default_1_0_0", { baseUrl: "no url", instance: "second" }), {
      inputs: { baseUrl: "no url" },
      reasons: [
        "AGP-011 agent-platform:baseUrl: The base URL holds a space, a backslash or a control character: write it as https://host.",
      ],
    });
    assert.deepEqual((await checkConfig("default_1_0_0", { baseUrl: emulator.url, maxshift: "5" })).reasons, [
      "AGP-015 agent-platform:maxshift is not a setting, and nothing reads it. Did you mean agent-platform:maxShift? Set that, and run `pulumi config rm agent-platform:maxshift`.",
    ]);
    const unknown = await checkConfig("second", { baseUrl: UNKNOWN, accessToken: "another" });
    assert.deepEqual(unknown.reasons, []);
  });

  it("names each setting of a provider that changed, and replaces nothing because of one", async () => {
    const olds = struct({ baseUrl: "https://one.example", accessToken: "one" });
    const news = struct({ baseUrl: "https://two.example", accessToken: "one" });
    const request = new DiffRequest().setUrn(`${PROVIDERS}second`).setOldInputs(olds).setOlds(olds).setNews(news);
    const response = await ask<DiffResponse>((done) => client.diffConfig(request, done));
    assert.deepEqual(response.getDiffsList(), ["baseUrl"]);
    assert.deepEqual(response.getReplacesList(), []);
  });
});
