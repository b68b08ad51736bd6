import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "mocha";
import { version } from "../../package.json";
import type { YamlProgram } from "../support/engine";
import { byTarget, type PlatformStack, put, withPlatformStack } from "../support/platformStack";
import { isRecording, keep, kept, keptFile, releasesWith } from "./releases";

/** What every released version wrote, kept for good: today's code must preview it empty, and refresh, update and destroy it. */
const split = (percent: number): object => ({
  inboundAgents: { "agent_front@12": 100 - percent, "agent_front@13": percent },
});
const support = (routing: object) => ({
  number: "+15551230001",
  accountSid: "4f9c2a10-0000-4000-8000-000000000001",
  workspaceId: 42,
  outboundAgentId: "agent_out",
  outboundAgentVersion: 3,
  ...routing,
  isTimeRoutingEnabled: true,
  triggers: { asserted: "2026-01-01" },
});
const webhook = "https://hooks.example.com/inbound?key=k";
const others = {
  sales: [
    "NumberGroup",
    { numbers: { "+15551230010": "London", "+15551230011": "Paris" }, inboundAgents: { agent_sales: 1 } },
  ],
  nova: [
    "CommunityVoice",
    {
      workspaceId: 42,
      voiceProvider: "provider_a",
      providerVoiceId: "voice-1",
      voiceName: "Nova",
      publicUserId: "user-1",
    },
  ],
  reminder: [
    "SmsChat",
    {
      workspaceId: 42,
      agentId: "chat_agent_1",
      fromNumber: "+15551230001",
      toNumber: "+15551239999",
      metadata: { campaign: "spring" },
    },
  ],
} as const;

const typescript = (routing: object): string => `
  import * as pulumi from "@pulumi/pulumi";
  import * as platform from "pulumi-agent-platform";
  new platform.NumberAssignment("support", { ...${JSON.stringify(support(routing))}, inboundWebhookUrl: pulumi.secret("${webhook}") });
  for (const [name, [kind, args]] of Object.entries(${JSON.stringify(others)})) new (platform as any)[kind](name, args);`;

const yaml = (routing: object): YamlProgram => {
  const properties = { ...support(routing), inboundWebhookUrl: { "fn::secret": webhook } };
  const all = { support: ["NumberAssignment", properties], ...others };
  return {
    resources: Object.fromEntries(
      Object.entries(all).map(([name, [kind, args]]) => [name, { type: `agent-platform:${kind}`, properties: args }]),
    ),
  };
};

/** The files of each edge, as `keptFile` names them, and of runs that failed in parts. */
const EDGES = { state: typescript, plugin: yaml } as const;
const unfinishedOf = (release: string) => keptFile("unfinished", release);

/** A number of unknown outcome, a number that joins a group and is rejected, and one whose clear fails after it has left another. */
const unfinished = (isChanged: boolean) => `
  import { NumberAssignment, NumberGroup, split } from "pulumi-agent-platform";
  new NumberAssignment("desk", {
    number: "+15551230020",
    inboundAgents: split({ "agent_front@12": ${isChanged ? 80 : 90}, "agent_front@13": ${isChanged ? 20 : 10} }),
  });
  new NumberGroup("field", {
    numbers: ["+15551230030"${isChanged ? ', "+15551230031"' : ""}],
    outboundAgentId: "${isChanged ? "agent_day" : "agent_dusk"}",
    inboundAgents: split({ agent_field: 1 }),
  });
  new NumberGroup("fewer", {
    numbers: ["+15551230040"${isChanged ? "" : ', "+15551230041"'}],
    inboundAgents: split({ agent_fewer: 1 }),
  });`;

async function write(what: keyof typeof EDGES): Promise<void> {
  await withPlatformStack({ program: EDGES[what](split(10)) }, async ({ stack, platform }) => {
    await stack.up();
    // The second split leaves a previous one in the state.
    stack.write(EDGES[what](split(20)));
    await stack.up();
    keep(keptFile(what, version), await stack.exportText(), platform.url);
  });
}

async function writeUnfinished({ stack, platform }: PlatformStack): Promise<void> {
  await stack.up();
  const times = Number.POSITIVE_INFINITY;
  platform.inject({ kind: "resetAfterRequest", applied: true, number: "+15551230020", times });
  platform.inject({ kind: "status", status: 422, number: "+15551230031", times });
  platform.inject({ kind: "status", status: 503, number: "+15551230041", times });
  stack.write(unfinished(true));
  await stack.up({ expectFailure: true, args: ["--continue-on-error"], env: { TEST_ATTEMPTS: "1" } });
  keep(unfinishedOf(version), await stack.exportText(), platform.url);
}

