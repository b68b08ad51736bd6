import { type Ask, type Decision, demand, demandFields, isObject } from "./decision";
import { LATEST_VERSION } from "./numberAnswer";
import type { Profile } from "./profile";
import { hexFrom } from "./random";
import type { Chat, Voice } from "./store";

type Json = Record<string, unknown>;

/** POST /api/chats/outbound-sms (section 4.2). */
export function createSmsChat(ask: Ask): Decision {
  const { account, profile, body } = ask;
  demandFields(ask, chatFields, ["workspaceId", "agent_id", "from_number", "to_number"]);
  const chat: Chat = {
    chatId: `chat_${hexFrom(ask.seed, `chat ${account.accountSid} ${account.posted.chats.length}`, 16)}`,
    workspaceId: typeof body.workspaceId === "number" ? body.workspaceId : undefined,
    agentId: textOf(body.agent_id),
    fromNumber: textOf(body.from_number),
    toNumber: textOf(body.to_number),
    metadata: isObject(body.metadata) ? body.metadata : undefined,
    serviceDynamicVariables: isObject(body.service_dynamic_variables) ? body.service_dynamic_variables : undefined,
    startedAt: ask.now().toISOString(),
    endedAt: undefined,
    ended: false,
  };
  const answer = { status: 201, body: postAnswer(chatOf(chat), "chatId", profile) };
  return { answer, commit: () => void account.posted.chats.push(chat) };
}

/** POST /api/voices/community (section 4.3). */
export function addCommunityVoice(ask: Ask): Decision {
  const { account, profile, body } = ask;
  demandFields(ask, voiceFields, Object.keys(voiceFields));
  const voice: Voice = {
    voiceId: `voice_${hexFrom(ask.seed, `voice ${account.accountSid} ${account.posted.voices.length}`, 16)}`,
    workspaceId: Number(body.workspaceId),
    voiceProvider: String(body.voiceProvider),
    providerVoiceId: String(body.providerVoiceId),
    voiceName: String(body.voiceName),
    publicUserId: String(body.publicUserId),
    createdAt: ask.now().toISOString(),
  };
  const answer = { status: 200, body: postAnswer(voiceOf(voice), "voiceId", profile) };
  return { answer, commit: () => void account.posted.voices.push(voice) };
}

/** POST /api/chats/{chatId}/end (section 4.4). */
export function endChat(ask: Ask, chatId: string): Decision {
  const { account, profile } = ask;
  demandFields(ask, { workspaceId: Number.isInteger });
  const index = account.posted.chats.findIndex((chat) => chat.chatId === chatId);
  const chat = account.posted.chats[index];
  demand(chat !== undefined, 404, `chat ${chatId} not found`);
  const mayEnd = !chat.ended || profile.endedChat === "again";
  demand(mayEnd, Number(profile.endedChat), `chat ${chatId} is already ended`);
  const ended: Chat = chat.ended ? chat : { ...chat, ended: true, endedAt: ask.now().toISOString() };
  const answer =
    profile.endChat === "noContent"
      ? { status: 204 }
      : { status: 200, body: postAnswer(chatOf(ended), "chatId", profile) };
  return { answer, commit: () => void account.posted.chats.splice(index, 1, ended) };
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

const chatFields = {
  workspaceId: Number.isInteger,
  agent_id: isText,
  from_number: isText,
  to_number: isText,
  metadata: isObject,
  service_dynamic_variables: isObject,
};

const voiceFields = {
  workspaceId: Number.isInteger,
  voiceProvider: isText,
  providerVoiceId: isText,
  voiceName: isText,
  publicUserId: isText,
};

function chatOf(chat: Chat): Json {
  return {
    chatId: chat.chatId,
    agentId: chat.agentId ?? null,
    version: LATEST_VERSION,
    status: chat.ended ? "completed" : "open",
    type: "web_chat",
    metadata: chat.metadata ?? {},
    customAttributes: {},
    startedAt: chat.startedAt,
    endedAt: chat.endedAt ?? null,
    transcript: "",
    messages: [],
    chatCost: {},
    chatAnalysis: {},
    collectedDynamicVariables: {},
    service_dynamic_variables: chat.serviceDynamicVariables ?? {},
    overrideDynamicVariables: {},
  };
}

function voiceOf(voice: Voice): Json {
  return {
    voiceId: voice.voiceId,
    name: voice.voiceName,
    gender: "neutral",
    language: "en",
    accent: "neutral",
    description: "",
    provider: voice.voiceProvider,
    previewUrl: `https://voices.invalid/${voice.voiceId}.mp3`,
    playbackOverrideUrl: null,
    tags: [],
    createdAt: voice.createdAt,
    updatedAt: voice.createdAt,
  };
}

function postAnswer(whole: Json, id: string, { postAnswer: shown }: Profile): Json {
  if (shown === "minimal") {
    return { [id]: whole[id] };
  }
  return shown === "whole" ? whole : Object.fromEntries(Object.entries(whole).filter(([name]) => name !== id));
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
