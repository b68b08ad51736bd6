/** The requests in camelCase, and how an exchange ends. fields.ts and client/calls.ts have the names that are on the wire. */

/** What the platform adds to a number's record: identifiers that the inputs do not have (interface 2.2). */
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

/** What is known of an exchange with the platform, fit to be shown: it never holds a header, a body or the token. */
export interface Exchange {
  /** Method and path template, such as `PUT /api/numbers/{number}/agent`. */
  readonly operation: string;
  /** HTTP status of the last response; undefined if none came. */
  readonly status?: number | undefined;
  /** The platform's id of the request, if its response has one: for the platform's support. */
  readonly requestId?: string | undefined;
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
  | "noResponse" /* sent, and then silence, a reset or a cut response */
  | "unusable"; /* a response that the interface does not describe: not JSON, too large, without an id */

/** What the response, or the connection, says about the way out, where the remedy of the code does not know it. core/messages has the words. */
export interface Advice {
  readonly why:
    | ("elsewhere" | "inTheWay") /* a redirect */
    | "proxyCredentials" /* no connection */
    | ("page" | "notThePlatform" | "noReason") /* a response without the platform's words */
    | "clearing" /* a request that clears a field was refused */;
  /** Where a redirect leads. */
  readonly address?: string | undefined;
}

/** A failed exchange, in data; core/messages has the words. */
export interface Failure {
  readonly cause: Cause;
  readonly exchange: Exchange;
  /** The platform's own words: cleaned of control characters, cut, and without the token. */
  readonly platformMessage?: string | undefined;
  /** What happened below HTTP or in the response, in our words: `connection refused by 127.0.0.1:8080`. */
  readonly detail: string;
  /** Was it the platform's own JSON error? Only then does a 404 to the clearing of a number mean that the number does not exist. */
  readonly isPlatformError: boolean;
  readonly advice?: Advice | undefined;
  /** When the platform wants to be asked again, in seconds. */
  readonly retryAfterSeconds?: number | undefined;
}

/** With these causes no connection to the platform was opened. */
const UNSENT: readonly Cause[] = ["unreachable", "proxy", "tls"];

/** Has the platform seen nothing of a request that was not carried out? */
export const isUnsent = ({ cause }: Failure): boolean => UNSENT.includes(cause);

/** `response` is undefined if a 2xx had no usable body. */
export type Outcome<Response> =
  | { outcome: "applied"; response: Response | undefined; exchange: Exchange }
  | { outcome: "rejected"; failure: Failure }
  | { outcome: "unknown"; failure: Failure };
