import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { echoesOf, type PlatformStack, TOKEN, withPlatformStack } from "../support/platformStack";

/** Each text that must be nowhere in clear holds it. */
const HUSH = "hush-4f1c";

/** What may be secret. */
const program = (version: number): string => `
  import * as pulumi from "@pulumi/pulumi";
  import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat } from "pulumi-agent-platform";
  const hush = (text: string) => pulumi.secret("${HUSH}-" + text + "-${version}");
  const routing = {
    inboundAgents: [{ agentId: "agent_a", weight: 1 }],
    inboundWebhookUrl: hush("key").apply((key) => "https://hooks.example.com/?key=" + key),
    triggers: { reviewed: hush("trigger") },
  };
  new NumberAssignment("line", { number: "4001", ...routing });
  new NumberGroup("group", { numbers: { "4002": "" }, ...routing });
  new CommunityVoice("nova", {
    workspaceId: 42, voiceProvider: "p", providerVoiceId: "v", voiceName: "Nova", publicUserId: "u",
  });
  new SmsChat("reminder", {
    workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: hush("to").apply((text) => "+1555" + text.length + "00002"),
    metadata: { note: hush("metadata") }, serviceDynamicVariables: { name: hush("variable") },
  });
  new SmsChat("open", { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550000003", sendKey: "${version}" });`;

const VOICE = { workspaceId: 42, voiceProvider: "p", providerVoiceId: "v", voiceName: "Nova", publicUserId: "u" };

/** Who answers a call, as secrets: literal, in a list, of a config value, and of an output that no preview knows. */
const refused = `
  import * as pulumi from "@pulumi/pulumi";
  import { CommunityVoice, NumberAssignment } from "pulumi-agent-platform";
  const voice = new CommunityVoice("nova", ${JSON.stringify(VOICE)});
  new NumberAssignment("line", {
    number: pulumi.secret("${HUSH}"),
    inboundAgents: [{ agentId: pulumi.secret("${HUSH}"), weight: 1 }],
    workspaceId: new pulumi.Config().requireSecretNumber("workspace"),
    accountSid: pulumi.secret(voice.voiceId),
    inboundWebhookUrl: pulumi.secret("https://${HUSH}.example"),
  });`;
const outputsOf = (stack: PlatformStack["stack"]) =>
  Object.fromEntries(stack.resources().map(({ name, outputs }) => [name, outputs]));
/** The names of outputs that the state has encrypted. */
const secretsIn = (outputs: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(outputs)
    .filter((name) => JSON.stringify(outputs[name]).includes('"ciphertext"'))
    .sort();
const assertNoHush = (text: string, where: string) =>
  assert.ok(!text.includes(HUSH), `${where} holds a secret:\n${text}`);

describe("secrets through the real engine", () => {
  it("stay secret in the state, in a diff, and in what is said of a failure", async () => {
    await withPlatformStack({ program: program(1) }, async ({ stack, sent, platform }) => {
      assertNoHush((await stack.up()).output, "the output");
      assert.equal(sent().length, 5);
      const received = JSON.stringify([platform.voices, platform.chats, [...platform.numbers]]);
      for (const clear of ["key", "metadata", "variable"]) {
        assert.ok(received.includes(`${HUSH}-${clear}-1`), "the platform gets it in clear");
      }
      assertNoHush(stack.stateText(), "the state");
      // The program gives this chat no secret.
      const { chatId, status, ...open } = outputsOf(stack).open ?? {};
      assert.deepEqual([typeof chatId, typeof status], ["string", "string"]);
      assert.deepEqual(secretsIn(open), [
        "chatAnalysis",
        "collectedDynamicVariables",
        "customAttributes",
        "messages",
        "overrideDynamicVariables",
        "transcript",
      ]);

      stack.write(program(2));
      assertNoHush((await stack.preview({ diff: true })).output, "the diff");
      // The number keeps what it had, and the key of its webhook is not saved with that.
      platform.inject({ kind: "status", status: 422, number: "4001" });
      platform.inject({ operation: "createSmsChat", kind: "reset", applied: false });
      const failed = await stack.up({ expectFailure: true, args: ["--continue-on-error"] });
      assertNoHush(failed.output, "the output of a failed update");
      assertNoHush(stack.stateText(), "the state after it");
      const { line = {}, group = {} } = outputsOf(stack);
      const applied = { inboundAgents: { agent_a: 1 }, inboundWebhookUrl: "[set]" };
      assert.deepEqual(line.unapplied, [{ applied, numbers: "4001\n", reason: "rejected" }]);
      assert.deepEqual(secretsIn(group), ["inboundWebhookUrl", "triggers"]);
      assert.doesNotMatch(JSON.stringify(platform.requests), /secretArguments/);
    });
  });

  it("that would hide who answers are refused at preview, and so is an output, and a value of the config", async () => {
    const config = { "test:workspace": { secret: "42" } };
    await withPlatformStack({ program: refused, config }, async ({ stack, sentNothing }) => {
      const { output } = await stack.preview({ expectFailure: true });
      const sentence =
        'AGP-001 NumberAssignment "line": accountSid, inboundAgents, number, workspaceId are secret, so a reviewer could not see them. Write ' +
        "them in plain text.";
      assert.ok(output.includes(sentence), output);
      assertNoHush(output, "a refusal");
      sentNothing();
    });
  });

  it("a token is in no output, state or message, and one of the environment in no log", async () => {
    const program = `
      import { NumberAssignment } from "pulumi-agent-platform";
      new NumberAssignment("line", { number: "4001", inboundAgents: [{ agentId: "agent_front", weight: 1 }] });`;
    await withPlatformStack({ program }, async ({ stack, sent, platform }) => {
      // Whatever each command prints or saves is searched for the token as it is, in a URL and in base64.
      const logged = await stack.up({ args: ["--logtostderr", "-v=9"] });
      assert.ok(logged.output.includes("Planner decided to create"), "the log is there");
      assert.equal(sent().length, 1);

      stack.setConfig({ "agent-platform:accessToken": { secret: TOKEN } });
      await stack.up();
      // Echoed by the platform in its refusal, in each form.
      platform.inject({ kind: "status", status: 400, body: { error: `no: ${echoesOf(TOKEN)}` }, times: 9 });
      const refused = await stack.destroy({ expectFailure: true, args: ["--continue-on-error"] });
      assert.match(refused.output, /not cleared; the platform returned 400 to PUT/);
    });
  });
});