describe("a state of an earlier release", () => {
  it("is kept for the version in package.json", async () => {
    if (isRecording) {
      await write("state");
      await write("plugin");
      await withPlatformStack({ program: unfinished(false) }, writeUnfinished);
    }
    for (const file of [keptFile("state", version), keptFile("plugin", version), unfinishedOf(version)]) {
      assert.ok(existsSync(file), `\`npm run record\` makes it: ${file}`);
    }
  });

  const saved = Object.entries(EDGES).flatMap(([what, program]) =>
    releasesWith(what).map((release) => ({ file: keptFile(what, release), what: `${what} of ${release}`, program })),
  );
  for (const { file, what, program } of saved) {
    it(`previews empty, refreshes, updates and is destroyed: ${what}`, async () => {
      await withPlatformStack({ program: program(split(20)) }, async ({ stack, platform, sent, sentNothing }) => {
        stack.import(kept(file, platform.url));
        // A saved onDelete is no argument any more: nothing is sent for it.
        await stack.up();
        await stack.up({ args: ["--refresh", "--expect-no-changes"] });
        sentNothing();
        stack.write(program(split(30)));
        const { changeSummary } = await stack.up();
        assert.deepEqual(changeSummary, { same: 4, update: 1 });
        assert.deepEqual(platform.routing("+15551230001")?.inboundAgents, {
          "agent_front@12": 70,
          "agent_front@13": 30,
        });
        sent();
        await stack.destroy();
        for (const number of ["+15551230001", "+15551230010", "+15551230011"]) {
          assert.deepEqual(platform.routing(number)?.inboundAgents, {}, number);
        }
        assert.deepEqual(stack.resources(), []);
        assert.deepEqual(
          sent()
            .filter(([call]) => call.startsWith("POST"))
            .map(([call]) => call.replace(/[^/]+\/end$/, "{chatId}/end")),
          ["POST /api/chats/{chatId}/end"],
        );
      });
    });
  }

  it("with a rollout that the program wrote itself is read: the program itself is refused, its name sends nothing", async () => {
    const rollout = (percent: number) => ({ stable: "agent_front@12", candidate: "agent_front@13", percent });
    const config = (percent: number) => ({ "agent-platform:rollouts": { front: rollout(percent) } });
    const start = { program: typescript({ rollout: rollout(50) }), config: config(20) };
    await withPlatformStack(start, async ({ stack, platform, sent, sentNothing }) => {
      const saved = kept(keptFile("state", version), platform.url);
      const { inputs, outputs } = saved.deployment?.resources?.find(({ urn }) => urn.endsWith("::support")) ?? {};
      Object.assign(inputs ?? {}, { rollout: rollout(20) });
      Object.assign(outputs ?? {}, { rollout: rollout(20) });
      stack.import(saved);
      const { output } = await stack.up({ expectFailure: true });
      assert.match(output, /rollout must be the name of a rollout in agent-platform:rollouts\./);
      sentNothing();
      assert.equal(stack.resources().length, 4);

      stack.write(typescript({ rollout: "front" }));
      const { changeSummary } = await stack.up();
      assert.deepEqual(changeSummary, { same: 4, update: 1 });
      sentNothing();
      await stack.up({ args: ["--refresh", "--expect-no-changes"] });
      stack.setConfig(config(0));
      await stack.up();
      assert.equal(sent().length, 1);
      assert.deepEqual(platform.routing("+15551230001")?.inboundAgents, { "agent_front@12": 100 });
    });
  });

  for (const release of releasesWith("unfinished")) {
    it(`is finished with what was not applied, and no more; the way back is open: ${release}`, async () => {
      await withPlatformStack({ program: unfinished(true) }, async ({ stack, platform, sent, sentNothing }) => {
        stack.import(kept(unfinishedOf(release), platform.url));
        const { steps } = await stack.up();
        assert.deepEqual(steps.map(({ op, name }) => `${op} ${name}`).sort(), [
          "delete-replaced fewer",
          "update desk",
          "update field",
        ]);
        const front = (agent_version: number, weight: number) => ({ agent_id: "agent_front", agent_version, weight });
        assert.deepEqual(byTarget(sent()), [
          [put("+15551230020"), { inboundAgents: [front(12, 80), front(13, 20)] }],
          [
            put("+15551230031"),
            { outboundAgentId: "agent_day", inboundAgents: [{ agent_id: "agent_field", weight: 1 }] },
          ],
          [put("+15551230041"), { inboundAgents: null }],
        ]);
        await stack.up({ args: ["--expect-no-changes"] });
        sentNothing();

        // What was there before passes every guard.
        stack.setConfig({
          "agent-platform:maxShift": 5,
        });
        stack.write(unfinished(false));
        await stack.up();
        assert.deepEqual(platform.routing("+15551230020")?.inboundAgents, {
          "agent_front@12": 90,
          "agent_front@13": 10,
        });
        assert.deepEqual(platform.routing("+15551230030"), {
          outboundAgentId: "agent_dusk",
          inboundAgents: { agent_field: 1 },
        });
        assert.deepEqual(platform.routing("+15551230031"), { inboundAgents: {} });
      });
    });
  }
});
