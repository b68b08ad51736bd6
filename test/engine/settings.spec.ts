import assert from "node:assert/strict";
import { namedIn } from "../support/named";
import { errors, type PlatformStack, platformStack } from "../support/platformStack";

const lines = (count: number) => `
  import { NumberAssignment } from "pulumi-agent-platform";
  for (let line = 1; line <= ${count}; line += 1) new NumberAssignment("line-" + line, {
    number: "+1555000000" + line, inboundAgents: [{ agentId: "agent_front", weight: 1 }],
  });`;

describe("settings in the real Pulumi engine", () => {
  const opened = platformStack({ program: lines(2), hasSettings: false });
  const invalid = {
    requestTimeout: "long",
    clearWith: { secret: "nil" },
    rollouts: JSON.stringify({ front: { stable: "front@13", percent: "10%" } }),
  };

  it("reports all invalid settings at once", async () => {
    const { stack } = opened();
    stack.setConfig(
      Object.fromEntries(Object.entries(invalid).map(([key, value]) => [`agent-platform:${key}`, value])),
    );
    const { diagnostics } = await stack.preview({ expectFailure: true });
    const problems = diagnostics.filter(({ message }) => message.includes("AGP-01"));
    assert.deepEqual(
      problems.map(({ message }) =>
        message
          .replace(/^.* has a problem: /, "")
          .split("\n")
          .map(namedIn),
      ),
      [
        [
          "AGP-015 agent-platform:rollouts.front.stable `agent_front@12`",
          "agent-platform:rollouts.front.percent 0 100",
          'agent-platform:clearWith "null" "empty" "omit"',
          "agent-platform:requestTimeout 0 86400",
          "AGP-010 `pulumi config set agent-platform:baseUrl https://…` AGENT_PLATFORM_BASE_URL",
        ],
      ],
    );
  });

  it("sends no requests without a token", async () => {
    const { stack, platform, sentNothing } = opened();
    stack.setConfig(Object.fromEntries(Object.keys(invalid).map((key) => [`agent-platform:${key}`, undefined])));
    stack.setConfig({ "agent-platform:baseUrl": platform.url });
    const codes = errors(await stack.up({ expectFailure: true })).map((error) => error.slice(0, 7));
    assert.deepEqual([...new Set(codes)], ["AGP-013"]);
    sentNothing();
  });
});

const inboundAgents = { "agent_front@12": 90, "agent_front@13": 10 };
const support = "+15550000001";
const SINGLES = ["4021", "4022", "4023"];

/**
 * Returns a program in which many arguments depend on the voice's ID. In a preview that replaces the voice, these
 * arguments are unknown.
 */
const programWith = ({ voiceName = "Nova", split = inboundAgents as object, singles = SINGLES } = {}) => `
  import * as pulumi from "@pulumi/pulumi";
  import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat } from "pulumi-agent-platform";
  const voice = new CommunityVoice("nova", {
    workspaceId: 42, voiceProvider: "provider_a", providerVoiceId: "voice-1", voiceName: "${voiceName}", publicUserId: "user-1",
  });
  const agentId = voice.voiceId.apply((id) => "agent_" + id);
  const known = [{ agentId: "agent_b", weight: 1 }];
  new NumberAssignment("agent", { number: "4001", inboundAgents: [{ agentId, weight: 1 }, ...known] });
  new NumberAssignment("list", { number: "4002", inboundAgents: agentId.apply((id) => [{ agentId: id, weight: 1 }]) });
  new NumberAssignment("canary", { number: "4003", rollout: agentId.apply(() => "front") });
  new NumberAssignment("weight", { number: "4004", inboundAgents: [{ agentId: "agent_b", weight: agentId.apply((id) => id.length) }] });
  new NumberAssignment("webhook", { number: "4005", inboundAgents: known, inboundWebhookUrl: pulumi.interpolate\`https://hooks.example.com/\${voice.voiceId}\` });
  new NumberAssignment("triggers", { number: "4006", inboundAgents: known, triggers: { voice: voice.voiceId } });
  new NumberAssignment("number", { number: agentId.apply(() => "4007"), inboundAgents: known });
  new NumberGroup("numbers", { numbers: agentId.apply(() => ["4008"]), inboundAgents: known });
  new NumberGroup("group", { numbers: ["4009"], inboundAgents: [{ agentId, weight: 1 }] });
  new SmsChat("metadata", { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550000002", metadata: { agentId } });
  new SmsChat("recipient", { workspaceId: 42, agentId: agentId.apply((id) => "chat_" + id), fromNumber: "+15550000001", toNumber: "+15550000003" });
  new NumberAssignment("support", { number: "${support}", inboundAgents: ${JSON.stringify(split)} });
  for (const number of ${JSON.stringify(singles)}) new NumberAssignment(number, { number, inboundAgents: known });`;

