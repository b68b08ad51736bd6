import {
  appliedSplits,
  isSingle,
  isTouched,
  type Members,
  type NumbersState,
  type Plan,
  planNumbers,
  type Settings,
  type Split,
  toMembers,
  toText,
  UNKNOWN,
  type Unapplied,
  unappliedOf,
} from "../../provider/review";
import { numberOf, stateIn } from "../pulumi/coreState";
import { appliedIn } from "../pulumi/preview";
import { declaredIn, isSplit, type MaybeHidden, type Properties, SECRET, splitIn } from "../pulumi/values";
import { type Affected, type Listed, numberText } from "./card";
import type { Change } from "./changes";
import { id } from "./text";

/** What a number or a group holds before or after a change, as far as the preview shows it. */
export type Snapshot = ReturnType<typeof snapshotOf>;

export interface Sides {
  readonly before: Snapshot;
  readonly after: Snapshot;
}

/** A change of a number or a group, or a part of one. */
export interface NumberChange extends Change, Sides {
  /** The resource that declared the numbers until now, if it was another one. */
  readonly from?: NumberChange;
}

/**
 * A change with its snapshots. After an update that failed halfway, the split before is what was applied, not what the saved inputs
 * declare.
 */
export function numberChange(change: Change): NumberChange {
  const { old, new: next } = change;
  const saved = snapshotOf(appliedIn(old), old === undefined);
  const before = { ...saved, split: splitsBefore(saved)[0] };
  return { ...change, before, after: snapshotOf(next?.inputs ?? {}, next === undefined) };
}

function snapshotOf(values: Properties, isAbsent: boolean) {
  return {
    /** Before a change, the split that was applied last. */
    split: splitIn(values.inboundAgents),
    ...numbersSide(declaredIn(values), values.number === undefined ? undefined : 1),
    /** Which platform, and through which explicit provider; undefined if the engine did not ask the provider. */
    endpoint: endpointIn(values),
    values,
    /** The values as a state of the core. */
    state: stateIn(values),
    /** Has check seen the values? If the provider's config is unknown, the engine does not call check. */
    isChecked: isAbsent || values.endpoint !== undefined,
  };
}

/**
 * The numbers with their labels; a single number has none. `members` is empty if the numbers are hidden.
 * @param hidden how many there are if they are hidden; undefined if that is not known
 */
const numbersSide = (numbers: MaybeHidden<Members>, hidden?: number) => ({
  numbers,
  count: typeof numbers === "object" ? numbers.size : hidden,
  members: typeof numbers === "object" ? numbers : new Map<string, string>(),
  areNumbersKnown: typeof numbers === "object",
});

const endpointIn = ({ endpoint }: Properties): string | undefined =>
  typeof endpoint === "string" ? endpoint : undefined;

/** Is it unknown which numbers stay? If a single number is known afterwards and is another one, the change is a replacement. */
export const mayChangeNumbers = ({ before, after }: Sides): boolean =>
  after.numbers !== before.numbers && (!after.areNumbersKnown || before.count === undefined);

// --- what the provider would do

/** Settings without guards: a preview has no refused changes, and the report judges the guards elsewhere. */
const NO_GUARDS = { guards: { requireVersions: false, maxUnapproved: 0 } } as unknown as Settings;

/** The core's plan of the change. The number of a single number that is hidden counts as unchanged. */
export function planOf({ before, after }: Sides): Plan {
  const { endpoint } = after.isChecked ? after.values : before.values;
  const [number = before.state.number] = after.members.keys();
  const areKnown = before.areNumbersKnown && after.areNumbersKnown;
  const numbers = isSingle(before.state)
    ? { number, numbers: undefined }
    : { number: undefined, numbers: areKnown ? toText(after.members) : UNKNOWN };
  const news = { ...after.state, ...numbers, endpoint } as NumbersState;
  return planNumbers(before.state, news, NO_GUARDS);
}

/**
 * Does a replacement send each number again? If numbers leave a group, the engine replaces it, but the numbers that stay are not sent for
 * that.
 */
