import { InvalidRequestError } from "./errors";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const LONE_SURROGATE = /\p{Surrogate}/u;
const MAX_LENGTH = 1000;

/** One path segment of any text, or a clear refusal: `.` and `..` would lead elsewhere, whatever their encoding. */
function encodeSegment(what: string, text: unknown): string {
  if (typeof text !== "string" || text === "") {
    throw new InvalidRequestError(`${what} is empty: nothing was sent.`);
  }
  if (text === "." || text === "..") {
    throw new InvalidRequestError(`${what} is "${text}", which would lead to another path: nothing was sent.`);
  }
  if (CONTROL.test(text) || LONE_SURROGATE.test(text)) {
    throw new InvalidRequestError(`${what} holds a control character or half a character: nothing was sent.`);
  }
  if (text.length > MAX_LENGTH) {
    throw new InvalidRequestError(`${what} is longer than ${MAX_LENGTH} characters: nothing was sent.`);
  }
  return encodeURIComponent(text);
}

/**
 * The URL of `/api/numbers/{number}/agent` under the base URL. What goes on the wire is compared with what was meant,
 * since URL parsers rewrite paths.
 */
export function buildUrl(baseUrl: string, template: string, parameters: Readonly<Record<string, unknown>>): URL {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(name, parameters[name]));
  const url = new URL(baseUrl + path);
  if (url.href !== baseUrl + path) {
    throw new InvalidRequestError(`${template} cannot be filled in so that it stays one path: nothing was sent.`);
  }
  return url;
}
