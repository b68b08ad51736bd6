import { type Ask, type Decision, foreignRefusal, isEmpty, isObject, type Refusal } from "./decision";
import { assignmentAnswer } from "./numberAnswer";
import type { Profile } from "./profile";
import { type AgentEntry, type Bindings, noBindings, type StoredNumber } from "./store";

type Body = Ask["body"];
type Effect = "keep" | "clear" | "set";

/** PUT /api/numbers/{number}/agent (section 4.1). */
export function assignNumber(ask: Ask, number: string): Decision {
  const refusal = refusalOf(ask, number);
  if (refusal !== undefined) {
    return { refusal };
  }
  const before = ask.account.numbers.get(number);
  const after = assigned(ask, number, before);
  return { answer: assignmentAnswer(after, ask.profile, ask.seed), commit: () => commit(ask, after) };
}

function refusalOf(ask: Ask, number: string): Refusal | undefined {
  const { profile, account } = ask;
  if (profile.success === "false") {
    return { because: "constraint", message: "assignment not possible" };
  }
  if (profile.numberForms === "e164Only" && !/^\+[1-9]\d{1,14}$/.test(number)) {
    return { because: "invalid", message: "number must be in international format" };
  }
  if (profile.unknownNumbers === "404" && !account.numbers.has(number) && !profile.knownNumbers.includes(number)) {
    return { because: 404, message: `number ${number} not found` };
  }
  return foreignRefusal(ask) ?? validateAssignment(ask.body, profile);
}

