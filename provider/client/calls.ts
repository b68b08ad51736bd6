import type {
  AddCommunityVoiceRequest,
  AssignNumberRequest,
  Chat,
  CreateSmsChatRequest,
  EndChatRequest,
  NumberAnswer,
  Voice,
} from "../core/operations";
import type { Body } from "./body";
import { InvalidRequestError } from "./errors";
import { type Reader, type Reading, readOr } from "./judge";
import type { ContextHeaders } from "./options";
import type { OperationKind } from "./retry";
import {
  assignmentToWire,
  chatFromWire,
  communityVoiceToWire,
  endChatToWire,
  numberAnswerFromWire,
  saidNo,
  smsChatToWire,
  voiceFromWire,
} from "./wire";

/** One of the four operations with its request, before it has a URL and a token. Nothing of it is sent while it is made. */
export interface Call<Answer> {
  kind: OperationKind;
  method: "PUT" | "POST";
  /** The path template: fit for logs, unlike the path. */
  path: string;
  parameters: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string>>;
  body: string;
  read: Reader<Answer>;
}

/** A PUT's answer is welcome, not needed: the same body may be sent again (F9-F14). */
function readAssignment(body: Body): Reading<NumberAnswer> {
  if (body.kind === "unreadable") {
    return { unusable: body.detail };
  }
  if (body.kind === "empty" || body.value === null) {
    return { applied: undefined, issues: [] };
  }
  return saidNo(body.value)
    ? { no: true }
    : readOr(numberAnswerFromWire(body.value), "the answer is JSON, but no object");
}

function readNew<Answer>(body: Body, fromWire: (json: unknown) => Reading<Answer>): Reading<Answer> {
  if (body.kind === "unreadable") {
    return { unusable: body.detail };
  }
  return body.kind === "empty" ? { unusable: "the answer is empty" } : fromWire(body.value);
}

/** Any 2xx ends a chat, with or without a body (4.4 shows none); a page of HTML comes from someone else (F10). */
function readEnded(body: Body, chatId: string): Reading<Chat> {
  if (body.kind === "unreadable" && body.isPage) {
    return { unusable: body.detail };
  }
  const read = body.kind === "json" ? chatFromWire(body.value, chatId) : undefined;
  return { applied: read?.value, issues: read?.issues ?? [] };
}

export function assignNumberCall(request: AssignNumberRequest): Call<NumberAnswer> {
  return {
    kind: "put",
    method: "PUT",
    path: "/api/numbers/{number}/agent",
    parameters: { number: request.number },
    headers: {},
    body: assignmentToWire(request),
    read: readAssignment,
  };
}

export function createSmsChatCall(request: CreateSmsChatRequest): Call<Chat> {
  return {
    kind: "post",
    method: "POST",
    path: "/api/chats/outbound-sms",
    parameters: {},
    headers: {},
    body: smsChatToWire(request),
    read: (body) => readNew(body, (json) => readOr(chatFromWire(json), "the answer has no chatId")),
  };
}

export function endChatCall(request: EndChatRequest): Call<Chat> {
  return {
    kind: "post",
    method: "POST",
    path: "/api/chats/{chatId}/end",
    parameters: { chatId: request.chatId },
    headers: {},
    body: endChatToWire(request),
    read: (body) => readEnded(body, request.chatId),
  };
}

const HEADER_OPTIONS = {
  actorType: "actorTypeHeader",
  providerScope: "providerScopeHeader",
  workspaceContext: "workspaceContextHeader",
} as const;

/** The headers' names are not shown (4.3): a value without a name is refused rather than dropped, since it selects whose library it is. */
function contextHeaders(request: AddCommunityVoiceRequest, names: ContextHeaders): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const field of ["actorType", "providerScope", "workspaceContext"] as const) {
    const value = request[field];
    const name = names[field];
    if (value === undefined) {
      continue;
    }
    if (name === undefined) {
      throw new InvalidRequestError(
        `${field} is given, but ${HEADER_OPTIONS[field]} does not say which header carries it: nothing was sent.`,
      );
    }
    if (!/^[\u0021-\u007e]([\u0020-\u007e]{0,998}[\u0021-\u007e])?$/.test(value)) {
      throw new InvalidRequestError(
        `${field} cannot be a header: it must be one line of visible ASCII. Nothing was sent.`,
      );
    }
    headers[name] = value;
  }
  return headers;
}

export function addCommunityVoiceCall(request: AddCommunityVoiceRequest, names: ContextHeaders): Call<Voice> {
  return {
    kind: "post",
    method: "POST",
    path: "/api/voices/community",
    parameters: {},
    headers: contextHeaders(request, names),
    body: communityVoiceToWire(request),
    read: (body) => readNew(body, (json) => readOr(voiceFromWire(json), "the answer has no voiceId")),
  };
}
