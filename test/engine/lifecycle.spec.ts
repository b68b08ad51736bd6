import assert from "node:assert/strict";
import { byTarget, diffBlock, type PlatformStack, put, withPlatformStack } from "../support/platformStack";

/** Everything that a program can declare, in one stack: each command of the engine costs seconds, however much it does. */
const program = (changing: {
  percent: number;
  webhook?: string;
  numbers: string[];
  voiceName: string;
  campaign: string;
}) => `
  import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat, split } from "pulumi-agent-platform";
  new NumberAssignment("support", {
    number: "+15551230001",
    accountSid: "4f9c2a10-0000-4000-8000-000000000001",
    workspaceId: 42,
    outboundAgentId: "agent_out",
    outboundAgentVersion: 3,
    inboundAgents: split({ "agent_front@12": ${100 - changing.percent}, "agent_front@13": ${changing.percent} }),
    inboundWebhookUrl: ${JSON.stringify(changing.webhook)},
    isTimeRoutingEnabled: true,
  });
  new NumberGroup("sales", {
    numbers: ${JSON.stringify(changing.numbers)},
    inboundAgents: split({ agent_sales: 1 }),
  });
  new CommunityVoice("nova", {
    workspaceId: 42, voiceProvider: "provider_a", providerVoiceId: "voice-1", voiceName: "${changing.voiceName}", publicUserId: "user-1",
  });
  new SmsChat("reminder", {
    workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15551230001", toNumber: "+15551239999",
    metadata: { campaign: "${changing.campaign}" },
  });`;

const first = program({
  percent: 10,
  webhook: "https://hooks.example.com/inbound?key=k",
  numbers: ["+15551230010", "+15551230011"],
  voiceName: "Nova",
  campaign: "spring",
});
const changed = program({
  percent: 50,
  numbers: ["+15551230012", "+15551230010"],
  voiceName: "Stella",
  campaign: "autumn",
});

/** As a request has it. */
const agent = (id: string, version: number | undefined, weight: number) => ({
  agent_id: id,
  ...(version === undefined ? {} : { agent_version: version }),
  weight,
});
const front = (stable: number, candidate: number) => [
  agent("agent_front", 12, stable),
  agent("agent_front", 13, candidate),
];
const scope = { accountSid: "4f9c2a10-0000-4000-8000-000000000001", workspaceId: 42 };
const sales = [agent("agent_sales", undefined, 1)];

const voice = (voiceName: string) => ({
  workspaceId: 42,
  voiceProvider: "provider_a",
  providerVoiceId: "voice-1",
  voiceName,
  publicUserId: "user-1",
});

describe("all resources through the real engine", () => {
  it("creates, leaves alone, changes, refreshes and takes away, each with the requests it needs and no more", async () => {
    await withPlatformStack({ program: first }, async (both) => {
      await creates(both);
      await previews(both);
      await changes(both);
      await leavesAloneAndRefreshes(both);
      await takesAway(both);
    });
  });
});

async function creates({ stack, sent, platform }: PlatformStack) {
  const { changeSummary, diagnostics } = await stack.up();
  assert.deepEqual(changeSummary, { create: 5 });
  assert.deepEqual(diagnostics, []);
  assert.deepEqual(byTarget(sent()), [
    [
      "POST /api/chats/outbound-sms",
      {
        workspaceId: 42,
        agent_id: "chat_agent_1",
        from_number: "+15551230001",
        to_number: "+15551239999",
        metadata: { campaign: "spring" },
      },
    ],
    ["POST /api/voices/community", voice("Nova")],
    [
      put("+15551230001"),
      {
        ...scope,
        outboundAgentId: "agent_out",
        outboundAgentVersion: 3,
        inboundAgents: front(90, 10),
        inboundWebhookUrl: "https://hooks.example.com/inbound?key=k",
        isTimeRoutingEnabled: true,
      },
    ],
    [put("+15551230010"), { inboundAgents: sales }],
    [put("+15551230011"), { inboundAgents: sales }],
  ]);
  assert.deepEqual(platform.routing("+15551230001"), {
    inboundAgents: { "agent_front@12": 90, "agent_front@13": 10 },
    outboundAgentId: "agent_out",
    outboundAgentVersion: 3,
    inboundWebhookUrl: "https://hooks.example.com/inbound?key=k",
    isTimeRoutingEnabled: true,
  });
  assert.deepEqual(
    stack
      .resources()
      .filter(({ name }) => !["sales"].includes(name))
      .map(({ name, id }) => [name, id])
      .sort(),
    [
      ["nova", platform.voices[0]?.voiceId],
      ["reminder", platform.chats[0]?.chatId],
      ["support", "+15551230001"],
    ],
  );
  for (const { inputs, outputs } of stack.resources()) {
    assert.equal(outputs.__provider, inputs.__provider);
    assert.match(
      String(inputs.__provider),
      /^exports\.handler = \(\) => require\("pulumi-agent-platform\/handlers"\)\.\w+$/,
    );
    assert.ok(Buffer.byteLength(String(inputs.__provider)) < 100);
  }
}

