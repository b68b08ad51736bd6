import assert from "node:assert/strict";
import { doctorCommand } from "../../cli/commands/doctor/command";
import { reportCommand } from "../../cli/commands/report";
import { showCommand } from "../../cli/commands/show";
import { runWith } from "../cli/terminal";
import { leftOf } from "../support/engineProcesses";
import { ref } from "../support/engineProject";
import { byTarget, diffBlock, type PlatformStack, put, withPlatformStack } from "../support/platformStack";

const agent = (agent_id: string, agent_version: number, weight: number) => ({ agent_id, agent_version, weight });
const named = (steps: readonly { op: string; name: string }[]) => steps.map(({ op, name }) => `${op} ${name}`).sort();

const program = (support: object, pool: readonly string[], voiceName: string) => ({
  resources: {
    support: { type: "agent-platform:NumberAssignment", properties: { number: "+15551230001", ...support } },
    pool: {
      type: "agent-platform:NumberGroup",
      properties: { numbers: pool, inboundAgents: { agent_sales: 1 } },
    },
    nova: {
      type: "agent-platform:CommunityVoice",
      properties: {
        workspaceId: 42,
        voiceProvider: "acme",
        providerVoiceId: "v1",
        voiceName,
        publicUserId: "u1",
      },
    },
    reminder: {
      type: "agent-platform:SmsChat",
      properties: {
        workspaceId: 42,
        agentId: "chat_agent_1",
        fromNumber: "+15551230001",
        toNumber: "+15551239999",
        metadata: { voice: ref("nova.voiceId") },
      },
    },
  },
  outputs: { voice: ref("nova.voiceId"), split: ref("support.inboundAgents"), platform: ref("support.endpoint") },
});

const first = program(
  {
    inboundAgents: { "agent_front@12": 90, "agent_front@13": 10 },
    inboundWebhookUrl: "https://hooks.example.com/in",
  },
  ["+15551230010", "+15551230011"],
  "Nova",
);
const changed = program(
  { inboundAgents: { "agent_front@12": 50, "agent_front@13": 50 } },
  ["+15551230010", "+15551230011", "+15551230012"],
  "Stella",
);

/** The same life as lifecycle.spec.ts shows of dynamic resources: the engine's part is what is shown here. */
describe("a program in YAML through the real engine", () => {
  it("creates, leaves alone, changes, replaces, refreshes and takes away, each with the requests it needs and no more", async () => {
    await withPlatformStack({ program: first }, async (both) => {
      await creates(both);
      await previews(both);
      await changes(both);
      await leavesAloneAndRefreshes(both);
      await takesAway(both);
      assert.deepEqual(await leftOf(both.stack.processes), []);
    });
  });

  it("updates its provider alone if a setting changes, and sends nothing", async () => {
    await withPlatformStack({ program: first }, async ({ stack, sent, sentNothing }) => {
      await stack.up();
      sent();
      stack.setConfig({ "agent-platform:concurrency": 4 });
      assert.deepEqual(named((await stack.preview()).steps), []);
      assert.deepEqual(named((await stack.up()).steps), []);
      sentNothing();
    });
  });
});

async function creates({ stack, sent, platform }: PlatformStack) {
  const { changeSummary, diagnostics } = await stack.up();
  assert.deepEqual(changeSummary, { create: 5 });
  assert.deepEqual(diagnostics, []);
  const [voice] = platform.voices;
  assert.deepEqual(byTarget(sent()), [
    [
      "POST /api/chats/outbound-sms",
      {
        workspaceId: 42,
        agent_id: "chat_agent_1",
        from_number: "+15551230001",
        to_number: "+15551239999",
        metadata: { voice: voice?.voiceId },
      },
    ],
    [
      "POST /api/voices/community",
      { workspaceId: 42, voiceProvider: "acme", providerVoiceId: "v1", voiceName: "Nova", publicUserId: "u1" },
    ],
    [
      put("+15551230001"),
      {
        inboundAgents: [agent("agent_front", 12, 90), agent("agent_front", 13, 10)],
        inboundWebhookUrl: "https://hooks.example.com/in",
      },
    ],
    [put("+15551230010"), { inboundAgents: [{ agent_id: "agent_sales", weight: 1 }] }],
    [put("+15551230011"), { inboundAgents: [{ agent_id: "agent_sales", weight: 1 }] }],
  ]);
  assert.deepEqual(
    stack
      .resources()
      .map(({ name, type }) => `${type} ${name}`)
      .sort(),
    [
      "agent-platform:index:CommunityVoice nova",
      "agent-platform:index:NumberAssignment support",
      "agent-platform:index:NumberGroup pool",
      "agent-platform:index:SmsChat reminder",
    ],
  );
}

