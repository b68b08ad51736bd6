import { setTimeout as sleep } from "node:timers/promises";
import { parseBaseUrl } from "../core/endpoint";
import { parseToken } from "../core/readSettings";
import { MOST, RESERVED_HEADER } from "../core/settings";
import { InvalidOptionsError } from "./errors";
import { chooseProxy, hostAndPort, type ProxyServer } from "./proxy";

/** Time and chance as the client sees them; tests bring their own, so that nothing sleeps. */
export interface ClientRuntime {
  /** Milliseconds that never run backwards: every duration is measured by it. */
  now(): number;
  /** Milliseconds since 1970, for HTTP dates alone (a clock may jump). */
  wallClock(): number;
  /** From 0 up to, but without, 1. */
  random(): number;
  delay(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemRuntime: ClientRuntime = {
  now: () => performance.now(),
  wallClock: () => Date.now(),
  random: () => Math.random(),
  delay: async (milliseconds, signal) => {
    await sleep(milliseconds, undefined, signal ? { signal } : {});
  },
};

/** One record per attempt: no body, no header, no number. */
export interface AttemptLog {
  readonly method: string;
  /** The path template, without the number. */
  readonly path: string;
  /** Which attempt of its operation, from 1. */
  readonly attempt: number;
  /** HTTP status of the response; absent where none came. */
  readonly status?: number | undefined;
  /** What the platform calls the request, where its response says so. */
  readonly requestId?: string | undefined;
  /** How long this attempt took, in milliseconds. */
  readonly ms: number;
  /** What is known after this attempt. */
  readonly outcome: "applied" | "rejected" | "unknown";
  /** Why it was not applied, as `Failure.cause`. */
  readonly cause?: string | undefined;
  /** Milliseconds until the next attempt; absent on the last one. */
  readonly nextAttemptInMs?: number | undefined;
}

export interface ClientOptions {
  /** https, or http on loopback; a path in it is kept in front of `/api`. */
  readonly baseUrl: string;
  /** The bearer token. A function is asked before each attempt, so that a rotated token is taken up. */
  readonly accessToken: string | (() => string);
  /** How long one attempt may take, in seconds, at most 86,400. @default 30 */
  readonly requestTimeoutSeconds?: number | undefined;
  /** How long one operation may take in all, in seconds from its first attempt, at most 86,400; waiting to be sent is not counted. @default 60 */
  readonly deadlineSeconds?: number | undefined;
  /** Attempts in all, at most 100; 1 sends once. An attempt that got a 429 is not counted: the deadline bounds those. @default 4 */
  readonly attempts?: number | undefined;
  /** Operations under way at the same time, at most 1000. @default 16 */
  readonly concurrency?: number | undefined;
  /** Name of the header that carries a voice's `actorType`: the API does not specify it (interface 4.3). @default none: a voice that has one is refused */
  readonly actorTypeHeader?: string | undefined;
  /** Name of the header that carries a voice's `providerScope`. @default none */
  readonly providerScopeHeader?: string | undefined;
  /** Name of the header that carries a voice's `workspaceContext`. @default none */
  readonly workspaceContextHeader?: string | undefined;
  /** Called once an attempt: no body, no header, no number. @default nothing is logged */
  readonly log?: ((line: AttemptLog) => void) | undefined;
  /** Where HTTPS_PROXY, ALL_PROXY and NO_PROXY are read from. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** For tests: clock, chance and waiting. @default the machine's */
  readonly runtime?: ClientRuntime | undefined;
}

/** Spelt out: a program's compiler comes by here, and is to meet no types but ours and the SDK's. */
export type ContextHeaders = Readonly<Record<"actorType" | "providerScope" | "workspaceContext", string | undefined>>;

export interface ClientSettings {
  readonly baseUrl: string;
  /** host:port as messages name it. */
  readonly host: string;
  readonly proxy: ProxyServer | undefined;
  readonly token: () => string;
  readonly attemptMs: number;
  readonly deadlineMs: number;
  readonly attempts: number;
  readonly concurrency: number;
  readonly headers: ContextHeaders;
  readonly log: (line: AttemptLog) => void;
  readonly runtime: ClientRuntime;
}

function headerName(option: string, value: string | undefined): string | undefined {
  if (value === undefined) {
    return undefined;
  }
  if (!/^[\w!#$%&'*+.^`|~-]{1,100}$/.test(value) || RESERVED_HEADER.test(value)) {
    throw new InvalidOptionsError(
      `${option} must be a header name that HTTP does not use itself, of letters, digits and hyphens.`,
    );
  }
  return value.toLowerCase();
}

function seconds(option: string, value: number): number {
  if (!Number.isFinite(value) || value <= 0 || value > MOST.seconds) {
    throw new InvalidOptionsError(
      `${option} must be a number of seconds above 0 and at most ${MOST.seconds}, and is ${value}.`,
    );
  }
  return value * 1000;
}

function count(option: string, value: number, most: number): number {
  if (!Number.isInteger(value) || value < 1 || value > most) {
    throw new InvalidOptionsError(`${option} must be a whole number from 1 to ${most}, and is ${value}.`);
  }
  return value;
}

/** What was read of an option; throws where it cannot be. */
function usable<T extends { readonly problem?: string | undefined }>(read: T): Exclude<T, { problem: string }> {
  if (read.problem !== undefined) {
    throw new InvalidOptionsError(read.problem);
  }
  return read as Exclude<T, { problem: string }>;
}

function checkedToken(text: unknown): string {
  return usable(typeof text === "string" ? parseToken(text) : { problem: "The access token is missing." }).token;
}

function tokenSource(accessToken: ClientOptions["accessToken"]): () => string {
  if (typeof accessToken === "function") {
    return () => checkedToken(accessToken());
  }
  const token = checkedToken(accessToken);
  return () => token;
}

/** Options as the client uses them; throws an InvalidOptionsError of one sentence. */
export function parseOptions(options: ClientOptions): ClientSettings {
  const baseUrl = usable(parseBaseUrl(typeof options.baseUrl === "string" ? options.baseUrl : "")).url;
  return {
    baseUrl,
    host: hostAndPort(new URL(baseUrl)),
    proxy: usable(chooseProxy(baseUrl, options.env ?? process.env)).proxy,
    token: tokenSource(options.accessToken),
    attemptMs: seconds("requestTimeoutSeconds", options.requestTimeoutSeconds ?? 30),
    deadlineMs: seconds("deadlineSeconds", options.deadlineSeconds ?? 60),
    attempts: count("attempts", options.attempts ?? 4, MOST.attempts),
    concurrency: count("concurrency", options.concurrency ?? 16, MOST.concurrency),
    headers: {
      actorType: headerName("actorTypeHeader", options.actorTypeHeader),
      providerScope: headerName("providerScopeHeader", options.providerScopeHeader),
      workspaceContext: headerName("workspaceContextHeader", options.workspaceContextHeader),
    },
    log: options.log ?? (() => undefined),
    runtime: options.runtime ?? systemRuntime,
  };
}
