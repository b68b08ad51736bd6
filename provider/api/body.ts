import { isUtf8 } from "node:buffer";
import { SIGNATURE, UNKNOWNS } from "../base/engine";
import { isObject } from "../base/json";
import { type Secrets, tokenAsSecret, withhold } from "../base/secrets";
import { clean, parseUrl } from "../base/text";

/** The body of a response: as data, and the platform's words in it. */

/** A whole response body as data. `detail` says why a body cannot be read, and never quotes it. */
export type ParsedBody =
  | { form: "empty" }
  | { form: "json"; value: unknown }
  | { form: "unreadable"; detail: string; isMarkup: boolean };

/**
 * The media type without its parameters; "unknown" if the header, which may be any text, does not have the form of one.
 */
export function mediaType(contentType: string | undefined): string {
  return /^[\w.+-]{1,40}\/[\w.+-]{1,60}/.exec(contentType ?? "")?.[0].toLowerCase() ?? "unknown";
}

/**
 * The value as the engine can save it, without a string that holds the token. It refuses a resource with half a
 * character, an infinite number (JSON has 1e999), or a text of its own for secrets and unknown values. Then what was
 * sent would not be saved, and a message would be sent a second time.
 */
function saveable(value: unknown, token: Secrets): unknown {
  if (typeof value === "string") {
    return UNKNOWNS.has(value) ? "" : withhold(value.toWellFormed(), token);
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
  return Object.fromEntries(entries.map(([key, item]) => [withhold(key.toWellFormed(), token), saveable(item, token)]));
}

/**
 * Reads a whole body. A string or a key that holds the token is withheld, because parts of a body go into messages and
 * into the state.
 */
export function parseBody(bytes: Uint8Array, contentType: string | undefined, token: string): ParsedBody {
  const text = isUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined;
  const type = mediaType(contentType);
  const isMarkup = type === "text/html" || text?.trimStart().startsWith("<") === true;
  const unreadable = (reason: string): ParsedBody => ({
    form: "unreadable",
    detail: `${reason}, ${bytes.length} bytes, content-type ${type}`,
    isMarkup,
  });
  if (text === undefined) {
    return unreadable("not UTF-8");
  }
  if (text.trim() === "") {
    return { form: "empty" };
  }
  try {
    return { form: "json", value: saveable(JSON.parse(text), tokenAsSecret(token)) };
  } catch {
    // Or it is so deep that no stack is deep enough for it.
    return unreadable("not JSON");
  }
}

// --- the words of the platform

/** The keys under which servers say what is wrong. The interface specifies `error` alone (7.1). */
const REASONS = ["error", "message", "detail", "errors"];

/** Every server that answers an error says why at some depth. What is deeper than this is no sentence. */
const DEEPEST = 8;

/**
 * What an error body says, a string each: what is under the keys of REASONS, at any depth, or else every value of it
 * with its key, as in `{"errors": {"weight": ["must be at most 100"]}}`.
 */
function reasonsOf(json: unknown, depth = 0): string[] {
  if (depth > DEEPEST) {
    return [];
  }
  if (!isObject(json)) {
    return Array.isArray(json) ? json.flatMap((item) => reasonsOf(item, depth + 1)) : plainOf(json);
  }
  const reasons = REASONS.flatMap((key) => reasonsOf(json[key], depth + 1));
  return reasons.length > 0 ? reasons : valuesOf(json, depth);
}

/** The values of an object, each behind its key: `loc: body, 0`. */
const valuesOf = (json: object, depth: number): string[] =>
  Object.entries(json).flatMap(([key, value]) => {
    const reasons = reasonsOf(value, depth + 1);
    return reasons.length === 0 ? [] : [`${key}: ${reasons.join(", ")}`];
  });

const plainOf = (value: unknown): string[] =>
  ["string", "number", "boolean"].includes(typeof value) && String(value).trim() !== "" ? [String(value).trim()] : [];

/** The words of gateways about a path that they do not know. */
const ROUTER_MESSAGE =
  /^(?:404\W*)?(?:(?:page|path|route|endpoint|url|service)\W+)?not\W*found\W*$|\bno (?:matching )?route\b/i;

/**
 * Is it `{error}` as the interface has it, with nothing beside it, and in words that a gateway does not use of an
 * unknown path?
 */
export const isErrorOfInterface = (json: unknown): boolean =>
  isObject(json) &&
  Object.keys(json).length === 1 &&
  typeof json.error === "string" &&
  json.error !== "" &&
  !ROUTER_MESSAGE.test(json.error);

/**
 * What a response says, fit to be shown; undefined if it says nothing. A reason that holds a secret is withheld, and
 * the others are shown.
 * @param text what is not JSON is shown as it is, and cut
 */
export function platformMessageIn(body: ParsedBody, text: string, secrets: Secrets): string | undefined {
  if (body.form !== "json") {
    return clean(withhold(text, secrets), 200) || undefined;
  }
  const reasons = reasonsOf(body.value).map((reason) => withhold(reason, secrets));
  return clean([...new Set(reasons)].join("; ")) || undefined;
}

/** What a 2xx says is wrong. Nothing else of it is shown: it may hold a chat or a voice. */
export function platformMessageInSuccess(body: ParsedBody, secrets: Secrets): string | undefined {
  if (body.form !== "json") {
    return undefined;
  }
  const { error, errors, message, detail } = isObject(body.value) ? body.value : { message: body.value };
  const sentences = [message, detail].filter((value) => typeof value === "string");
  return platformMessageIn({ ...body, value: [error, ...sentences, errors] }, "", secrets);
}

/**
 * What a request sends may be secret: a key in the URL of a webhook, the variables of a chat. A response that says why
 * it refuses often repeats the request, or what was sent before.
 * @param fields what is sent, or was sent before
 * @param shown the fields that everybody may see: who answers a call is never secret
 */
export function secretsIn(fields: object, shown: readonly string[]): Secrets {
  const entries = Object.entries(fields);
  const plain = JSON.stringify(entries.filter(([name]) => shown.includes(name)));
  const hidden = entries
    .filter(([name]) => !shown.includes(name))
    .flatMap(([name, value]) => textsIn(value).map((text) => [text, name] as const))
    // A shorter text is a part of many words.
    .filter(([text]) => text.length >= 6 && !plain.includes(text));
  return new Map(hidden);
}

/**
 * Keys of a map are the program's as well. Of a URL, what is behind its host and each value of its query may stand
 * alone.
 */
function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) {
    return value.flatMap(textsIn);
  }
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, item]) => [key, ...textsIn(item)]);
  }
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  const url = parseUrl(text);
  return url?.host ? [text, url.pathname + url.search, ...url.searchParams.values()] : [text];
}
