import assert from "node:assert/strict";
import { echoesOf, TOKEN, withPlatformStack } from "../support/platformStack";

/** Each text that must be nowhere in clear holds it. */
const HUSH = "hush-4f1c";

const program = (version: number, more = "", percent = `${10 * version}`) => `
  import * as pulumi from "@pulumi/pulumi";
  import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat } from "pulumi-agent-platform";
  const hush = (text: string) => pulumi.secret("${HUSH}-" + text + "-${version}");
  const inboundAgents = [{ agentId: hush("agent").apply((text) => "agent_" + text), weight: 1 }];
  const routing = {
    inboundAgents,
    accountSid: hush("account"),
    outboundAgentId: hush("out").apply((text) => "agent_" + text),
    inboundWebhookUrl: hush("key").apply((key) => "https://hooks.example.com/?key=" + key),
    triggers: { reviewed: hush("trigger") },
    extraFields: { note: hush("field") },
    ${more}
  };
  new NumberAssignment("line", { number: "4001", ...routing });
  new NumberGroup("group", { numbers: { "4002": hush("label") }, ...routing });
  const front = hush("front").apply((text) => ({ stable: "agent_" + text, candidate: "agent_" + text + "-next", percent: ${percent} } as any));
  new NumberGroup("canary", { numbers: ["4003"], rollout: front });
  new CommunityVoice("nova", {
    workspaceId: 42, voiceProvider: hush("provider"), providerVoiceId: hush("id"), voiceName: "Nova ${version}", publicUserId: hush("user"),
  });
  new SmsChat("reminder", {
    workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550000002",
    metadata: { note: hush("metadata") }, serviceDynamicVariables: { name: hush("variable") },
  });`;

const assertNoHush = (text: string, where: string) =>
  assert.ok(!text.includes(HUSH), `${where} holds a secret:\n${text}`);

describe("secrets through the real engine", () => {
  it("as arguments stay secret in the state, in a diff, and in refusals, under whatever name they come back", async () => {
    await withPlatformStack({ program: program(1) }, async ({ stack, sent, sentNothing, platform }) => {
      assertNoHush((await stack.up()).output, "the output");
      assert.equal(sent().length, 5);
      for (const clear of ["agent", "front"]) {
        assert.ok(
          JSON.stringify([platform.voices, platform.chats, [...platform.numbers]]).includes(`${HUSH}-${clear}-1`),
          "the platform gets it in clear",
        );
      }
      assertNoHush(stack.stateText(), "the state");

      stack.write(program(2));
      assertNoHush((await stack.preview({ diff: true })).output, "the diff");
      const up = await stack.up();
      assertNoHush(up.output, "the output of an update");
      assertNoHush(stack.stateText(), "the state after an update");
      const outputs = Object.fromEntries(stack.resources().map((resource) => [resource.name, resource.outputs]));
      for (const value of [
        outputs.line?.inboundAgents,
        outputs.line?.previousInboundAgents,
        outputs.group?.previousInboundAgents,
        outputs.group?.numbers,
        outputs.canary?.inboundAgents,
        outputs.canary?.rollout,
        outputs.nova?.name,
        outputs.nova?.provider,
      ]) {
        assert.ok(typeof value === "object" && value !== null && "ciphertext" in value, JSON.stringify(value));
      }
      sent();

      stack.write(program(3, "workspaceId: 0.5,"));
      const refused = await stack.preview({ expectFailure: true });
      assert.match(refused.output, /AGP-001 NumberAssignment "line" \(4001\): workspaceId must be an integer\./);
      assertNoHush(refused.output, "a refusal");

      stack.write(program(2, "", `"${HUSH}"`));
      const noPercent = await stack.preview({ expectFailure: true });
      assert.match(
        noPercent.output,
        /AGP-001 NumberGroup "canary": rollout\.percent must be a number from 0 to 100\.\n/,
      );
      assertNoHush(noPercent.output, "a refusal");
      sentNothing();
    });
  });

  it("as defaults of the stack's config stay secret in the state of each kind, and no message shows them", async () => {
    const program = (weight = 1) => `
      import { CommunityVoice, NumberAssignment, NumberGroup, SmsChat } from "pulumi-agent-platform";
      const inboundAgents = [{ agentId: "agent_front", weight: ${weight} }];
      new NumberAssignment("line", { number: "4001", inboundAgents });
      new NumberGroup("group", { numbers: ["4002"], inboundAgents });
      new SmsChat("reminder", { agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550000002" });
      new CommunityVoice("nova", { voiceProvider: "v", providerVoiceId: "p", voiceName: "Nova", publicUserId: "u" });`;
    const config = {
      "agent-platform:accountSid": { secret: `${HUSH}-first` },
      "agent-platform:workspaceId": { secret: "86428642" },
    };
    const assertHidden = (text: string) => {
      assertNoHush(text, "the state");
      assert.ok(!/86428642/.test(text), text);
    };
    await withPlatformStack({ config }, async ({ stack, sent, sentNothing, platform }) => {
      stack.write(program());
      assertHidden((await stack.up()).output);
      assertHidden(stack.stateText());
      assert.equal(sent().length, 4);
      const given = platform.requests.map(({ path, body }) => JSON.stringify([path, body]));
      assert.equal(given.filter((text) => text.includes(`${HUSH}-first`) || text.includes("86428642")).length, 4);
      assert.deepEqual((await stack.up()).steps, []);
      sentNothing();
      stack.write(program(2));
      assertHidden((await stack.preview({ diff: true })).output);
      await stack.up();
      assertHidden(stack.stateText());
    });
  });

  it("a token is in no output, state or message, and one of the environment in no log", async () => {
    const program = `
      import { NumberAssignment } from "pulumi-agent-platform";
      new NumberAssignment("line", { number: "4001", inboundAgents: [{ agentId: "agent_front", weight: 1 }] });`;
    await withPlatformStack({ program }, async ({ stack, sent, platform }) => {
      // Whatever each command prints or saves is searched for the token as it is, in a URL and in base64.
      const logged = await stack.up({ args: ["--logtostderr", "-v=9"] });
      assert.ok(logged.output.includes("Marshaling property for RPC"), "the log is there");
      assert.equal(sent().length, 1);

      stack.setConfig({ "agent-platform:accessToken": { secret: TOKEN } });
      await stack.up();
      // SecretSources by the platform in its refusal, in each form.
      platform.inject({ kind: "status", status: 400, body: { error: `no: ${echoesOf(TOKEN)}` }, times: 9 });
      const refused = await stack.destroy({ expectFailure: true, args: ["--continue-on-error"] });
      assert.match(refused.output, /delete rejected: the platform returned 400 to PUT/);
    });
  });
});
