import type { NumberAnswer, NumberRecord } from "../api/responses";
import { textsSent, withoutSent } from "../common/sent";
import { type Binding, FIELDS, NAMED_FIELDS, type Routing } from "../routing/fields";
import { describe, isEmpty, type Split, toAgents, toSplit, type Weighted } from "../routing/split";
import { VALUES } from "../routing/values";

/** What a response proves of the request: which agents answer, what was cleared, and in which other fields the two differ. */

/** A difference that callers would notice: they may meet other agents, or the number may not have been reached. */
export interface Mismatch {
  readonly field: "inboundAgents" | "number" | "platformImportError";
  readonly asked: string;
  readonly answered: string;
}

/** Does the response show the inbound agents that were asked for? `silent`: it says nothing of them, or shows others. */
export type Proof = "shown" | "silent";

type Named = (typeof NAMED_FIELDS)[number];

export interface Verdict {
  /** Our record; undefined if the response has none. */
  readonly record?: NumberRecord | undefined;
  readonly mismatches: readonly Mismatch[];
  /** Fields that were to be cleared and that the response still shows. */
  readonly left: readonly Binding[];
  /** Fields that were to be cleared and of which the response says nothing. */
  readonly unseen: readonly Binding[];
  /** Other fields in which the response differs from the request. */
  readonly others: readonly Named[];
  /** Without it, it is not confirmed that callers have the split; without a split, that the number has the agents that were asked for. */
  readonly proof: Proof;
  /** The split that the response shows in place of the one that was asked for, if it shows one with agents. */
  readonly instead?: Split | undefined;
}

export const isImport = ({ field }: Mismatch): boolean => field === "platformImportError";

/**
 * Compares the platform's response with what was asked: the declared routing, and the fields that were to be cleared. `held` is what the
 * number may have had before the request.
 */
export function verify(
  number: string,
  asked: Routing,
  cleared: readonly Binding[],
  held: Routing,
  answer: NumberAnswer,
): Verdict {
  const records = answer.numbers ?? [];
  const ours = ourRecords(number, records);
  if (ours.length === 0 && records.length > 0) {
    return OTHER_NUMBERS;
  }
  const views = [...ours, answer.assignment]
    .filter((view) => view !== undefined && view !== null)
    .map((view) => withList(view, asked.inboundAgents));
  const left = cleared.filter((field) => isLeft(field, views, asked, held));
  const differing = NAMED_FIELDS.filter(
    (field) => !cleared.some((one) => one === field) && differs(field, views, asked),
  );
  const other = otherThan(asked.inboundAgents, views);
  return {
    record: ours[0],
    mismatches: [
      ...(other ? [otherAgents(asked.inboundAgents, other)] : []),
      ...importFailed(views, { ...held, ...asked }),
    ],
    left,
    unseen: cleared.filter((field) => shownOf(field, views).length === 0),
    others: differing.filter((field) => field !== "inboundAgents"),
    proof: other || left.includes("inboundAgents") || !showsAgents(views, asked) ? "silent" : "shown",
    instead: other && !isEmpty(other) ? other : undefined,
  };
}

/** If at most one agent was asked for, a single id counts as the list (assumption 13). Of several agents it shows no weight. */
function withList(view: NumberRecord, asked: Split = {}): NumberRecord {
  const { inboundAgents, inboundAgentId: agentId, inboundAgentVersion: agentVersion } = view;
  return agentId && !inboundAgents && toAgents(asked).length <= 1
    ? { ...view, inboundAgents: [{ agentId, agentVersion: agentVersion ?? undefined, weight: 1 }] }
    : view;
}

const OTHER_NUMBERS: Verdict = {
  mismatches: [{ field: "number", asked: "this number", answered: "other numbers alone" }],
  left: [],
  unseen: [],
  others: [],
  proof: "silent",
};

/** A split that the response shows and that was not asked for. */
function otherThan(asked: Split = {}, views: readonly NumberRecord[]): Split | undefined {
  const shown = shownOf("inboundAgents", views) as readonly (readonly Weighted[] | null)[];
  const other = isEmpty(asked) ? undefined : shown.find((one) => !VALUES.split.isSame(asked, one));
  return other === undefined ? undefined : toSplit(other ?? []);
}

const otherAgents = (asked: Split = {}, other: Split): Mismatch => ({
  field: "inboundAgents",
  asked: describe(asked),
  answered: describe(other),
});

const importFailed = (views: readonly NumberRecord[], asked: Routing): Mismatch[] =>
  views
    .filter(({ platformImportError }) => platformImportError === true)
    .slice(0, 1)
    .map(({ platformImportErrorMessage: words }) => ({
      field: "platformImportError",
      asked: "an import without error",
      answered: withoutSent(words ?? "", textsSent(asked)) || "an error without a message",
    }));

