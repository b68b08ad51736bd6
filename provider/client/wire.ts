/** What becomes of a request on the wire, its path and its body, and what is read of a response. The names of a routing's fields are in core/routing/fields.ts. */
import type * as z from "zod";
import type { AssignNumberRequest } from "../core/api/responses";
import { type Chat, chat, type NumberResponse, numberResponse, type Voice, voice } from "../core/api/responses";
import { isObject } from "../core/common/equality";
import { INVISIBLE, isDotSegment } from "../core/common/redact";
import { NAMED_FIELDS, pick } from "../core/routing/fields";
import type { Weighted } from "../core/routing/split";
import { type ParsedResponse, readTolerantly } from "./body";

/** A request that cannot be sent. Nothing was sent. Its stack is its message, because the engine prints stacks. */
export class InvalidRequestError extends TypeError {
  constructor(message: string) {
    super(message);
    this.name = "InvalidRequestError";
    this.stack = message;
  }
}

// --- the URL: the name of a number or the id of a chat may be any text, and must stay one segment of the path

/** Can the text be one segment of a path? `.` and `..` would lead to another path, whatever their encoding. */
export const isSegment = (text: string): boolean => text !== "" && !isDotSegment(text) && !INVISIBLE.test(text);

/**
 * The URL of a path template, such as `/api/numbers/{number}/agent`, under the base URL. Throws if a parameter, which may be of an edited
 * state, is no segment, or if the URL parser would change the path.
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

// --- the body

function agentToWire(agent: Weighted): Record<string, unknown> {
  return { agent_id: agent.agentId, agent_version: agent.agentVersion, weight: agent.weight };
}

/** Interface 4.1. An edited state may have an extra field with the name of an argument: the argument counts. */
export const assignmentToWire = (request: AssignNumberRequest): string =>
  JSON.stringify({
    ...request.extraFields,
    ...pick(request, NAMED_FIELDS),
    inboundAgents: agentsToWire(request.inboundAgents),
  });

const agentsToWire = (agents: AssignNumberRequest["inboundAgents"]) =>
  agents === null ? null : agents?.map(agentToWire);

/** The body of a request, from the name on the wire of each of its fields but those that travel `Elsewhere`: a field without a name does not compile. */
export const bodyOf = <Request extends object, Elsewhere = never>(
  request: Request,
  names: Readonly<Record<Exclude<keyof Request, Elsewhere>, string>>,
): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries<string>(names).map(([field, name]) => [name, Reflect.get(request, field)])),
  );

// --- responses

/** Undefined if the JSON is no object. */
export const numberResponseFromWire = (json: unknown): ParsedResponse<NumberResponse> | undefined =>
  readTolerantly(numberResponse, json);

/** Reads what has an id. Undefined if the id is missing, or empty: then it cannot be saved. */
const withId =
  <Response extends object>(schema: z.ZodType, id: keyof Response) =>
  (json: unknown): ParsedResponse<Response> | undefined => {
    const read = readTolerantly(schema, json) as ParsedResponse<Response> | undefined;
    return read?.value[id] ? read : undefined;
  };

export const voiceFromWire = withId<Voice>(voice, "voiceId");
export const chatFromWire = withId<Chat>(chat, "chatId");

/**
 * Does a 2xx say that the request failed: by `success`, by the error form of the interface (7.1), or by one that other servers write? If it
 * shows an assignment as well, the comparison with the request decides.
 */
export function isRefusal(json: unknown): boolean {
  if (!isObject(json)) {
    return false;
  }
  const { success, error, errors, status, numbers, assignment } = json;
  const hasFailed = isFilled(error) || isFilled(errors) || /^(?:error|fail(?:ed|ure)?)$/i.test(String(status));
  return success === false || success === "false" || (hasFailed && success !== true && !numbers && !assignment);
}

const isFilled = (value: unknown): boolean =>
  typeof value === "string" || Array.isArray(value)
    ? value.length > 0
    : isObject(value) && Object.keys(value).length > 0;
