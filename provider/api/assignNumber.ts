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

/**
 * Returns the body of the PUT. It contains the fields that the program declares and, for each field that must be
 * cleared (see `toClear`), the value that clears it. A key in `extraFields` never overrides an argument.
 */
function bodyOf(assignment: Assignment, clearWith: ClearMode | undefined): string {
  const { routing } = assignment;
  const { fields, extraFields } = toClear(assignment);
  const agentStays = routing.outboundAgentId !== undefined;
  const cleared = fields.map((field) => [field, clearedValue(FIELDS[field].empty, agentStays, clearWith)] as const);
  const agents = routing.inboundAgents && toAgents(routing.inboundAgents);
  return JSON.stringify({
    ...Object.fromEntries(clearWith === "omit" ? [] : extraFields.map((name) => [name, null])),
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

/**
 * Returns the value that clears a field, according to the `clearWith` setting. By default, an empty list clears a list,
 * and null clears any other field. With `omit`, the field is left out of the body.
 */
function clearedValue(empty: unknown, agentStays: boolean, clearWith: ClearMode | undefined): unknown {
  if (clearWith === "omit") {
    return undefined;
  }
  // With `clearWith: empty`, there is no empty value to send for an agent's version. The version is left out if its
  // agent is cleared too, and sent as null if the agent stays.
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
 * Reads the body of a 2xx response to a PUT. An empty body counts as a success, although it doesn't show the
 * assignment. If the number wasn't assigned after all, the operator can send the same PUT again, which does no harm.
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
