import type { AddCommunityVoiceRequest, EndChatRequest, Outcome } from "../core/api/operations";
import type { Chat, Client, NumberResponse } from "../core/api/responses";
import { CONTEXT_FIELDS, type VoiceHeaders } from "../core/config/settings";
import type { ParsedBody } from "./body";
import type { Reader, Reading } from "./reply";
import type { Method } from "./transport";
import {
  assignmentToWire,
  bodyOf,
  chatFromWire,
  isRefusal,
  isSegment,
  numberResponseFromWire,
  voiceFromWire,
} from "./wire";

/** How an operation is called: what is known of it without a request. */
export interface Operation {
  readonly method: Method;
  /** The path template: fit for logs, unlike the path. */
  readonly path: string;
  /** May it be sent again after an unknown outcome? The same PUT twice changes nothing; a POST makes a second chat or voice. */
  readonly isRepeatable: boolean;
}

/** The operations of the interface. */
export const OPERATIONS: Readonly<Record<keyof Client, Operation>> = {
  assignNumber: { method: "PUT", path: "/api/numbers/{number}/agent", isRepeatable: true },
  createSmsChat: { method: "POST", path: "/api/chats/outbound-sms", isRepeatable: false },
  addCommunityVoice: { method: "POST", path: "/api/voices/community", isRepeatable: false },
  endChat: { method: "POST", path: "/api/chats/{chatId}/end", isRepeatable: false },
};

/** `PUT /api/numbers/{number}/agent`. */
export const operationText = ({ method, path }: Operation): string => `${method} ${path}`;

/** An operation with its request, before it has a URL and a token. */
export interface Call<Response> extends Operation {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  readonly read: Reader<Response>;
}

/** A PUT needs no body in its response, because the same request may be sent again (F9-F14). */
function readAssignment(body: ParsedBody): Reading<NumberResponse> {
  if (body.kind === "unreadable") {
    return { unusable: body.detail };
  }
  if (body.kind === "empty" || body.value === null) {
    return { value: undefined, issues: [] };
  }
  return isRefusal(body.value)
    ? { refused: true }
    : (numberResponseFromWire(body.value) ?? { unusable: "the response is JSON, but not an object" });
}

function readNew<Response>(body: ParsedBody, fromWire: (json: unknown) => Reading<Response>): Reading<Response> {
  if (body.kind === "unreadable") {
    return { unusable: body.detail };
  }
  return body.kind === "empty" ? { unusable: "the response is empty" } : fromWire(body.value);
}

/** Any 2xx ends a chat, with or without a body (4.4 does not specify one). A page of HTML comes from another server (F10). */
const readEnded = (body: ParsedBody): Reading<undefined> =>
  body.kind === "unreadable" && body.isPage ? { unusable: body.detail } : { value: undefined, issues: [] };

/** The id of a chat must fit into a path, because the request that ends the chat has the id in its path. */
function readChat(json: unknown): Reading<Chat> {
  const read = chatFromWire(json);
  return read !== undefined && !isSegment(read.value.chatId)
    ? { unusable: "the chatId in the response cannot be part of a URL, so this chat could never be ended" }
    : (read ?? { unusable: "the response has no chatId" });
}

/** The interface does not specify the headers' names (4.3). check refuses a value whose header has no name. */
function contextHeaders(request: AddCommunityVoiceRequest, names: VoiceHeaders = {}): Record<string, string> {
  const headers = CONTEXT_FIELDS.map((field) => [names[field], request[field]]);
  return Object.fromEntries(headers.filter(([name, value]) => name !== undefined && value !== undefined));
}

type ResponseOf<Name extends keyof Client> =
  Awaited<ReturnType<Client[Name]>> extends Outcome<infer Response> ? Response : never;

type CallOf<Name extends keyof Client> = (
  request: Parameters<Client[Name]>[0],
  names: VoiceHeaders | undefined,
) => Call<ResponseOf<Name>>;

/** How the call of each operation is made, with the names of its fields on the wire (mixed case, as the interface has them). */
export const CALLS: { readonly [Name in keyof Client]: CallOf<Name> } = {
  assignNumber: (request) => ({
    ...OPERATIONS.assignNumber,
    parameters: { number: request.number },
    body: assignmentToWire(request),
    read: readAssignment,
  }),
  createSmsChat: (request) => ({
    ...OPERATIONS.createSmsChat,
    body: bodyOf(request, {
      workspaceId: "workspaceId",
      agentId: "agent_id",
      fromNumber: "from_number",
      toNumber: "to_number",
      metadata: "metadata",
      serviceDynamicVariables: "service_dynamic_variables",
    }),
    read: (body) => readNew(body, readChat),
  }),
  addCommunityVoice: (request, names) => ({
    ...OPERATIONS.addCommunityVoice,
    headers: contextHeaders(request, names),
    body: bodyOf<AddCommunityVoiceRequest, keyof VoiceHeaders>(request, {
      workspaceId: "workspaceId",
      voiceProvider: "voiceProvider",
      providerVoiceId: "providerVoiceId",
      voiceName: "voiceName",
      publicUserId: "publicUserId",
    }),
    read: (body) => readNew(body, (json) => voiceFromWire(json) ?? { unusable: "the response has no voiceId" }),
  }),
  endChat: (request) => ({
    ...OPERATIONS.endChat,
    parameters: { chatId: request.chatId },
    body: bodyOf<EndChatRequest, "chatId">(request, { workspaceId: "workspaceId" }),
    read: readEnded,
  }),
};
