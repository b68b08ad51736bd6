import { type Ask, type Decision, demand, demandFields, isEmpty, isObject } from "./decision";
import { assignmentAnswer } from "./numberAnswer";
import { forEachPlain, PLAIN_FIELDS } from "./plainFields";
import type { Profile } from "./profile";
import { type AgentEntry, type Bindings, noBindings, type StoredNumber } from "./store";

type Body = Ask["body"];
type Effect = "keep" | "clear" | "set";

/** PUT /api/numbers/{number}/agent (section 4.1). */
export function assignNumber(ask: Ask, number: string): Decision {
  const lists = demandAssignment(ask);
  const after = assigned(ask, number, lists);
  return {
    answer: assignmentAnswer(after, ask.profile, ask.seed),
    commit: () => void ask.account.numbers.set(number, after),
  };
}

function assigned({ account, profile, body }: Ask, number: string, lists: Lists): StoredNumber {
  const before = account.numbers.get(number);
  return {
    id: before?.id ?? 1001 + account.numbers.size,
    number,
    accountSid: textOr(body.accountSid, before?.accountSid ?? account.accountSid),
    workspaceId: numberOr(body.workspaceId, before?.workspaceId ?? account.workspaceId),
    bindings: mergeBindings(body, lists, before?.bindings ?? noBindings, profile),
  };
}

/** Assumption 3: what each written form does to a binding. A field left out is assumption 2, and is looked up apart. */
const formEffects: Record<Profile["clears"], { readonly null: Effect; readonly empty: Effect }> = {
  any: { null: "clear", empty: "clear" },
  null: { null: "clear", empty: "keep" },
  empty: { null: "keep", empty: "clear" },
  omit: { null: "keep", empty: "keep" },
  nullRefused: { null: "keep", empty: "clear" },
  emptyRefused: { null: "clear", empty: "keep" },
};

function effectOf(value: unknown, profile: Profile): Effect {
  if (value === undefined) {
    return profile.omittedFields === "replace" || profile.clears === "omit" ? "clear" : "keep";
  }
  if (value === null) {
    return formEffects[profile.clears].null;
  }
  if (isEmpty(value)) {
    return formEffects[profile.clears].empty;
  }
  return "set";
}

function resolve<T>(value: unknown, held: T, cleared: T, profile: Profile, read: (value: unknown) => T): T {
  const effect = effectOf(value, profile);
  if (effect === "keep") {
    return held;
  }
  return effect === "clear" ? cleared : read(value);
}

function mergeBindings(body: Body, lists: Lists, held: Bindings, profile: Profile): Bindings {
  const listOf = (field: ListField) => resolve(body[field], held[field], [], profile, () => lists[field]);
  const outboundAgentId = resolve(body.outboundAgentId, held.outboundAgentId, undefined, profile, String);
  return {
    inboundAgents: listOf("inboundAgents"),
    outboundAgents: profile.outboundAgents === "accepted" ? listOf("outboundAgents") : held.outboundAgents,
    outboundAgentId,
    outboundAgentVersion: outboundVersion(body, held, outboundAgentId, profile),
    ...forEachPlain((field) => resolve<unknown>(body[field], held[field], undefined, profile, (value) => value)),
  };
}

/** A version belongs to its agent: without one, or with another one and no version of its own, it goes. */
function outboundVersion(
  body: Body,
  held: Bindings,
  agentId: string | undefined,
  profile: Profile,
): number | undefined {
  if (agentId === undefined) {
    return undefined;
  }
  const kept = agentId === held.outboundAgentId ? held.outboundAgentVersion : undefined;
  return resolve(body.outboundAgentVersion, kept, undefined, profile, Number);
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

// --- what the platform refuses

type ListField = "inboundAgents" | "outboundAgents";
type Lists = Readonly<Record<ListField, readonly AgentEntry[]>>;

const isString = (value: unknown): boolean => typeof value === "string";

const fieldTypes = {
  accountSid: isString,
  workspaceId: Number.isInteger,
  outboundAgentId: isString,
  outboundAgentVersion: Number.isInteger,
  inboundAgents: Array.isArray,
  ...Object.fromEntries(Object.entries(PLAIN_FIELDS).map(([field, { isRight }]) => [field, isRight])),
};

/** Everything that is demanded of a PUT, in the order in which it is looked at; returns the lists of the body. */
function demandAssignment(ask: Ask): Lists {
  const { profile, body } = ask;
  demand(profile.success !== "false", 422, "assignment not possible");
  demandForms(body, profile);
  demandFields(ask, fieldTypes);
  const lists: Lists = {
    inboundAgents: readList("inboundAgents", body, profile),
    outboundAgents: profile.outboundAgents === "accepted" ? readList("outboundAgents", body, profile) : [],
  };
  demandAgents(body, lists, profile);
  return lists;
}

function demandForms(body: Body, { clears }: Profile): void {
  for (const field of [...Object.keys(fieldTypes), "outboundAgents"]) {
    demand(clears !== "nullRefused" || body[field] !== null, 400, `${field} must not be null`);
    demand(clears !== "emptyRefused" || !isEmpty(body[field]), 400, `${field} must not be empty`);
  }
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
  const weights = entries.map(({ weight }) => weight);
  const broken = weights.length > 0 ? weightRules[profile.weights](weights) : undefined;
  demand(broken === undefined, 422, `${field}: ${broken}`);
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

const sumOf = (weights: readonly number[]): number => weights.reduce((sum, weight) => sum + weight, 0);
const near = (sum: number, total: number): boolean => Math.abs(sum - total) < 1e-9 * total;

/** Assumption 7: what is wrong with these weights; undefined = nothing. */
const weightRules: Record<Profile["weights"], (weights: readonly number[]) => string | undefined> = {
  any: () => undefined,
  sum100: (weights) => (near(sumOf(weights), 100) ? undefined : "weights must sum to 100"),
  sum1: (weights) => (near(sumOf(weights), 1) ? undefined : "weights must sum to 1"),
};
