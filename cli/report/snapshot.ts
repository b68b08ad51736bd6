import { endpointText } from "../../provider/core/endpoint";
import { type Members, numbersOf, toText } from "../../provider/core/numberList";
import { type Plan, planGroup, planNumber } from "../../provider/core/plan";
import { UNKNOWN } from "../../provider/core/schemas";
import type { Settings } from "../../provider/core/settings";
import type { Split } from "../../provider/core/split";
import {
  appliedSplits,
  type GroupState,
  isTouched,
  type NumberState,
  type Unapplied,
  unappliedOf,
} from "../../provider/core/state";
import { numberOf, stateIn } from "../pulumi/coreState";
import { appliedIn } from "../pulumi/preview";
import {
  isHidden,
  isMap,
  isSplit,
  type Known,
  membersIn,
  overrideIn,
  type Properties,
  SECRET,
  splitIn,
} from "../pulumi/values";
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
export interface NumberChange extends Change, Sides {}

/** After an update that failed half-way the inputs before it say something else than what was applied. */
export function numberChange(change: Change): NumberChange {
  const { kind, old, new: next } = change;
  const saved = snapshotOf(kind, appliedIn(old), old === undefined);
  const before = saved.state.unapplied === undefined ? saved : { ...saved, split: appliedSplitsOf(saved)[0] };
  return { ...change, before, after: snapshotOf(kind, next?.inputs ?? {}, next === undefined) };
}

function snapshotOf(kind: Change["kind"], values: Properties, isNone: boolean) {
  return {
    /** Before a change: what was applied last. Callers never reach a split that no number got. */
    split: splitIn(values.inboundAgents),
    /** Of a single number: that one, without a label. */
    numbers: kind === "NumberGroup" ? membersIn(values.numbers) : numberIn(values.number),
    /** Which platform, and through which explicit provider; undefined if the engine did not ask the provider. */
    endpoint: endpointIn(values),
    values,
    /** The same as the core's plan takes it. */
    state: stateIn(kind, values),
    /** Did the provider see it? If the provider's own config is not known yet, the engine does not call it. */
    isChecked: isNone || values.endpoint !== undefined,
  };
}

const endpointIn = ({ endpoint, providerName }: Properties): string | undefined =>
  typeof endpoint === "string"
    ? endpointText({ endpoint, providerName: typeof providerName === "string" ? providerName : undefined })
    : undefined;

function numberIn(value: unknown): Known<Members> {
  if (isHidden(value) || value === undefined) {
    return value;
  }
  return typeof value === "string" ? new Map([[value, ""]]) : UNKNOWN;
}

/** The numbers with their labels; empty if they are not known. */
export const membersOf = ({ numbers }: Snapshot): Members => (typeof numbers === "object" ? numbers : new Map());

/** Is it open which of the numbers before stay? A single one that is shown afterwards would be a replacement otherwise. */
export const mayChangeNumbers = ({ kind, before, after }: NumberChange): boolean =>
  after.numbers !== before.numbers && (!areNumbersKnown(after) || (kind === "NumberGroup" && !areNumbersKnown(before)));

export const areNumbersKnown = ({ numbers }: Snapshot): boolean => typeof numbers === "object";

// --- what the provider would do

/** Settings without guards: a refused change is no part of a preview, and the guards have a line of their own. */
const NO_GUARDS = { guards: { requireVersions: false, maxUnapproved: 0 } } as unknown as Settings;

/** By the core's own plan. Hidden overrides are planned as if they stayed the same. */
export function planOf({ before, after }: Sides): Plan {
  const { endpoint, providerName } = after.isChecked ? after.values : before.values;
  const news = { ...after.state, endpoint, providerName };
  if (!("numbers" in before.state)) {
    const [number = before.state.number] = membersOf(after).keys();
    return planNumber(before.state, { ...news, number } as NumberState, NO_GUARDS);
  }
  const isKnown = areNumbersKnown(before) && areNumbersKnown(after);
  const numbers = isKnown ? toText(membersOf(after)) : UNKNOWN;
  const overrides = isHidden(after.values.overrides) ? before.state.overrides : (after.state as GroupState).overrides;
  return planGroup(before.state, { ...news, numbers, overrides } as unknown as GroupState, NO_GUARDS);
}

/** Does a replacement send to each number again? If numbers leave a group, only the engine calls it a replacement: the others are not sent for that. */
export function isSentAgain(change: NumberChange): boolean {
  if (change.kind !== "NumberGroup" || change.before.endpoint !== change.after.endpoint) {
    return true;
  }
  const { binds, replaces } = planOf(change);
  return binds !== undefined && replaces.length === 0;
}

