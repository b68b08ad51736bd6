import { INVISIBLE, isDotSegment } from "../core/common/redact";

/** A request that cannot be sent. Nothing was sent. Its stack is its message, because the engine prints stacks. */
export class InvalidRequestError extends TypeError {
  constructor(message: string) {
    super(message);
    this.name = "InvalidRequestError";
    this.stack = message;
  }
}

/** The URL of an operation. The name of a number or the id of a chat may be any text, and must stay one segment of the path. */

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
  if (INVISIBLE.test(text)) {
    return "contains a control or invisible character";
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

/** The URL of a path template, such as `/api/numbers/{number}/agent`, under the base URL. Throws if the URL parser would change the path. */
export function buildUrl(baseUrl: string, template: string, parameters: Readonly<Record<string, unknown>> = {}): URL {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(name, parameters[name]));
  const url = new URL(baseUrl + path);
  if (url.href !== baseUrl + path) {
    throw new InvalidRequestError(`${template} cannot be filled in so that it stays one path: nothing was sent.`);
  }
  return url;
}
