import { brokenIn, isDotSegment, type TextRules } from "../common/text";

/** The rules of the platform's base URL. A problem is one sentence that never quotes the text. */

/** A whole IPv4 address, as the URL parser writes it: the name of a host may begin with `127.`. */
const LOOPBACK_V4 = /^127\.\d+\.\d+\.\d+$/;
/** Addresses of the machine's own network, of cloud metadata services and of no host at all. No token may be sent there. */
const FORBIDDEN_V4 = /^(?:(?:0|22[4-9]|23\d|24\d|25[0-5])\.\d+|169\.254)\.\d+\.\d+$|^100\.100\.100\.200$/;
const FORBIDDEN_V6 = /^(?:::|fe[89ab][\da-f]:.*|ff[\da-f]{2}:.*|fd00:ec2::254)$/;
const FORBIDDEN_NAMES = new Set(["metadata.google.internal", "metadata"]);
const MAPPED_V4 = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/;
const SETTING = "The base URL";

export type ParsedBaseUrl = { url: string; problem?: undefined } | { problem: string; url?: undefined };

/** The address without brackets. An IPv4 address that is written as IPv6 is read as IPv4: `::ffff:a9fe:a9fe` is 169.254.169.254. */
function plainAddress(hostname: string): string {
  const address = hostname.replace(/^\[|\]$/g, "");
  const mapped = MAPPED_V4.exec(address);
  if (!mapped) {
    return address.replace(/\.$/, "");
  }
  const [high, low] = [Number.parseInt(mapped[1] ?? "", 16), Number.parseInt(mapped[2] ?? "", 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

function isForbidden(address: string): boolean {
  return FORBIDDEN_V4.test(address) || FORBIDDEN_V6.test(address) || FORBIDDEN_NAMES.has(address);
}

/** @param hostname from `URL`, which has made 127.0.0.1 of 127.1 and of 0x7f000001 */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK_V4.test(hostname) || hostname === "[::1]" || hostname === "localhost";
}

/** The URL parser would drop, rewrite or resolve these characters, and a reader could not see which host the base URL names. */
const BASE_URL_RULES: TextRules = [
  [/^$/, `${SETTING} is empty: write it as https://host.`],
  [
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    /[\u0000-\u0020\u007f\\]/,
    `${SETTING} contains a space, a backslash or a control character: write it as https://host.`,
  ],
  [/^(?!https?:\/\/[^/])/i, `${SETTING} must begin with https:// and a host (http:// only on loopback).`],
  [/[?#]/, `${SETTING} must have no query and no fragment: write it as https://host or https://host/path.`],
];

function problemOfUrl(url: URL, rawPath: string): string | undefined {
  if (url.username !== "" || url.password !== "") {
    return `${SETTING} must contain no user name or password: the access token is a separate setting.`;
  }
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname)) {
    return `${SETTING} must use https: http would send the token unencrypted, and is accepted only on loopback.`;
  }
  if (isForbidden(plainAddress(url.hostname))) {
    return `${SETTING} leads to a link-local, metadata or unspecified address, where no platform can be: write its public host.`;
  }
  if (url.port === "0") {
    return `${SETTING} has port 0, which no server listens on.`;
  }
  if (rawPath.split("/").slice(1).some(isStrangeSegment)) {
    return `${SETTING} has an empty, "." or ".." segment in its path: write the path without it.`;
  }
  return undefined;
}

/** A URL parser reads `%2e` as a dot. */
const isStrangeSegment = (segment: string): boolean => segment === "" || isDotSegment(segment.replace(/%2e/gi, "."));

/** https, or http on loopback; no userinfo, query or fragment. `url` has no slash at its end, so that a path is joined by `url + "/api/…"`. */
export function parseBaseUrl(input: string): ParsedBaseUrl {
  const text = input.trim();
  const badText = brokenIn(text, BASE_URL_RULES);
  if (badText !== undefined) {
    return { problem: badText };
  }
  if (!URL.canParse(text)) {
    return { problem: `${SETTING} cannot be read as a URL: write it as https://host.` };
  }
  const url = new URL(text);
  const rawPath = text.replace(/^https?:\/\/[^/]*/i, "").replace(/\/+$/, "");
  const problem = problemOfUrl(url, rawPath);
  return problem === undefined ? { url: url.origin + url.pathname.replace(/\/+$/, "") } : { problem };
}

/** The platform of a state. */
export interface Endpoint {
  readonly endpoint: string;
}

export const sameEndpoint = (a: Endpoint, b: Endpoint): boolean => a.endpoint === b.endpoint;
