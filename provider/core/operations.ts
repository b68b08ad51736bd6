/** The four operations as this package speaks of them: camelCase everywhere. Names as on the wire live in wire.ts alone. */

/** One agent and its share of a number's traffic (interface 2.1). */
export interface WeightedAgent {
  agentId: string;
  agentVersion?: number | undefined;
  weight: number;
}

/** PUT /api/numbers/{number}/agent (interface 4.1). A field left out is not sent; `null` is sent as null. */
export interface AssignNumberRequest {
  number: string;
  accountSid?: string | undefined;
  workspaceId?: number | undefined;
  outboundAgentId?: string | null | undefined;
  outboundAgentVersion?: number | null | undefined;
  inboundAgents?: readonly WeightedAgent[] | null | undefined;
  inboundWebhookUrl?: string | null | undefined;
  isTimeRoutingEnabled?: boolean | null | undefined;
  /** Wire fields that the interface does not declare, sent as they are. */
  extraFields?: Readonly<Record<string, unknown>> | undefined;
}

/** What a record and the assignment object have in common (interface 2.2, 2.3). Absent is undefined; an explicit null stays null. */
export interface AssignmentAnswer {
  accountSid?: string | null | undefined;
  workspaceId?: number | null | undefined;
  agentId?: string | null | undefined;
  /** A single inbound agent. It counts only where `inboundAgents` is absent. */
  inboundAgentId?: string | null | undefined;
  inboundAgents?: WeightedAgent[] | null | undefined;
  outboundAgents?: WeightedAgent[] | null | undefined;
  isTimeRoutingEnabled?: boolean | null | undefined;
  /** Whether the platform failed to import the number: an error of its own beside a status of success. */
  platformImportError?: boolean | null | undefined;
  /** Its words. */
  platformImportErrorMessage?: string | null | undefined;
}

/** A number as the platform keeps it (interface 2.2). */
export interface NumberRecord extends AssignmentAnswer {
  id?: number | null | undefined;
  number?: string | null | undefined;
  baseNumber?: string | null | undefined;
  defaultAgentId?: string | null | undefined;
  inboundAgentVersion?: number | null | undefined;
  outboundAgentVersion?: number | null | undefined;
  applicationSid?: string | null | undefined;
  phoneNumberSid?: string | null | undefined;
  inboundWebhookUrl?: string | null | undefined;
}

/** The answer to an assignment (interface 4.1). */
export interface NumberAnswer {
  /** `false` with a status of success counts as refused. */
  success?: boolean | null | undefined;
  /** The platform's words. */
  message?: string | null | undefined;
  /** Records of numbers; which one is ours: the exact number, else its base number, else the only one. */
  numbers?: NumberRecord[] | null | undefined;
  assignment?: AssignmentAnswer | null | undefined;
}

/** POST /api/voices/community (interface 4.3). The last three travel as headers whose names the settings give. */
export interface AddCommunityVoiceRequest {
  workspaceId: number;
  voiceProvider: string;
  providerVoiceId: string;
  voiceName: string;
  publicUserId: string;
  actorType?: string | undefined;
  providerScope?: string | undefined;
  workspaceContext?: string | undefined;
}

/** A voice of a library (interface 2.5). */
export interface Voice {
  voiceId: string;
  name?: string | null | undefined;
  gender?: string | null | undefined;
  language?: string | null | undefined;
  accent?: string | null | undefined;
  description?: string | null | undefined;
  provider?: string | null | undefined;
  previewUrl?: string | null | undefined;
  playbackOverrideUrl?: string | null | undefined;
  tags?: string[] | null | undefined;
  createdAt?: string | null | undefined;
  updatedAt?: string | null | undefined;
}

/** POST /api/chats/outbound-sms (interface 4.2). */
export interface CreateSmsChatRequest {
  workspaceId: number;
  agentId: string;
  fromNumber: string;
  toNumber: string;
  metadata?: Readonly<Record<string, unknown>> | undefined;
  serviceDynamicVariables?: Readonly<Record<string, unknown>> | undefined;
}

