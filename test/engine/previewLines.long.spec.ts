import assert from "node:assert/strict";
import type { Result } from "../support/engine";
import { platformStack } from "../support/platformStack";

const program = (key: string) => `
  import * as pulumi from "@pulumi/pulumi";
  import { CommunityVoice, SmsChat } from "pulumi-agent-platform";
  new CommunityVoice("nova", {
    workspaceId: 42, voiceProvider: "provider_a", providerVoiceId: "voice-1", voiceName: "Nova", publicUserId: "user-1",
  });
  const chat = { workspaceId: 42, agentId: "chat_agent_1", fromNumber: "+15550000001" };
  new SmsChat("reminder", { ...chat, toNumber: "+15550009999", sendKey: "${key}", metadata: { order: "hush" } });
  new SmsChat("private", { ...chat, toNumber: pulumi.secret("+15550008888"), sendKey: "${key}" });
  new SmsChat("known", { ...chat, toNumber: "+15550007777", adopt: "chat_77" });`;

/** Returns a sorted list of the voices and chats that the run announces, each with its message code. */
const announcedIn = ({ diagnostics }: Result): string[] =>
  diagnostics
    .flatMap(({ message }) => /^warning: (AGP-06[79]) \w+ "(\w+)"/.exec(message)?.slice(1).join(" ") ?? [])
    .sort();

describe("pulumi preview", () => {
  const opened = platformStack({ program: program("1") });

  it("announces each voice and chat that `up` would create", async () => {
    const { stack, sent } = opened();
    const preview = await stack.preview();
    assert.deepEqual(announcedIn(preview), ["AGP-067 private", "AGP-067 reminder", "AGP-069 nova"]);
    const lines = preview.diagnostics.map(({ message }) => message).join("\n");
    assert.match(lines, /\+15550009999/);
    assert.doesNotMatch(lines, /\+15550008888|hush/, "a secret number or metadata is shown");
    assert.equal(sent().length, 0);
  });

  it("does not announce voices and chats during `up`", async () => {
    const { stack, sent } = opened();
    assert.deepEqual(announcedIn(await stack.up()), []);
    assert.equal(sent().length, 3);
    assert.equal(JSON.stringify(stack.resources()).includes("__preview"), false, "the state contains the hidden input");
  });

  it("does not announce unchanged voices and chats", async () =>
    assert.deepEqual(announcedIn(await opened().stack.preview()), []));

  it("announces each chat that `up` would send again", async () => {
    const { stack } = opened();
    stack.write(program("2"));
    assert.deepEqual(announcedIn(await stack.preview()), ["AGP-067 private", "AGP-067 reminder"]);
    assert.deepEqual(announcedIn(await stack.up()), []);
  });
});
