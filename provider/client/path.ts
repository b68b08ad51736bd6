import { HALF_A_CHARACTER, INVISIBLE, isDotSegment } from "../core/text";
import { InvalidRequestError } from "./errors";

/** The URL of an operation: what a program or the platform calls a number or a chat stays one segment of its path. */

/** Request lines of 8,000 characters are the length that every server should take (RFC 9112, section 3). */
const MAX_LENGTH = 7500;

/** Why a text cannot be one segment of a path; undefined if it can. `.` and `..` would lead to another path, whatever their encoding. */
export function segmentProblem(text: unknown): string | undefined {
  if (typeof text !== "string" || text === "") {
    return "is empty";
  }
  if (isDotSegment(text)) {
    return `is "${text}", which would lead to another path`;
  }
  if (INVISIBLE.test(text) || HALF_A_CHARACTER.test(text)) {
    return "contains a control or invisible character, or half a character";
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