function assigned(ask: Ask, number: string, before: StoredNumber | undefined): StoredNumber {
  const { account, profile, body } = ask;
  const held = before?.bindings ?? noBindings;
  const bindings = mergeBindings(body, held, profile);
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

/** Row 3: what each written form does to a binding. A field left out is row 2, and is looked up apart. */
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

function mergeBindings(body: Body, held: Bindings, profile: Profile): Bindings {
  const outboundAgents =
    profile.outboundAgents === "accepted"
      ? resolve(body.outboundAgents, held.outboundAgents, [], profile, readEntries)
      : held.outboundAgents;
  const outboundAgentId = resolve(body.outboundAgentId, held.outboundAgentId, undefined, profile, String);
  return {
    inboundAgents: resolve(body.inboundAgents, held.inboundAgents, [], profile, readEntries),
    outboundAgents,
    outboundAgentId,
    outboundAgentVersion: outboundVersion(body, held, outboundAgentId, profile),
    inboundWebhookUrl: resolve(body.inboundWebhookUrl, held.inboundWebhookUrl, undefined, profile, String),
    isTimeRoutingEnabled: resolve(body.isTimeRoutingEnabled, held.isTimeRoutingEnabled, undefined, profile, Boolean),
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

function readEntries(value: unknown): readonly AgentEntry[] {
  return (Array.isArray(value) ? value : []).filter(isObject).map((entry) => ({
    agent_id: String(entry.agent_id),
    agent_version: typeof entry.agent_version === "number" ? entry.agent_version : undefined,
    weight: Number(entry.weight),
  }));
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

// --- what the platform refuses

type Check = (body: Body, profile: Profile) => Refusal | undefined;

/** Every reason to refuse the body of a PUT, in the order in which they are looked at; undefined = none. */
function validateAssignment(body: Body, profile: Profile): Refusal | undefined {
  for (const check of checks) {
    const refusal = check(body, profile);
    if (refusal !== undefined) {
      return refusal;
    }
  }
  return undefined;
}

const invalid = (message: string): Refusal => ({ because: "invalid", message });
const constraint = (message: string): Refusal => ({ because: "constraint", message });

const fieldTypes: Record<string, (value: unknown) => boolean> = {
  accountSid: (value) => typeof value === "string",
  workspaceId: Number.isInteger,
  outboundAgentId: (value) => typeof value === "string",
  outboundAgentVersion: Number.isInteger,
  inboundAgents: Array.isArray,
  inboundWebhookUrl: (value) => typeof value === "string",
  isTimeRoutingEnabled: (value) => typeof value === "boolean",
};

const required: Check = (body, profile) => {
  if (profile.requiredFields === "none") {
    return undefined;
  }
  const missing = profile.requiredFields.split("+").find((field) => body[field] === undefined || body[field] === null);
  return missing === undefined ? undefined : invalid(`${missing} is required`);
};

const known: Check = (body, profile) => {
  if (profile.unknownFields === "ignored") {
    return undefined;
  }
  const extra = Object.keys(body).find(
    (field) =>
      !Object.hasOwn(fieldTypes, field) && !(field === "outboundAgents" && profile.outboundAgents === "accepted"),
  );
  return extra === undefined ? undefined : invalid(`unknown field ${extra}`);
};

const forms: Check = (body, profile) => {
  for (const field of [...Object.keys(fieldTypes), "outboundAgents"]) {
    const value = body[field];
    if (profile.clears === "nullRefused" && value === null) {
      return invalid(`${field} must not be null`);
    }
    if (profile.clears === "emptyRefused" && isEmpty(value)) {
      return invalid(`${field} must not be empty`);
    }
  }
  return undefined;
};

const types: Check = (body) => {
  for (const [field, matches] of Object.entries(fieldTypes)) {
    const value = body[field];
    if (value !== undefined && value !== null && !matches(value)) {
      return invalid(`${field} has the wrong type`);
    }
  }
  return undefined;
};

const lists: Check = (body, profile) => {
  const fields = profile.outboundAgents === "accepted" ? ["inboundAgents", "outboundAgents"] : ["inboundAgents"];
  for (const field of fields) {
    const list = body[field];
    const refusal = Array.isArray(list) ? listRefusal(field, list, profile) : undefined;
    if (refusal !== undefined) {
      return refusal;
    }
  }
  return undefined;
};

const agents: Check = (body, profile) => {
  if (profile.unknownAgents === "accept") {
    return undefined;
  }
  const named = [
    { id: body.outboundAgentId, version: body.outboundAgentVersion },
    ...(Array.isArray(body.inboundAgents) ? body.inboundAgents : [])
      .filter(isObject)
      .map((entry) => ({ id: entry.agent_id, version: entry.agent_version })),
  ];
  const missing = named.find(({ id, version }) => typeof id === "string" && id !== "" && !exists(id, version, profile));
  return missing && { because: Number(profile.unknownAgents), message: `agent ${missing.id} not found` };
};

const checks: readonly Check[] = [required, known, forms, types, lists, agents];

function exists(id: string, version: unknown, { knownAgents }: Profile): boolean {
  if (knownAgents.length === 0) {
    return !id.startsWith("agent_missing");
  }
  if (knownAgents.includes(id) || knownAgents.includes(`${id}@${version}`)) {
    return true;
  }
  return typeof version !== "number" && knownAgents.some((known) => known.startsWith(`${id}@`));
}

function listRefusal(field: string, list: readonly unknown[], profile: Profile): Refusal | undefined {
  const weights: number[] = [];
  for (const [index, entry] of list.entries()) {
    const refusal = entryRefusal(`${field}[${index}]`, entry, profile);
    if (refusal !== undefined) {
      return refusal;
    }
    if (isObject(entry)) {
      weights.push(Number(entry.weight));
    }
  }
  const broken = weights.length > 0 ? weightRules[profile.weights](weights) : undefined;
  return broken === undefined ? undefined : constraint(`${field}: ${broken}`);
}

function entryRefusal(where: string, entry: unknown, profile: Profile): Refusal | undefined {
  if (!isObject(entry)) {
    return invalid(`${where} must be an object`);
  }
  const { agent_id, agent_version, weight } = entry;
  if (typeof agent_id !== "string" || agent_id === "") {
    return invalid(`${where}.agent_id is required`);
  }
  const hasVersion = agent_version !== undefined && agent_version !== null;
  if (hasVersion && !Number.isInteger(agent_version)) {
    return invalid(`${where}.agent_version must be an integer`);
  }
  if (!hasVersion && profile.agentVersion === "required") {
    return invalid(`${where}.agent_version is required`);
  }
  if (typeof weight !== "number" || weight < 0) {
    return invalid(`${where}.weight must be a number of 0 or more`);
  }
  return undefined;
}

const sumOf = (weights: readonly number[]): number => weights.reduce((sum, weight) => sum + weight, 0);
const near = (sum: number, total: number): boolean => Math.abs(sum - total) < 1e-9 * total;

/** Row 7: what is wrong with these weights; undefined = nothing. */
const weightRules: Record<Profile["weights"], (weights: readonly number[]) => string | undefined> = {
  any: () => undefined,
  sum100: (weights) => (near(sumOf(weights), 100) ? undefined : "weights must sum to 100"),
  sum1: (weights) => (near(sumOf(weights), 1) ? undefined : "weights must sum to 1"),
  integers: (weights) => (weights.every(Number.isInteger) ? undefined : "weights must be integers"),
  max2: (weights) => (weights.length <= 2 ? undefined : "at most 2 agents"),
};