/** If no split was asked for, any agent shows that the number was reached. */
const showsAgents = (views: readonly NumberRecord[], { inboundAgents: asked }: Routing): boolean =>
  shownOf("inboundAgents", views).length > 0 ||
  (asked === undefined &&
    views.some(({ inboundAgentId, outboundAgents, agentId }) =>
      [inboundAgentId, outboundAgents, agentId].some((value) => value !== undefined),
    ));

// --- one field

/** The texts among the values, without empty ones. */
const texts = (values: readonly (string | null | undefined)[]): string[] =>
  values.filter((value) => typeof value === "string" && value !== "") as string[];

function differs(field: Named, views: readonly NumberRecord[], { [field]: asked }: Routing): boolean {
  const { isSame }: Compared = VALUES[FIELDS[field].value];
  return asked !== undefined && shownOf(field, views).some((shown) => !isSame(asked as never, shown as never));
}

function isLeft(field: Binding, views: readonly NumberRecord[], asked: Routing, { [field]: held }: Routing): boolean {
  if (field === "outboundAgentId") {
    // An agent that is inbound by now may be shown for that.
    const isInbound = toAgents(asked.inboundAgents ?? {}).some(({ agentId }) => agentId === held);
    return (
      !isInbound && views.some((view) => VALUES.agent.isLeft(texts(outboundIds(view)), held as string | undefined))
    );
  }
  // If its agent goes too, the version is of no agent.
  if (field === "outboundAgentVersion" && asked.outboundAgentId === undefined) {
    return false;
  }
  const kind: Compared = VALUES[FIELDS[field].value];
  return shownOf(field, views).some((shown) => shown !== null && kind.isLeft(shown as never, held as never));
}

interface Compared {
  readonly isSame: (asked: never, shown: never) => boolean;
  readonly isLeft: (shown: never, held: never) => boolean;
}

/**
 * What the parts of a response show of a field: their values. If none has one, null if a part has the field as null, because a platform
 * may fill it in its record alone, or in the assignment object alone. Nothing if they are silent.
 */
function shownOf(field: Named, views: readonly NumberRecord[]): readonly unknown[] {
  const shown = views.map((view) => (READ[field] ?? ((all) => all[field as keyof NumberRecord]))(view));
  const values = shown.filter((value) => value !== undefined && value !== null);
  return values.length > 0 || !shown.includes(null) ? values : [null];
}

/** Several fields of a response tell of agents. */
const READ: { readonly [Name in Named]?: (view: NumberRecord) => unknown } = {
  // A list that is null beside a single id shows nothing.
  inboundAgents({ inboundAgents: all, inboundAgentId: id }) {
    const none = all === null ? [] : id;
    return all ?? (id ? undefined : none);
  },
  outboundAgentId(view) {
    const ids = [...outboundIds(view), view.defaultAgentId];
    return texts(ids).length > 0 ? texts(ids) : ids.find((id) => id === null);
  },
  outboundAgentVersion: ({ outboundAgentVersion: own, outboundAgents }) =>
    own ?? outboundAgents?.find(({ agentVersion }) => agentVersion !== undefined)?.agentVersion ?? own,
};

/** The platform's own default agent counts only if no other field tells of one. */
const outboundIds = ({ agentId, outboundAgents, defaultAgentId }: NumberRecord) =>
  agentId === undefined && outboundAgents === undefined
    ? [defaultAgentId]
    : [agentId, null, ...(outboundAgents ?? []).map((entry) => entry.agentId)];

// --- which record is ours

/**
 * The interface does not say how the record of a number is found (2.2, assumption 11). All records with exactly our number must show what
 * was asked. Without such a record, it is the only one with our base number, or else the only one of all, unless it is of another number.
 */
function ourRecords(number: string, records: readonly NumberRecord[]): readonly NumberRecord[] {
  const exact = records.filter((record) => record.number === number);
  if (exact.length > 0) {
    return exact;
  }
  const ofBase = records.filter((record) => record.baseNumber === number);
  const [single, ...others] = ofBase.length === 1 ? ofBase : records;
  return single === undefined || others.length > 0 || isOfAnother(number, single) ? [] : [single];
}

/** A platform may write our number in another way: signs between the digits, and what is in front of them, are a matter of spelling. */
function isOfAnother(number: string, { number: shown, baseNumber }: NumberRecord): boolean {
  const digits = (text: string) => text.replace(/\D/g, "").replace(/^0+/, "");
  const names = texts([shown, baseNumber]).map(digits);
  const ours = [number, number.split("#")[0] ?? number].map(digits);
  const isOurs = (name: string) => ours.some((one) => one.endsWith(name) || name.endsWith(one));
  // The record of an extension may name the number that it belongs to.
  return number.startsWith("+") && names.length > 0 && !names.some(isOurs);
}