export function isSentAgain(change: NumberChange): boolean {
  if (change.kind !== "NumberGroup" || change.before.endpoint !== change.after.endpoint) {
    return true;
  }
  const { binds, replaces } = planOf(change);
  return binds !== undefined && replaces.length === 0;
}

/** Did the number ever get anything of this resource? */
export const wasAssigned = (number: string, { state }: Snapshot): boolean => isTouched(number, state);

/** The splits by which calls are divided today. If no request has gone through yet, there are none. */
export const splitsBefore = ({ split, state }: Snapshot): readonly MaybeHidden<Split>[] =>
  state.unapplied === undefined ? [split] : appliedSplits(state);

/** What an earlier run did not apply and this one sends again: an entry for each number. */
export function stillUnapplied({ before: { state }, after }: Sides): readonly Unapplied[] {
  const isStaying = (number: string) => number === state.number || !after.areNumbersKnown || after.members.has(number);
  return [...unappliedOf(state)].flatMap(([number, part]) => (isStaying(number) ? [part] : []));
}

// --- parts of a snapshot

/** A change of a group, with only the numbers that stay. Numbers that join or leave have cards of their own. */
export function staying({ before, after }: Sides): Sides {
  const { state } = before;
  if (!before.areNumbersKnown || !after.areNumbersKnown) {
    return { before, after };
  }
  const only = (members: Members) => toText(new Map([...members].filter(([number]) => after.members.has(number))));
  const parts = (state.unapplied ?? []).map((part) => ({ ...part, numbers: only(toMembers(part.numbers)) }));
  const unapplied = parts.filter(({ numbers }) => numbers !== "");
  const rest = { ...state, numbers: only(before.members), unapplied: unapplied.length === 0 ? undefined : unapplied };
  return {
    before: { ...before, state: rest, split: appliedSplits(rest)[0] ?? before.split },
    after: withNumbers(after, stayersOf({ before, after })),
  };
}

/** A snapshot with some of its numbers alone. */
export const withNumbers = (snapshot: Snapshot, numbers: readonly string[]): Snapshot => ({
  ...snapshot,
  ...numbersSide(new Map(numbers.map((number) => [number, snapshot.members.get(number) ?? ""]))),
});

/** Some numbers of a snapshot. All of them have what `one` has. */
export function snapshotOfSome(one: string, snapshot: Snapshot, numbers: readonly string[]): Snapshot {
  const state = numberOf(one, snapshot.state);
  const { unapplied: _, ...values } = snapshot.values;
  const [applied] = appliedSplits(state);
  return {
    ...withNumbers(snapshot, numbers),
    split: state.unapplied === undefined ? snapshot.split : splitIn(applied),
    state,
    values,
  };
}

export function affectedBy({ name, providerName, kind, ...change }: NumberChange, side?: Snapshot): Affected {
  const { members, numbers, count } = side ?? (change.new === undefined ? change.before : change.after);
  const isMasked = numbers === SECRET;
  if (kind === "NumberGroup") {
    return { name, providerName, count, isMasked };
  }
  const [number] = members.keys();
  const hidden = isMasked ? "a masked number" : "a number that is known after apply";
  return { name, providerName, count: 1, number: number === undefined ? hidden : id(number) };
}

/** The numbers of a group. A single number is not listed, because the card names it already. */
export function listedNumbers(
  change: NumberChange,
  side: Snapshot,
  numbers: readonly string[],
  title: string,
): Listed[] {
  const items = numbers.map((number) => numberText(number, side.members.get(number)));
  return affectedBy(change).number === undefined && items.length > 0 ? [{ title, items }] : [];
}

/** The numbers that are there before and after. */
export const stayersOf = ({ before, after }: Sides): string[] =>
  [...after.members.keys()].filter((number) => before.members.has(number));

export const bothSplits = ({ before, after }: Sides): { before: Split; after: Split } | undefined =>
  isSplit(before.split) && isSplit(after.split) ? { before: before.split, after: after.split } : undefined;
