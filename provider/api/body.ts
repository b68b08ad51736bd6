import { isUtf8 } from "node:buffer";
import { SIGNATURE, UNKNOWNS } from "../base/engine";
import { isObject } from "../base/json";
import { type Secrets, tokenAsSecret, withhold } from "../base/secrets";
import { clean } from "../base/text";

/** Parses response bodies and extracts the platform's own messages from them. */

/** A parsed response body. `detail` explains why a body couldn't be parsed, without quoting it. */
export type ParsedBody =
  | { form: "empty" }
  | { form: "json"; value: unknown }
  | { form: "unreadable"; detail: string; isMarkup: boolean };

/** Returns the media type in a Content-Type header without its parameters, or `unknown` if it doesn't look like one. */
export function mediaType(contentType: string | undefined): string {
  return /^[\w.+-]{1,40}\/[\w.+-]{1,60}/.exec(contentType ?? "")?.[0].toLowerCase() ?? "unknown";
}

/**
 * Makes a response body safe to save in the state: withholds strings that contain the access token, and replaces values
 * that the engine can't save. If a new chat couldn't be saved, the next run would send its SMS again.
 */
function saveable(value: unknown, token: Secrets): unknown {
  if (typeof value === "string") {
    // Replace lone surrogates and the engine's own markers for unknown values.
    return UNKNOWNS.has(value) ? "" : withhold(value.toWellFormed(), token);
  }
  if (typeof value === "number") {
    // JSON may contain a number such as 1e999, which is parsed as infinity.
    return Number.isFinite(value) ? value : null;
  }
  if (Array.isArray(value)) {
    return value.map((item) => saveable(item, token));
  }
  if (!isObject(value)) {
    return value;
  }
  // Drop `__proto__`, which has a special meaning in JavaScript, and the key that tells the engine that a value is a
  // secret or an output.
  const entries = Object.entries(value).filter(([key]) => key !== "__proto__" && key !== SIGNATURE);
  return Object.fromEntries(entries.map(([key, item]) => [withhold(key.toWellFormed(), token), saveable(item, token)]));
}

/**
 * Parses the body of a response. Withholds strings and keys that contain the access token, because parts of a body end
 * up in messages and in the state.
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
    // Not JSON, or nested too deeply for the call stack.
    return unreadable("not JSON");
  }
}

/**
 * The keys under which servers describe errors. The interface only specifies `error` (docs/interface.md, section 4.1).
 */
const REASON_KEYS = ["error", "message", "detail", "errors"];

/** How deep we search a body for the reason for a failure. Deeper values are unlikely to be readable messages. */
const MAX_DEPTH = 8;

/**
 * Returns the reasons for a failure in an error body: the values under the keys in REASON_KEYS. If an object has no
 * reason under these keys, all its values count.
 */
function reasonsOf(json: unknown, depth = 0): string[] {
  if (depth > MAX_DEPTH) {
    return [];
  }
  if (!isObject(json)) {
    return Array.isArray(json) ? json.flatMap((item) => reasonsOf(item, depth + 1)) : scalarText(json);
  }
  const reasons = REASON_KEYS.flatMap((key) => reasonsOf(json[key], depth + 1));
  return reasons.length > 0 ? reasons : labeledReasons(json, depth);
}

/**
 * Collects the reasons for a failure from all values of an object. Puts each value's key in front of its reasons:
 * `{"loc": ["body", 0]}` becomes `loc: body, 0`.
 */
const labeledReasons = (json: object, depth: number): string[] =>
  Object.entries(json).flatMap(([key, value]) => {
    const reasons = reasonsOf(value, depth + 1);
    return reasons.length === 0 ? [] : [`${key}: ${reasons.join(", ")}`];
  });

const scalarText = (value: unknown): string[] =>
  ["string", "number", "boolean"].includes(typeof value) && String(value).trim() !== "" ? [String(value).trim()] : [];

/** Matches the messages that gateways send for an unknown path, such as `404 page not found`. */
const ROUTER_MESSAGE =
  /^(?:404\W*)?(?:(?:page|path|route|endpoint|url|service)\W+)?not\W*found\W*$|\bno (?:matching )?route\b/i;

/**
 * Returns true if the body is the platform's own error. Such a body has `error` as its only key, and its message isn't
 * one that gateways send for an unknown path.
 */
export const isErrorOfInterface = (json: unknown): boolean =>
  isObject(json) &&
  Object.keys(json).length === 1 &&
  typeof json.error === "string" &&
  json.error !== "" &&
  !ROUTER_MESSAGE.test(json.error);

/**
 * Returns the platform's message in a response, with all secrets withheld. Returns undefined if there is no message.
 * @param text the raw body, which is shown in shortened form if it isn't JSON
 */
export function platformMessageIn(body: ParsedBody, text: string, secrets: Secrets): string | undefined {
  if (body.form !== "json") {
    return clean(withhold(text, secrets), 200) || undefined;
  }
  const reasons = reasonsOf(body.value).map((reason) => withhold(reason, secrets));
  return clean([...new Set(reasons)].join("; ")) || undefined;
}

/**
 * Returns the error message in the body of a 2xx response. Nothing else in the body is shown, because the body may be a
 * chat or a voice, whose fields may be secret.
 */
export function platformMessageInSuccess(body: ParsedBody, secrets: Secrets): string | undefined {
  if (body.form !== "json") {
    return undefined;
  }
  const { error, errors, message, detail } = isObject(body.value) ? body.value : { message: body.value };
  const sentences = [message, detail].filter((value) => typeof value === "string");
  return platformMessageIn({ ...body, value: [error, ...sentences, errors] }, "", secrets);
}
