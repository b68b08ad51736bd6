import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { killAll } from "../support/engineProcesses";
import { type PlatformStack, withPlatformStack } from "../support/platformStack";

const before = `
  import { NumberAssignment } from "pulumi-agent-platform";
  new NumberAssignment("line", { number: "4001", inboundAgents: [{ agentId: "agent_a", weight: 1 }] });`;
const after = `
  import { CommunityVoice, NumberAssignment, SmsChat } from "pulumi-agent-platform";
  const nova = new CommunityVoice("nova", { workspaceId: 42, voiceProvider: "p", providerVoiceId: "v", voiceName: "Nova", publicUserId: "u" });
  const reminder = new SmsChat("reminder", { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550009999" });
  new NumberAssignment("line", { number: "4001", inboundAgents: [{ agentId: "agent_b", weight: 1 }] }, { dependsOn: [nova, reminder] });`;

/** The voice and the chat are there and were answered; the PUT behind them is on its way. */
async function killBehindThePosts({ stack, platform, sent }: PlatformStack, env: Readonly<Record<string, string>>) {
  await stack.up();
  assert.deepEqual(targets(sent()), [put]);
  stack.write(after);
  const held = platform.inject({ operation: "assignNumber", kind: "hold", applied: true });
  const run = stack.spawn(["up", "--yes", "--skip-preview"], { env });
  await platform.waitForRequests(4);
  const cli = run.processes().find(({ role }) => role === "cli");
  assert.ok(cli !== undefined);
  process.kill(cli.pid, "SIGKILL");
  held.release();
  await run.result;
  killAll(run.processes());
  await stack.run(["cancel", "--yes", "--stack", stack.project.stackName]);
  assert.deepEqual(targets(sent()), [...posts, put]);
}

const held = ({ stack }: PlatformStack) => ({
  saved: stack
    .resources()
    .map(({ name }) => name)
    .sort(),
  pending: (stack.export().deployment?.pending_operations ?? []).map(({ resource }) => resource.urn.split("::").at(-1)),
});

const targets = (sent: readonly [string, unknown][]) => sent.map(([target]) => target).sort();
const put = "PUT /api/numbers/4001/agent";
const posts = ["POST /api/chats/outbound-sms", "POST /api/voices/community"];

/** What docs/guides/operations.md says of the variable. */
describe("a run whose CLI is killed behind the POSTs of a voice and a chat", () => {
  it("is known to the state, and the next run sends nothing but the PUT", async () => {
    await withPlatformStack({ program: before }, async (both) => {
      await killBehindThePosts(both, {});
      assert.deepEqual(held(both), { saved: ["line", "nova", "reminder"], pending: ["line"] });
      await both.stack.up();
      assert.deepEqual(targets(both.sent()), [put]);
      assert.deepEqual([both.platform.voices.length, both.platform.chats.length], [1, 1]);
    });
  });

  it("is forgotten with PULUMI_SKIP_CHECKPOINTS: the next run sends the message a second time", async () => {
    await withPlatformStack({ program: before }, async (both) => {
      const { stack, platform, sent, sentNothing } = both;
      await killBehindThePosts(both, { PULUMI_SKIP_CHECKPOINTS: "true" });
      assert.deepEqual(held(both), { saved: ["line"], pending: [] });

      stack.write(before);
      await stack.up();
      sentNothing();
      assert.deepEqual(platform.routing("4001")?.inboundAgents, { agent_b: 1 }, "the program says agent_a");

      stack.write(after);
      await stack.up();
      assert.deepEqual(targets(sent()), [...posts, put]);
      assert.deepEqual([platform.voices.length, platform.chats.length], [2, 2]);
    });
  });
});
