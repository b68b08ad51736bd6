import type { NumberAnswer, WeightedAgent } from "../../../provider/core/operations";
import type { Routing } from "../../../provider/core/routing";
import { agentKey, toSplit } from "../../../provider/core/split";
import { verify } from "../../../provider/core/verify";
import { type Answers, DEFAULT_AGENT, inboundIds, MIRRORS, type Plan, type Put, type Sight } from "./experiments";

/** What the answers show, and no more: `undefined` is what stays unknown. Pure. */

export type Effect = "cleared" | "kept" | "refused";

export interface Effects {
  readonly inbound: Effect | undefined;
  readonly outbound: Effect | undefined;
}

export interface Facts {
  readonly statuses: readonly number[];
  readonly success: "true" | "null" | "absent" | undefined;
  readonly record:
    | "by its number"
    | "by its base number"
    | "the only one, written otherwise"
    | "none of ours"
    | undefined;
  readonly records: number | undefined;
  readonly hasAssignment: boolean | undefined;
  readonly inboundShown: "inbound_agents" | "inbound_agent_id" | undefined;
  readonly outboundFields: readonly string[];
  /** Repeats until an answer shows what was asked. */
  readonly lag: number | undefined;
  /** The sums that were accepted, of 100, 1 and 10; undefined where every split was refused. */
  readonly sums: readonly number[] | undefined;
  readonly takesFractions: boolean | undefined;
  readonly zero: "kept" | "dropped" | "accepted" | "refused" | undefined;
  readonly takesThree: boolean | undefined;
  readonly version: "optional" | "required" | "returned with one" | undefined;
  /** Every reading that fits all answers. */
  readonly answerWeights: readonly string[];
  readonly answerOrder: readonly string[];
  readonly omission: Effects;
  readonly null: Effects;
  readonly empty: Effects;
  readonly account: "as declared" | "another" | "shown" | undefined;
  /** Fields in which the provider's own check would find an answer different from what was asked. */
  readonly contradicted: readonly string[] | undefined;
}

export function readFacts(answers: Answers, plan: Plan): Facts {
  const accepted = Object.values(answers).filter((put) => put.isAccepted);
  const shown = accepted.filter(({ sight }) => sight.answer !== undefined);
  const last = shown.at(-1)?.sight;
  const fields = outboundFields(answers.outbound, plan);
  return {
    statuses: [...new Set(accepted.flatMap(({ status }) => status ?? []))],
    success: last?.answer && successOf(last.answer),
    record: last && recordOf(last, plan.number),
    records: last?.answer?.numbers?.length,
    hasAssignment: last && (last.answer?.assignment ?? undefined) !== undefined,
    inboundShown: inboundShown(shown),
    outboundFields: fields,
    lag: inboundShown(shown) && Math.max(0, ...accepted.map(({ repeats }) => repeats)),
    sums: sums(answers),
    takesFractions: takesFractions(answers),
    zero: zeroOf(answers.zero),
    takesThree: answers.three?.isAccepted,
    version: versionOf(answers.unversioned),
    answerWeights: readings(shown, WEIGHTS, weightsOf),
    answerOrder: readings(shown.filter(isOfTwo), ORDERS, keysOf),
    omission: {
      inbound: inboundEffect(answers.withoutInbound, shown),
      outbound: outboundEffect(answers.withoutOutbound, fields, plan),
    },
    null: effects(answers.null, shown, fields, plan),
    empty: effects(answers.empty, shown, fields, plan),
    account: last && accountOf(last, plan),
    contradicted: inboundShown(shown) && contradicted(shown, plan),
  };
}

// --- the answer as a whole

function successOf({ success }: NumberAnswer): Facts["success"] {
  if (success === undefined) {
    return "absent";
  }
  if (success === null) {
    return "null";
  }
  return success ? "true" : undefined;
}

