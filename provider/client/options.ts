import { parseBaseUrl, parseToken } from "../core/endpoint";
import { InvalidOptionsError } from "./errors";
import { proxyRefusal } from "./proxy";
import { type ClientRuntime, systemRuntime } from "./runtime";

/** One record per attempt: no body, no header, no number. */
export interface AttemptLog {
  method: string;
  /** The path template, without the number. */
  path: string;
  attempt: number;
  status?: number | undefined;
  requestId?: string | undefined;
  ms: number;
  outcome: "applied" | "rejected" | "unknown";
  cause?: string | undefined;
  /** Milliseconds until the next attempt; absent on the last one. */
  nextAttemptInMs?: number | undefined;
}

export interface ClientOptions {
  /** https, or http on loopback; a path in it is kept in front of `/api`. */
  baseUrl: string;
  /** The bearer token. A function is asked before each attempt, so that a rotated token is taken up. */
  accessToken: string | (() => string);
  /** How long one attempt may take, in seconds. @default 30 */
  requestTimeoutSeconds?: number | undefined;
  /** How long one operation may take in all, in seconds from its first attempt; waiting for its turn is not counted. @default 60 */
  deadlineSeconds?: number | undefined;
  /** Attempts in all; 1 sends once. An attempt that was answered 429 is not counted: the deadline bounds those. @default 4 */
  retries?: number | undefined;
  /** Operations under way at the same time. @default 16 */
  concurrency?: number | undefined;
  /** Name of the header that carries a voice's `actorType`: the interface does not show it (4.3). @default none: a voice that has one is refused */
  actorTypeHeader?: string | undefined;
  /** Name of the header that carries a voice's `providerScope`. @default none */
  providerScopeHeader?: string | undefined;
  /** Name of the header that carries a voice's `workspaceContext`. @default none */
  workspaceContextHeader?: string | undefined;
  /** Called once an attempt: no body, no header, no number. @default nothing is logged */
  log?: ((line: AttemptLog) => void) | undefined;
  /** The environment, read for proxy variables only. @default {} */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** For tests: clock, chance and waiting. @default the machine's */
  runtime?: ClientRuntime | undefined;
}

export interface ContextHeaders {
  actorType: string | undefined;
  providerScope: string | undefined;
  workspaceContext: string | undefined;
}

export interface Settings {
  baseUrl: string;
  /** host:port as messages name it. */
  host: string;
  token: () => string;
  attemptMs: number;
  deadlineMs: number;
  attempts: number;
  concurrency: number;
  headers: ContextHeaders;
  log: (line: AttemptLog) => void;
  runtime: ClientRuntime;
}

/** What HTTP itself uses: a context sent under one of these would change the request. */
const RESERVED =
  /^(?:authorization|host|connection|content-.*|transfer-encoding|cookie|accept.*|expect|te|upgrade|trailer|proxy-.*|keep-alive|user-agent)$/i;

function headerName(option: string, value: string | undefined): string | undefined {
  if (value === undefined) {
    return undefined;
  }
  if (!/^[\w!#$%&'*+.^`|~-]{1,100}$/.test(value) || RESERVED.test(value)) {
    throw new InvalidOptionsError(`${option} must be a header name of its own, of letters, digits and hyphens.`);
  }
  return value.toLowerCase();
}

function seconds(option: string, value: number): number {
  // Timers hold 31 bits of milliseconds; a day is far below.
  if (!Number.isFinite(value) || value <= 0 || value > 86_400) {
    throw new InvalidOptionsError(`${option} must be a number of seconds above 0 and at most 86400, and is ${value}.`);
  }
  return value * 1000;
}

function count(option: string, value: number, most: number): number {
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw new InvalidOptionsError(`${option} must be a whole number from 1 to ${most}, and is ${value}.`);
  }
  return value;
}

function checkedToken(text: unknown): string {
  if (typeof text !== "string") {
    throw new InvalidOptionsError("The access token is missing.");
  }
  const { token, problem } = parseToken(text);
  if (token === undefined) {
    throw new InvalidOptionsError(problem);
  }
  return token;
}

function tokenSource(accessToken: ClientOptions["accessToken"]): () => string {
  if (typeof accessToken === "function") {
    return () => checkedToken(accessToken());
  }
  const token = checkedToken(accessToken);
  return () => token;
}

function checkedBaseUrl(options: ClientOptions): string {
  const { url, problem } = parseBaseUrl(typeof options.baseUrl === "string" ? options.baseUrl : "");
  if (url === undefined) {
    throw new InvalidOptionsError(problem);
  }
  const refusal = proxyRefusal(url, options.env ?? {});
  if (refusal !== undefined) {
    throw new InvalidOptionsError(refusal);
  }
  return url;
}

function hostAndPort(baseUrl: string): string {
  const { protocol, hostname, port } = new URL(baseUrl);
  return `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
}

/** Options as the client uses them; throws an InvalidOptionsError of one sentence. */
export function parseOptions(options: ClientOptions): Settings {
  const baseUrl = checkedBaseUrl(options);
  return {
    baseUrl,
    host: hostAndPort(baseUrl),
    token: tokenSource(options.accessToken),
    attemptMs: seconds("requestTimeoutSeconds", options.requestTimeoutSeconds ?? 30),
    deadlineMs: seconds("deadlineSeconds", options.deadlineSeconds ?? 60),
    attempts: count("retries", options.retries ?? 4, 100),
    concurrency: count("concurrency", options.concurrency ?? 16, 1000),
    headers: {
      actorType: headerName("actorTypeHeader", options.actorTypeHeader),
      providerScope: headerName("providerScopeHeader", options.providerScopeHeader),
      workspaceContext: headerName("workspaceContextHeader", options.workspaceContextHeader),
    },
    log: options.log ?? (() => undefined),
    runtime: options.runtime ?? systemRuntime,
  };
}
