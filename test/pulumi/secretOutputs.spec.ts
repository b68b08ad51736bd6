import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { describe, it } from "mocha";
import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat, split } from "../../provider";

/** What a resource hands to the engine at its construction. */
async function registered(declare: () => pulumi.CustomResource, isPreview = false): Promise<Record<string, unknown>> {
  let seen: Record<string, unknown> = {};
  const newResource = ({ name, inputs }: pulumi.runtime.MockResourceArgs) => {
    seen = inputs;
    return { id: name, state: inputs };
  };
  await pulumi.runtime.setMocks({ newResource, call: () => ({}) }, "project", "stack", isPreview);
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

describe("outputs that may echo a secret argument are secret", () => {
  const hushed = pulumi.secret(inboundAgents);
  const weight = [{ agentId: "agent_a", weight: pulumi.secret(1) }];
  const numbers = pulumi.secret(["1", "2"]);
  const metadata = { note: pulumi.secret("hush") };
  const split = ["inboundAgents", "previous", "previousInboundAgents", "unapplied"];
  const ofVoices = ["accent", "createdAt", "description", "gender", "language", "name", "playbackOverrideUrl"];
  const ofChats = ["chatAnalysis", "chatCost", "collectedDynamicVariables", "customAttributes", "endedAt", "messages"];
  const rows: [string, () => pulumi.CustomResource, string[]][] = [
    ["none of a number", () => new NumberAssignment("a", { number: "1", inboundAgents }), []],
    ["none of a group", () => new NumberGroup("g", { numbers: ["1"], inboundAgents }), []],
    ["the split before, of a number", () => new NumberAssignment("a", { number: "1", inboundAgents: hushed }), split],
    ["the split before, of a group", () => new NumberGroup("g", { numbers: ["1"], inboundAgents: hushed }), split],
    ["a weight in the list", () => new NumberAssignment("a", { number: "1", inboundAgents: weight }), split],
    [
      "the numbers of a group that were not applied, but not the split of public agents",
      () => new NumberGroup("g", { numbers, inboundAgents }),
      ["numbers", "previous", "unapplied"],
    ],
    [
      "what the platform calls a number: an extension's base number tells of it",
      () => new NumberAssignment("a", { number: pulumi.secret("+15550000001#2"), inboundAgents }),
      ["number", "platformIds", "previous", "unapplied"],
    ],
    ["none of a voice", () => new CommunityVoice("v", { ...voice, voiceName: "Nova" }), []],
    [
      "what the platform answers of a voice",
      () => new CommunityVoice("v", { ...voice, voiceName: pulumi.secret("Nova") }),
      [...ofVoices, "previewUrl", "provider", "tags", "updatedAt", "voiceName"],
    ],
    [
      "what the platform answers of a chat",
      () => new SmsChat("c", { ...chat, metadata }),
      [...ofChats, "metadata", "overrideDynamicVariables", "startedAt", "status", "transcript", "type", "version"],
    ],
  ];
  for (const [name, declare, secret] of rows) {
    it(name, async () => assert.deepEqual(secretKeys(await registered(declare)), [...secret].sort()));
  }
});

describe("which arguments are secret", () => {
  const declared: Readonly<Record<string, () => pulumi.CustomResource>> = {
    "": () => new NumberAssignment("a", { number: pulumi.output("1"), inboundAgents, triggers: [pulumi.output(1)] }),
    "inboundAgents, number": () =>
      new NumberAssignment("a", {
        number: pulumi.secret("1"),
        workspaceId: pulumi.output(42),
        inboundAgents: [{ agentId: pulumi.secret("agent_a"), weight: 1 }],
      }),
    "numbers, triggers": () =>
      new NumberGroup("g", { triggers: { a: pulumi.secret(1) }, numbers: [pulumi.secret("1"), "2"], inboundAgents }),
    voiceName: () => new CommunityVoice("v", { ...voice, voiceName: pulumi.secret("Nova") }),
    "metadata, toNumber": () =>
      new SmsChat("c", { ...chat, toNumber: pulumi.secret("+15550000002"), metadata: { note: pulumi.secret("hush") } }),
  };
  for (const [names, declare] of Object.entries(declared)) {
    it(`is told to the provider, and nothing where none is: ${names || "none"}`, async () => {
      const inputs = await registered(declare);
      assert.deepEqual(inputs.secretArguments, names === "" ? undefined : names.split(", "));
    });
  }

  it("is told at a preview that does not know their values", async () => {
    const number = pulumi.secret(pulumi.output(pulumi.unknown)) as pulumi.Output<string>;
    const inputs = await registered(() => new NumberAssignment("a", { number, inboundAgents }), true);
    assert.deepEqual(inputs.secretArguments, ["number"]);
    assert.deepEqual(secretKeys(inputs), ["platformIds", "previous", "unapplied"]);
  });

  it("costs a program of plain values no input but its URN", async () => {
    const inputs = await registered(() => new NumberAssignment("a", { number: "1", inboundAgents }));
    assert.deepEqual(Object.keys(inputs).sort(), ["__provider", "__urn", "inboundAgents", "number"]);
  });
});
