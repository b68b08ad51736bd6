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

/** Codes of failures that may be over in a second. `H` is the host. */
const PASSING: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused by H",
  ENOTFOUND: "no address is known for H",
  EAI_AGAIN: "the name server did not respond for H",
  ETIMEDOUT: "no connection to H in time",
  EHOSTUNREACH: "no route to H",
  ENETUNREACH: "no route to the network of H",
  ECONNRESET: "H closed the connection before anything was sent",
  EPIPE: "H closed the connection before anything was sent",
  EADDRNOTAVAIL: "no local port is left for a connection to H",
  EMFILE: "too many open files for a connection to H",
};

const UNKNOWN_AUTHORITY = ["its certificate is signed by an unknown authority", "unknownAuthority"] as const;
const NO_TLS = ["it does not speak TLS on this port"] as const;
const TLS_REASONS: Readonly<Record<string, readonly [text: string, why?: Advice["why"]]>> = {
  CERT_HAS_EXPIRED: ["its certificate has expired", "expired"],
  CERT_NOT_YET_VALID: ["its certificate is not valid yet", "expired"],
  DEPTH_ZERO_SELF_SIGNED_CERT: ["its certificate is self-signed", "unknownAuthority"],
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: ["its certificate is for another host"],
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
};

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
  const { proxyStatus: status, code } = silence;
  if (status !== undefined) {
    const isPassing = status === 429 || status >= 500;
    const detail = `the proxy ${proxy} returned ${status} to CONNECT ${target}`;
    const advice = status === 407 ? ({ why: "proxyCredentials" } as const) : undefined;
    return { ...failing("proxy", isPassing ? "unreachable" : "final", detail), advice };
  }
  const reached = code in TLS_REASONS ? "tcp" : "nowhere";
  return { ...notSent({ ...silence, reached }, `the proxy ${proxy}`, timeoutMs), cause: "proxy" };
}

function notSent({ code, reached, timedOut }: Silence, host: string, timeoutMs: number): FailedAttempt {
  if (timedOut) {
    return failing("unreachable", "unreachable", `no connection to ${host} within ${inSeconds(timeoutMs)}`);
  }
  const passing = PASSING[code];
  if (passing !== undefined) {
    return failing(
      "unreachable",
      "unreachable",
      passing.replace("H", () => host),
    );
  }
  if (reached === "tcp") {
    const [reason, why] = TLS_REASONS[code] ?? [shownCode(code)];
    return { ...failing("tls", "final", `no trusted connection to ${host}: ${reason}`), advice: why && { why } };
  }
  return failing("unreachable", "final", `no connection to ${host}: ${shownCode(code)}`);
}
