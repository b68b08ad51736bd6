import * as z from "zod";
import { defined, isObject } from "../base/json";
import { wire } from "../base/schemas";
import { INVISIBLE, isDotSegment } from "../base/text";
import type { Method } from "../base/world";
import {
  FIELDS,
  type KindOf,
  NAMED_FIELDS,
  pick,
  shownFlag,
  shownInteger,
  shownText,
  VALUES,
  type WireOf,
  wireOf,
} from "../routing/fields";
import { weightEntries } from "../routing/inboundAgents";
import type { AssignmentFields } from "../routing/routing";
import { CONTEXT_FIELDS, type VoiceHeaders } from "../stack/settings";
import type { ParsedBody } from "./body";
import type { Outcome, Reader, Reading } from "./failure";

/** POST /api/voices/community (interface 4.3). The last three travel as headers whose names the settings give. */
export interface AddCommunityVoiceRequest {
  readonly workspaceId: number;
  readonly voiceProvider: string;
  readonly providerVoiceId: string;
  readonly voiceName: string;
  readonly publicUserId: string;
  readonly actorType?: string | undefined;
  readonly providerScope?: string | undefined;
  readonly workspaceContext?: string | undefined;
}

/** POST /api/chats/outbound-sms (interface 4.2). */
export interface CreateSmsChatRequest {
  readonly workspaceId: number;
  readonly agentId: string;
  readonly fromNumber: string;
  readonly toNumber: string;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly serviceDynamicVariables?: Readonly<Record<string, unknown>> | undefined;
}

/** POST /api/chats/{chatId}/end (interface 4.4). */
export interface EndChatRequest {
  readonly chatId: string;
  readonly workspaceId: number;
}

/** The API as the core knows it. */

const freeForm = wire(z.record(z.string(), z.unknown()));

const dateTime = wire(z.iso.datetime({ offset: true, local: true }));

type Camel<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name;

type Camelled<Wire> = { [Name in keyof Wire as Camel<Name>]: Wire[Name] };

/** `agent_id` as `agentId`, without fields that are absent: the engine cannot save undefined inside a list. Free-form values stay as they are. */
const camelled = <Wire extends object>(fields: Wire): Camelled<Wire> =>
  Object.fromEntries(
    Object.entries(defined(fields)).map(([name, value]) => [
      name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()),
      value,
    ]),
  ) as Camelled<Wire>;

/** Other fields tell of the outbound agent. */
const SHOWN_FIELDS = NAMED_FIELDS.filter((name) => name !== "outboundAgentId");

type ShownFields = { [Name in (typeof SHOWN_FIELDS)[number] as WireOf<Name>]: (typeof VALUES)[KindOf<Name>]["shown"] };

/** What a record and the assignment object have in common (interface 2.2, 2.3). */
const numberFields = z.object({
  ...(Object.fromEntries(SHOWN_FIELDS.map((name) => [wireOf(name), VALUES[FIELDS[name].value].shown])) as ShownFields),
  agent_id: shownText,
  inbound_agent_id: shownText,
  outbound_agents: weightEntries,
  platform_import_error: shownFlag,
  platform_import_error_message: shownText,
});

const numberRecord = numberFields
  .extend({
    id: shownInteger,
    number: shownText,
    base_number: shownText,
    default_agent_id: shownText,
    inbound_agent_version: shownInteger,
    application_sid: shownText,
    phone_number_sid: shownText,
  })
  .transform(camelled);

export const numberResponse = z.object({
  success: shownFlag,
  message: shownText,
  numbers: wire(z.array(numberRecord)),
  assignment: wire(numberFields.transform(camelled)),
});

const voice = z.object({
  voiceId: shownText,
  name: shownText,
  gender: shownText,
  language: shownText,
  accent: shownText,
  description: shownText,
  provider: shownText,
  previewUrl: shownText,
  playbackOverrideUrl: shownText,
  tags: wire(z.array(z.string())),
  createdAt: dateTime,
  updatedAt: dateTime,
});

const chatMessage = z
  .object({ content: shownText, name: shownText, tool_calls: wire(z.array(z.record(z.string(), z.unknown()))) })
  .transform(camelled);