async function previews({ stack, sentNothing, platform }: PlatformStack) {
  stack.write(changed);
  const { output, steps, diagnostics } = await stack.preview({ diff: true });
  sentNothing();
  assert.deepEqual(steps.map(({ op, name }) => `${op} ${name}`).sort(), [
    "create-replacement nova",
    "create-replacement sales",
    "delete-replaced nova",
    "delete-replaced sales",
    "replace nova",
    "replace sales",
    "update reminder",
    "update support",
  ]);
  assert.deepEqual(diffBlock(output, "support"), [
    '        accountSid          : "4f9c2a10-0000-4000-8000-000000000001"',
    `        endpoint            : "${platform.url}"`,
    "      ~ inboundAgents       : {",
    "          ~ agent_front@12: 90 => 50",
    "          ~ agent_front@13: 10 => 50",
    "        }",
    '      - inboundWebhookUrl   : "https://hooks.example.com/inbound?key=k"',
    "        isTimeRoutingEnabled: true",
    '        number              : "+15551230001"',
    '        outboundAgentId     : "agent_out"',
    "        outboundAgentVersion: 3",
    "        workspaceId         : 42",
  ]);
  assert.deepEqual(diffBlock(output, "sales"), [
    `        endpoint     : "${platform.url}"`,
    "        inboundAgents: {",
    "            agent_sales: 1",
    "        }",
    "      ~ numbers      : ",
    "            +15551230010",
    "          - +15551230011",
    "          + +15551230012",
    "      - since        : <time>",
  ]);
  assert.deepEqual(diagnostics.map(({ message }) => message).sort(), [
    'warning: AGP-064 SmsChat "reminder": metadata recorded, not sent: the API has no call to change a chat.',
    'warning: AGP-072 NumberGroup "sales": 1 number joins; its current routing will be overwritten (+15551230012); ' +
      "1 number leaves and loses its agents at the end of the run, unless another resource declares it or retainOnDelete is set (+15551230011).",
  ]);
}

async function changes({ stack, sent, platform }: PlatformStack) {
  const { changeSummary } = await stack.up();
  assert.deepEqual(changeSummary, { update: 2, replace: 2, same: 1 });
  assert.deepEqual(byTarget(sent()), [
    ["POST /api/voices/community", voice("Stella")],
    [
      put("+15551230001"),
      {
        ...scope,
        outboundAgentId: "agent_out",
        outboundAgentVersion: 3,
        inboundAgents: front(50, 50),
        inboundWebhookUrl: null,
        isTimeRoutingEnabled: true,
      },
    ],
    [put("+15551230011"), { inboundAgents: null }],
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

async function leavesAloneAndRefreshes({ stack, sentNothing }: PlatformStack) {
  const byName = () =>
    Object.fromEntries(stack.resources().map(({ name, id, inputs, outputs }) => [name, { id, inputs, outputs }]));
  const before = byName();
  const { changeSummary, diagnostics } = await stack.up({ args: ["--refresh"] });
  assert.deepEqual(changeSummary, { same: 5 });
  assert.deepEqual(
    [...new Set(diagnostics.flatMap(({ message }) => message.split("\n")))].sort(),
    ["CommunityVoice", "NumberAssignment", "NumberGroup", "SmsChat"].map(
      (kind) =>
        `warning: AGP-066 ${kind}: refresh changes nothing: the API has no read endpoint. ` +
        "To resend a number's routing, change `triggers`.",
    ),
  );
  assert.deepEqual(byName(), before);
  sentNothing();
}

async function takesAway({ stack, sent, platform }: PlatformStack) {
  const [chat] = platform.chats;
  const { changeSummary, diagnostics } = await stack.destroy();
  assert.deepEqual(changeSummary, { delete: 5 });
  assert.deepEqual(
    diagnostics.map(({ message }) => message),
    [
      'warning: AGP-063 CommunityVoice "nova": removed from the state only; the voice "Stella" stays in the library of workspace 42, because the API cannot delete voices.',
    ],
  );
  assert.deepEqual(byTarget(sent()), [
    [`POST /api/chats/${chat?.chatId}/end`, { workspaceId: 42 }],
    [
      put("+15551230001"),
      {
        ...scope,
        inboundAgents: null,
        outboundAgentId: null,
        outboundAgentVersion: null,
        isTimeRoutingEnabled: null,
      },
    ],
    [put("+15551230010"), { inboundAgents: null }],
    [put("+15551230012"), { inboundAgents: null }],
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
