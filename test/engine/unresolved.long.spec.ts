import assert from "node:assert/strict";
import type { Result, Stack } from "../support/engine";
import { attemptsAre } from "../support/engineProject";
import { platformStack } from "../support/platformStack";

const program = (voice = "", chat = "") => `
  import { CommunityVoice, NumberAssignment, SmsChat } from "pulumi-agent-platform";
  new CommunityVoice("nova", {
    workspaceId: 42, voiceProvider: "provider_a", providerVoiceId: "voice-1", voiceName: "Nova", publicUserId: "user-1", ${voice}
  });
  new SmsChat("reminder", { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550009999", ${chat} });
  // These two stay unresolved.
  new CommunityVoice("iris", {
    workspaceId: 42, voiceProvider: "provider_a", providerVoiceId: "voice-2", voiceName: "Iris", publicUserId: "user-1",
  });
  new SmsChat("notice", { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550008888" });
  new NumberAssignment("line", { number: "4001", inboundAgents: [{ agentId: "agent_front", weight: 1 }, { agentId: "agent_b", weight: 1 }] });`;

const savedResource = (stack: Stack, name: string) => {
  const resource = stack.resources().find((candidate) => candidate.name === name);
  assert.ok(resource, `${name} is not saved`);
  return resource;
};

const warnings = ({ diagnostics }: Result) =>
  diagnostics.filter(({ message }) => message.startsWith("warning: ")).map(({ message }) => message);

/** Returns the sorted names of the resources that the run reports as unresolved. */
const unresolvedIn = (run: Result): string[] =>
  [...new Set(warnings(run).flatMap((message) => /^warning: AGP-041 \w+ "(\w+)": /.exec(message)?.[1] ?? []))].sort();

const targets = (requests: readonly [string, unknown][]): string[] => requests.map(([target]) => target);

// In the first run, the emulator resets the connection of every POST. It adds the voices but doesn't start the chats,
// and the client can't tell the difference.
describe("POSTs with unknown outcomes", () => {
  const opened = platformStack({ program: program(), env: attemptsAre(2) });
  let chatId = "";

  it("does not repeat a POST with an unknown outcome", async () => {
    const { stack, sent, platform } = opened();
    platform.inject({ operation: "addCommunityVoice", kind: "reset", times: 2 });
    platform.inject({ operation: "createSmsChat", kind: "reset", applied: false, times: 2 });
    platform.inject({ operation: "assignNumber", kind: "reset", times: 2 });
    const { diagnostics } = await stack.up({ expectFailure: true, args: ["--continue-on-error"] });
    assert.deepEqual([platform.voices.length, platform.chats.length], [2, 0]);
    assert.equal(sent().length, 6, "one POST for each resource, and two attempts for the number");
    assert.equal((savedResource(stack, "line").outputs.unapplied as { reason?: unknown }[])[0]?.reason, "unknown");
    const [voice, chat] = [savedResource(stack, "nova"), savedResource(stack, "reminder")];
    assert.match(voice.id, /^unresolved-/);
    assert.equal(voice.outputs.unresolved, true);
    // If `__provider` were missing in the state, deleting the chat would fail with "code must be a string".
    assert.equal(chat.outputs.__provider, chat.inputs.__provider);
    const reported = diagnostics.find(({ urn, severity }) => urn?.endsWith("::reminder") && severity === "error");
    for (const fact of [
      "+15550009999",
      "workspace 42",
      'SmsChat "reminder"',
      "adopt:",
      `retryUnresolved: "${chat.id}"`,
    ]) {
      assert.ok(reported?.message.includes(fact), `${fact} is missing in: ${reported?.message}`);
    }
    chatId = chat.id;
  });

  it("reports unresolved voices and chats again in the next run", async () => {
    const { stack, sent } = opened();
    stack.write(program("", "metadata: { edited: true },"));
    const run = await stack.up({ args: ["--refresh"] });
    assert.deepEqual(targets(sent()), ["PUT /api/numbers/4001/agent"]);
    assert.deepEqual(unresolvedIn(run), ["iris", "notice", "nova", "reminder"]);
    assert.match(warnings(run).join("\n"), /^warning: AGP-044 NumberAssignment "line" \(4001\): /m);
    assert.equal(savedResource(stack, "line").outputs.unapplied, undefined);
  });

  it("resolves a voice with `adopt` and a chat with `retryUnresolved`", async () => {
    const { stack, sent, platform } = opened();
    const voiceId = platform.voices.find(({ voiceName }) => voiceName === "Nova")?.voiceId;
    stack.write(program(`adopt: "${voiceId}",`, `retryUnresolved: "${chatId}",`));
    const run = await stack.up();
    assert.deepEqual(targets(sent()), ["POST /api/chats/outbound-sms"]);
    assert.deepEqual(unresolvedIn(run), ["iris", "notice"]);
    assert.equal(warnings(run).length, 2);
    assert.equal(savedResource(stack, "nova").id, voiceId);
    assert.equal(savedResource(stack, "reminder").id, platform.chats[0]?.chatId);
  });

  it("sends nothing after `adopt` and `retryUnresolved` are removed", async () => {
    const { stack, sentNothing } = opened();
    stack.write(program());
    await stack.up();
    sentNothing();
  });

  it("reports unresolved voices and chats on destroy", async () => {
    const { stack, sent, platform } = opened();
    const run = await stack.destroy();
    assert.deepEqual(
      platform.chats.map(({ ended }) => ended),
      [true],
    );
    assert.deepEqual(targets(sent()).sort(), [
      `POST /api/chats/${platform.chats[0]?.chatId}/end`,
      "PUT /api/numbers/4001/agent",
    ]);
    const leftWarnings = warnings(run).filter((message) => message.includes("AGP-041"));
    assert.deepEqual(leftWarnings.map((message) => message.match(/(?:CommunityVoice|SmsChat) "\w+"/)?.[0]).sort(), [
      'CommunityVoice "iris"',
      'SmsChat "notice"',
    ]);
    assert.deepEqual(stack.resources(), []);
  });
});
