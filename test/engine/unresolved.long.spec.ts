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
  // Nobody resolves these two.
  new CommunityVoice("iris", {
    workspaceId: 42, voiceProvider: "provider_a", providerVoiceId: "voice-2", voiceName: "Iris", publicUserId: "user-1",
  });
  new SmsChat("notice", { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550008888" });
  new NumberAssignment("line", { number: "4001", inboundAgents: [{ agentId: "agent_front", weight: 1 }, { agentId: "agent_b", weight: 1 }] });`;

const saved = (stack: Stack, name: string) => {
  const found = stack.resources().find((resource) => resource.name === name);
  assert.ok(found, `${name} is not saved`);
  return found;
};

const warnings = ({ diagnostics }: Result) =>
  diagnostics.filter(({ message }) => message.startsWith("warning: ")).map(({ message }) => message);

/** Of which resources a run says that they are. */
const unresolvedIn = (run: Result): string[] =>
  [...new Set(warnings(run).flatMap((message) => /^warning: AGP-041 \w+ "(\w+)": /.exec(message)?.[1] ?? []))].sort();

const targets = (requests: readonly [string, unknown][]): string[] => requests.map(([target]) => target);

/** The connection breaks behind the request: the platform acted on the one and not on the other, and the client cannot know. */
describe("POSTs with unknown outcomes", () => {
  const both = platformStack({ program: program(), env: attemptsAre(2) });
  let chatId = "";

  it("does not repeat a POST with an unknown outcome", async () => {
    const { stack, sent, platform } = both();
    platform.inject({ operation: "addCommunityVoice", kind: "reset", times: 2 });
    platform.inject({ operation: "createSmsChat", kind: "reset", applied: false, times: 2 });
    platform.inject({ operation: "assignNumber", kind: "reset", times: 2 });
    const { diagnostics } = await stack.up({ expectFailure: true, args: ["--continue-on-error"] });
    assert.deepEqual([platform.voices.length, platform.chats.length], [2, 0]);
    assert.equal(sent().length, 6, "one POST each, and two attempts of the number");
    assert.equal((saved(stack, "line").outputs.unapplied as { reason?: unknown }[])[0]?.reason, "unknown");
    const [voice, chat] = [saved(stack, "nova"), saved(stack, "reminder")];
    assert.match(voice.id, /^unresolved-/);
    assert.equal(voice.outputs.unresolved, true);
    // Without it a delete would die with "code must be a string".
    assert.equal(chat.outputs.__provider, chat.inputs.__provider);
    const told = diagnostics.find(({ urn, severity }) => urn?.endsWith("::reminder") && severity === "error");
    for (const fact of [
      "+15550009999",
      "workspace 42",
      'SmsChat "reminder"',
      "adopt:",
      `retryUnresolved: "${chat.id}"`,
    ]) {
      assert.ok(told?.message.includes(fact), `${fact} is missing in: ${told?.message}`);
    }
    chatId = chat.id;
  });

  it("reports unresolved voices and chats again in the next run", async () => {
    const { stack, sent } = both();
    stack.write(program("", "metadata: { edited: true },"));
    const run = await stack.up({ args: ["--refresh"] });
    assert.deepEqual(targets(sent()), ["PUT /api/numbers/4001/agent"]);
    assert.deepEqual(unresolvedIn(run), ["iris", "notice", "nova", "reminder"]);
    assert.match(warnings(run).join("\n"), /^warning: AGP-044 NumberAssignment "line" \(4001\): /m);
    assert.equal(saved(stack, "line").outputs.unapplied, undefined);
  });

  it("resolves a voice with `adopt` and a chat with `retryUnresolved`", async () => {
    const { stack, sent, platform } = both();
    const voiceId = platform.voices.find(({ voiceName }) => voiceName === "Nova")?.voiceId;
    stack.write(program(`adopt: "${voiceId}",`, `retryUnresolved: "${chatId}",`));
    const run = await stack.up();
    assert.deepEqual(targets(sent()), ["POST /api/chats/outbound-sms"]);
    assert.deepEqual(unresolvedIn(run), ["iris", "notice"]);
    assert.equal(warnings(run).length, 2);
    assert.equal(saved(stack, "nova").id, voiceId);
    assert.equal(saved(stack, "reminder").id, platform.chats[0]?.chatId);
  });

  it("sends nothing after `adopt` and `retryUnresolved` are removed", async () => {
    const { stack, sentNothing } = both();
    stack.write(program());
    await stack.up();
    sentNothing();
  });

  it("reports unresolved voices and chats on destroy", async () => {
    const { stack, sent, platform } = both();
    const run = await stack.destroy();
    assert.deepEqual(
      platform.chats.map(({ ended }) => ended),
      [true],
    );
    assert.deepEqual(targets(sent()).sort(), [
      `POST /api/chats/${platform.chats[0]?.chatId}/end`,
      "PUT /api/numbers/4001/agent",
    ]);
    const left = warnings(run).filter((message) => message.includes("AGP-041"));
    assert.deepEqual(left.map((message) => message.match(/(?:CommunityVoice|SmsChat) "\w+"/)?.[0]).sort(), [
      'CommunityVoice "iris"',
      'SmsChat "notice"',
    ]);
    assert.deepEqual(stack.resources(), []);
  });
});
