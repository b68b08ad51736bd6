import { type Ask, type Decision, foreignRefusal, isEmpty, isObject } from "./decision";
import { assignmentAnswer } from "./numberAnswer";
import type { Profile } from "./profile";
import type { Refusal } from "./refusal";
import { type AgentEntry, type Bindings, noBindings, type StoredNumber } from "./store";
import { validateAssignment } from "./validateAssignment";

type Body = Ask["body"];
type Effect = "keep" | "clear" | "set";

/** PUT /api/numbers/{number}/agent (section 4.1). */
export function assignNumber(ask: Ask, number: string): Decision {
  const refusal = refusalOf(ask, number);
  if (refusal !== undefined) return { refusal };
  const before = ask.account.numbers.get(number);
  const after = assigned(ask, number, before);
  return { answer: assignmentAnswer(after, ask.profile, ask.seed), commit: () => commit(ask, after) };
}

function refusalOf(ask: Ask, number: string): Refusal | undefined {
  const { profile, account } = ask;
  if (profile.success === "false") return { because: "constraint", message: "assignment not possible" };
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

/** A change is shown only after so many answers; the answers of a repeated PUT count, a further change starts again. */
function staleAfter(
  before: StoredNumber | undefined,
  held: Bindings,
  bindings: Bindings,
  answers: number,
): StoredNumber["stale"] {
  if (JSON.stringify(held) === JSON.stringify(bindings)) return before?.stale;
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
  if (value === undefined) return profile.omittedFields === "replace" || profile.clears === "omit" ? "clear" : "keep";
  if (value === null) return formEffects[profile.clears].null;
  if (isEmpty(value)) return formEffects[profile.clears].empty;
  return "set";
}

function resolve<T>(value: unknown, held: T, cleared: T, profile: Profile, read: (value: unknown) => T): T {
  const effect = effectOf(value, profile);
  if (effect === "keep") return held;
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
  if (agentId === undefined) return undefined;
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
