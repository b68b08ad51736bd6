/** The operations in camelCase. fields.ts and client/wire.ts have the names that are on the wire. */

/** One agent and its weight in a number's traffic split (interface 2.1). */
export interface WeightedAgent {
  readonly agentId: string;
  readonly agentVersion?: number | undefined;
  readonly weight: number;
}

/** PUT /api/numbers/{number}/agent (interface 4.1). A field left out is not sent; `null` is sent as null. */
export interface AssignNumberRequest {
  readonly number: string;
  readonly accountSid?: string | undefined;
  readonly workspaceId?: number | undefined;
  readonly outboundAgentId?: string | null | undefined;
  readonly outboundAgentVersion?: number | null | undefined;
  readonly inboundAgents?: readonly WeightedAgent[] | null | undefined;
  readonly inboundWebhookUrl?: string | null | undefined;
  readonly isTimeRoutingEnabled?: boolean | null | undefined;
  /** Wire fields that the interface does not declare, sent as they are. */
  readonly extraFields?: Readonly<Record<string, unknown>> | undefined;
}

/** What a record and the assignment object have in common (interface 2.2, 2.3). Absent is undefined; an explicit null stays null. */
export interface AssignmentAnswer {
  readonly accountSid?: string | null | undefined;
  readonly workspaceId?: number | null | undefined;
  /** An agent; taken for the outbound one, since the API does not specify which field shows that. */
  readonly agentId?: string | null | undefined;
  /** A single inbound agent. It counts only if `inboundAgents` is absent. */
  readonly inboundAgentId?: string | null | undefined;
  readonly inboundAgents?: WeightedAgent[] | null | undefined;
  /** Agents for outbound calls and their weights. */
  readonly outboundAgents?: WeightedAgent[] | null | undefined;
  readonly isTimeRoutingEnabled?: boolean | null | undefined;
  /** Whether the platform failed to import the number: an error of its own beside a status of success. */
  readonly platformImportError?: boolean | null | undefined;
  /** Its words. */
  readonly platformImportErrorMessage?: string | null | undefined;
}

/** A number as the platform keeps it (interface 2.2). */
export interface NumberRecord extends AssignmentAnswer {
  readonly id?: number | null | undefined;
  readonly number?: string | null | undefined;
  readonly baseNumber?: string | null | undefined;
  /** An agent; taken for the outbound one if no other field shows that. */
  readonly defaultAgentId?: string | null | undefined;
  /** An integer; taken for the version of a single inbound agent. */
  readonly inboundAgentVersion?: number | null | undefined;
  readonly outboundAgentVersion?: number | null | undefined;
  readonly applicationSid?: string | null | undefined;
  readonly phoneNumberSid?: string | null | undefined;
  readonly inboundWebhookUrl?: string | null | undefined;
}

/** What of the platform's record the inputs do not say (interface 2.2). */
export interface PlatformIds {
  /** Id of the number's record, an integer. */
  readonly id?: number | undefined;
  /** What the platform calls the phone number. */
  readonly phoneNumberSid?: string | undefined;
  /** What the platform calls the application behind it. */
  readonly applicationSid?: string | undefined;
  /** The number that an extension belongs to; absent if it is the number itself. */
  readonly baseNumber?: string | undefined;
}

/** The response to an assignment (interface 4.1). */
export interface NumberAnswer {
  /** `false` with a status of success counts as refused. */
  readonly success?: boolean | null | undefined;
  /** The platform's words. */
  readonly message?: string | null | undefined;
  /** Records of numbers; which one is ours: the exact number, else its base number, else the only one. */
  readonly numbers?: NumberRecord[] | null | undefined;
  /** What was assigned, without the number itself (interface 2.3). */
  readonly assignment?: AssignmentAnswer | null | undefined;
}

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

