import * as pulumi from "@pulumi/pulumi";
import { CommunityVoice } from "pulumi-agent-platform";

const config = new pulumi.Config();

const voice = new CommunityVoice("nova", {
  workspaceId: config.getNumber("workspaceId") ?? 42,
  voiceProvider: config.get("voiceProvider") ?? "elevenlabs",
  providerVoiceId: config.get("providerVoiceId") ?? "voice-123",
  voiceName: config.get("voiceName") ?? "Nova",
  publicUserId: config.get("publicUserId") ?? "user-456",
});

export const voiceId = voice.voiceId;
export const previewUrl = voice.previewUrl;