function recordOf({ record, answer }: Sight, number: string): Facts["record"] {
  if (record === undefined) {
    return (answer?.numbers?.length ?? 0) === 0 ? undefined : "none of ours";
  }
  if (record.number === number) {
    return "by its number";
  }
  return record.baseNumber === number ? "by its base number" : "the only one, written otherwise";
}

function accountOf({ record, answer }: Sight, { scope }: Plan): Facts["account"] {
  const { workspaceId, accountSid } = record ?? answer?.assignment ?? {};
  const isShown = (workspaceId ?? undefined) !== undefined || (accountSid ?? undefined) !== undefined;
  if (!isShown) {
    return undefined;
  }
  const differs = <T>(asked: T | undefined, answered: T | null | undefined) =>
    asked !== undefined && (answered ?? undefined) !== undefined && asked !== answered;
  if (differs(scope.workspaceId, workspaceId) || differs(scope.accountSid, accountSid)) {
    return "another";
  }
  return scope.workspaceId === undefined && scope.accountSid === undefined ? "shown" : "as declared";
}

function inboundShown(shown: readonly Put[]): Facts["inboundShown"] {
  const bound = shown.filter(({ sight }) => (inboundIds(sight) ?? []).length > 0);
  if (bound.length === 0) {
    return undefined;
  }
  return bound.some(({ sight }) => sight.inbound !== undefined) ? "inbound_agents" : "inbound_agent_id";
}

/** Inbound was another agent in that PUT, so a field that names this one mirrors the outbound agent. */
function outboundFields(put: Put | undefined, { agents: [a] }: Plan): string[] {
  if (!put?.isAccepted) {
    return [];
  }
  return MIRRORS.filter(({ ids }) => ids(put.sight).includes(a.agentId)).map(({ field }) => field);
}

/** As the provider judges the same answers, so that a setting can be chosen before it does. */
function contradicted(shown: readonly Put[], { number, scope }: Plan): string[] {
  const fields = shown
    .filter(({ sent }) => sent.inboundAgents?.length)
    .flatMap(({ sent, sight }) => {
      const asked = { ...scope, ...declared(sent) };
      return sight.answer === undefined ? [] : verify(number, asked, [], {}, sight.answer).mismatches;
    });
  return [...new Set(fields.map(({ field }) => field))];
}

const declared = ({ inboundAgents, outboundAgentId, outboundAgentVersion }: Put["sent"]): Routing => ({
  inboundAgents: toSplit(inboundAgents ?? []),
  ...(outboundAgentId ? { outboundAgentId } : {}),
  ...(outboundAgentVersion ? { outboundAgentVersion } : {}),
});

// --- weights

function sums({ whole, fraction, otherSum }: Answers): number[] | undefined {
  if (whole === undefined || fraction === undefined || otherSum === undefined) {
    return undefined;
  }
  const taken = [
    ...(whole.isAccepted ? [100] : []),
    ...(fraction.isAccepted ? [1] : []),
    ...(otherSum.isAccepted ? [10] : []),
  ];
  return taken.length === 0 ? undefined : taken;
}

function takesFractions({ whole, fraction, notWhole }: Answers): boolean | undefined {
  if (fraction?.isAccepted || notWhole?.isAccepted) {
    return true;
  }
  return whole?.isAccepted && notWhole !== undefined ? false : undefined;
}

function zeroOf(put: Put | undefined): Facts["zero"] {
  if (put === undefined) {
    return undefined;
  }
  if (!put.isAccepted) {
    return "refused";
  }
  if (!put.sight.inbound) {
    return "accepted";
  }
  return put.sight.inbound.length === 2 ? "kept" : "dropped";
}

function versionOf(put: Put | undefined): Facts["version"] {
  if (put === undefined) {
    return undefined;
  }
  if (!put.isAccepted) {
    return "required";
  }
  return put.sight.inbound?.some(({ agentVersion }) => typeof agentVersion === "number")
    ? "returned with one"
    : "optional";
}

