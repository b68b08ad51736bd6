import assert from "node:assert/strict";
import { type Emulator, startEmulator } from "../../emulator";
import { byTarget, diffBlock, type PlatformStack, put, withPlatformStack } from "../support/platformStack";

/** Everything that a program can declare, in one stack: each command of the engine costs seconds, however much it does. */
const program = (changing: {
  percent: number;
  webhook?: string;
  numbers: string[];
  voiceName: string;
  campaign: string;
  branchWeight: number;
}) => `
  import { AgentPlatform, CommunityVoice, NumberAssignment, NumberGroup, SmsChat, split } from "pulumi-agent-platform";
  new NumberAssignment("support", {
    number: "+15551230001",
    accountSid: "4f9c2a10-0000-4000-8000-000000000001",
    workspaceId: 42,
    outboundAgentId: "agent_out",
    outboundAgentVersion: 3,
    inboundAgents: split({ "agent_front@12": ${100 - changing.percent}, "agent_front@13": ${changing.percent} }),
    inboundWebhookUrl: ${JSON.stringify(changing.webhook)},
    isTimeRoutingEnabled: true,
    weightTotal: 100,
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
  });
  const second = new AgentPlatform("second", {
    baseUrl: process.env.SECOND_URL!, accessTokenEnv: "SECOND_TOKEN", workspaceId: 43, requestTimeout: 20, requireVersions: true,
    approvedAgents: ["agent_branch@1", "agent_branch@2"],
  });
  new NumberAssignment("branch", {
    number: "4001", inboundAgents: split({ "agent_branch@1": ${changing.branchWeight}, "agent_branch@2": 1 }),
  }, { provider: second });`;

const first = program({
  percent: 10,
  webhook: "https://hooks.example.com/inbound?key=k",
  numbers: ["+15551230010", "+15551230011"],
  voiceName: "Nova",
  campaign: "spring",
  branchWeight: 1,
});
const changed = program({
  percent: 50,
  numbers: ["+15551230012", "+15551230010"],
  voiceName: "Stella",
  campaign: "autumn",
  branchWeight: 3,
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
    const other = await startEmulator({ token: "second-token" });
    const env = { SECOND_URL: other.url, SECOND_TOKEN: other.token };
    try {
      await withPlatformStack({ program: first, env }, async (both) => {
        await creates(both, other);
        await previews(both, other);
        await changes(both, other);
        await leavesAloneAndRefreshes(both, other);
        await takesAway(both, other);
      });
    } finally {
      await other.close();
    }
  });
});

async function creates({ stack, sent, platform }: PlatformStack, other: Emulator) {
  const { changeSummary, diagnostics } = await stack.up();
  assert.deepEqual(changeSummary, { create: 7 });
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
    [put("+15551230010"), { outboundAgentId: "agent_night", inboundAgents: sales }],
    [put("+15551230011"), { inboundAgents: sales }],
  ]);
  assert.deepEqual(
    other.requests.map(({ path, body }) => [path, body]),
    [
      [
        "/api/numbers/4001/agent",
        { workspaceId: 43, inboundAgents: [agent("agent_branch", 1, 1), agent("agent_branch", 2, 1)] },
      ],
    ],
  );
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
      ["branch", "4001"],
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

async function previews({ stack, sentNothing, platform }: PlatformStack, other: Emulator) {
  stack.write(changed);
  const { output, steps, diagnostics } = await stack.preview({ diff: true });
  sentNothing();
  assert.equal(other.requests.length, 1);
  assert.deepEqual(steps.map(({ op, name }) => `${op} ${name}`).sort(), [
    "create-replacement nova",
    "create-replacement sales",
    "delete-replaced nova",
    "delete-replaced sales",
    "replace nova",
    "replace sales",
    "update branch",
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
    "        weightTotal         : 100",
    "        workspaceId         : 42",
  ]);
  assert.deepEqual(diffBlock(output, "branch"), [
    `        endpoint     : "${other.url}"`,
    "      ~ inboundAgents: {",
    "          ~ agent_branch@1: 1 => 3",
    "            agent_branch@2: 1",
    "        }",
    '        number       : "4001"',
    '        providerName : "second"',
    "        workspaceId  : 43",
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

async function changes({ stack, sent, platform }: PlatformStack, other: Emulator) {
  const { changeSummary } = await stack.up();
  assert.deepEqual(changeSummary, { update: 3, replace: 2, same: 2 });
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
  assert.deepEqual(other.routing("4001"), { inboundAgents: { "agent_branch@1": 3, "agent_branch@2": 1 } });
  assert.equal(other.requests.length, 2);
  assert.equal(platform.routing("+15551230001")?.inboundWebhookUrl, undefined);
  assert.deepEqual(platform.routing("+15551230011"), { inboundAgents: {} });
  assert.deepEqual(
    platform.voices.map(({ voiceName }) => voiceName),
    ["Nova", "Stella"],
  );
  const support = stack.resources().find(({ name }) => name === "support");
  assert.deepEqual(support?.outputs.previousInboundAgents, { "agent_front@12": 90, "agent_front@13": 10 });
}

async function leavesAloneAndRefreshes({ stack, sentNothing }: PlatformStack, other: Emulator) {
  const byName = () =>
    Object.fromEntries(stack.resources().map(({ name, id, inputs, outputs }) => [name, { id, inputs, outputs }]));
  const before = byName();
  const { changeSummary, diagnostics } = await stack.up({ args: ["--refresh"] });
  assert.deepEqual(changeSummary, { same: 7 });
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
  assert.equal(other.requests.length, 2);
}

async function takesAway({ stack, sent, platform }: PlatformStack, other: Emulator) {
  const [chat] = platform.chats;
  const { changeSummary, diagnostics } = await stack.destroy();
  assert.deepEqual(changeSummary, { delete: 7 });
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
    [put("+15551230010"), { inboundAgents: null, outboundAgentId: null }],
    [put("+15551230012"), { inboundAgents: null }],
  ]);
  for (const number of platform.numbers.keys()) {
    assert.deepEqual(platform.routing(number), { inboundAgents: {} });
  }
  assert.deepEqual(other.routing("4001"), { inboundAgents: {} });
  assert.deepEqual(
    platform.chats.map(({ ended }) => ended),
    [true],
  );
  assert.deepEqual(stack.resources(), []);
}
