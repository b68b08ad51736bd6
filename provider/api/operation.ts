import type { Secrets } from "../base/secrets";
import { INVISIBLE, isDotSegment } from "../base/text";
import type { HttpRequest, Method } from "../base/world";
import type { Settings } from "../config/settings";
import type { ParsedBody } from "./body";

/**
 * The parts that all operations of the interface have in common. Each operation has a file of its own that builds its
 * request and reads its response.
 */
export interface Operation<Request, Response> {
  /** The method and the path template, which are safe to log. The path itself contains a number or an ID. */
  readonly name: OperationName;
  /** Throws an InvalidRequestError if the request can't be sent. */
  readonly call: (request: Request, settings: CallSettings) => Call<Response>;
}

type OperationName = `${Method} /${string}`;

/** The settings that a request depends on. */
export type CallSettings = Pick<Settings, "baseUrl" | "clearWith" | "voiceHeaders">;

/** A request without the common headers, and the function that reads its response. */
export interface Call<Response> extends HttpRequest {
  readonly operation: string;
  readonly read: (body: ParsedBody) => Read<Response>;
  /** Secrets that the response may repeat and that no message may show. */
  readonly secrets: Secrets;
}

/** The result of reading a 2xx response's body. `refused` means that the body reports a failure. */
export type Read<Response> =
  | { readonly response: Response | undefined }
  | { readonly refused: true }
  | { readonly unusable: string };

/** A request that can't be sent. The engine prints an error's stack, so the stack contains only the message. */
export class InvalidRequestError extends TypeError {
  constructor(message: string) {
    super(message);
    this.name = "InvalidRequestError";
    this.stack = message;
  }
}

/**
 * The method and URL of an operation.
 * @param parameters the path parameters, by name
 */
export function requestTo(name: OperationName, baseUrl: string, parameters: Readonly<Record<string, string>> = {}) {
  const [method, template] = name.split(" ") as [Method, string];
  return { operation: name, method, url: buildUrl(baseUrl, template, parameters), headers: {} } as const;
}

/**
 * The URL of a path template such as `/api/numbers/{number}/agent`. A number or an ID may be any string, and an edited
 * state may contain anything. Throws if a parameter is not exactly one path segment, or if the URL parser would change
 * the path.
 */
export function buildUrl(baseUrl: string, template: string, parameters: Readonly<Record<string, string>> = {}): URL {
  const segment = (_: string, name: string) => encodeURIComponent((parameters[name] ?? "").toWellFormed());
  const path = template.replace(/\{(\w+)\}/g, segment);
  const url = new URL(baseUrl + path);
  if (url.href !== baseUrl + path || !Object.values(parameters).every(isSegment)) {
    throw new InvalidRequestError(`${template} cannot be filled in so that it stays one path: nothing was sent.`);
  }
  return url;
}

/** Returns true if the string can be a path segment. URL parsers resolve `.` and `..` even if they are encoded. */
export const isSegment = (text: string): boolean => text !== "" && !isDotSegment(text) && !INVISIBLE.test(text);

/**
 * The JSON body of a request.
 * @param names the wire name of each field, except for those sent elsewhere. A field without a name doesn't compile.
 */
export const bodyWithNames = <Request extends object, Elsewhere = never>(
  request: Request,
  names: Readonly<Record<Exclude<keyof Request, Elsewhere>, string>>,
): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries<string>(names).map(([field, name]) => [name, Reflect.get(request, field)])),
  );

/** The fields of a chat or a voice that are never secret. */
export const SHOWN = ["workspaceId", "agentId", "chatId", "endpoint", "secretArguments"];