type Entries = readonly WeightedAgent[];
type Reading = (sent: Entries) => readonly unknown[];

const wholeOf = (entries: Entries): number => entries.reduce((sum, { weight }) => sum + weight, 0);
const near = (value: number): string => value.toFixed(6);

const WEIGHTS: Readonly<Record<string, Reading>> = {
  "as sent": (sent) => sent.map(({ weight }) => near(weight)),
  "scaled to a sum of 1": (sent) => sent.map(({ weight }) => near(weight / wholeOf(sent))),
  "scaled to a sum of 100": (sent) => sent.map(({ weight }) => near((100 * weight) / wholeOf(sent))),
  "scaled to a sum of 100 and rounded": (sent) =>
    sent.map(({ weight }) => near(Math.round((100 * weight) / wholeOf(sent)))),
};

const ORDERS: Readonly<Record<string, Reading>> = {
  "as sent": (sent) => sent.map(agentKey),
  sorted: (sent) => sent.map(agentKey).sort(),
  reversed: (sent) => sent.map(agentKey).reverse(),
};

/** In the order in which they were sent, whatever order the answer has. */
function weightsOf(sent: Entries, shown: Entries): unknown[] {
  return sent.map(({ agentId }) => near(shown.find((entry) => entry.agentId === agentId)?.weight ?? Number.NaN));
}

const keysOf = (_sent: Entries, shown: Entries): unknown[] => shown.map(agentKey);

const isOfTwo = ({ sent, sight }: Put): boolean => sent.inboundAgents?.length === 2 && sight.inbound?.length === 2;

/** The readings under which every answer makes sense; several where the answers do not tell them apart. */
function readings(
  puts: readonly Put[],
  candidates: Readonly<Record<string, Reading>>,
  see: (sent: Entries, shown: Entries) => readonly unknown[],
): string[] {
  const pairs = puts.flatMap(({ sent, sight }) =>
    sent.inboundAgents?.length && sight.inbound?.length === sent.inboundAgents.length
      ? [[sent.inboundAgents, sight.inbound] as const]
      : [],
  );
  if (pairs.length === 0) {
    return [];
  }
  return Object.keys(candidates).filter((name) =>
    pairs.every(([sent, shown]) => String(candidates[name]?.(sent)) === String(see(sent, shown))),
  );
}

// --- what clears

const effects = (put: Put | undefined, shown: readonly Put[], fields: readonly string[], plan: Plan): Effects => ({
  inbound: inboundEffect(put, shown),
  outbound: outboundEffect(put, fields, plan),
});

/** What was shown while something was bound, and is not shown any more, is gone. */
function inboundEffect(put: Put | undefined, shown: readonly Put[]): Effect | undefined {
  if (put === undefined) {
    return undefined;
  }
  if (!put.isAccepted) {
    return "refused";
  }
  const ids = inboundIds(put.sight);
  if (ids !== undefined) {
    return ids.length === 0 ? "cleared" : "kept";
  }
  return inboundShown(shown) !== undefined && put.sight.answer !== undefined ? "cleared" : undefined;
}

/** A default agent may stay when nothing is bound any more (assumption 38), so on its own it proves only that something is gone. */
function outboundEffect(put: Put | undefined, fields: readonly string[], { agents: [a] }: Plan): Effect | undefined {
  if (put === undefined) {
    return undefined;
  }
  if (!put.isAccepted) {
    return "refused";
  }
  if (fields.length === 0 || put.sight.answer === undefined) {
    return undefined;
  }
  const naming = MIRRORS.filter(({ field, ids }) => fields.includes(field) && ids(put.sight).includes(a.agentId));
  if (naming.length === 0) {
    return "cleared";
  }
  const sure = fields.filter((field) => field !== DEFAULT_AGENT);
  if (sure.length === 0) {
    return undefined;
  }
  return naming.some(({ field }) => sure.includes(field)) ? "kept" : "cleared";
}
