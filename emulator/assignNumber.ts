import { type ApiRequest, type Decision, demand, demandFields, isEmpty, isObject, Refusal } from "./decision";
import { assignmentResponse } from "./numberResponse";
import type { Profile } from "./profile";
import { type AgentEntry, noRouting, type StoredNumber, type StoredRouting } from "./store";

type Body = ApiRequest["body"];
type Effect = "keep" | "clear" | "set";

/** Handles a PUT to /api/numbers/{number}/agent (docs/interface.md, section 4.1). */
export function assignNumber(request: ApiRequest, number: string): Decision {
  const lists = demandAssignment(request);
  const after = assigned(request, number, lists);
  return {
    response: assignmentResponse(after, request.profile, request.seed),
    commit: () => void request.account.numbers.set(number, after),
  };
}

function assigned({ account, profile, body }: ApiRequest, number: string, lists: Lists): StoredNumber {
  const before = account.numbers.get(number);
  return {
    id: before?.id ?? 1001 + account.numbers.size,
    number,
    accountSid: String(body.accountSid || (before ?? account).accountSid),
    workspaceId: Number(body.workspaceId ?? (before ?? account).workspaceId),
    routing: mergeRouting(body, lists, before?.routing ?? noRouting, profile),
  };
}

type Field = keyof StoredRouting;

function effectOf(field: Field, value: unknown, profile: Profile): Effect {
  if (value === undefined) {
    return profile.omittedFields === "replace" ? "clear" : "keep";
  }
  if (value !== null && !isEmpty(value)) {
    return "set";
  }
  const form = value === null ? "null" : "empty";
  const clearing = field === "inboundAgents" ? profile.clearInbound : profile.clearOthers;
  if (clearing === "any" || clearing === form) {
    return "clear";
  }
  if (profile.notClearing === "refused") {
    throw new Refusal(422, `${field} must not be ${form}`);
  }
  return "keep";
}

/** Returns a field's value after a PUT: `before`, `cleared`, or the value in the body, converted with `read`. */
type Resolve = <T>(field: Field, before: T, cleared: T, read: (value: unknown) => T) => T;

const resolveWith =
  (body: Body, profile: Profile): Resolve =>
  (field, before, cleared, read) => {
    const effect = effectOf(field, body[field], profile);
    if (effect === "keep") {
      return before;
    }
    return effect === "clear" ? cleared : read(body[field]);
  };

function mergeRouting(body: Body, lists: Lists, before: StoredRouting, profile: Profile): StoredRouting {
  const resolve = resolveWith(body, profile);
  const listOf = (field: ListField) => resolve(field, before[field], [], () => lists[field]);
  const outboundAgentId = resolve("outboundAgentId", before.outboundAgentId, undefined, String);
  return {
    inboundAgents: listOf("inboundAgents"),
    outboundAgents: profile.outboundAgents === "accepted" ? listOf("outboundAgents") : before.outboundAgents,
    outboundAgentId,
    outboundAgentVersion: outboundVersion(before, outboundAgentId, resolve),
    inboundWebhookUrl: resolve("inboundWebhookUrl", before.inboundWebhookUrl, undefined, String),
    isTimeRoutingEnabled: resolve("isTimeRoutingEnabled", before.isTimeRoutingEnabled, undefined, Boolean),
  };
}

/**
 * Returns the version of the outbound agent after a PUT. The stored version is dropped if the PUT clears the agent, or
 * replaces it without giving a version.
 */
function outboundVersion(before: StoredRouting, agentId: string | undefined, resolve: Resolve): number | undefined {
  const kept = agentId === before.outboundAgentId ? before.outboundAgentVersion : undefined;
  const version = resolve("outboundAgentVersion", kept, undefined, Number);
  return agentId === undefined ? undefined : version;
}

// --- validation

type ListField = "inboundAgents" | "outboundAgents";
type Lists = Readonly<Record<ListField, readonly AgentEntry[]>>;