/** A voice of a library (interface 2.5). */
export interface Voice {
  readonly voiceId: string;
  readonly name?: string | null | undefined;
  readonly gender?: string | null | undefined;
  readonly language?: string | null | undefined;
  readonly accent?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly provider?: string | null | undefined;
  readonly previewUrl?: string | null | undefined;
  readonly playbackOverrideUrl?: string | null | undefined;
  readonly tags?: string[] | null | undefined;
  readonly createdAt?: string | null | undefined;
  readonly updatedAt?: string | null | undefined;
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

/** A message of a chat (interface 2.4). */
export interface ChatMessage {
  /** Its text. */
  readonly content?: string | null | undefined;
  /** A name; the API does not specify whose. */
  readonly name?: string | null | undefined;
  /** Calls of tools; the API does not specify what is in them. */
  readonly toolCalls?: Record<string, unknown>[] | null | undefined;
}

/** A chat (interface 2.4). */
export interface Chat {
  readonly chatId: string;
  readonly agentId?: string | null | undefined;
  readonly version?: number | null | undefined;
  readonly status?: string | null | undefined;
  readonly type?: string | null | undefined;
  readonly metadata?: Record<string, unknown> | null | undefined;
  readonly customAttributes?: Record<string, unknown> | null | undefined;
  readonly startedAt?: string | null | undefined;
  readonly endedAt?: string | null | undefined;
  readonly transcript?: string | null | undefined;
  readonly messages?: ChatMessage[] | null | undefined;
  readonly chatCost?: Record<string, unknown> | null | undefined;
  readonly chatAnalysis?: Record<string, unknown> | null | undefined;
  readonly collectedDynamicVariables?: Record<string, unknown> | null | undefined;
  readonly serviceDynamicVariables?: Record<string, unknown> | null | undefined;
  readonly overrideDynamicVariables?: Record<string, unknown> | null | undefined;
}

/** POST /api/chats/{chatId}/end (interface 4.4). */
export interface EndChatRequest {
  /** The chat to end. */
  readonly chatId: string;
  /** Workspace of the chat, an integer. */
  readonly workspaceId: number;
}

/** What is known of an exchange with the platform, fit to be shown: it never holds a header, a body or the token. */
export interface Exchange {
  /** Method and path template, such as `PUT /api/numbers/{number}/agent`. */
  readonly operation: string;
  /** HTTP status of the last response; undefined if none came. */
  readonly status?: number | undefined;
  /** The platform's id of the request, if its response has one: for the platform's support. */
  readonly requestId?: string | undefined;
  /** How often it was tried. */
  readonly attempts: number;
  /** How long all attempts took, in milliseconds. */
  readonly elapsedMs: number;
}

/** Why an exchange was not applied, or is not known to be. Resources branch on this, never on text. */
export type Cause =
  | "refused" /* the platform returned a status that says no, or success: false */
  | "unauthenticated" /* 401 */
  | "forbidden" /* 403 */
  | "notFound" /* 404 */
  | "rateLimited" /* 429 for longer than the deadline allows */
  | "redirected" /* 3xx: never followed */
  | "unreachable" /* no connection was opened: nothing was sent */
  | "proxy" /* the proxy opened no connection to the platform: nothing was sent */
  | "tls" /* the connection is not to be trusted: nothing was sent */
  | "serverError" /* 5xx */
  | "noAnswer" /* sent, and then silence, a reset or a cut response */
  | "unusable"; /* a response that the interface does not describe: not JSON, too large, without an id */

/** A failed exchange, in data; core/messages has the words. */
export interface Failure {
  /** What to branch on. */
  readonly cause: Cause;
  /** What was exchanged. */
  readonly exchange: Exchange;
  /** The platform's own words: cleaned of control characters, cut, and without the token. */
  readonly platformMessage?: string | undefined;
  /** What happened below HTTP or in the response, in our words: `connection refused by 127.0.0.1:8080`. */
  readonly detail: string;
  /**
   * Was the response the platform's own JSON error: `{error}` and nothing beside it, as `application/json`, in words that a gateway does
   * not use of a path? Only then does a 404 to the clearing of a number mean that the number does not exist. A gateway that answers in exactly
   * this form, in words of its own, cannot be told from the platform.
   */
  readonly isPlatformError: boolean;
  /** When the platform wants to be asked again, in seconds. */
  readonly retryAfterSeconds?: number | undefined;
}

/**
 * Every exchange ends in one of three ways; nothing else compiles.
 * `answer` is undefined if a 2xx had no usable body: applied, unverified. `issues` names response fields of a wrong type, which are taken as absent.
 */
export type Outcome<Answer> =
  | { outcome: "applied"; answer: Answer | undefined; issues: string[]; exchange: Exchange }
  | { outcome: "rejected"; failure: Failure }
  | { outcome: "unknown"; failure: Failure };

/** The operations of the API. Each rejects with an InvalidRequestError if its request cannot be sent; else its outcome says how the exchange ended. */
export interface Client {
  /** Assigns or clears the agents of a number (interface 4.1). After an unknown outcome it is sent again: the same PUT twice does no harm. */
  assignNumber(request: AssignNumberRequest): Promise<Outcome<NumberAnswer>>;
  /** Adds a voice to a library (interface 4.3). After an unknown outcome it is not sent again: there may be a voice already. */
  addCommunityVoice(request: AddCommunityVoiceRequest): Promise<Outcome<Voice>>;
  /** Starts a chat, which sends an SMS (interface 4.2). After an unknown outcome it is not sent again: an SMS may have been sent. */
  createSmsChat(request: CreateSmsChatRequest): Promise<Outcome<Chat>>;
  /** Ends a chat (interface 4.4). After an unknown outcome it is not sent again by itself; to end a chat twice does no harm. */
  endChat(request: EndChatRequest): Promise<Outcome<Chat>>;
}
