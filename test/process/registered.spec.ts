import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { describe, it } from "mocha";
import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat, split } from "../../provider";
import { CHAT, VOICE } from "../support/posts";

/** Declares a resource and returns the inputs that it registers with the engine. */
async function registered(declare: () => pulumi.CustomResource, isPreview = false): Promise<Record<string, unknown>> {
  let registeredInputs: Record<string, unknown> = {};
  const newResource = ({ name, inputs }: pulumi.runtime.MockResourceArgs) => {
    registeredInputs = inputs;
    return { id: name, state: inputs };
  };
  await pulumi.runtime.setMocks({ newResource, call: () => ({}) }, "project", "stack", isPreview);
  const { urn } = declare();
  await new Promise((resolve) => urn.apply(resolve));
  return registeredInputs;
}

/** Outputs that the provider saves in addition to the arguments. */
const SAVED = { since: "today", voiceId: "voice-1", chatId: "chat-1" };

/** Returns whether the value is a secret, which the SDK represents as an object with this key. */
const isSecret = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "4dabf18193072939515e22adb298388d" in value;

const secretKeys = (inputs: Record<string, unknown>): string[] =>
  Object.keys(inputs)
    .filter((key) => isSecret(inputs[key]))
    .sort();

const inboundAgents = split({ "agent_front@12": 1 });

describe("resource registration", () => {
  const inboundWebhookUrl = pulumi.secret("https://hush.example");
  const toNumber = pulumi.secret("+15550000002");
  const rows: readonly { readonly name: string; declare(): pulumi.CustomResource; readonly secret?: string[] }[] = [
    {
      name: "does not list a plain output as a secret argument",
      declare: () => new NumberAssignment("a", { number: pulumi.output("1"), inboundAgents }),
    },
    {
      name: "lists a secret webhook URL as a secret argument",
      declare: () => new NumberAssignment("a", { number: "1", inboundAgents, inboundWebhookUrl }),
      secret: ["inboundWebhookUrl"],
    },
    {
      name: "lists triggers as a secret argument if they contain a secret",
      declare: () => new NumberGroup("g", { numbers: ["1"], inboundAgents, triggers: { a: pulumi.secret(1) } }),
      secret: ["triggers"],
    },
    {
      name: "lists a chat's secret arguments in alphabetical order",
      declare: () => new SmsChat("c", { ...CHAT, toNumber, metadata: { note: pulumi.secret("hush") } }),
      secret: ["metadata", "toNumber"],
    },
  ];
  for (const { name, declare, secret } of rows) {
    it(name, async () => {
      const inputs = await registered(declare);
      assert.deepEqual([inputs.secretArguments, secretKeys(inputs)], [secret, secret ?? []]);
    });
  }

  it("lists secret arguments with unknown values in a preview", async () => {
    const number = pulumi.secret(pulumi.output(pulumi.unknown)) as pulumi.Output<string>;
    const agents = [{ agentId: pulumi.secret("agent_a"), weight: 1 }];
    const inputs = await registered(() => new NumberAssignment("a", { number, inboundAgents: agents }), true);
    assert.deepEqual(inputs.secretArguments, ["inboundAgents", "number"]);
  });

  it("omits `secretArguments` for a resource without secrets", async () => {
    const inputs = await registered(() => new NumberAssignment("a", { number: "1", inboundAgents }));
    assert.deepEqual(Object.keys(inputs).sort(), ["__provider", "__urn", "inboundAgents", "number"]);
  });
});

describe("a declared resource", () => {
  it("resolves its outputs to the values saved by the provider", async () => {
    await pulumi.runtime.setMocks({
      newResource: ({ name, inputs }) => ({ id: name, state: { ...inputs, ...SAVED } }),
      call: () => ({}),
    });
    const number = new NumberAssignment("n", { number: "4001", inboundAgents });
    const group = new NumberGroup("g", { numbers: ["4001"], inboundAgents });
    const voice = new CommunityVoice("v", VOICE);
    const chat = new SmsChat("c", CHAT);
    const outputs = pulumi.output([number.since, group.since, voice.voiceId, chat.chatId]);
    assert.deepEqual(await new Promise((resolve) => outputs.apply(resolve)), ["today", "today", "voice-1", "chat-1"]);
  });

  it("reports the file and line of its declaration to the engine", async () => {
    await pulumi.runtime.setMocks({
      newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
      call: () => ({}),
    });
    const monitor = pulumi.runtime.getMonitor() as unknown as Registering;
    const register = monitor.registerResource.bind(monitor);
    const positions: string[] = [];
    monitor.registerResource = (request, ...rest) => {
      const position = request.getSourceposition();
      positions.push(`${position.getUri().split("/").at(-1)}:${position.getLine()}`);
      return register(request, ...rest);
    };
    const here = Number(/registered\.spec\.ts:(\d+)/.exec(String(new Error().stack))?.[1]);
    const { urn } = new NumberAssignment("here", { number: "4001", inboundAgents });
    await new Promise((resolve) => urn.apply(resolve));
    assert.deepEqual(positions, [`registered.spec.ts:${here + 1}`]);
  });
});

interface Registering {
  registerResource(
    request: { getSourceposition(): { getUri(): string; getLine(): number } },
    ...rest: unknown[]
  ): unknown;
}