const chat = z
  .object({
    chatId: shownText,
    agentId: shownText,
    version: shownInteger,
    status: shownText,
    type: shownText,
    metadata: freeForm,
    customAttributes: freeForm,
    startedAt: dateTime,
    endedAt: dateTime,
    transcript: shownText,
    messages: wire(z.array(chatMessage)),
    chatCost: freeForm,
    chatAnalysis: freeForm,
    collectedDynamicVariables: freeForm,
    service_dynamic_variables: freeForm,
    overrideDynamicVariables: freeForm,
  })
  .transform(camelled);

export type NumberRecord = z.output<typeof numberRecord>;

export type NumberResponse = z.output<typeof numberResponse>;

/** Neither a voice (interface 2.5) nor a chat (2.4) can be saved without its id. */
export type Voice = z.output<typeof voice> & { readonly voiceId: string };

export type Chat = z.output<typeof chat> & { readonly chatId: string };

// --- the operations

/** PUT /api/numbers/{number}/agent (interface 4.1). A field left out is not sent; `null` is sent as null. */
export interface AssignNumberRequest extends AssignmentFields {
  readonly number: string;
}

/** Each operation rejects with an InvalidRequestError if its request cannot be sent; else its outcome says how the exchange ended. */
export interface Client {
  /** Assigns or clears the agents of a number (interface 4.1). After an unknown outcome it is sent again: the same PUT twice does no harm. */
  assignNumber(request: AssignNumberRequest): Promise<Outcome<NumberResponse>>;
  /** Adds a voice to a library (interface 4.3). After an unknown outcome it is not sent again: there may be a voice already. */
  addCommunityVoice(request: AddCommunityVoiceRequest): Promise<Outcome<Voice>>;
  /** Starts a chat, which sends an SMS (interface 4.2). After an unknown outcome it is not sent again: an SMS may have been sent. */
  createSmsChat(request: CreateSmsChatRequest): Promise<Outcome<Chat>>;
  /** Ends a chat (interface 4.4). After an unknown outcome it is not sent again by itself; to end a chat twice does no harm. */
  endChat(request: EndChatRequest): Promise<Outcome<undefined>>;
}

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

// --- the URL: the name of a number or the id of a chat may be any text, and must stay one segment of the path

/** A request that cannot be sent. Nothing was sent. Its stack is its message, because the engine prints stacks. */
export class InvalidRequestError extends TypeError {
  constructor(message: string) {
    super(message);
    this.name = "InvalidRequestError";
    this.stack = message;
  }
}

/** Can the text be one segment of a path? `.` and `..` would lead to another path, whatever their encoding. */
const isSegment = (text: string): boolean => text !== "" && !isDotSegment(text) && !INVISIBLE.test(text);

/**
 * The URL of a path template, such as `/api/numbers/{number}/agent`, under the base URL. Throws if a parameter, which may be of an edited
 * state, is no segment, or if the URL parser would change the path.
 */
export function buildUrl(baseUrl: string, template: string, parameters: Readonly<Record<string, string>> = {}): URL {
  const segment = (_: string, name: string) => encodeURIComponent((parameters[name] ?? "").toWellFormed());
  const path = template.replace(/\{(\w+)\}/g, segment);
  const url = new URL(baseUrl + path);
  if (url.href !== baseUrl + path || !Object.values(parameters).every(isSegment)) {
    throw new InvalidRequestError(`${template} cannot be filled in so that it stays one path: nothing was sent.`);
  }
  return url;
}

// --- the body of a request

/** Interface 4.1. An edited state may have an extra field with the name of an argument: the argument counts. */
function assignmentBody(request: AssignNumberRequest): string {
  const { inboundAgents: agents, extraFields } = request;
  const entries = agents?.map(({ agentId, agentVersion, weight }) => ({
    agent_id: agentId,
    agent_version: agentVersion,
    weight,
  }));
  return JSON.stringify({
    ...extraFields,
    ...pick(request, NAMED_FIELDS),
    inboundAgents: agents === null ? null : entries,
  });
}

/** The body of a request, from the name on the wire of each of its fields but those that travel `Elsewhere`: a field without a name does not compile. */
const bodyWithNames = <Request extends object, Elsewhere = never>(
  request: Request,
  names: Readonly<Record<Exclude<keyof Request, Elsewhere>, string>>,
): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries<string>(names).map(([field, name]) => [name, Reflect.get(request, field)])),
  );