/** Did the number ever get anything of this resource? */
export const wasAssigned = (number: string, { state }: Snapshot): boolean =>
  "numbers" in state
    ? isTouched(number, state)
    : state.unapplied === undefined || "applied" in state.unapplied || "maybe" in state.unapplied;

/** The splits that callers meet today. */
export const appliedSplitsOf = ({ state }: Snapshot): Known<Split>[] => appliedSplits(state) as Known<Split>[];

/** What an earlier run did not apply and this one sends again, by number; what leaves is told by itself. */
export function unappliedIn({ before, after }: Sides): ReadonlyMap<string, Unapplied> {
  const { state } = before;
  if (state.unapplied !== undefined && "reason" in state.unapplied) {
    return new Map([["", state.unapplied]]);
  }
  const isStaying = (number: string) => !areNumbersKnown(after) || membersOf(after).has(number);
  return new Map([...unappliedOf(state as GroupState)].filter(([number]) => isStaying(number)));
}

/** Does what the number holds differ from what was wanted of it? */
export const isUnapplied = (number: string, { state }: Snapshot): boolean =>
  "numbers" in state ? unappliedOf(state).has(number) : state.unapplied !== undefined;

// --- parts of it

/** A group before a change, with only the numbers that stay. Numbers that leave have a card of their own. */
export function stayingBefore({ before, after }: Sides): Snapshot {
  const { state } = before;
  if (!("numbers" in state) || !areNumbersKnown(before) || !areNumbersKnown(after)) {
    return before;
  }
  const stays = (number: string) => membersOf(after).has(number);
  const members = [...membersOf(before)].filter(([number]) => stays(number));
  const listOf = (numbers: readonly string[]) => numbers.filter(stays).map((number) => `${number}\n`);
  const parts = (state.unapplied ?? []).map((part) => ({ ...part, numbers: listOf(numbersOf(part.numbers)).join("") }));
  const unapplied = parts.filter(({ numbers }) => numbers !== "");
  const staying = {
    ...state,
    numbers: toText(new Map(members)),
    unapplied: unapplied.length === 0 ? undefined : unapplied,
  };
  return { ...before, state: staying, split: appliedSplits(staying)[0] ?? before.split };
}

/** A snapshot with some of its numbers alone. */
export function withNumbers(snapshot: Snapshot, numbers: readonly string[]): Snapshot {
  const members = membersOf(snapshot);
  return { ...snapshot, numbers: new Map(numbers.map((number) => [number, members.get(number) ?? ""])) };
}

/** Some numbers of a snapshot, with their override as their own routing. All of them have the same override as `one`. */
export function snapshotOfSome(one: string, snapshot: Snapshot, numbers: readonly string[]): Snapshot {
  const state = numberOf(one, snapshot.state);
  const { overrides, unapplied: _, ...values } = snapshot.values;
  const { outboundAgentId, outboundAgentVersion, inboundWebhookUrl } = state;
  const [applied] = appliedSplits(state);
  return {
    ...withNumbers(snapshot, numbers),
    split: state.unapplied === undefined ? snapshot.split : splitIn(applied),
    state,
    values: {
      ...values,
      ...(isMap(overrideIn(overrides, one)) && { outboundAgentId, outboundAgentVersion, inboundWebhookUrl }),
      ...(isMap(overrides) ? {} : { overrides }),
    },
  };
}

export function affectedBy({ name, providerName, kind, ...change }: NumberChange, side?: Snapshot): Affected {
  const snapshot = side ?? (change.new === undefined ? change.before : change.after);
  const [number] = membersOf(snapshot).keys();
  if (kind !== "NumberGroup") {
    return { name, providerName, count: 1, number: number === undefined ? hiddenNumber(snapshot) : id(number) };
  }
  return areNumbersKnown(snapshot)
    ? { name, providerName, count: membersOf(snapshot).size }
    : { name, providerName, count: undefined, isMasked: snapshot.numbers === SECRET };
}

/** The numbers of a group. A single number is not listed, because the card names it already. */
export function listedNumbers({ kind }: Change, side: Snapshot, numbers: readonly string[], title: string): Listed[] {
  const items = numbers.map((number) => numberText(number, membersOf(side).get(number)));
  return kind === "NumberGroup" && items.length > 0 ? [{ title, items }] : [];
}

const hiddenNumber = ({ numbers }: Snapshot) =>
  numbers === SECRET ? "a masked number" : "a number that is known after apply";

/** The numbers that are there before and after. */
export const stayersOf = ({ before, after }: Sides): string[] =>
  [...membersOf(after).keys()].filter((number) => membersOf(before).has(number));

export const bothSplits = ({ before, after }: Sides): { before: Split; after: Split } | undefined =>
  isSplit(before.split) && isSplit(after.split) ? { before: before.split, after: after.split } : undefined;
