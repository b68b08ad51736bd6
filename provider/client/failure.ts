import type { Advice, Cause } from "../core/api/operations";
import type { RetryClass } from "./retry";
import type { Silence } from "./transport";

/** Why an attempt failed, and whether it may be repeated. reply.ts and errorStatus.ts say it of a response; here is why none came. */
export interface FailedAttempt {
  readonly cause: Cause;
  readonly retryClass: RetryClass;
  readonly detail: string;
  readonly status?: number | undefined;
  readonly platformMessage?: string | undefined;
  readonly isPlatformError?: boolean;
  readonly advice?: Advice | undefined;
  readonly retryAfterMs?: number | undefined;
}

export const failing = (cause: Cause, retryClass: RetryClass, detail: string): FailedAttempt => ({
  cause,
  retryClass,
  detail,
});

/** The target of a request: `host:port` of the platform and, if there is one, of the proxy. */
export interface Route {
  readonly host: string;
  readonly proxy?: string | undefined;
}

/** Codes of Node for failures that may be over in a second. */
const PASSING: ReadonlySet<string> = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"],
  ...["ECONNRESET", "EPIPE", "EADDRNOTAVAIL", "EMFILE"],
]);

/** The code, if it has the form of a constant of Node, OpenSSL or llhttp. */
const shownCode = (code: string): string => (/^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : "no code");

/** `30 s`, `0.05 s`. */
export const inSeconds = (milliseconds: number): string =>
  `${Number((milliseconds / 1000).toFixed(milliseconds < 1000 ? 3 : 1))} s`;

/** Why no response came. The messages of got are not used, because they quote URLs. */
export function classifySilence(silence: Silence, { host: target, proxy }: Route, timeoutMs: number): FailedAttempt {
  const { reached, timedOut, code } = silence;
  if (proxy !== undefined && reached === "nowhere") {
    return noTunnel(silence, proxy, target, timeoutMs);
  }
  const host = proxy === undefined ? target : `${target} (through the proxy ${proxy})`;
  if (reached !== "open") {
    return notSent(silence, host, timeoutMs);
  }
  if (timedOut) {
    return failing("noResponse", "unknown", `no response from ${host} within ${inSeconds(timeoutMs)}`);
  }
  if (code.startsWith("HPE_")) {
    return failing("unusable", "unknown", `${host} sent something that is not HTTP`);
  }
  return failing("noResponse", "unknown", `${host} closed the connection before it responded (${shownCode(code)})`);
}

/** The proxy opened no tunnel, so the platform has seen nothing. A proxy that is overloaded may accept the request a second later. */
function noTunnel(silence: Silence, proxy: string, target: string, timeoutMs: number): FailedAttempt {
  const { proxyStatus: status } = silence;
  if (status !== undefined) {
    const isPassing = status === 429 || status >= 500;
    const detail = `the proxy ${proxy} returned ${status} to CONNECT ${target}`;
    const advice = status === 407 ? ({ why: "proxyCredentials" } as const) : undefined;
    return { ...failing("proxy", isPassing ? "unreachable" : "final", detail), advice };
  }
  return { ...notSent(silence, `the proxy ${proxy}`, timeoutMs), cause: "proxy" };
}

function notSent({ code, reached, timedOut }: Silence, host: string, timeoutMs: number): FailedAttempt {
  if (timedOut) {
    return failing("unreachable", "unreachable", `no connection to ${host} within ${inSeconds(timeoutMs)}`);
  }
  const isPassing = PASSING.has(code);
  return reached === "tcp" && !isPassing
    ? failing("tls", "final", `no trusted connection to ${host} (${shownCode(code)})`)
    : failing("unreachable", isPassing ? "unreachable" : "final", `no connection to ${host} (${shownCode(code)})`);
}