/** The interface does not specify the headers' names (4.3). check refuses a value whose header has no name. */
function contextHeaders(request: AddCommunityVoiceRequest, names: VoiceHeaders = {}): Record<string, string> {
  const headers = CONTEXT_FIELDS.map((field) => [names[field], request[field]]);
  return Object.fromEntries(headers.filter(([name, value]) => name !== undefined && value !== undefined));
}

// --- the body of a response

/** A field of a wrong type counts as absent, so the only value that does not fit is one that is no object. */
function readAs<Response>(schema: z.ZodType<Response>, json: unknown): { response: Response } | undefined {
  const { data } = schema.safeParse(json);
  return data === undefined ? undefined : { response: data };
}

/** A PUT needs no body in its response, because the same request may be sent again. */
function readAssignment(body: ParsedBody): Reading<NumberResponse> {
  if (body.kind === "unreadable") {
    return { unusable: body.detail };
  }
  if (body.kind === "empty" || body.value === null) {
    return { response: undefined };
  }
  return saysFailed(body.value)
    ? { refused: true }
    : (readAs(numberResponse, body.value) ?? { unusable: "the response is JSON, but not an object" });
}

/**
 * Does a 2xx say that the request failed: by `success`, by the error form of the interface (7.1), or by one that other servers write? If it
 * shows an assignment as well, the comparison with the request decides.
 */
export function saysFailed(json: unknown): boolean {
  if (!isObject(json)) {
    return false;
  }
  const { success, error, errors, status, numbers, assignment } = json;
  const hasFailed = isFilled(error) || isFilled(errors) || /^(?:error|fail(?:ed|ure)?)$/i.test(String(status));
  return success === false || success === "false" || (hasFailed && success !== true && !numbers && !assignment);
}

const isFilled = (value: unknown): boolean =>
  typeof value === "string" || Array.isArray(value)
    ? value.length > 0
    : isObject(value) && Object.keys(value).length > 0;

/** Reads what a POST made. Without an id, or with an empty one, it cannot be saved. */
const readNew =
  <Response extends object>(schema: z.ZodType, id: keyof Response & string) =>
  (body: ParsedBody): Reading<Response> => {
    if (body.kind !== "json") {
      return { unusable: body.kind === "empty" ? "the response is empty" : body.detail };
    }
    const read = readAs(schema as z.ZodType<Response>, body.value);
    return read?.response[id] ? read : { unusable: `the response has no ${id}` };
  };

const readVoice = readNew<Voice>(voice, "voiceId");

const readNewChat = readNew<Chat>(chat, "chatId");

/** The id of a chat must fit into a path, because the request that ends the chat has the id in its path. */
function readChat(body: ParsedBody): Reading<Chat> {
  const read = readNewChat(body);
  return "response" in read && !isSegment(read.response?.chatId ?? "")
    ? { unusable: "the chatId in the response cannot be part of a URL, so this chat could never be ended" }
    : read;
}

/** Any 2xx ends a chat, with or without a body (4.4 does not specify one). A page of HTML comes from another server. */
const readEnded = (body: ParsedBody): Reading<undefined> =>
  body.kind === "unreadable" && body.isPage ? { unusable: body.detail } : { response: undefined };

// --- the calls

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
    body: assignmentBody(request),
    read: readAssignment,
  }),
  createSmsChat: (request) => ({
    ...OPERATIONS.createSmsChat,
    body: bodyWithNames(request, {
      workspaceId: "workspaceId",
      agentId: "agent_id",
      fromNumber: "from_number",
      toNumber: "to_number",
      metadata: "metadata",
      serviceDynamicVariables: "service_dynamic_variables",
    }),
    read: readChat,
  }),
  addCommunityVoice: (request, names) => ({
    ...OPERATIONS.addCommunityVoice,
    headers: contextHeaders(request, names),
    body: bodyWithNames<AddCommunityVoiceRequest, keyof VoiceHeaders>(request, {
      workspaceId: "workspaceId",
      voiceProvider: "voiceProvider",
      providerVoiceId: "providerVoiceId",
      voiceName: "voiceName",
      publicUserId: "publicUserId",
    }),
    read: readVoice,
  }),
  endChat: (request) => ({
    ...OPERATIONS.endChat,
    parameters: { chatId: request.chatId },
    body: bodyWithNames<EndChatRequest, "chatId">(request, { workspaceId: "workspaceId" }),
    read: readEnded,
  }),
};