/** A message of a chat (interface 2.4). */
export interface ChatMessage {
  /** Its text. */
  content?: string | null | undefined;
  name?: string | null | undefined;
  toolCalls?: Record<string, unknown>[] | null | undefined;
}

/** A chat (interface 2.4). */
export interface Chat {
  chatId: string;
  agentId?: string | null | undefined;
  version?: number | null | undefined;
  status?: string | null | undefined;
  type?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
  customAttributes?: Record<string, unknown> | null | undefined;
  startedAt?: string | null | undefined;
  endedAt?: string | null | undefined;
  transcript?: string | null | undefined;
  messages?: ChatMessage[] | null | undefined;
  chatCost?: Record<string, unknown> | null | undefined;
  chatAnalysis?: Record<string, unknown> | null | undefined;
  collectedDynamicVariables?: Record<string, unknown> | null | undefined;
  serviceDynamicVariables?: Record<string, unknown> | null | undefined;
  overrideDynamicVariables?: Record<string, unknown> | null | undefined;
}

/** POST /api/chats/{chatId}/end (interface 4.4). */
export interface EndChatRequest {
  /** The chat to end. */
  chatId: string;
  /** Workspace of the chat, an integer. */
  workspaceId: number;
}

/** What is known of an exchange with the platform, fit to be shown: it never holds a header, a body or the token. */
export interface Exchange {
  /** Method and path template, such as `PUT /api/numbers/{number}/agent`. */
  operation: string;
  /** HTTP status of the last answer; undefined where none came. */
  status?: number | undefined;
  /** What the platform calls the request, where its answer says so: for its support. */
  requestId?: string | undefined;
  /** How often it was tried. */
  attempts: number;
  /** How long all attempts took, in milliseconds. */
  elapsedMs: number;
}

/** Why an exchange was not applied, or is not known to be. Resources branch on this, never on text. */
export type Cause =
  | "refused" /* the platform answered with a status that says no, or success: false */
  | "unauthenticated" /* 401 */
  | "forbidden" /* 403 */
  | "notFound" /* 404 */
  | "rateLimited" /* 429 for longer than the deadline allows */
  | "redirected" /* 3xx: never followed */
  | "unreachable" /* no connection came about: nothing was sent */
  | "tls" /* the connection is not to be trusted: nothing was sent */
  | "serverError" /* 5xx */
  | "noAnswer" /* sent, and then silence, a reset or a cut answer */
  | "unusable" /* an answer that is none of the interface: not JSON, too large, without an id */
  | "stopped"; /* not sent: an earlier answer stopped the run (401) */

/** A failed exchange, in data; core/messages has the words. */
export interface Failure {
  /** What to branch on. */
  cause: Cause;
  /** What was exchanged. */
  exchange: Exchange;
  /** The platform's own words: cleaned of control characters, cut, and without the token. */
  platformMessage?: string | undefined;
  /** What happened below HTTP or in the answer, in our words: `connection refused by 127.0.0.1:8080`. */
  detail: string;
  /** Was the answer the platform's own JSON error (`{error}`)? A 404 of some proxy is not. */
  isPlatformError: boolean;
  /** When the platform wants to be asked again, in seconds. */
  retryAfterSeconds?: number | undefined;
}

/**
 * Every exchange ends in one of three ways; nothing else compiles.
 * `answer` is undefined where a 2xx had no usable body: applied, unverified. `issues` names answer fields of a wrong type, which are taken as absent.
 */
export type Outcome<Answer> =
  | { outcome: "applied"; answer: Answer | undefined; issues: string[]; exchange: Exchange }
  | { outcome: "rejected"; failure: Failure }
  | { outcome: "unknown"; failure: Failure };

/** The four operations, without Pulumi. */
export interface Client {
  assignNumber(request: AssignNumberRequest): Promise<Outcome<NumberAnswer>>;
  addCommunityVoice(request: AddCommunityVoiceRequest): Promise<Outcome<Voice>>;
  createSmsChat(request: CreateSmsChatRequest): Promise<Outcome<Chat>>;
  endChat(request: EndChatRequest): Promise<Outcome<Chat>>;
}
