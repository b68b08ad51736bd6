import { isObject } from "../base/json";
import type { Secrets } from "../base/secrets";
import { INVISIBLE, isDotSegment, parseUrl } from "../base/text";
import type { HttpRequest, Method } from "../base/world";
import type { Settings } from "../config/settings";
import type { ParsedBody } from "./body";

/**
 * Types and helpers for the platform's operations. Each operation, such as `assignNumber`, is a function in its own
 * file that returns a `Call`.
 */

/** The settings that a request depends on. */
export type CallSettings = Pick<Settings, "baseUrl" | "clearWith" | "voiceHeaders">;

/** A request without the headers that all requests share, and the function that reads its response. */
export interface Call<Response> extends HttpRequest {
  /**
   * The method and the path template, such as `PUT /api/numbers/{number}/agent`. This name is safe to log, unlike the
   * real path, which may contain a number or an ID.
   */
  readonly operation: OperationName;
  readonly read: (body: ParsedBody) => Read<Response>;
  /** Secrets that the response might repeat. Messages must never show them. */
  readonly secrets: Secrets;
}

type OperationName = `${Method} /${string}`;

/**
 * What the body of a 2xx response says. `refused`: it reports a failure. `unusable`: the reason why it can't be used.
 */
export type Read<Response> =
  | { readonly response: Response | undefined }
  | { readonly refused: true }
  | { readonly unusable: string };

/**
 * Thrown if a request can't be sent. The engine prints the stack of an error, so the stack is set to the message alone.
 */
export class InvalidRequestError extends TypeError {
  constructor(message: string) {
    super(message);
    this.name = "InvalidRequestError";
    this.stack = message;
  }
}

/**
 * The method and URL of an operation. Throws an InvalidRequestError if the request can't be sent.
 * @param parameters the path parameters, by name
 */
export function requestTo(name: OperationName, baseUrl: string, parameters: Readonly<Record<string, string>> = {}) {
  const [method, template] = name.split(" ") as [Method, string];
  return { operation: name, method, url: buildUrl(baseUrl, template, parameters), headers: {} } as const;
}

/**
 * Fills in a path template such as `/api/numbers/{number}/agent`. Throws if a parameter, for example from an edited
 * state, is not exactly one path segment or would lead to another path.
 */
function buildUrl(baseUrl: string, template: string, parameters: Readonly<Record<string, string>>): URL {
  const segment = (_: string, name: string) => encodeURIComponent((parameters[name] ?? "").toWellFormed());
  const path = template.replace(/\{(\w+)\}/g, segment);
  const url = new URL(baseUrl + path);
  if (url.href !== baseUrl + path || !Object.values(parameters).every(isSegment)) {
    throw new InvalidRequestError(`nothing was sent, because a value for ${template} is not a valid path segment.`);
  }
  return url;
}

/**
 * Returns true if the string can be a path segment. `.` and `..` can't, because URL parsers resolve them even if they
 * are encoded.
 */
export const isSegment = (text: string): boolean => text !== "" && !isDotSegment(text) && !INVISIBLE.test(text);

/**
 * Returns the JSON body of a request.
 * @param names the key in the body for each field of the request, except for the fields in `Elsewhere`, which the body
 * leaves out. If a field is missing here, the code doesn't compile.
 */
export const bodyWithNames = <Request extends object, Elsewhere = never>(
  request: Request,
  names: Readonly<Record<Exclude<keyof Request, Elsewhere>, string>>,
): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries<string>(names).map(([field, name]) => [name, Reflect.get(request, field)])),
  );

/** The fields of a chat or a voice that are never secret, so messages may show them. */
export const SHOWN = ["workspaceId", "agentId", "chatId", "endpoint", "secretArguments"];

/**
 * Collects the values that may be secret, such as a webhook URL or a chat's variables. They must be withheld from
 * messages, because an error response often repeats them.
 * @param fields the fields of this request or of an earlier one
 * @param shown the names of the fields that are never secret, such as `agentId`
 */
export function secretsIn(fields: object, shown: readonly string[]): Secrets {
  const entries = Object.entries(fields);
  const plain = JSON.stringify(entries.filter(([name]) => shown.includes(name)));
  const hidden = entries
    .filter(([name]) => !shown.includes(name))
    .flatMap(([name, value]) => stringsIn(value).map((text) => [text, name] as const))
    // Don't withhold strings of fewer than six characters, because they can occur inside ordinary words.
    .filter(([text]) => text.length >= 6 && !plain.includes(text));
  return new Map(hidden);
}

/**
 * Returns all strings in a value, including the keys of maps. Adds the parts of a URL that a response may repeat alone.
 */
function stringsIn(value: unknown): string[] {
  if (Array.isArray(value)) {
    return value.flatMap(stringsIn);
  }
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, item]) => [key, ...stringsIn(item)]);
  }
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  const url = parseUrl(text);
  return url?.host ? [text, url.pathname + url.search, ...url.searchParams.values()] : [text];
}
