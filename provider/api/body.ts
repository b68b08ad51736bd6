import { isUtf8 } from "node:buffer";
import { SIGNATURE, UNKNOWNS } from "../base/engine";
import { isObject } from "../base/json";
import { clean, parseUrl, redact, withoutTexts } from "../base/text";

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
  const text = isUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined;
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
function errorTexts(json: unknown, depth = 0): string[] {
  if (depth > 8) {
    return [];
  }
  if (typeof json === "string") {
    return json.trim() === "" ? [] : [json.trim()];
  }
  if (Array.isArray(json)) {
    return json.flatMap((item) => errorTexts(item, depth + 1));
  }
  return isObject(json)
    ? [json.error, json.message, json.detail, json.errors].flatMap((value) => errorTexts(value, depth + 1))
    : [];
}

/** The words of gateways about a path that they do not know. */
const ROUTER_WORDS =
  /^(?:404\W*)?(?:(?:page|path|route|endpoint|url|service)\W+)?not\W*found\W*$|\bno (?:matching )?route\b/i;

/** Is it `{error}` as the interface has it, with nothing beside it, and in words that a gateway does not use of an unknown path? */
export const isErrorOfInterface = (json: unknown): boolean =>
  isObject(json) &&
  Object.keys(json).length === 1 &&
  typeof json.error === "string" &&
  json.error !== "" &&
  !ROUTER_WORDS.test(json.error);

/**
 * The words of a response, fit to be shown: those of its JSON, or else the beginning of this text. They are cut last: of a hidden text that is cut,
 * a part would stay.
 */
export function wordsOf(body: ParsedBody, text: string, hidden: HiddenTexts, token: string): string | undefined {
  const shown = (words: string, longest?: number) => clean(withoutTexts(redact(words, token), hidden), token, longest);
  const words = body.form === "json" ? errorTexts(body.value) : [];
  return shown([...new Set(words)].join("; ")) || shown(text, 200) || undefined;
}

/** Texts that no message shows, each with the name of its field, which a message shows in its place. */
export type HiddenTexts = ReadonlyMap<string, string>;

/**
 * What a request sends may be secret: a key in the URL of a webhook, the variables of a chat. A response that says why it refuses often
 * repeats the request, or what was sent before.
 * @param fields what is sent, or was sent before
 * @param shown the fields that everybody may see: who answers a call is never secret
 */
export function hiddenTexts(fields: object, shown: readonly string[]): HiddenTexts {
  const entries = Object.entries(fields);
  const plain = JSON.stringify(entries.filter(([name]) => shown.includes(name)));
  const hidden = entries
    .filter(([name]) => !shown.includes(name))
    .flatMap(([name, value]) => textsIn(value).map((text) => [text, name] as const))
    // A shorter text is a part of many words.
    .filter(([text]) => text.length >= 6 && !plain.includes(text));
  return new Map(hidden);
}

/** Keys of a map are the program's as well. Of a URL, what is behind its host and each value of its query may stand alone. */
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
