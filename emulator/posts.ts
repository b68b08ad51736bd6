import { type ApiRequest, type Decision, demand, demandFields, type FieldType, isObject } from "./decision";
import { LATEST_VERSION } from "./numberResponse";
import type { Profile } from "./profile";
import { hexFrom } from "./random";
import type { Chat, Voice } from "./store";

type Json = Record<string, unknown>;
type Fields = Readonly<Record<string, FieldType>>;

/**
 * Returns the handler for requests that start a chat.
 * @param needed the fields that such a request must contain, each with a check of its type
 */
const startChat =
  (needed: Fields, optional: Fields) =>
  (request: ApiRequest): Decision => {
    const { account, profile, seed } = request;
    const chat: Chat = {
      ...requestFields(request, needed, optional),
      chatId: `chat_${hexFrom(seed, `chat ${account.accountSid} ${account.posted.chats.length}`, 16)}`,
      startedAt: request.now().toISOString(),
      endedAt: undefined,
      ended: false,
    };
    const response = { status: 201, body: postResponse(chatOf(chat), "chatId", profile) };
    return { response, commit: () => void account.posted.chats.push(chat), createdId: chat.chatId };
  };

/**
 * Returns the handler for requests that add a voice.
 * @param needed the fields that such a request must contain, each with a check of its type
 */
const addVoice =
  (needed: Fields) =>
  (request: ApiRequest): Decision => {
    const { account, profile, seed } = request;
    const voice: Voice = {
      ...requestFields(request, needed),
      voiceId: `voice_${hexFrom(seed, `voice ${account.accountSid} ${account.posted.voices.length}`, 16)}`,
      createdAt: request.now().toISOString(),
    };
    const response = { status: 200, body: postResponse(voiceOf(voice), "voiceId", profile) };
    return { response, commit: () => void account.posted.voices.push(voice), createdId: voice.voiceId };
  };

function endChat(request: ApiRequest, { chatId = "" }: { readonly chatId?: string }): Decision {
  const { account, profile } = request;
  demandFields(request, { workspaceId: Number.isInteger });
  const index = account.posted.chats.findIndex((chat) => chat.chatId === chatId);
  const chat = account.posted.chats[index];
  demand(chat !== undefined, 404, `chat ${chatId} not found`);
  const mayEnd = !chat.ended || profile.endedChat === "again";
  demand(mayEnd, Number(profile.endedChat), `chat ${chatId} is already ended`);
  const ended: Chat = chat.ended ? chat : { ...chat, ended: true, endedAt: request.now().toISOString() };
  const response =
    profile.endChat === "noContent"
      ? { status: 204 }
      : { status: 200, body: postResponse(chatOf(ended), "chatId", profile) };
  return { response, commit: () => void account.posted.chats.splice(index, 1, ended) };
}

/** Returns the request's fields in camel case. Refuses the request if a field is missing or has the wrong type. */
function requestFields(request: ApiRequest, needed: Fields, optional: Fields = {}): Json {
  const fields = { ...needed, ...optional };
  demandFields(request, fields, Object.keys(needed));
  return Object.fromEntries(Object.keys(fields).map((name) => [camel(name), request.body[name] ?? undefined]));
}

const camel = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

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

function postResponse(whole: Json, id: string, { postResponse: shown }: Profile): Json {
  if (shown === "minimal") {
    return { [id]: whole[id] };
  }
  return shown === "whole" ? whole : Object.fromEntries(Object.entries(whole).filter(([name]) => name !== id));
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

/** The POST operations (docs/interface.md, sections 4.2 to 4.4), with their request fields. */
export const POSTS = {
  createSmsChat: {
    method: "POST",
    path: "/api/chats/outbound-sms",
    decide: startChat(
      { workspaceId: Number.isInteger, agent_id: isText, from_number: isText, to_number: isText },
      { metadata: isObject, service_dynamic_variables: isObject },
    ),
  },
  addCommunityVoice: {
    method: "POST",
    path: "/api/voices/community",
    decide: addVoice({
      workspaceId: Number.isInteger,
      voiceProvider: isText,
      providerVoiceId: isText,
      voiceName: isText,
      publicUserId: isText,
    }),
  },
  endChat: { method: "POST", path: "/api/chats/{chatId}/end", decide: endChat },
} as const;
