import type { Cause } from "../core/operations";
import type { FailureClass } from "./retry";
import { type Reply, SWITCHED_PROTOCOLS } from "./transport";

/** Why no answer came, from the error code and from how far the connection got; got's own texts quote URLs and are not used. */
export interface NetworkFailure {
  cause: Cause;
  failure: FailureClass;
  detail: string;
}

type Silence = Extract<Reply, { came: "nothing" }>;

/** Codes of a network that may be better in a second. */
const PASSING: Readonly<Record<string, (host: string) => string>> = {
  ECONNREFUSED: (host) => `connection refused by ${host}`,
  EAI_AGAIN: (host) => `the name server did not answer for ${host}`,
  ETIMEDOUT: (host) => `no connection to ${host} in time`,
  EHOSTUNREACH: (host) => `no route to ${host}`,
  ENETUNREACH: (host) => `no route to the network of ${host}`,
  ECONNRESET: (host) => `${host} closed the connection before anything was sent`,
  EPIPE: (host) => `${host} closed the connection before anything was sent`,
  EADDRNOTAVAIL: (host) => `no local port is left for a connection to ${host}`,
  EMFILE: (host) => `too many open files for a connection to ${host}`,
};

const TLS_REASONS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed (set NODE_EXTRA_CA_CERTS for a private authority)",
  SELF_SIGNED_CERT_IN_CHAIN:
    "its certificate is signed by an unknown authority (set NODE_EXTRA_CA_CERTS for a private one)",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "its certificate is signed by an unknown authority (set NODE_EXTRA_CA_CERTS for a private one)",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "its certificate is signed by an unknown authority (set NODE_EXTRA_CA_CERTS for a private one)",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  EPROTO: "it does not speak TLS on this port",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS on this port",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "it does not speak TLS on this port",
};

/** A code is a constant of Node, OpenSSL or llhttp; anything else is not shown. */
function shownCode(code: string): string {
  return /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : "no code";
}

/** `30 s`, `0.05 s`. */
export function inSeconds(milliseconds: number): string {
  return `${Number((milliseconds / 1000).toFixed(milliseconds < 1000 ? 3 : 1))} s`;
}

function notSent({ code, reached, timedOut }: Silence, host: string, timeoutMs: number): NetworkFailure {
  if (timedOut) {
    return {
      cause: "unreachable",
      failure: "unreachable",
      detail: `no connection to ${host} within ${inSeconds(timeoutMs)}`,
    };
  }
  if (code === "ENOTFOUND") {
    return { cause: "unreachable", failure: "unknownHost", detail: `no address is known for ${host}` };
  }
  const passing = PASSING[code];
  if (passing) {
    return { cause: "unreachable", failure: "unreachable", detail: passing(host) };
  }
  if (reached === "tcp") {
    const reason = TLS_REASONS[code] ?? shownCode(code);
    return { cause: "tls", failure: "final", detail: `no trusted connection to ${host}: ${reason}` };
  }
  return { cause: "unreachable", failure: "final", detail: `no connection to ${host}: ${shownCode(code)}` };
}

export function judgeSilence(reply: Silence, host: string, timeoutMs: number): NetworkFailure {
  if (reply.reached !== "open") {
    return notSent(reply, host, timeoutMs);
  }
  if (reply.timedOut) {
    return { cause: "noAnswer", failure: "unknown", detail: `no answer from ${host} within ${inSeconds(timeoutMs)}` };
  }
  if (reply.code === SWITCHED_PROTOCOLS) {
    return { cause: "unusable", failure: "unknown", detail: `${host} answered 101, which was not asked for` };
  }
  if (reply.code.startsWith("HPE_")) {
    return { cause: "unusable", failure: "unknown", detail: `${host} answered with something that is not HTTP` };
  }
  return {
    cause: "noAnswer",
    failure: "unknown",
    detail: `${host} closed the connection before it answered (${shownCode(reply.code)})`,
  };
}
