import { type Ask, type Decision, demand, demandFields, demandOwn, isObject } from "./decision";
import type { Chat, Voice } from "./posted";
import type { PostAnswer, Profile } from "./profile";
import { hexFrom } from "./random";

type Json = Record<string, unknown>;

/** POST /api/chats/outbound-sms (section 4.2). */
export function createSmsChat(ask: Ask): Decision {
  const { account, profile, body } = ask;
  demandFields(ask, 400, chatFields, requiredOfChat(profile));
  demandOwn(ask);
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
  const answer = {
    status: postStatus(201, profile),
    body: postAnswer(chatOf(chat, profile), "chatId", profile.chatAnswer),
  };
  return { answer, commit: () => void account.posted.chats.push(chat) };
}

/** POST /api/voices/community (section 4.3). */
export function addCommunityVoice(ask: Ask): Decision {
  const { account, profile, body } = ask;
  demandVoice(ask);
  demandOwn(ask);
  const same = account.posted.voices.find(
    (voice) =>
      voice.providerVoiceId === body.providerVoiceId &&
      voice.voiceProvider === body.voiceProvider &&
      voice.workspaceId === body.workspaceId,
  );
  demand(same === undefined || profile.duplicateVoice !== "409", 409, "the voice is already in the library");
  const status = postStatus(200, profile);
  const bodyOf = (voice: Voice) => postAnswer(voiceOf(voice), "voiceId", profile.voiceAnswer);
  if (same !== undefined && profile.duplicateVoice === "same") {
    return { answer: { status, body: bodyOf(same) }, commit: () => {} };
  }
  const voice: Voice = {
    voiceId: `voice_${hexFrom(ask.seed, `voice ${account.accountSid} ${account.posted.voices.length}`, 16)}`,
    workspaceId: Number(body.workspaceId),
    voiceProvider: String(body.voiceProvider),
    providerVoiceId: String(body.providerVoiceId),
    voiceName: String(body.voiceName),
    publicUserId: String(body.publicUserId),
    createdAt: ask.now().toISOString(),
  };
  return { answer: { status, body: bodyOf(voice) }, commit: () => void account.posted.voices.push(voice) };
}

/** POST /api/chats/{chatId}/end (section 4.4). */
export function endChat(ask: Ask, chatId: string): Decision {
  const { account, profile } = ask;
  demandFields(ask, 400, { workspaceId: Number.isInteger });
  demandOwn(ask);
  const index = account.posted.chats.findIndex((chat) => chat.chatId === chatId);
  const chat = account.posted.chats[index];
  demand(chat !== undefined, 404, `chat ${chatId} not found`);
  const mayEnd = !chat.ended || profile.endedChat === "again";
  demand(mayEnd, Number(profile.endedChat), `chat ${chatId} is already ended`);
  const ended: Chat = chat.ended ? chat : { ...chat, ended: true, endedAt: ask.now().toISOString() };
  return { answer: endAnswer(ended, profile), commit: () => void account.posted.chats.splice(index, 1, ended) };
}

function endAnswer(chat: Chat, profile: Profile): { status: number; body?: unknown } {
  if (profile.endChat === "noContent") {
    return { status: 204 };
  }
  return {
    status: 200,
    body: profile.endChat === "empty" ? {} : postAnswer(chatOf(chat, profile), "chatId", profile.chatAnswer),
  };
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

function requiredOfChat({ chatRequires }: Profile): readonly string[] {
  const basic = ["workspaceId", "agent_id", "from_number", "to_number"];
  if (chatRequires === "nothing") {
    return [];
  }
  return chatRequires === "metadata" ? [...basic, "metadata"] : basic;
}

const actorTypes = ["platform_admin", "provider_admin", "tenant_admin", "end_user"];

function demandVoice(ask: Ask): void {
  const { profile, body, headers } = ask;
  demandFields(ask, 400, voiceFields, Object.keys(voiceFields));
  const { knownVoiceProviders } = profile;
  const isProvider = profile.voiceProviders === "any" || knownVoiceProviders.includes(String(body.voiceProvider));
  demand(isProvider, 422, `voiceProvider must be one of ${knownVoiceProviders.join(", ")}`);
  const actor = headers[profile.actorTypeHeader.toLowerCase()];
  if (profile.actorContext === "ignored" || actor === undefined) {
    return;
  }
  demand(actorTypes.includes(String(actor)), 400, "unknown actor type");
  const isPrivileged = actor === "platform_admin" || actor === "provider_admin";
  const hasContext = Boolean(headers[profile.workspaceContextHeader.toLowerCase()]);
  demand(!isPrivileged || hasContext, 403, "a privileged actor needs a workspace context");
}

function chatOf(chat: Chat, profile: Profile): Json {
  const running = profile.chatStatus === "absent" ? {} : { status: profile.chatStatus };
  return {
    chatId: chat.chatId,
    agentId: chat.agentId ?? null,
    version: profile.latestVersion,
    ...(profile.chatStatus !== "absent" && chat.ended ? { status: "completed" } : running),
    ...(profile.chatType !== "absent" && { type: profile.chatType }),
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

function postAnswer(whole: Json, id: string, shown: PostAnswer): Json {
  const fields = Object.entries(whole);
  switch (shown) {
    case "whole":
      return whole;
    case "minimal":
      return { [id]: whole[id] };
    case "nulls":
      return Object.fromEntries(fields.map(([name, value]) => [name, name === id ? value : null]));
    case "withoutId":
      return Object.fromEntries(fields.filter(([name]) => name !== id));
  }
}

function postStatus(documented: 200 | 201, { postStatuses }: Profile): number {
  if (postStatuses === "documented") {
    return documented;
  }
  return documented === 200 ? 201 : 200;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
