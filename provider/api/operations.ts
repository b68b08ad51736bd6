import * as z from "zod";
import { defined, isObject, pick } from "../base/json";
import { wire } from "../base/schemas";
import { INVISIBLE, isDotSegment } from "../base/text";
import type { Method } from "../base/world";
import { CONTEXT_FIELDS, type Settings, type VoiceHeaders } from "../config/settings";
import { weightEntries } from "../routing/inboundAgents";
import { type Assignment, type ClearMode, FIELDS, NAMED_FIELDS, PUBLIC_FIELDS, toClear } from "../routing/routing";
import { toAgents } from "../routing/split";
import type { Call, Read } from "./attempt";
import { type HiddenTexts, hiddenTexts, type ParsedBody } from "./body";
import type { Outcome } from "./failure";

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
interface EndChatRequest {
  readonly chatId: string;
  readonly workspaceId: number;
  /** What the chat was started with. It is not sent, but the response may repeat it. */
  readonly saved?: object;
}

const wireText = wire(z.string());

const wireInteger = wire(z.int());

const wireFlag = wire(z.boolean());

const freeObject = z.record(z.string(), z.unknown());

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

/** What a record and the assignment object have in common (interface 2.2, 2.3). */
const numberFields = z.object({
  account_sid: wireText,
  workspace_id: wireInteger,
  outbound_agent_version: wireInteger,
  inbound_agents: weightEntries,
  inbound_webhook_url: wireText,
  is_time_routing_enabled: wireFlag,
  agent_id: wireText,
  inbound_agent_id: wireText,
  outbound_agents: weightEntries,
  platform_import_error: wireFlag,
  platform_import_error_message: wireText,
});

const numberRecord = numberFields
  .extend({
    id: wireInteger,
    number: wireText,
    base_number: wireText,
    default_agent_id: wireText,
    inbound_agent_version: wireInteger,
    application_sid: wireText,
    phone_number_sid: wireText,
  })
  .transform(camelled);

export const numberResponse = z.object({
  success: wireFlag,
  message: wireText,
  numbers: wire(z.array(numberRecord)),
  assignment: wire(numberFields.transform(camelled)),
});

const voice = z.object({
  voiceId: wireText,
  name: wireText,
  gender: wireText,
  language: wireText,
  accent: wireText,
  description: wireText,
  provider: wireText,
  previewUrl: wireText,
  playbackOverrideUrl: wireText,
  tags: wire(z.array(z.string())),
  createdAt: dateTime,
  updatedAt: dateTime,
});

const chat = z
  .object({
    chatId: wireText,
    agentId: wireText,
    version: wireInteger,
    status: wireText,
    type: wireText,
    metadata: wire(freeObject),
    customAttributes: wire(freeObject),
    startedAt: dateTime,
    endedAt: dateTime,
    transcript: wireText,
    messages: wire(
      z.array(
        z.object({ content: wireText, name: wireText, tool_calls: wire(z.array(freeObject)) }).transform(camelled),
      ),
    ),
    chatCost: wire(freeObject),
    chatAnalysis: wire(freeObject),
    collectedDynamicVariables: wire(freeObject),
    service_dynamic_variables: wire(freeObject),
    overrideDynamicVariables: wire(freeObject),
  })
  .transform(camelled);

export type NumberRecord = z.output<typeof numberRecord>;

export type NumberResponse = z.output<typeof numberResponse>;

/** Neither a voice (interface 2.5) nor a chat (2.4) can be saved without its id. */
export type Voice = z.output<typeof voice> & { readonly voiceId: string };

export type Chat = z.output<typeof chat> & { readonly chatId: string };

// --- the operations

/** Each operation rejects with an InvalidRequestError if its request cannot be sent; else its outcome says how the exchange ended. */
export interface Api {
  /** Assigns or clears the agents of a number (interface 4.1). After an unknown outcome it is sent again: the same PUT twice does no harm. */
  assignNumber(assignment: Assignment): Promise<Outcome<NumberResponse>>;
  /** Adds a voice to a library (interface 4.3). After an unknown outcome it is not sent again: there may be a voice already. */
  addCommunityVoice(request: AddCommunityVoiceRequest): Promise<Outcome<Voice>>;
  /** Starts a chat, which sends an SMS (interface 4.2). After an unknown outcome it is not sent again: an SMS may have been sent. */
  createSmsChat(request: CreateSmsChatRequest): Promise<Outcome<Chat>>;
  /** Ends a chat (interface 4.4). After an unknown outcome it is not sent again by itself; to end a chat twice does no harm. */
  endChat(request: EndChatRequest): Promise<Outcome<undefined>>;
}

