import { type Ask, type Decision, demand, demandFields, demandOwn, isEmpty, isObject } from "./decision";
import { assignmentAnswer } from "./numberAnswer";
import { forEachPlain, PLAIN_FIELDS } from "./plainFields";
import type { Profile } from "./profile";
import { type AgentEntry, type Bindings, noBindings, type StoredNumber } from "./store";

type Body = Ask["body"];
type Effect = "keep" | "clear" | "set";

/** PUT /api/numbers/{number}/agent (section 4.1). */
export function assignNumber(ask: Ask, number: string): Decision {
  const lists = demandAssignment(ask, number);
  const after = assigned(ask, number, lists);
  return { answer: assignmentAnswer(after, ask.profile, ask.seed), commit: () => commit(ask, after) };
}

function assigned({ account, profile, body }: Ask, number: string, lists: Lists): StoredNumber {
  const before = account.numbers.get(number);
  const held = before?.bindings ?? noBindings;
  const bindings = mergeBindings(body, lists, held, profile);
  return {
    id: before?.id ?? 1001 + account.numbers.size,
    number,
    accountSid: textOr(body.accountSid, before?.accountSid ?? account.accountSid),
    workspaceId: numberOr(body.workspaceId, before?.workspaceId ?? account.workspaceId),
    bindings,
    lastOutboundAgentId: bindings.outboundAgentId ?? before?.lastOutboundAgentId,
    stale: staleAfter(before, held, bindings, profile.staleAnswers),
  };
}

/** A change is shown only after so many responses; those of a repeated PUT count, a further change starts again. */
function staleAfter(
  before: StoredNumber | undefined,
  held: Bindings,
  bindings: Bindings,
  answers: number,
): StoredNumber["stale"] {
  if (JSON.stringify(held) === JSON.stringify(bindings)) {
    return before?.stale;
  }
  return answers > 0 ? { bindings: before?.stale?.bindings ?? held, left: answers } : undefined;
}

function commit({ account }: Ask, after: StoredNumber): void {
  const left = (after.stale?.left ?? 0) - 1;
  const stale = after.stale !== undefined && left > 0 ? { ...after.stale, left } : undefined;
  account.numbers.set(after.number, { ...after, stale });
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
function demandAssignment(ask: Ask, number: string): Lists {
  const { profile, account, body } = ask;
  demand(profile.success !== "false", "constraint", "assignment not possible");
  const isForm = profile.numberForms === "any" || /^\+[1-9]\d{1,14}$/.test(number);
  demand(isForm, "invalid", "number must be in international format");
  const isKnown = account.numbers.has(number) || profile.knownNumbers.includes(number);
  demand(profile.unknownNumbers === "accept" || isKnown, 404, `number ${number} not found`);
  demandOwn(ask);
  const isAccepted = profile.outboundAgents === "accepted";
  demandForms(body, profile, [...Object.keys(fieldTypes), ...(isAccepted ? ["outboundAgents"] : [])]);
  demandFields(ask, "invalid", fieldTypes);
  const lists: Lists = {
    inboundAgents: readList("inboundAgents", body, profile),
    outboundAgents: isAccepted ? readList("outboundAgents", body, profile) : [],
  };
  demandAgents(body, lists, profile);
  return lists;
}

function demandForms(body: Body, profile: Profile, known: readonly string[]): void {
  const missing = profile.requiredFields.split("+").find((field) => (body[field] ?? undefined) === undefined);
  demand(profile.requiredFields === "none" || missing === undefined, "invalid", `${missing} is required`);
  const extra = Object.keys(body).find((field) => !known.includes(field));
  demand(profile.unknownFields === "ignored" || extra === undefined, "invalid", `unknown field ${extra}`);
  for (const field of [...Object.keys(fieldTypes), "outboundAgents"]) {
    demand(profile.clears !== "nullRefused" || body[field] !== null, "invalid", `${field} must not be null`);
    demand(profile.clears !== "emptyRefused" || !isEmpty(body[field]), "invalid", `${field} must not be empty`);
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
  demand(broken === undefined, "constraint", `${field}: ${broken}`);
  return entries;
}

function readEntry(where: string, entry: unknown, profile: Profile): AgentEntry {
  demand(isObject(entry), "invalid", `${where} must be an object`);
  const { agent_id, weight } = entry;
  const version = entry.agent_version ?? undefined;
  demand(typeof agent_id === "string" && agent_id !== "", "invalid", `${where}.agent_id is required`);
  const isVersion = version === undefined || Number.isInteger(version);
  demand(isVersion, "invalid", `${where}.agent_version must be an integer`);
  const hasVersion = version !== undefined || profile.agentVersion !== "required";
  demand(hasVersion, "invalid", `${where}.agent_version is required`);
  demand(typeof weight === "number" && weight >= 0, "invalid", `${where}.weight must be a number of 0 or more`);
  return { agent_id, agent_version: version === undefined ? undefined : Number(version), weight };
}

const sumOf = (weights: readonly number[]): number => weights.reduce((sum, weight) => sum + weight, 0);
const near = (sum: number, total: number): boolean => Math.abs(sum - total) < 1e-9 * total;

/** Assumption 7: what is wrong with these weights; undefined = nothing. */
const weightRules: Record<Profile["weights"], (weights: readonly number[]) => string | undefined> = {
  any: () => undefined,
  sum100: (weights) => (near(sumOf(weights), 100) ? undefined : "weights must sum to 100"),
  sum1: (weights) => (near(sumOf(weights), 1) ? undefined : "weights must sum to 1"),
  integers: (weights) => (weights.every(Number.isInteger) ? undefined : "weights must be integers"),
  max2: (weights) => (weights.length <= 2 ? undefined : "at most 2 agents"),
};
