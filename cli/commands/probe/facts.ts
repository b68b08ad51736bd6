import { verify } from "../../../provider/core/change/verify";
import type { NumberAnswer, WeightedAgent } from "../../../provider/core/platform/operations";
import type { Routing } from "../../../provider/core/routing/routing";
import { agentKey, toSplit } from "../../../provider/core/routing/split";
import {
  type Answered,
  type Answers,
  acceptedSums,
  DEFAULT_AGENT,
  inboundIds,
  MIRRORS,
  type Sight,
  type Subject,
} from "./experiments";

/** What the responses show. `undefined` is what they do not show. Pure. */

export type Effect = "cleared" | "kept" | "refused";

export type Effects = Facts["null"];

export type Facts = ReturnType<typeof readFacts>;

export function readFacts(answers: Answers, plan: Subject) {
  const accepted = Object.values(answers).filter((put) => put.isAccepted);
  const shown = accepted.filter(({ sight }) => sight.response !== undefined);
  const last = shown.at(-1)?.sight;
  const fields = outboundFields(answers.outbound, plan);
  const effects = (inbound: Answered | undefined, outbound = inbound) => ({
    inbound: inboundEffect(inbound, shown),
    outbound: outboundEffect(outbound, fields, plan),
  });
  return {
    statuses: [...new Set(accepted.flatMap(({ status }) => status ?? []))],
    success: last?.response && successOf(last.response),
    record: last && recordText(last, plan.number),
    inboundShown: inboundShown(shown),
    outboundFields: fields,
    /** How many times at most a PUT was sent again until a response showed what was sent. */
    lag: inboundShown(shown) && Math.max(0, ...accepted.map(({ repeats }) => repeats)),
    /** The sums that were accepted, of 100, 1 and 10; undefined if every split was refused. */
    sums: sums(answers),
    takesFractions: takesFractions(answers),
    zero: zeroOf(answers.zero),
    three: answers.three && (answers.three.isAccepted ? "accepted" : "refused"),
    version: versionOf(answers.unversioned),
    /** Every reading that fits all responses. */
    responseWeights: readings(shown, WEIGHTS, weightsOf),
    responseOrder: readings(shown.filter(isOfTwo), ORDERS, keysOf),
    omission: effects(answers.withoutInbound, answers.withoutOutbound),
    null: effects(answers.null),
    empty: effects(answers.empty),
    account: last && accountOf(last, plan),
    /** The fields in which the provider would find a response different from what was sent. */
    contradicted: inboundShown(shown) && contradicted(shown, plan),
  };
}

// --- the response as a whole

function successOf({ success }: NumberAnswer) {
  if (success === undefined) {
    return "absent";
  }
  if (success === null) {
    return "null";
  }
  return success ? "true" : undefined;
}

/** `by its number (1 in the response), and assignment`. */
function recordText(sight: Sight, number: string): string {
  const { numbers, assignment } = sight.response ?? {};
  const among = numbers?.length ? `${recordOf(sight, number)} (${numbers.length} in the response)` : "no record";
  return assignment ? `${among}, and assignment` : among;
}

function recordOf({ record }: Sight, number: string) {
  if (record === undefined) {
    return "none of ours";
  }
  if (record.number === number) {
    return "by its number";
  }
  return record.baseNumber === number ? "by its base number" : "the only one, written otherwise";
}

function accountOf({ record, response }: Sight, { scope }: Subject) {
  const { workspaceId, accountSid } = record ?? response?.assignment ?? {};
  const pairs = [
    [scope.workspaceId, workspaceId ?? undefined],
    [scope.accountSid, accountSid ?? undefined],
  ] as const;
  if (pairs.every(([, answered]) => answered === undefined)) {
    return undefined;
  }
  if (pairs.some(([asked, answered]) => asked !== undefined && answered !== undefined && asked !== answered)) {
    return "another than declared";
  }
  return pairs.every(([asked]) => asked === undefined) ? "shown" : "as declared";
}

function inboundShown(shown: readonly Answered[]) {
  const bound = shown.filter(({ sight }) => (inboundIds(sight) ?? []).length > 0);
  if (bound.length === 0) {
    return undefined;
  }
  return bound.some(({ sight }) => sight.inbound !== undefined) ? "inbound_agents" : "inbound_agent_id";
}