type OperationText = `${Method} /${string}`;

/** The operations of the interface, with the template of their path: fit for logs, unlike the path. */
export const OPERATIONS = {
  assignNumber: "PUT /api/numbers/{number}/agent",
  createSmsChat: "POST /api/chats/outbound-sms",
  addCommunityVoice: "POST /api/voices/community",
  endChat: "POST /api/chats/{chatId}/end",
} as const satisfies Readonly<Record<keyof Api, OperationText>>;

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

/**
 * Interface 4.1. It has only fields that are declared, and those that are cleared. An edited state may have an extra field with the name of an
 * argument: the argument counts.
 */
function assignmentBody(assignment: Assignment, clearWith: ClearMode | undefined): string {
  const { routing } = assignment;
  const { fields, extraFields } = toClear(assignment);
  const agentStays = routing.outboundAgentId !== undefined;
  const cleared = fields.map((field) => [field, clearedValue(FIELDS[field].empty, agentStays, clearWith)] as const);
  const agents = routing.inboundAgents && toAgents(routing.inboundAgents);
  return JSON.stringify({
    ...Object.fromEntries(clearWith === "omit" ? [] : extraFields.map((name) => [name, null])),
    ...routing.extraFields,
    ...pick(routing, NAMED_FIELDS),
    inboundAgents: agents?.map(({ agentId, agentVersion, weight }) => ({
      agent_id: agentId,
      agent_version: agentVersion,
      weight,
    })),
    ...Object.fromEntries(cleared),
  });
}

/** What clears a field: the form of the setting, else its natural form, an empty list or null. JSON leaves undefined out. */
function clearedValue(empty: unknown, agentStays: boolean, clearWith: ClearMode | undefined): unknown {
  if (clearWith === "omit") {
    return undefined;
  }
  // A version has no empty form. It goes with its agent; if the agent stays, null clears the version.
  const hasForm = empty !== undefined || !agentStays;
  if (hasForm && (clearWith === "empty" || (clearWith === undefined && Array.isArray(empty)))) {
    return empty;
  }
  return null;
}

/** The body of a request, from the name on the wire of each of its fields but those that travel `Elsewhere`: a field without a name does not compile. */
const bodyWithNames = <Request extends object, Elsewhere = never>(
  request: Request,
  names: Readonly<Record<Exclude<keyof Request, Elsewhere>, string>>,
): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries<string>(names).map(([field, name]) => [name, Reflect.get(request, field)])),
  );

// --- the body of a response

/** A field of a wrong type counts as absent, so the only value that does not fit is one that is no object. */
function readAs<Response>(schema: z.ZodType<Response>, json: unknown): { response: Response } | undefined {
  const { data } = schema.safeParse(json);
  return data === undefined ? undefined : { response: data };
}