const rollouts = { front: { stable: "agent_a", candidate: "agent_b", percent: 10 } };

describe("guards and unknown values in the real Pulumi engine", () => {
  const opened = platformStack({
    program: programWith(),
    config: { "agent-platform:rollouts": rollouts, "agent-platform:maxShift": 25 },
  });

  it("previews unknown values without an access token", () => passesUnknownValues(opened()));

  it("ignores an empty bypass reason", () => refusesLargeShift(opened()));

  it("bypasses the guards if a reason is given", () => bypassesGuard(opened()));

  it("sends nothing if several resources together remove too many numbers", () => refusesManyRemovals(opened()));
});

async function passesUnknownValues({ stack, sent, sentNothing, platform }: PlatformStack) {
  await stack.up();
  assert.equal(sent().length, 16);
  assert.deepEqual(platform.routing("4003")?.inboundAgents, { agent_a: 90, agent_b: 10 });

  stack.write(programWith({ voiceName: "Stella" }));
  const { steps, changeSummary } = await stack.preview({ env: { AGENT_PLATFORM_ACCESS_TOKEN: "" } });
  sentNothing();
  assert.deepEqual(changeSummary, { replace: 2, update: 10, same: 5 });
  assert.deepEqual(
    steps
      .filter(({ op }) => op === "replace")
      .map(({ name, replaceReasons }) => [name, ...replaceReasons])
      .sort(),
    [
      ["nova", "voiceName"],
      ["recipient", "agentId"],
    ],
  );
}

async function refusesLargeShift({ stack, sentNothing }: PlatformStack) {
  stack.write(programWith({ split: { "agent_front@12": 10, "agent_front@13": 90 } }));
  const refused = errors(await stack.preview({ expectFailure: true, env: { AGENT_PLATFORM_BYPASS: "" } }));
  assert.match(refused.join("\n"), /^AGP-021 NumberAssignment "support" \(\+15550000001\): /);
  sentNothing();
}

async function bypassesGuard({ stack, sent }: PlatformStack) {
  const bypassed = await stack.up({ env: { AGENT_PLATFORM_BYPASS: "incident 42" } });
  assert.match(
    bypassed.diagnostics.map(({ message }) => message).join("\n"),
    /^warning: AGP-068 NumberAssignment "support" \(\+15550000001\): AGENT_PLATFORM_BYPASS \(incident 42\) bypassed 1 guard\.\n {2}AGP-021 .*\.\n {2}Unset .*\.$/,
  );
  assert.equal(sent().length, 1);
}

/**
 * Removes three NumberAssignments, although the default `maxRemove` allows only one here. Each delete clears one
 * number, so the provider must count concurrent deletes together.
 */
async function refusesManyRemovals({ stack, sentNothing, platform }: PlatformStack) {
  stack.write(programWith({ split: { "agent_front@12": 10, "agent_front@13": 90 }, singles: [] }));
  const refused = await stack.up({ expectFailure: true });
  assert.match(errors(refused).join("\n"), /AGP-024 .*: 3 numbers /);
  sentNothing();
  for (const number of SINGLES) {
    assert.deepEqual(platform.routing(number), { inboundAgents: { agent_b: 1 } });
  }
}