/** Inbound was another agent in that PUT, so a field that names this one mirrors the outbound agent. */
function outboundFields(put: Answered | undefined, { agents: [a] }: Subject): string[] {
  if (!put?.isAccepted) {
    return [];
  }
  return MIRRORS.filter(({ ids }) => ids(put.sight).includes(a.agentId)).map(({ field }) => field);
}

/** The fields in which the provider would find a difference, so that the operator can choose `onMismatch` before. */
function contradicted(shown: readonly Answered[], { number, scope }: Subject): string[] {
  const fields = shown
    .filter(({ sent }) => sent.inboundAgents?.length)
    .flatMap(({ sent, sight }) => {
      const asked = { ...scope, ...declared(sent) };
      return sight.response === undefined ? [] : verify(number, asked, [], {}, sight.response).mismatches;
    });
  return [...new Set(fields.map(({ field }) => field))];
}

const declared = ({ inboundAgents, outboundAgentId, outboundAgentVersion }: Answered["sent"]): Routing => ({
  inboundAgents: toSplit(inboundAgents ?? []),
  ...(outboundAgentId ? { outboundAgentId } : {}),
  ...(outboundAgentVersion ? { outboundAgentVersion } : {}),
});

// --- weights

function sums(answers: Answers): number[] | undefined {
  const taken = acceptedSums(answers);
  return answers.whole && answers.fraction && answers.otherSum && taken.length > 0 ? taken : undefined;
}

function takesFractions({ whole, fraction, notWhole }: Answers): boolean | undefined {
  if (fraction?.isAccepted || notWhole?.isAccepted) {
    return true;
  }
  return whole?.isAccepted && notWhole !== undefined ? false : undefined;
}

function zeroOf(put: Answered | undefined) {
  if (!put?.isAccepted) {
    return put && "refused";
  }
  if (!put.sight.inbound) {
    return "accepted";
  }
  return put.sight.inbound.length === 2 ? "kept" : "dropped";
}

function versionOf(put: Answered | undefined) {
  if (!put?.isAccepted) {
    return put && "required";
  }
  const isGiven = put.sight.inbound?.some(({ agentVersion }) => typeof agentVersion === "number");
  return isGiven ? "returned with one" : "optional";
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

/** The weights of the response, in the order in which they were sent. */
const weightsOf = (sent: Entries, shown: Entries): unknown[] =>
  sent.map(({ agentId }) => near(shown.find((entry) => entry.agentId === agentId)?.weight ?? Number.NaN));

const keysOf = (_sent: Entries, shown: Entries): unknown[] => shown.map(agentKey);

const isOfTwo = ({ sent, sight }: Answered): boolean => sent.inboundAgents?.length === 2 && sight.inbound?.length === 2;

/** The readings of the interface that agree with every response; several if the responses do not tell them apart. */
function readings(
  puts: readonly Answered[],
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

/** If the field was shown while it was bound, and is not shown any more, it is cleared. */
function inboundEffect(put: Answered | undefined, shown: readonly Answered[]): Effect | undefined {
  if (!put?.isAccepted) {
    return put && "refused";
  }
  const ids = inboundIds(put.sight);
  if (ids !== undefined) {
    return ids.length === 0 ? "cleared" : "kept";
  }
  return inboundShown(shown) !== undefined && put.sight.response !== undefined ? "cleared" : undefined;
}

/**
 * A default agent may stay when nothing is bound any more (assumption 38). If only that field shows the agent, it does not prove that the
 * agent was kept.
 */
function outboundEffect(put: Answered | undefined, fields: readonly string[], plan: Subject): Effect | undefined {
  if (!put?.isAccepted) {
    return put && "refused";
  }
  if (fields.length === 0 || put.sight.response === undefined) {
    return undefined;
  }
  const naming = outboundFields(put, plan).filter((field) => fields.includes(field));
  if (naming.length === 0) {
    return "cleared";
  }
  const sure = fields.filter((field) => field !== DEFAULT_AGENT);
  if (sure.length === 0) {
    return undefined;
  }
  return naming.some((field) => sure.includes(field)) ? "kept" : "cleared";
}
