import { only, texts } from "../common/lists";
import type { NumberAnswer, NumberRecord } from "../routing/client";
import {
  BINDINGS,
  type Binding,
  type FieldOf,
  fieldsOf,
  type Routing,
  type Scope,
  type ValueKind,
} from "../routing/fields";
import type { Split } from "../routing/split";
import { AGENT_COMPARISONS, shownSplit } from "./agentsShown";
import { type Comparison, type Found, isNull, isOther, type Mismatch, mismatch, type View } from "./mismatch";

/**
 * What a response proves of the split that was asked, or if none was, of any agent. "silent": it says nothing, or contradicts it. Then it is
 * not confirmed that callers have the split.
 */
export type Proof = "shown" | "silent";

export interface Verdict {
  /** Our record; undefined if the response has none. */
  readonly record?: NumberRecord | undefined;
  readonly mismatches: Mismatch[];
  readonly proof: Proof;
  /** Fields that were to be cleared and that the response does not have: they may be cleared, or only not shown. */
  readonly unseen: Binding[];
  /** The split that the response shows, if it shows one. */
  readonly shown?: Split | undefined;
}

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
    return anotherNumber(records.length);
  }
  const views: View[] = [...ours, answer.assignment].filter((view) => view !== undefined && view !== null);
  const found = [...views.flatMap((view) => differencesIn(view, asked, cleared, held)), ...unset(views, asked)];
  const mismatches = found.filter((one) => one !== undefined);
  return {
    record: ours[0],
    mismatches: mismatches.filter((one, index) => mismatches.findIndex(({ field }) => field === one.field) === index),
    proof: proofOf(views, asked, mismatches),
    unseen: cleared.filter((field) => !views.some((view) => COMPARISONS[field].isShown(view))),
    shown: views.map((view) => shownSplit(view)).find((split) => split !== undefined),
  };
}

const anotherNumber = (count: number): Verdict => ({
  mismatches: [
    mismatch(
      "number",
      "this number",
      count === 1 ? "a record of another number" : `${count} records, none of them this number`,
    ),
  ],
  proof: "silent",
  unseen: [],
});

function proofOf(views: readonly View[], { inboundAgents: asked }: Routing, mismatches: readonly Mismatch[]): Proof {
  // A single agent shows nothing of the weights of several.
  const showsAsked = (view: View) =>
    Object.keys(asked ?? {}).length > 1
      ? shownSplit(view) !== undefined
      : AGENT_COMPARISONS.inboundAgents.isShown(view);
  return views.some(asked === undefined ? showsAgents : showsAsked) &&
    !mismatches.some(({ field }) => field === "inboundAgents")
    ? "shown"
    : "silent";
}

const showsAgents = (view: View): boolean =>
  [view.inboundAgents, view.inboundAgentId, view.outboundAgents, view.agentId].some((value) => value !== undefined);

function differencesIn(view: View, asked: Routing, cleared: readonly Binding[], held: Routing): Found[] {
  return [
    ...BINDINGS.map((field) => {
      const { left, differs } = COMPARISONS[field];
      return cleared.includes(field) ? left(view, asked, held) : differs(view, asked);
    }),
    ...Object.values(SCOPE_DIFFERS).map((differs) => differs(view, asked)),
    importFailed(view),
  ];
}

const unset = (views: readonly View[], asked: Routing): Found[] =>
  BINDINGS.flatMap((field) => COMPARISONS[field].unset(views, asked));

// --- which record is ours

/** The record of our number, of which the interface does not say how it is found (2.2, assumption 11). */
export const ourRecord = (number: string, records: readonly NumberRecord[]): NumberRecord | undefined =>
  ourRecords(number, records)[0];

/**
 * The records with exactly our number: all of them must show what was asked. Without such a record, the only one with our base number, or
 * else the only one of all, unless it is of another number.
 */
