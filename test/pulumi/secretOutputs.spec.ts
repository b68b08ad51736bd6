import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { describe, it } from "mocha";
import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat, split } from "../../provider";

/** What a resource hands to the engine at its construction. */
async function registered(declare: () => pulumi.CustomResource): Promise<Record<string, unknown>> {
  let seen: Record<string, unknown> = {};
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => {
      seen = inputs;
      return { id: name, state: inputs };
    },
    call: () => ({}),
  });
  const { urn } = declare();
  await new Promise((resolve) => urn.apply(resolve));
  return seen;
}

/** How the SDK writes a secret. */
const isSecret = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "4dabf18193072939515e22adb298388d" in value;

const secretKeys = (inputs: Record<string, unknown>): string[] =>
  Object.keys(inputs)
    .filter((key) => isSecret(inputs[key]))
    .sort();

const inboundAgents = split({ "agent_front@12": 1 });
const voice = { workspaceId: 42, voiceProvider: "p", providerVoiceId: "v", publicUserId: "u" };
const chat = { workspaceId: 42, agentId: "chat_agent_a", fromNumber: "+15550000001", toNumber: "+15550000002" };
const voiceOutputs = ["accent", "createdAt", "description", "gender", "language", "name", "playbackOverrideUrl"];

describe("outputs that may echo a secret argument", () => {
  it("are secrets: the split before, of an assignment and of a group", async () => {
    const secret = pulumi.secret(inboundAgents);
    for (const [number, group] of [
      [inboundAgents, []],
      [secret, ["inboundAgents", "previousInboundAgents"]],
    ] as const) {
      const agents = { inboundAgents: number };
      assert.deepEqual(
        secretKeys(await registered(() => new NumberAssignment("a", { number: "1", ...agents }))),
        group,
      );
      const remembered = group.length === 0 ? [] : ["formerOverrides", "formerRouting"];
      assert.deepEqual(secretKeys(await registered(() => new NumberGroup("g", { numbers: ["1"], ...agents }))), [
        ...remembered,
        ...group,
      ]);
    }
  });

  it("are secrets: a weight inside the list", async () => {
    const agents = [{ agentId: "agent_a", weight: pulumi.secret(1) }];
    const keys = secretKeys(await registered(() => new NumberAssignment("a", { number: "1", inboundAgents: agents })));
    assert.deepEqual(keys, ["inboundAgents", "previousInboundAgents"]);
  });

  it("are secrets: what the platform answers of a voice and of a chat", async () => {
    const plain = await registered(() => new CommunityVoice("v", { ...voice, voiceName: "Nova" }));
    assert.deepEqual(secretKeys(plain), []);
    const hushed = await registered(() => new CommunityVoice("v", { ...voice, voiceName: pulumi.secret("Nova") }));
    assert.deepEqual(
      secretKeys(hushed).filter((key) => voiceOutputs.includes(key)),
      voiceOutputs,
    );
    const metadata = { note: pulumi.secret("hush") };
    const started = secretKeys(await registered(() => new SmsChat("c", { ...chat, metadata })));
    for (const output of ["transcript", "messages", "customAttributes", "chatAnalysis"]) {
      assert.ok(started.includes(output), output);
    }
  });
});