async function previews({ stack, sentNothing, platform }: PlatformStack) {
  stack.write(changed);
  const { output, steps } = await stack.preview({ diff: true });
  sentNothing();
  assert.deepEqual(named(steps), [
    "create-replacement nova",
    "delete-replaced nova",
    "replace nova",
    "update pool",
    "update reminder",
    "update support",
  ]);
  // What stays is shown as well, as of a program in TypeScript.
  assert.deepEqual(diffBlock(output, "support").slice(1, -1), [
    "      ~ inboundAgents    : {",
    "          ~ agent_front@12: 90 => 50",
    "          ~ agent_front@13: 10 => 50",
    "        }",
    '      - inboundWebhookUrl: "https://hooks.example.com/in"',
  ]);
  assert.deepEqual(diffBlock(output, "pool").slice(4), [
    "      ~ numbers      : ",
    "            +15551230010",
    "            +15551230011",
    "          + +15551230012",
  ]);
  await saysWhatItMeans((await stack.preview({ json: true })).output, JSON.stringify(stack.export()));
  assert.equal(platform.requests.length, 5);
}

/** The report, its gates and its digest; doctor and show: they read a plugin's preview and state as a dynamic provider's. */
async function saysWhatItMeans(preview: string, exported: string) {
  const report = (...args: string[]) => runWith(reportCommand.run, args, { stdin: preview });
  const { code, stdout } = await report("--fail-on", "delete,replace,shift=25");
  assert.equal(code, 1);
  for (const line of [
    /^### ⚠ `dev`: Adds a voice again: `Stella` \(`nova`\) · /m,
    /^\| `agent_front@12` \| .*90 %.* \| .*50 %.* \|$/m,
    /^⛔ CI gate `shift>25` blocks: `\+15551230001` \(`support`\): 40 percentage points\.<br>$/m,
    /^On merge: 2 PUTs, 1 of which clears something, in up to 3 requests; 1 POST that adds a voice\. This preview sent nothing\.<br>$/m,
  ]) {
    assert.match(stdout, line);
  }
  const digest = (await report("--digest")).stdout.trim();
  assert.equal((await report("--expect", digest)).code, 0);
  assert.equal((await report("--expect", "0123456789ab")).code, 3);

  const doctor = await runWith(doctorCommand.run, ["--export", "-"], { stdin: exported });
  assert.equal(doctor.code, 0, doctor.stdout);
  const show = await runWith(showCommand.run, ["+15551230001", "--export", "-"], { stdin: exported });
  assert.equal(show.code, 0);
  assert.match(show.stdout, /NumberAssignment "support"/);
}

async function changes({ stack, sent, platform }: PlatformStack) {
  const { changeSummary, diagnostics } = await stack.up();
  assert.deepEqual(changeSummary, { update: 3, replace: 1, same: 1 });
  const supportBody = {
    inboundAgents: [agent("agent_front", 12, 50), agent("agent_front", 13, 50)],
    inboundWebhookUrl: null,
  };
  assert.deepEqual(byTarget(sent()), [
    [
      "POST /api/voices/community",
      { workspaceId: 42, voiceProvider: "acme", providerVoiceId: "v1", voiceName: "Stella", publicUserId: "u1" },
    ],
    [put("+15551230001"), supportBody],
    [put("+15551230012"), { inboundAgents: [{ agent_id: "agent_sales", weight: 1 }] }],
  ]);
  assert.equal(platform.chats.length, 1);
  // What the dynamic provider writes without a name is printed at its resource.
  const at = diagnostics.map(({ urn = "", severity, message }) => [urn.split("::")[3], severity, message.slice(0, 7)]);
  assert.deepEqual(at.sort(), [
    ["nova", "warning", "AGP-063"],
    ["pool", "warning", "AGP-072"],
    ["reminder", "warning", "AGP-064"],
  ]);
}

async function leavesAloneAndRefreshes({ stack, sentNothing }: PlatformStack) {
  const byName = () =>
    Object.fromEntries(stack.resources().map(({ name, id, inputs, outputs }) => [name, { id, inputs, outputs }]));
  const before = byName();
  const { changeSummary } = await stack.up({ args: ["--refresh"] });
  assert.deepEqual(changeSummary, { same: 5 });
  assert.deepEqual(byName(), before);
  sentNothing();
}

async function takesAway({ stack, sent, platform }: PlatformStack) {
  const { changeSummary } = await stack.destroy();
  assert.deepEqual(changeSummary, { delete: 5 });
  assert.deepEqual(
    sent()
      .map(([request]) => request)
      .sort(),
    [
      `POST /api/chats/${platform.chats[0]?.chatId}/end`,
      put("+15551230001"),
      put("+15551230010"),
      put("+15551230011"),
      put("+15551230012"),
    ],
  );
  assert.deepEqual(stack.resources(), []);
}