function ourRecords(number: string, records: readonly NumberRecord[]): readonly NumberRecord[] {
  const exact = records.filter((record) => record.number === number);
  if (exact.length > 0) {
    return exact;
  }
  const single = only(records.filter((record) => record.baseNumber === number)) ?? only(records);
  return single === undefined || isOfAnother(number, single) ? [] : [single];
}

/** A platform may write our number in another way, and the record of an extension may name the full number that the extension belongs to. */
function isOfAnother(number: string, { number: shown, baseNumber }: NumberRecord): boolean {
  const isFull = number.startsWith("+");
  const names = texts(isFull ? [shown, baseNumber] : [shown]).filter((name) => isFull || !name.startsWith("+"));
  // Signs between the digits, and the country code in front of them, are a matter of spelling.
  const signs = isFull ? /\D/g : /[^\p{L}\p{N}]/gu;
  const bare = (text: string) => text.toLowerCase().replace(signs, "").replace(/^0+/, "");
  const spellings = [number, number.split("#")[0] ?? number].map(bare);
  const isSame = (name: string) => spellings.some((one) => one.endsWith(name) || name.endsWith(one));
  return names.length > 0 && !names.map(bare).some(isSame);
}

// --- a URL, a flag, the scope and the import

const urlComparison = (field: FieldOf<"url">): Comparison => ({
  isShown: (view) => view[field] !== undefined,
  differs: ({ [field]: answered }, { [field]: url }) =>
    url === undefined || answered === undefined || sameUrl(url, answered ?? "")
      ? undefined
      : mismatch(field, "the declared URL", answered ? "another URL" : "none"),
  left: ({ [field]: answered }) => (answered ? mismatch(field, "none", "a URL") : undefined),
  unset: () => [],
});

function sameUrl(a: string, b: string): boolean {
  return a === b || (URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href);
}

/** A flag that is off counts as cleared. */
const flagComparison = (field: FieldOf<"flag">): Comparison => ({
  isShown: (view) => view[field] !== undefined,
  differs: (view, asked) => valueDiffers(field, view, asked),
  left: ({ [field]: answered }, _, held) =>
    answered === true && held[field] === true ? mismatch(field, "off", "true") : undefined,
  unset: (views, asked) =>
    asked[field] === true && isNull(views.map((view) => view[field])) ? [mismatch(field, "true", "not set")] : [],
});

const valueDiffers = (field: "workspaceId" | FieldOf<"flag">, view: View, asked: Routing): Found =>
  isOther(asked[field], view[field]) ? mismatch(field, String(asked[field]), String(view[field])) : undefined;

const SCOPE_DIFFERS: Readonly<Record<Scope, (view: View, asked: Routing) => Found>> = {
  workspaceId: (view, asked) => valueDiffers("workspaceId", view, asked),
  accountSid: (view, asked) =>
    isOther(asked.accountSid, view.accountSid)
      ? mismatch("accountSid", "the declared account", "another account")
      : undefined,
};

const importFailed = ({ platformImportError, platformImportErrorMessage: words }: View): Found =>
  platformImportError === true
    ? mismatch("platformImportError", "an import without error", words || "an error without a message")
    : undefined;

// --- which field is compared how

const ofKind = <Kind extends ValueKind>(
  kind: Kind,
  comparison: (field: FieldOf<Kind>) => Comparison,
): Readonly<Record<FieldOf<Kind>, Comparison>> =>
  Object.fromEntries(fieldsOf(kind).map((field) => [field, comparison(field)])) as Record<FieldOf<Kind>, Comparison>;

/** A URL and a flag are compared as all of their kind are; agents have rules of their own. */
const COMPARISONS: Readonly<Record<Binding, Comparison>> = {
  ...ofKind("url", urlComparison),
  ...ofKind("flag", flagComparison),
  ...AGENT_COMPARISONS,
};

/** The fields that were to be cleared and that the response still shows. */
export const stillShown = (
  { mismatches }: { readonly mismatches: readonly Mismatch[] },
  cleared: readonly Binding[],
): Mismatch[] => mismatches.filter(({ field }) => (cleared as readonly string[]).includes(field));
