import { endpointText } from "../../provider/core/endpoint";
import type { Labels } from "../../provider/core/numberList";
import { numbersOf, toText } from "../../provider/core/numberList";
import { type Plan, planGroup, planNumber } from "../../provider/core/plan";
import type { Routing } from "../../provider/core/routing";
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
import { type NumbersState, numberOf, stateIn } from "../pulumi/saved";
import { isHidden, isMap, isSplit, type Known, labelsIn, type Properties, SECRET, splitIn } from "../pulumi/values";
import type { Change, Place } from "./model";
import { id } from "./text";

/** What a number or a group holds before or after a change, as far as the preview shows it. */
export interface Snapshot {
  /** Before a change, what was applied last: a split that no number got is not where callers are. */
  readonly split: Known<Split>;
  /** Of a single number: that one, without a label. */
  readonly numbers: Known<Labels>;
  /** Which platform, and through which explicit provider; undefined where the provider was not asked. */
  readonly place: string | undefined;
  readonly values: Properties;
  /** The same as the core's plan takes it. */
  readonly state: NumbersState;
  /** Did the provider see it? Where its own config is not known yet, the engine asks it nothing. */
  readonly isChecked: boolean;
}

/** What was applied is in the outputs; after an update that failed half-way the old inputs say something else. */
export function beforeOf({ kind, before }: Change): Snapshot {
  const values = before && (Object.keys(before.outputs).length > 0 ? before.outputs : before.inputs);
  const snapshot = snapshotOf(kind, values ?? {}, values === undefined);
  return snapshot.state.unapplied === undefined ? snapshot : { ...snapshot, split: appliedIn(snapshot)[0] };
}

export const afterOf = ({ kind, after }: Change): Snapshot =>
  snapshotOf(kind, after?.inputs ?? {}, after === undefined);

function snapshotOf(kind: Change["kind"], values: Properties, isNone: boolean): Snapshot {
  return {
    split: splitIn(values.inboundAgents),
    numbers: kind === "NumberGroup" ? labelsIn(values.numbers) : numberIn(values.number),
    place: placeIn(values),
    values,
    state: stateIn(kind, values),
    isChecked: isNone || values.endpoint !== undefined,
  };
}

function placeIn({ endpoint, account }: Properties): string | undefined {
  if (typeof endpoint !== "string") {
    return undefined;
  }
  return endpointText({ endpoint, account: typeof account === "string" ? account : undefined });
}

function numberIn(value: unknown): Known<Labels> {
  if (isHidden(value) || value === undefined) {
    return value;
  }
  return typeof value === "string" ? new Map([[value, ""]]) : UNKNOWN;
}

/** The numbers, where they are known. */
export const labelsOf = ({ numbers }: Snapshot): Labels => (typeof numbers === "object" ? numbers : new Map());

/** Is it open which of the numbers before stay? A single one that is shown afterwards would be a replacement otherwise. */
export const mayChangeNumbers = ({ kind }: Change, before: Snapshot, after: Snapshot): boolean =>
  after.numbers !== before.numbers && (!areNumbersKnown(after) || (kind === "NumberGroup" && !areNumbersKnown(before)));

export const areNumbersKnown = ({ numbers }: Snapshot): boolean => typeof numbers === "object";

/** The routing as the provider compares it. */
export const routingIn = ({ state }: Snapshot): Routing => state;

// --- what the provider would do

/** Where no guard is set: what is refused is no part of a preview, and the guards have a line of their own. */
const NO_GUARDS = { guards: { requireVersions: false, maxUnapproved: 0 } } as unknown as Settings;

/** By the core's own plan. What differs for single numbers is planned as it was where it is hidden. */
export function planOf(before: Snapshot, after: Snapshot): Plan {
  const { endpoint, account } = after.isChecked ? after.values : before.values;
  const news = { ...after.state, endpoint, account };
  if (!("numbers" in before.state)) {
    const [number = before.state.number] = labelsOf(after).keys();
    return planNumber(before.state, { ...news, number } as NumberState, NO_GUARDS);
  }
  const isKnown = areNumbersKnown(before) && areNumbersKnown(after);
  const numbers = isKnown ? toText(labelsOf(after)) : UNKNOWN;
  const overrides = isHidden(after.values.overrides) ? before.state.overrides : (after.state as GroupState).overrides;
  return planGroup(before.state, { ...news, numbers, overrides } as unknown as GroupState, NO_GUARDS);
}

