import { InvalidRequestError } from "./errors";

/** The URL of an operation: what a program or the platform calls a number or a chat stays one segment of its path. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const LONE_SURROGATE = /\p{Surrogate}/u;
/** Request lines of 8,000 characters are the length that every server should take (RFC 9112, section 3). */
const MAX_LENGTH = 7500;

/** Why a text cannot be one segment of a path; undefined where it can. `.` and `..` would lead elsewhere, whatever their encoding. */
export function segmentProblem(text: unknown): string | undefined {
  if (typeof text !== "string" || text === "") {
    return "is empty";
  }
  if (text === "." || text === "..") {
    return `is "${text}", which would lead to another path`;
  }
  if (CONTROL.test(text) || LONE_SURROGATE.test(text)) {
    return "contains a control character or half a character";
  }
  return encodeURIComponent(text).length > MAX_LENGTH ? `needs more than ${MAX_LENGTH} characters of a URL` : undefined;
}

function encodeSegment(what: string, text: unknown): string {
  const problem = segmentProblem(text);
  if (problem !== undefined) {
    throw new InvalidRequestError(`${what} ${problem}: nothing was sent.`);
  }
  return encodeURIComponent(text as string);
}

/**
 * The URL of `/api/numbers/{number}/agent` under the base URL. What goes on the wire is compared with what was meant,
 * since URL parsers rewrite paths.
 */
export function buildUrl(baseUrl: string, template: string, parameters: Readonly<Record<string, unknown>> = {}): URL {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(name, parameters[name]));
  const url = new URL(baseUrl + path);
  if (url.href !== baseUrl + path) {
    throw new InvalidRequestError(`${template} cannot be filled in so that it stays one path: nothing was sent.`);
  }
  return url;
}
