import { setTimeout as sleep } from "node:timers/promises";
import type * as z from "zod";
import { parseToken } from "../core/config/readSettings";
import { type CONTEXT_HEADERS, SETTINGS, type SettingKey, type SettingRow } from "../core/config/settings";
import { parseBaseUrl } from "../core/platform/endpoint";
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
  /** HTTP status of the response; absent if none came. */
  readonly status?: number | undefined;
  /** The platform's id of the request, if its response has one. */
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
  /** The variables HTTPS_PROXY, ALL_PROXY and NO_PROXY are read from this. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** For tests: clock, chance and waiting. @default the machine's */
  readonly runtime?: ClientRuntime | undefined;
}

/** Spelt out, because a program's compiler reads this file, and must not need the types of zod. */
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

/** The rule and the default are those of the setting of the same meaning. */
function optionValue<Key extends SettingKey>(
  option: keyof ClientOptions,
  key: Key,
  given: unknown,
): z.infer<(typeof SETTINGS)[Key]["schema"]> {
  const { schema, default: otherwise }: SettingRow = SETTINGS[key];
  const read = schema.safeParse(given ?? otherwise);
  if (!read.success) {
    throw new InvalidOptionsError(`${option} ${read.error.issues[0]?.message}.`);
  }
  return read.data as z.infer<(typeof SETTINGS)[Key]["schema"]>;
}

const headerName = (key: (typeof CONTEXT_HEADERS)[keyof ContextHeaders], given: string | undefined) =>
  given === undefined ? undefined : optionValue(key, key, given).toLowerCase();

/** The value that was read, or a thrown InvalidOptionsError with its problem. */
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
    attemptMs: optionValue("requestTimeoutSeconds", "requestTimeout", options.requestTimeoutSeconds) * 1000,
    deadlineMs: optionValue("deadlineSeconds", "deadline", options.deadlineSeconds) * 1000,
    attempts: optionValue("attempts", "attempts", options.attempts),
    concurrency: optionValue("concurrency", "concurrency", options.concurrency),
    headers: {
      actorType: headerName("actorTypeHeader", options.actorTypeHeader),
      providerScope: headerName("providerScopeHeader", options.providerScopeHeader),
      workspaceContext: headerName("workspaceContextHeader", options.workspaceContextHeader),
    },
    log: options.log ?? (() => undefined),
    runtime: options.runtime ?? systemRuntime,
  };
}
