import { isUtf8 } from "node:buffer";
import { isObject } from "../base/json";
import { redact } from "../base/text";
import { SIGNATURE, UNKNOWNS } from "../base/unknown";

/** A whole response body as data. `detail` says why a body cannot be read, and never quotes it. */
export type ParsedBody =
  | { form: "empty" }
  | { form: "json"; value: unknown }
  | { form: "unreadable"; detail: string; isPage: boolean };

/** The media type without its parameters; "unknown" if the header, which may be any text, does not have the form of one. */
export function mediaType(contentType: string | undefined): string {
  return /^[\w.+-]{1,40}\/[\w.+-]{1,60}/.exec(contentType ?? "")?.[0].toLowerCase() ?? "unknown";
}

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
  const isPage = type === "text/html" || text?.trimStart().startsWith("<") === true;
  const unreadable = (what: string): ParsedBody => ({
    form: "unreadable",
    detail: `${what}, ${bytes.length} bytes, content-type ${type}`,
    isPage,
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
