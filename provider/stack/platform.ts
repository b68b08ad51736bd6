import { parseUrl } from "../base/text";

/** @param hostname from `URL`, which has made 127.0.0.1 of 127.1 and of 0x7f000001 */
export function isLoopbackHost(hostname: string): boolean {
  // A whole address, because the name of a host may begin with `127.`.
  return /^127\.\d+\.\d+\.\d+$/.test(hostname) || hostname === "[::1]" || hostname === "localhost";
}

/**
 * The base URL of the platform: https, or http on loopback; no userinfo, query or fragment. `url` has no slash at its end, so that a path is joined by
 * `url + "/api/…"`. A problem is one sentence, and never quotes what may be a password.
 */
export function parseBaseUrl(
  input: string,
): { url: string; problem?: undefined } | { problem: string; url?: undefined } {
  const text = input.trim();
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return { problem: "The base URL must be https://host or https://host/path (http:// only on loopback)." };
  }
  if (url.username !== "" || url.password !== "") {
    return {
      problem: "The base URL must contain no user name or password: the access token is a separate setting.",
    };
  }
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname)) {
    return {
      problem: "The base URL must use https: http would send the token unencrypted, and is accepted only on loopback.",
    };
  }
  // A parser drops and resolves parts of a URL. A reader has to see which host and path it names.
  const read = url.origin + url.pathname.replace(/\/+$/, "");
  return text.replace(/\/+$/, "") === read
    ? { url: read }
    : { problem: `The base URL is read as ${read}: write it so.` };
}