/** Did the number ever get anything of this resource? */
export const wasAssigned = (number: string, { state }: Snapshot): boolean =>
  "numbers" in state
    ? isTouched(number, state)
    : state.unapplied === undefined || "applied" in state.unapplied || "maybe" in state.unapplied;

/** The splits that callers meet today. */
export const appliedIn = ({ state }: Snapshot): Known<Split>[] => appliedSplits(state) as Known<Split>[];

/** What an earlier run did not apply and this one sends again, by number; what leaves is told by itself. */
export function unappliedIn(before: Snapshot, after: Snapshot): ReadonlyMap<string, Unapplied> {
  const { state } = before;
  if (state.unapplied === undefined) {
    return new Map();
  }
  if ("reason" in state.unapplied) {
    return new Map([["", state.unapplied]]);
  }
  const isStaying = (number: string) => !areNumbersKnown(after) || labelsOf(after).has(number);
  return new Map([...unappliedOf(state as GroupState)].filter(([number]) => isStaying(number)));
}

/** Does what the number holds differ from what was wanted of it? */
export const isUnapplied = (number: string, { state }: Snapshot): boolean =>
  "numbers" in state ? unappliedOf(state).has(number) : state.unapplied !== undefined;

// --- parts of it

/** Of a group before a change, what is said of the numbers that stay: who leaves is told by itself. */
export function stayingBefore(before: Snapshot, after: Snapshot): Snapshot {
  const { state } = before;
  if (!("numbers" in state) || !areNumbersKnown(before) || !areNumbersKnown(after)) {
    return before;
  }
  const stays = (number: string) => labelsOf(after).has(number);
  const labels = [...labelsOf(before)].filter(([number]) => stays(number));
  const parts = (state.unapplied ?? [])
    .map((part) => ({
      ...part,
      numbers: toText(
        new Map(
          numbersOf(part.numbers)
            .filter(stays)
            .map((one) => [one, ""]),
        ),
      ),
    }))
    .filter(({ numbers }) => numbers !== "");
  const staying = { ...state, numbers: toText(new Map(labels)), unapplied: parts.length === 0 ? undefined : parts };
  return { ...before, state: staying, split: appliedSplits(staying)[0] ?? before.split };
}

/** A snapshot with some of its numbers alone. */
export function withNumbers(snapshot: Snapshot, numbers: readonly string[]): Snapshot {
  const labels = labelsOf(snapshot);
  return { ...snapshot, numbers: new Map(numbers.map((number) => [number, labels.get(number) ?? ""])) };
}

/** Some numbers of a snapshot, with what differs for them as their own routing: one of them stands for all. */
export function snapshotOfSome(one: string, snapshot: Snapshot, numbers: readonly string[]): Snapshot {
  const state = numberOf(one, snapshot.state);
  const { overrides, unapplied: _, ...values } = snapshot.values;
  const own: unknown = isMap(overrides) && Object.hasOwn(overrides, one) ? overrides[one] : undefined;
  const { outboundAgentId, outboundAgentVersion, inboundWebhookUrl } = state;
  const [applied] = appliedSplits(state);
  return {
    ...withNumbers(snapshot, numbers),
    split: state.unapplied === undefined ? snapshot.split : splitIn(applied),
    state,
    values: {
      ...values,
      ...(isMap(own) && { outboundAgentId, outboundAgentVersion, inboundWebhookUrl }),
      ...(isMap(overrides) ? {} : { overrides }),
    },
  };
}

export function placeOf(
  change: Change,
  snapshot: Snapshot = change.after === undefined ? beforeOf(change) : afterOf(change),
): Place {
  const { name, account, kind } = change;
  if (kind === "NumberGroup") {
    if (areNumbersKnown(snapshot)) {
      return { name, account, count: labelsOf(snapshot).size };
    }
    return { name, account, count: undefined, isMasked: snapshot.numbers === SECRET };
  }
  const [number] = labelsOf(snapshot).keys();
  return { name, account, count: 1, number: number === undefined ? hiddenNumber(snapshot) : id(number) };
}

const hiddenNumber = ({ numbers }: Snapshot) =>
  numbers === SECRET ? "a masked number" : "a number that is known after apply";

/** The split that was applied before the one that stands now. */
export const previousOf = ({ values }: Snapshot): Known<Split> => splitIn(values.previousInboundAgents);

export const bothSplits = (before: Snapshot, after: Snapshot): { before: Split; after: Split } | undefined =>
  isSplit(before.split) && isSplit(after.split) ? { before: before.split, after: after.split } : undefined;
