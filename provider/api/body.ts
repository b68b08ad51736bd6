import { isUtf8 } from "node:buffer";
import { SIGNATURE, UNKNOWNS } from "../base/engine";
import { isObject, parseJson } from "../base/json";
import { clean, redact, textsSent, withoutSent } from "../base/text";
import type { HttpRequest, HttpResponse } from "../base/world";

/** The body of a response: as data, and the platform's words in it. */

/** A whole response body as data. `detail` says why a body cannot be read, and never quotes it. */
export type ParsedBody =
  | { form: "empty" }
  | { form: "json"; value: unknown }
  | { form: "unreadable"; detail: string; isMarkup: boolean };

/** The media type without its parameters; "unknown" if the header, which may be any text, does not have the form of one. */
export function mediaType(contentType: string | undefined): string {
  return /^[\w.+-]{1,40}\/[\w.+-]{1,60}/.exec(contentType ?? "")?.[0].toLowerCase() ?? "unknown";
}

/** Is it a page of HTML, whatever it calls itself? It comes from a gateway or a sign-in. */
export const isPageOfHtml = (type: string, text: string): boolean =>
  type === "text/html" || /<(?:!doctype\s+)?html\b/i.test(text);

/** Text of a body, with or without a byte order mark; bytes that are not UTF-8 are replaced. */
export const decodeLoosely = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/**
 * The value as the engine can save it, without the token. It refuses a resource with half a character, an infinite number (JSON has 1e999), or a
 * text of its own for secrets and unknown values. Then what was sent would not be saved, and a message would be sent a second time.
 */
function saveable(value: unknown, token: string): unknown {
  if (typeof value === "string") {
    return UNKNOWNS.has(value) ? "" : redact(value.toWellFormed(), token);
  }
  if (typeof value === "number") {
    return Number.isFinite(value) ? value : null;
  }
  if (Array.isArray(value)) {
    return value.map((item) => saveable(item, token));
  }
  if (!isObject(value)) {
    return value;
  }
  // JavaScript or the engine takes these for more than a key.
  const entries = Object.entries(value).filter(([key]) => key !== "__proto__" && key !== SIGNATURE);
  return Object.fromEntries(entries.map(([key, item]) => [redact(key.toWellFormed(), token), saveable(item, token)]));
}

/** A whole body. The token is taken out of all texts and keys, because parts of them go into messages and into the state. */
export function parseBody(bytes: Uint8Array, contentType: string | undefined, token: string): ParsedBody {
  const text = isUtf8(bytes) ? decodeLoosely(bytes) : undefined;
  const type = mediaType(contentType);
  const isMarkup = type === "text/html" || text?.trimStart().startsWith("<") === true;
  const unreadable = (what: string): ParsedBody => ({
    form: "unreadable",
    detail: `${what}, ${bytes.length} bytes, content-type ${type}`,
    isMarkup,
  });
  if (text === undefined) {
    return unreadable("not UTF-8");
  }
  if (text.trim() === "") {
    return { form: "empty" };
  }
  try {
    return { form: "json", value: saveable(JSON.parse(text), token) };
  } catch {
    // Or it is so deep that no stack is deep enough for it.
    return unreadable("not JSON");
  }
}

// --- the words of the platform

/** The texts of an error. The interface specifies one form (7.1); other servers write the forms `{error}`, `{message}`, `{detail}` and `{errors: []}`, also inside each other. */
function textsOf(json: unknown, depth = 0): string[] {
  if (depth > 8) {
    return [];
  }
  if (typeof json === "string") {
    return json.trim() === "" ? [] : [json.trim()];
  }
  if (Array.isArray(json)) {
    return json.flatMap((item) => textsOf(item, depth + 1));
  }
  return isObject(json)
    ? [json.error, json.message, json.detail, json.errors].flatMap((value) => textsOf(value, depth + 1))
    : [];
}

/** The words of gateways about a path that they do not know. */
const ROUTER_WORDS =
  /^(?:404\W*)?(?:(?:page|path|route|endpoint|url|service)\W+)?not\W*found\W*$|\bno (?:matching )?route\b/i;

/** Is it `{error}` as the interface has it, with nothing beside it, and in words that a gateway does not use of an unknown path? */
export const isPlatformError = (json: unknown): boolean =>
  isObject(json) &&
  Object.keys(json).length === 1 &&
  typeof json.error === "string" &&
  json.error !== "" &&
  !ROUTER_WORDS.test(json.error);

/** The text without the token, and without what the request has sent. It is cut last: of a value that is cut, a part would stay. */
function fitToShow(text: string, { body, headers }: HttpRequest, token: string, longest?: number): string | undefined {
  const sent = textsSent({ ...(parseJson(body) as object), ...headers });
  return clean(withoutSent(redact(text, token), sent), token, longest) || undefined;
}

/** The words of a body, in one of the common forms. Of a 2xx nothing else is shown, because it may hold a chat or a voice. */
export const wordsIn = (json: unknown, request: HttpRequest, token: string): string | undefined =>
  fitToShow([...new Set(textsOf(json))].join("; "), request, token);

/** Why a response refuses, fit to be shown: its words, else its beginning. A page of HTML is not quoted, nor a part of a body. */
export function wordsOf(
  reply: HttpResponse,
  body: ParsedBody,
  isPage: boolean,
  request: HttpRequest,
  token: string,
): string | undefined {
  const words = body.form === "json" ? wordsIn(body.value, request, token) : undefined;
  const text = decodeLoosely(reply.bytes);
  const isNothing = body.form === "json" && /^\s*(?:null|\{\s*\}|\[\s*\]|"\s*")\s*$/.test(text);
  const isQuoted = !isNothing && !isPage && reply.body === "whole";
  return words ?? (isQuoted ? fitToShow(text, request, token, 200) : undefined);
}
