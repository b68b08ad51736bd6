import * as z from "zod";
import { pick } from "../base/json";
import { wire } from "../base/schemas";
import type { Secrets } from "../base/secrets";
import { weightEntries } from "../routing/inboundAgents";
import { type Assignment, type ClearMode, FIELDS, NAMED_FIELDS, PUBLIC_FIELDS, toClear } from "../routing/routing";
import { toAgents } from "../routing/split";
import type { ParsedBody } from "./body";
import { type Call, type CallSettings, type Read, requestTo, secretsIn } from "./operation";
import { camelCased, readAs, reportsFailure, wireFlag, wireInteger, wireText } from "./response";

/**
 * Assigns agents to a number, or unassigns them (docs/interface.md, section 4.1). If the outcome is unknown, the
 * request can be resent, because PUTs are idempotent.
 */
export const assignNumber = (assignment: Assignment, { baseUrl, clearWith }: CallSettings): Call<NumberResponse> => ({
  ...requestTo("PUT /api/numbers/{number}/agent", baseUrl, { number: assignment.number }),
  body: bodyOf(assignment, clearWith),
  secrets: secretsOfNumber(assignment),
  read,
});

/** Returns the PUT's body: the declared fields and, for each field to clear, the value that clears it. */
function bodyOf(assignment: Assignment, clearWith: ClearMode | undefined): string {
  const { routing } = assignment;
  const { fields, extraFields } = toClear(assignment);
  const agentStays = routing.outboundAgentId !== undefined;
  const cleared = fields.map((field) => [field, clearedValue(FIELDS[field].empty, agentStays, clearWith)] as const);
  const agents = routing.inboundAgents && toAgents(routing.inboundAgents);
  return JSON.stringify({
    ...Object.fromEntries(clearWith === "omit" ? [] : extraFields.map((name) => [name, null])),
    // The arguments come after `extraFields`, so that none of its keys can override an argument.
    ...routing.extraFields,
    ...pick(routing, NAMED_FIELDS),
    inboundAgents: agents?.map(({ agentId, agentVersion, weight }) => ({
      agent_id: agentId,
      agent_version: agentVersion,
      weight,
    })),
    ...Object.fromEntries(cleared),
  });
}

/** Returns the value that clears a field. By default, an empty list clears a list, and null clears any other field. */
function clearedValue(empty: unknown, agentStays: boolean, clearWith: ClearMode | undefined): unknown {
  if (clearWith === "omit") {
    // JSON.stringify leaves the field out.
    return undefined;
  }
  // An agent's version has no empty value. With `clearWith: empty`, it is left out if its agent is cleared too, and
  // otherwise sent as null.
  const hasForm = empty !== undefined || !agentStays;
  if (hasForm && (clearWith === "empty" || (clearWith === undefined && Array.isArray(empty)))) {
    return empty;
  }
  return null;
}

/**
 * Returns the possibly secret values that the response to a PUT may repeat, such as the number's new webhook URL or an
 * earlier one.
 */
export const secretsOfNumber = ({ routing, mayHave }: Assignment): Secrets =>
  new Map(
    [...mayHave, routing].flatMap(({ extraFields, ...named }) => [
      ...secretsIn({ ...extraFields, ...named }, PUBLIC_FIELDS),
    ]),
  );

// --- the response

/**
 * The fields that appear both in a number record and in the `assignment` object of a response (docs/interface.md,
 * sections 2.2 and 2.3).
 */
const numberFields = z.object({
  account_sid: wireText,
  workspace_id: wireInteger,
  outbound_agent_version: wireInteger,
  inbound_agents: weightEntries,
  inbound_webhook_url: wireText,
  is_time_routing_enabled: wireFlag,
  agent_id: wireText,
  inbound_agent_id: wireText,
  outbound_agents: weightEntries,
  platform_import_error: wireFlag,
  platform_import_error_message: wireText,
});

const numberRecord = numberFields
  .extend({
    id: wireInteger,
    number: wireText,
    base_number: wireText,
    default_agent_id: wireText,
    inbound_agent_version: wireInteger,
    application_sid: wireText,
    phone_number_sid: wireText,
  })
  .transform(camelCased);

export const numberResponse = z.object({
  success: wireFlag,
  message: wireText,
  numbers: wire(z.array(numberRecord)),
  assignment: wire(numberFields.transform(camelCased)),
});

export type NumberRecord = z.output<typeof numberRecord>;

export type NumberResponse = z.output<typeof numberResponse>;

/**
 * Reads the body of a 2xx response. An empty body counts as a success: if the number wasn't assigned after all, the
 * operator can safely send the same PUT again.
 */
function read(body: ParsedBody): Read<NumberResponse> {
  if (body.form === "unreadable") {
    return { unusable: body.detail };
  }
  if (body.form === "empty" || body.value === null) {
    return { response: undefined };
  }
  return reportsFailure(body.value)
    ? { refused: true }
    : (readAs(numberResponse, body.value) ?? { unusable: "the response is JSON, but not an object" });
}
