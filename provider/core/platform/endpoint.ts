import { brokenIn, type TextRules } from "../common/text";

/** The rules of the platform's base URL. A problem is one sentence that never quotes the text. */

const SETTING = "The base URL";

export type ParsedBaseUrl = { url: string; problem?: undefined } | { problem: string; url?: undefined };

/** @param hostname from `URL`, which has made 127.0.0.1 of 127.1 and of 0x7f000001 */
export function isLoopbackHost(hostname: string): boolean {
  // A whole address, because the name of a host may begin with `127.`.
  return /^127\.\d+\.\d+\.\d+$/.test(hostname) || hostname === "[::1]" || hostname === "localhost";
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
  [
    // The parser reads `%2e` as a dot.
    /[^:/]\/(?:\/+[^/]|(?:\.|%2e){1,2}(?:\/|$))/i,
    `${SETTING} has an empty, "." or ".." segment in its path: write the path without it.`,
  ],
];

function problemOfUrl(url: URL): string | undefined {
  if (url.username !== "" || url.password !== "") {
    return `${SETTING} must contain no user name or password: the access token is a separate setting.`;
  }
  return url.protocol === "http:" && !isLoopbackHost(url.hostname)
    ? `${SETTING} must use https: http would send the token unencrypted, and is accepted only on loopback.`
    : undefined;
}

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
  const problem = problemOfUrl(url);
  return problem === undefined ? { url: url.origin + url.pathname.replace(/\/+$/, "") } : { problem };
}

/** The platform of a state. */
export interface Endpoint {
  readonly endpoint: string;
}

export const sameEndpoint = (a: Endpoint, b: Endpoint): boolean => a.endpoint === b.endpoint;
