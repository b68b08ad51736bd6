import assert from "node:assert/strict";
import { providerText, type ResourceKind } from "../../provider/config/kinds";
import type { Result } from "../support/engine";
import { leftOf } from "../support/engineProcesses";
import { namedIn } from "../support/named";
import {
  byTarget,
  diffBlock,
  type PlatformStack,
  type PlatformStackOptions,
  platformStack,
  put,
} from "../support/platformStack";

/**
 * The values that differ between versions of the program. All versions share a stack, because each Pulumi command takes
 * seconds.
 */
interface Version {
  readonly candidate: string;
  readonly percent: number;
  readonly webhook?: string;
  readonly numbers: readonly string[];
  readonly voiceName: string;
  readonly campaign: string;
}

const scope = { accountSid: "4f9c2a10-0000-4000-8000-000000000001", workspaceId: 42 };
const outbound = { outboundAgentId: "agent_out", outboundAgentVersion: 3 };
const chat = { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15551230001", toNumber: "+15551239999" };
const voice = (voiceName: string) => ({
  workspaceId: 42,
  voiceProvider: "provider_a",
  providerVoiceId: "voice-1",
  voiceName,
  publicUserId: "user-1",
});
const supportOf = ({ candidate, percent, webhook }: Version) => ({
  number: "+15551230001",
  ...scope,
  ...outbound,
  inboundAgents: { "agent_front@12": 100 - percent, [candidate]: percent },
  inboundWebhookUrl: webhook,
  isTimeRoutingEnabled: true,
});
const salesOf = ({ numbers }: Version) => ({ numbers, inboundAgents: { agent_sales: 1 } });

const program = (version: Version): string => `
  import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat } from "pulumi-agent-platform";
  new NumberAssignment("support", ${JSON.stringify(supportOf(version))});
  new NumberGroup("sales", ${JSON.stringify(salesOf(version))});
  const nova = new CommunityVoice("nova", ${JSON.stringify(voice(version.voiceName))});
  const metadata = { campaign: "${version.campaign}", voice: nova.voiceId };
  new SmsChat("reminder", { ...${JSON.stringify(chat)}, metadata });`;

const first: Version = {
  candidate: "agent_front@13",
  percent: 10,
  webhook: "https://hooks.example.com/inbound?key=k",
  numbers: ["+15551230010", "+15551230011"],
  voiceName: "Nova",
  campaign: "spring",
};
const changed: Version = {
  candidate: "agent_front@14",
  percent: 50,
  numbers: ["+15551230012", "+15551230010"],
  voiceName: "Stella",
  campaign: "autumn",
};

/** Returns a split between versions of `agent_front`, as it appears in a request body. */
const front = (...weights: readonly (readonly [version: number, weight: number])[]) =>
  weights.map(([agent_version, weight]) => ({ agent_id: "agent_front", agent_version, weight }));
const sales = [{ agent_id: "agent_sales", weight: 1 }];

const stepNames = (steps: readonly { op: string; name: string }[]) =>
  steps.map(({ op, name }) => `${op} ${name}`).sort();
const linesOf = ({ diagnostics }: Result): string[] =>
  diagnostics.flatMap(({ message }) => message.split("\n").map((line) => line.replace(/^warning: /, ""))).sort();

/**
 * Defines tests that run the Pulumi commands one after another on the same stack, and check that each command sends
 * only the necessary requests.
 * @param moreOptions returns additional options for the stack
 */
export function defineLifecycleTests(moreOptions: () => PlatformStackOptions = () => ({})): void {
  const opened = platformStack(() => ({ ...moreOptions(), program: program(first) }));

  it("creates resources with only the necessary requests", () => creates(opened()));

  it("previews a change without sending anything", async () => {
    opened().stack.write(program(changed));
    await previews(opened());
  });

  it("updates resources with only the necessary requests", () => updates(opened()));

  it("leaves every resource unchanged on refresh", () => refreshes(opened()));

  it("unassigns agents and ends the chat on destroy but leaves the voice in place", async () => {
    await destroys(opened());
    assert.deepEqual(await leftOf(opened().stack.processes), []);
  });
}

async function creates({ stack, sent, platform }: PlatformStack) {
  const { changeSummary, diagnostics } = await stack.up();
  assert.deepEqual(changeSummary, { create: 5 });
  assert.deepEqual(diagnostics, []);
  const [{ voiceId } = assert.fail()] = platform.voices;
  assert.deepEqual(byTarget(sent()), [
    [
      "POST /api/chats/outbound-sms",
      {
        workspaceId: 42,
        agent_id: "chat_agent_1",
        from_number: "+15551230001",
        to_number: "+15551239999",
        metadata: { campaign: "spring", voice: voiceId },
      },
    ],
    ["POST /api/voices/community", voice("Nova")],
    [
      put("+15551230001"),
      {
        ...scope,
        ...outbound,
        inboundAgents: front([12, 90], [13, 10]),
        inboundWebhookUrl: "https://hooks.example.com/inbound?key=k",
        isTimeRoutingEnabled: true,
      },
    ],
    [put("+15551230010"), { inboundAgents: sales }],
    [put("+15551230011"), { inboundAgents: sales }],
  ]);
  assert.deepEqual(platform.routing("+15551230001"), {
    inboundAgents: { "agent_front@12": 90, "agent_front@13": 10 },
    ...outbound,
    inboundWebhookUrl: "https://hooks.example.com/inbound?key=k",
    isTimeRoutingEnabled: true,
  });
  const ids = new Map(stack.resources().map(({ name, id }) => [name, id]));
  assert.deepEqual(
    ["nova", "reminder", "support"].map((name) => ids.get(name)),
    [voiceId, platform.chats[0]?.chatId, "+15551230001"],
  );
  for (const { type, outputs } of stack.resources()) {
    const [, kind = ""] = /^pulumi-nodejs:dynamic\/agent-platform:(\w+)$/.exec(type) ?? assert.fail(type);
    assert.equal(outputs.__provider, providerText(kind as ResourceKind));
  }
}

async function previews({ stack, sentNothing, platform }: PlatformStack) {
  const preview = await stack.preview({ diff: true });
  sentNothing();
  assert.deepEqual(stepNames(preview.steps), [
    "create-replacement nova",
    "create-replacement sales",
    "delete-replaced nova",
    "delete-replaced sales",
    "replace nova",
    "replace sales",
    "update reminder",
    "update support",
  ]);
  assert.deepEqual(diffBlock(preview.output, "support"), [
    '        accountSid          : "4f9c2a10-0000-4000-8000-000000000001"',
    `        endpoint            : "${platform.url}"`,
    "      ~ inboundAgents       : {",
    "          ~ agent_front@12: 90 => 50",
    "          - agent_front@13: 10",
    "          + agent_front@14: 50",
    "        }",
    '      - inboundWebhookUrl   : "https://hooks.example.com/inbound?key=k"',
    "        isTimeRoutingEnabled: true",
    '        number              : "+15551230001"',
    '        outboundAgentId     : "agent_out"',
    "        outboundAgentVersion: 3",
    "        workspaceId         : 42",
  ]);
  const numberLines = diffBlock(preview.output, "sales").filter((line) => /numbers|\+1555/.test(line));
  assert.deepEqual(
    numberLines.map((line) => line.replace(/ +:/, ":")),
    ["      ~ numbers: ", "            +15551230010", "          - +15551230011", "          + +15551230012"],
  );
  assert.deepEqual(
    linesOf(preview).map((line) => line.split(":")[0]),
    ['AGP-061 SmsChat "reminder"', 'AGP-069 CommunityVoice "nova"', 'AGP-072 NumberGroup "sales"'],
  );
}

async function updates({ stack, sent, platform }: PlatformStack) {
  const { changeSummary } = await stack.up();
  assert.deepEqual(changeSummary, { update: 2, replace: 2, same: 1 });
  assert.deepEqual(byTarget(sent()), [
    ["POST /api/voices/community", voice("Stella")],
    [
      put("+15551230001"),
      {
        ...scope,
        ...outbound,
        inboundAgents: front([12, 50], [14, 50]),
        inboundWebhookUrl: null,
        isTimeRoutingEnabled: true,
      },
    ],
    [put("+15551230011"), { inboundAgents: [] }],
    [put("+15551230012"), { inboundAgents: sales }],
  ]);
  assert.equal(platform.routing("+15551230001")?.inboundWebhookUrl, undefined);
  assert.deepEqual(platform.routing("+15551230011"), { inboundAgents: {} });
  assert.deepEqual(
    platform.voices.map(({ voiceName }) => voiceName),
    ["Nova", "Stella"],
  );
  const support = stack.resources().find(({ name }) => name === "support");
  assert.deepEqual(support?.outputs.previousInboundAgents, { "agent_front@12": 90, "agent_front@13": 10 });
}

async function refreshes({ stack, sentNothing }: PlatformStack) {
  // Hide ciphertexts, because they change whenever the engine saves the state.
  const plain = (value: unknown) =>
    JSON.parse(JSON.stringify(value, (key, entry: unknown) => (key === "ciphertext" ? "…" : entry)));
  const byName = () =>
    Object.fromEntries(
      stack.resources().map(({ name, id, inputs, outputs }) => [name, plain({ id, inputs, outputs })]),
    );
  const before = byName();
  stack.setConfig({ "agent-platform:requestTimeout": 31 });
  const refreshed = await stack.up({ args: ["--refresh"] });
  assert.deepEqual(
    refreshed.steps.filter(({ op }) => op !== "refresh"),
    [],
  );
  assert.deepEqual(
    [...new Set(linesOf(refreshed))].map((line) => line.split(":")[0]),
    ["CommunityVoice", "NumberAssignment", "NumberGroup", "SmsChat"].map((kind) => `AGP-061 ${kind}`),
  );
  assert.deepEqual(byName(), before);
  sentNothing();
}

async function destroys({ stack, sent, platform }: PlatformStack) {
  const [chat] = platform.chats;
  // With `--refresh`, the engine calls `diff` even for resources that it is about to delete.
  const destroyed = await stack.destroy({ args: ["--refresh"] });
  assert.deepEqual(destroyed.changeSummary, { delete: 5 });
  const deleteLines = linesOf(destroyed).filter((line) => !line.startsWith("AGP-061"));
  assert.deepEqual(deleteLines.map(namedIn), ['AGP-063 CommunityVoice "nova" "Stella" 42']);
  assert.deepEqual(byTarget(sent()), [
    [`POST /api/chats/${chat?.chatId}/end`, { workspaceId: 42 }],
    [
      put("+15551230001"),
      {
        ...scope,
        inboundAgents: [],
        outboundAgentId: null,
        outboundAgentVersion: null,
        isTimeRoutingEnabled: null,
      },
    ],
    [put("+15551230010"), { inboundAgents: [] }],
    [put("+15551230012"), { inboundAgents: [] }],
  ]);
  for (const number of platform.numbers.keys()) {
    assert.deepEqual(platform.routing(number), { inboundAgents: {} });
  }
  assert.deepEqual(
    platform.chats.map(({ ended }) => ended),
    [true],
  );
  assert.deepEqual(stack.resources(), []);
}
