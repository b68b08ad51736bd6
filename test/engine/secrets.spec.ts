import assert from "node:assert/strict";
import { type PlatformStack, platformStack, TOKEN } from "../support/platformStack";

/** Part of every secret string in the program. It must not appear in plain text in the output or the state. */
const HUSH = "hush-4f1c";
const OLD = "old-token-7d20";

/** Returns a program with secrets in several arguments. */
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

const outputsOf = (stack: PlatformStack["stack"]) =>
  Object.fromEntries(stack.resources().map(({ name, outputs }) => [name, outputs]));
/** Returns the sorted names of the outputs that are encrypted in the state. */
const secretsIn = (outputs: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(outputs)
    .filter((name) => JSON.stringify(outputs[name]).includes('"ciphertext"'))
    .sort();
const assertNoHush = (text: string, where: string) =>
  assert.ok(!text.includes(HUSH), `${where} contains a secret:\n${text}`);

describe("secrets in the real Pulumi engine", () => {
  const opened = platformStack({
    program: program(1),
    // The old token is a secret in the config, so the state contains it in encrypted form.
    config: { "agent-platform:accessToken": { secret: OLD } },
    env: { AGENT_PLATFORM_ACCESS_TOKEN: "" },
    platform: { token: OLD },
  });

  it("sends secrets to the platform and encrypts them in the state", async () => {
    const { stack, sent, platform } = opened();
    assertNoHush((await stack.up()).output, "the output");
    assert.equal(sent().length, 5);
    const received = JSON.stringify([platform.voices, platform.chats, [...platform.numbers]]);
    for (const name of ["key", "metadata", "variable"]) {
      assert.ok(received.includes(`${HUSH}-${name}-1`), `the platform did not receive ${name} in plain text`);
    }
    assertNoHush(stack.stateText(), "the state");
    assert.ok(!stack.stateText().includes(OLD), "the state contains the old token in plain text");
    // This chat has no secret arguments. Some outputs are encrypted anyway, because the platform could repeat a secret
    // in them.
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
  });

  it("does not show secrets in a diff", async () => {
    const { stack } = opened();
    stack.write(program(2));
    assertNoHush((await stack.preview({ diff: true })).output, "the diff");
  });

  it("shows no secrets in the output or state after a lost request", async () => {
    const { stack, platform } = opened();
    // The outcome for this number is unknown, so the state also records its old routing, but without the secret
    // webhook.
    platform.inject({ kind: "reset", number: "4001", applied: false, times: 9 });
    platform.inject({ operation: "createSmsChat", kind: "reset", applied: false });
    const failed = await stack.up({ expectFailure: true, args: ["--continue-on-error"] });
    assertNoHush(failed.output, "the output of a failed update");
    assertNoHush(stack.stateText(), "the state after a failed update");
    const { line = {}, group = {} } = outputsOf(stack);
    const [unapplied] = line.unapplied as { reason: string }[];
    assert.equal(unapplied?.reason, "unknown", failed.output);
    assert.match(JSON.stringify(unapplied), /"inboundWebhookUrl":"\[set\]"/);
    assert.deepEqual(secretsIn(group), ["inboundWebhookUrl", "triggers"]);
    assert.doesNotMatch(JSON.stringify(platform.requests), /secretArguments/);
    platform.clearFaults();
  });

  it("does not log a configured token that the environment overrides", async () => {
    const { stack, platform } = opened();
    platform.setToken(TOKEN);
    const args = ["--logtostderr", "-v=9"];
    const logged = await stack.destroy({ args, env: { AGENT_PLATFORM_ACCESS_TOKEN: TOKEN } });
    assert.match(logged.output, /Destroy\(preview=false\) complete/, "the log is missing");
    assert.ok(!logged.output.includes(OLD), "the log contains the old token");
    assert.deepEqual(platform.routing("4001"), { inboundAgents: {} });
  });
});