/** A PUT needs no body in its response, because the same request may be sent again. */
function readAssignment(body: ParsedBody): Read<NumberResponse> {
  if (body.form === "unreadable") {
    return { unusable: body.detail };
  }
  if (body.form === "empty" || body.value === null) {
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
  return (
    success === false ||
    success === "false" ||
    (hasFailed && success !== true && !isFilled(numbers) && !isFilled(assignment))
  );
}

const isFilled = (value: unknown): boolean =>
  typeof value === "string" || Array.isArray(value)
    ? value.length > 0
    : isObject(value) && Object.keys(value).length > 0;

/** Reads what a POST made. Without an id, or with an empty one, it cannot be saved. */
function readNew<Made extends object, Id extends keyof Made & string>(
  body: ParsedBody,
  schema: z.ZodType<Made>,
  id: Id,
): Read<Made & Record<Id, string>> {
  if (body.form !== "json") {
    return { unusable: body.form === "empty" ? "the response is empty" : body.detail };
  }
  const read = readAs(schema, body.value);
  return read?.response[id]
    ? { response: read.response as Made & Record<Id, string> }
    : { unusable: `the response has no ${id}` };
}

// --- what no message shows

/** Of a number: what it is to have, and what it may have. */
export const hiddenOf = ({ routing, mayHave }: Assignment): HiddenTexts =>
  new Map(
    [mayHave, routing].flatMap(({ extraFields, ...named }) => [
      ...hiddenTexts({ ...extraFields, ...named }, PUBLIC_FIELDS),
    ]),
  );

/** Of a voice or a chat, and of what is saved of it, everybody may see these. */
const SHOWN = ["workspaceId", "agentId", "chatId", "endpoint", "secretArguments"];

// --- the calls

/** What a call needs of the settings of a run. */
type CallSettings = Pick<Settings, "baseUrl" | "clearWith" | "voiceHeaders">;

/** How the call of each operation is made, with the names of its fields on the wire (mixed case, as the interface has them). */
export const CALLS = {
  assignNumber: (assignment: Assignment, { baseUrl, clearWith }: CallSettings): Call<NumberResponse> => ({
    ...requestOf(OPERATIONS.assignNumber, baseUrl, { number: assignment.number }),
    body: assignmentBody(assignment, clearWith),
    hidden: hiddenOf(assignment),
    read: readAssignment,
  }),
  createSmsChat: (request: CreateSmsChatRequest, { baseUrl }: CallSettings): Call<Chat> => ({
    ...requestOf(OPERATIONS.createSmsChat, baseUrl),
    body: bodyWithNames(request, {
      workspaceId: "workspaceId",
      agentId: "agent_id",
      fromNumber: "from_number",
      toNumber: "to_number",
      metadata: "metadata",
      serviceDynamicVariables: "service_dynamic_variables",
    }),
    hidden: hiddenTexts(request, SHOWN),
    read(body) {
      const read = readNew(body, chat, "chatId");
      // The request that ends the chat has the id in its path.
      return "response" in read && !isSegment(read.response?.chatId ?? "")
        ? { unusable: "the chatId in the response cannot be part of a URL, so this chat could never be ended" }
        : read;
    },
  }),
  addCommunityVoice: (
    request: AddCommunityVoiceRequest,
    { baseUrl, voiceHeaders = {} }: CallSettings,
  ): Call<Voice> => ({
    ...requestOf(OPERATIONS.addCommunityVoice, baseUrl),
    // The interface does not specify the headers' names (4.3). check refuses a value whose header has no name.
    headers: Object.fromEntries(
      CONTEXT_FIELDS.map((field) => [voiceHeaders[field], request[field]]).filter(
        ([name, value]) => name !== undefined && value !== undefined,
      ),
    ),
    body: bodyWithNames<AddCommunityVoiceRequest, keyof VoiceHeaders>(request, {
      workspaceId: "workspaceId",
      voiceProvider: "voiceProvider",
      providerVoiceId: "providerVoiceId",
      voiceName: "voiceName",
      publicUserId: "publicUserId",
    }),
    hidden: hiddenTexts(request, SHOWN),
    read: (body) => readNew(body, voice, "voiceId"),
  }),
  endChat: (request: EndChatRequest, { baseUrl }: CallSettings): Call<undefined> => ({
    ...requestOf(OPERATIONS.endChat, baseUrl, { chatId: request.chatId }),
    body: bodyWithNames<EndChatRequest, "chatId" | "saved">(request, { workspaceId: "workspaceId" }),
    hidden: hiddenTexts(request.saved ?? {}, SHOWN),
    // Any other 2xx ends a chat, with or without a body (4.4 does not specify one). Markup comes from another server.
    read(body) {
      if (body.form === "unreadable" && body.isMarkup) {
        return { unusable: body.detail };
      }
      // If the body is a chat, its status is that of the chat (2.4).
      const isRefused =
        body.form === "json" && isObject(body.value) && saysFailed({ ...body.value, status: undefined });
      return isRefused ? { refused: true } : { response: undefined };
    },
  }),
};

/** @param operation a row of OPERATIONS */
function requestOf(operation: OperationText, baseUrl: string, parameters: Readonly<Record<string, string>> = {}) {
  const [method, template] = operation.split(" ") as [Method, string];
  return {
    operation,
    method,
    url: buildUrl(baseUrl, template, parameters),
    headers: {},
  } as const;
}
