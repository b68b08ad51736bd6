import { type Ask, type Decision, foreignRefusal, isObject, type Refusal } from "./decision";
import type { PostAnswer, Profile } from "./profile";
import { hexFrom } from "./random";
import type { Chat, Voice } from "./store";

type Json = Record<string, unknown>;
type FieldType = "string" | "integer" | "object";

/** POST /api/chats/outbound-sms (section 4.2). */
export function createSmsChat(ask: Ask): Decision {
  const { account, profile, body } = ask;
  const message = fieldFault(body, chatFields, requiredOfChat(profile));
  const refusal = message === undefined ? foreignRefusal(ask) : invalid(message);
  if (refusal !== undefined) {
    return { refusal };
  }
  const chat: Chat = {
    chatId: `chat_${hexFrom(ask.seed, `chat ${account.accountSid} ${account.chats.length}`, 16)}`,
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
  return { answer, commit: () => void account.chats.push(chat) };
}

/** POST /api/voices/community (section 4.3). */
export function addCommunityVoice(ask: Ask): Decision {
  const { account, profile, body } = ask;
  const refusal = voiceRefusal(ask) ?? foreignRefusal(ask);
  if (refusal !== undefined) {
    return { refusal };
  }
  const same = account.voices.find(
    (voice) =>
      voice.providerVoiceId === body.providerVoiceId &&
      voice.voiceProvider === body.voiceProvider &&
      voice.workspaceId === body.workspaceId,
  );
  if (same !== undefined && profile.duplicateVoice === "409") {
    return { refusal: { because: 409, message: "the voice is already in the library" } };
  }
  const status = postStatus(200, profile);
  const bodyOf = (voice: Voice) => postAnswer(voiceOf(voice), "voiceId", profile.voiceAnswer);
  if (same !== undefined && profile.duplicateVoice === "same") {
    return { answer: { status, body: bodyOf(same) }, commit: () => {} };
  }
  const voice: Voice = {
    voiceId: `voice_${hexFrom(ask.seed, `voice ${account.accountSid} ${account.voices.length}`, 16)}`,
    workspaceId: Number(body.workspaceId),
    voiceProvider: String(body.voiceProvider),
    providerVoiceId: String(body.providerVoiceId),
    voiceName: String(body.voiceName),
    publicUserId: String(body.publicUserId),
    createdAt: ask.now().toISOString(),
  };
  return { answer: { status, body: bodyOf(voice) }, commit: () => void account.voices.push(voice) };
}

/** POST /api/chats/{chatId}/end (section 4.4). */
export function endChat(ask: Ask, chatId: string): Decision {
  const { account, profile } = ask;
  const message = fieldFault(ask.body, { workspaceId: "integer" }, []);
  const refusal = message === undefined ? foreignRefusal(ask) : invalid(message);
  if (refusal !== undefined) {
    return { refusal };
  }
  const index = account.chats.findIndex((chat) => chat.chatId === chatId);
  const chat = account.chats[index];
  if (chat === undefined) {
    return { refusal: { because: 404, message: `chat ${chatId} not found` } };
  }
  if (chat.ended && profile.endedChat !== "again") {
    return { refusal: { because: Number(profile.endedChat), message: `chat ${chatId} is already ended` } };
  }
  const ended: Chat = chat.ended ? chat : { ...chat, ended: true, endedAt: ask.now().toISOString() };
  return { answer: endAnswer(ended, profile), commit: () => void account.chats.splice(index, 1, ended) };
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

const chatFields: Record<string, FieldType> = {
  workspaceId: "integer",
  agent_id: "string",
  from_number: "string",
  to_number: "string",
  metadata: "object",
  service_dynamic_variables: "object",
};

const voiceFields: Record<string, FieldType> = {
  workspaceId: "integer",
  voiceProvider: "string",
  providerVoiceId: "string",
  voiceName: "string",
  publicUserId: "string",
};

function requiredOfChat({ chatRequires }: Profile): readonly string[] {
  const basic = ["workspaceId", "agent_id", "from_number", "to_number"];
  if (chatRequires === "nothing") {
    return [];
  }
  return chatRequires === "metadata" ? [...basic, "metadata"] : basic;
}

const invalid = (message: string): Refusal => ({ because: 400, message });

const matches: Record<FieldType, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string" && value !== "",
  integer: Number.isInteger,
  object: isObject,
};

/** What is wrong with the fields of a POST; undefined = nothing. Null counts as left out. */
function fieldFault(body: Json, fields: Record<string, FieldType>, required: readonly string[]): string | undefined {
  for (const [field, type] of Object.entries(fields)) {
    const value = body[field] ?? undefined;
    if (value === undefined && required.includes(field)) {
      return `${field} is required`;
    }
    if (value !== undefined && !matches[type](value)) {
      return `${field} has the wrong type`;
    }
  }
  return undefined;
}

const actorTypes = ["platform_admin", "provider_admin", "tenant_admin", "end_user"];

function voiceRefusal({ profile, body, headers }: Ask): Refusal | undefined {
  const message = fieldFault(body, voiceFields, Object.keys(voiceFields));
  if (message !== undefined) {
    return invalid(message);
  }
  if (profile.voiceProviders === "closed" && !profile.knownVoiceProviders.includes(String(body.voiceProvider))) {
    return { because: 422, message: `voiceProvider must be one of ${profile.knownVoiceProviders.join(", ")}` };
  }
  if (profile.actorContext === "ignored") {
    return undefined;
  }
  const actor = headers[profile.actorTypeHeader.toLowerCase()];
  if (actor === undefined) {
    return undefined;
  }
  if (!actorTypes.includes(String(actor))) {
    return { because: 400, message: "unknown actor type" };
  }
  const privileged = actor === "platform_admin" || actor === "provider_admin";
  if (privileged && !headers[profile.workspaceContextHeader.toLowerCase()]) {
    return { because: 403, message: "a privileged actor needs a workspace context" };
  }
  return undefined;
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