const isString = (value: unknown): boolean => typeof value === "string";
const isFlag = (value: unknown): boolean => typeof value === "boolean";

const fieldTypes = {
  accountSid: isString,
  workspaceId: Number.isInteger,
  outboundAgentId: isString,
  outboundAgentVersion: Number.isInteger,
  inboundAgents: Array.isArray,
  inboundWebhookUrl: isString,
  isTimeRoutingEnabled: isFlag,
} satisfies Readonly<Record<Exclude<Field, "outboundAgents"> | "accountSid" | "workspaceId", unknown>>;

/** Checks a PUT and returns the agent lists in its body. Throws a Refusal if a check fails. */
function demandAssignment(request: ApiRequest): Lists {
  const { profile, body } = request;
  demand(profile.success !== "false", 422, "assignment not possible");
  demandFields(request, fieldTypes);
  const lists: Lists = {
    inboundAgents: readList("inboundAgents", body, profile),
    outboundAgents: profile.outboundAgents === "accepted" ? readList("outboundAgents", body, profile) : [],
  };
  demandAgents(body, lists, profile);
  return lists;
}

function demandAgents(body: Body, { inboundAgents }: Lists, profile: Profile): void {
  const { outboundAgentId: agentId, outboundAgentVersion: agentVersion } = body;
  const outbound =
    typeof agentId === "string" && agentId !== "" ? [{ agent_id: agentId, agent_version: agentVersion }] : [];
  const missing = [...outbound, ...inboundAgents].find(
    (agent) => !exists(agent.agent_id, agent.agent_version, profile),
  );
  const isMissing = missing !== undefined && profile.unknownAgents !== "accept";
  demand(!isMissing, Number(profile.unknownAgents), `agent ${missing?.agent_id} not found`);
}

function exists(id: string, version: unknown, { knownAgents }: Profile): boolean {
  if (knownAgents.length === 0) {
    return !id.startsWith("agent_missing");
  }
  if (knownAgents.includes(id) || knownAgents.includes(`${id}@${version}`)) {
    return true;
  }
  return typeof version !== "number" && knownAgents.some((known) => known.startsWith(`${id}@`));
}

function readList(field: ListField, body: Body, profile: Profile): readonly AgentEntry[] {
  const list = body[field];
  const entries = (Array.isArray(list) ? list : []).map((entry, index) =>
    readEntry(`${field}[${index}]`, entry, profile),
  );
  demandTotal(field, entries, TOTALS[profile.weights]);
  return entries;
}

function readEntry(where: string, entry: unknown, profile: Profile): AgentEntry {
  demand(isObject(entry), 400, `${where} must be an object`);
  const { agent_id, weight } = entry;
  const version = entry.agent_version ?? undefined;
  demand(typeof agent_id === "string" && agent_id !== "", 400, `${where}.agent_id is required`);
  const isVersion = version === undefined || Number.isInteger(version);
  demand(isVersion, 400, `${where}.agent_version must be an integer`);
  const hasVersion = version !== undefined || profile.agentVersion !== "required";
  demand(hasVersion, 400, `${where}.agent_version is required`);
  demand(typeof weight === "number" && weight >= 0, 400, `${where}.weight must be a number of 0 or more`);
  return { agent_id, agent_version: version === undefined ? undefined : Number(version), weight };
}

/**
 * Maps each value of the `weights` switch to the sum that the weights of an agent list must have. Undefined if the
 * platform accepts any sum.
 */
const TOTALS: Record<Profile["weights"], number | undefined> = { any: undefined, sum100: 100, sum1: 1 };

function demandTotal(field: ListField, entries: readonly AgentEntry[], total: number | undefined): void {
  const sum = entries.reduce((subtotal, { weight }) => subtotal + weight, 0);
  const isRight = total === undefined || entries.length === 0 || Math.abs(sum - total) < 1e-9 * total;
  demand(isRight, 422, `${field}: weights must sum to ${total}`);
}
