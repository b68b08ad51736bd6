import assert from "node:assert/strict";
import { platformStack } from "../support/platformStack";

const program = `
  import { CommunityVoice, NumberAssignment, SmsChat, split } from "pulumi-agent-platform";
  new NumberAssignment("line", { number: "4001", inboundAgents: split({ "agent_a@1": 100 }) });
  new CommunityVoice("nova", {
    workspaceId: 42, voiceProvider: "provider_a", providerVoiceId: "voice-1", voiceName: "Nova", publicUserId: "user-1",
  });
  new SmsChat("reminder", { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001", toNumber: "+15550009999" });`;

// Follows the steps under "Follow the platform to a new host name" in docs/voices-and-chats.md.
describe("a platform with a new host name", () => {
  const opened = platformStack({ program });

  it("sends no requests once the state contains the new host name", async () => {
    const { stack, sent, platform } = opened();
    await stack.up();
    assert.equal(sent().length, 3);
    const newUrl = platform.url.replace("127.0.0.1", "localhost");
    stack.setConfig({ "agent-platform:baseUrl": newUrl });
    const preview = await stack.preview();
    assert.match(preview.diagnostics.map(({ message }) => message).join("\n"), /AGP-060/);
    stack.import(JSON.parse(JSON.stringify(stack.export()).replaceAll(`"${platform.url}`, `"${newUrl}`)));
    const { diagnostics } = await stack.up();
    assert.deepEqual(
      diagnostics.filter(({ message }) => message.includes("AGP-")).map(({ message }) => message),
      [],
    );
    assert.equal(sent().length, 0);
  });
});
