import { clearedNumbers, identityOf, isOfNumbers, unappliedOf } from "../../provider/review";
import { groupBy } from "../lists";
import type { Change, Changes } from "./changes";
import { type NumberChange, numberChange, planOf, type Snapshot, snapshotOfSome, wasAssigned } from "./snapshot";

/** Which resource has each number before the run, and which one declares it afterwards. */

export type Holders = ReturnType<typeof holdersOf>;

/** The changes of numbers, the numbers that stay as they are, and who has each of them. */
export function changesOfNumbers({ ours, kept }: Changes) {
  const ofNumbers = (all: readonly Change[]) => all.filter(({ kind }) => isOfNumbers(kind)).map(numberChange);
  const [changes, same] = [ofNumbers(ours), ofNumbers(kept)];
  return { changes, kept: same, holders: holdersOf(changes, same) };
}

function holdersOf(changes: readonly NumberChange[], kept: readonly NumberChange[]) {
  const previous = new Map<string, NumberChange>();
  const next = new Map<string, NumberChange>();
  for (const change of changes) {
    const { before, after } = change;
    for (const number of before.members.keys()) {
      if (!after.members.has(number) && wasAssigned(number, before)) {
        previous.set(numberKey(number, before, change), change);
      }
    }
  }
  for (const change of [...changes, ...kept]) {
    for (const number of change.after.members.keys()) {
      next.set(numberKey(number, change.after, change), change);
    }
  }
  const shown = new Set([...changes, ...kept].filter(({ isLeftover }) => !isLeftover).map(({ urn }) => urn));
  return {
    /** The resource that gives a number away in this run, if `to` gets it from one. */
    previousHolder: (number: string, to: NumberChange) => previous.get(numberKey(number, to.after, to)),
    /** The resource that declares a number of `from` after the run, among those that the preview shows. */
    newHolder: (number: string, from: NumberChange) => next.get(numberKey(number, from.before, from)),
    /** Does the preview show a step of the resource itself, and not only the rest of an unfinished replacement? */
    shows: (urn: string) => shown.has(urn),
  };
}

/** What identifies a number on one side of a change. If check has not seen the values of that side, only the step names its provider. */
export function numberKey(number: string, { values, isChecked }: Snapshot, change: NumberChange): string {
  const providerName = isChecked ? values.providerName : change.providerName;
  return JSON.stringify(identityOf(number, String(values.endpoint), String(providerName ?? "")));
}

/** Numbers of a resource that no resource declares after the run. */
export interface Removal extends NumberChange {
  readonly lost: readonly string[];
}

export const lostBy = (change: NumberChange, holders: Holders): string[] =>
  [...change.before.members.keys()].filter(
    (number) => wasAssigned(number, change.before) && holders.newHolder(number, change) === undefined,
  );

/** The numbers that the deletes of this change clear, because no resource of the stack declares them after the run. */
export function clearedBy(change: NumberChange, holders: Holders): string[] {
  const { op, isRetained, before } = change;
  if (isRetained) {
    return [];
  }
  const cleared = clearedNumbers(before.state).filter((number) => holders.newHolder(number, change) === undefined);
  const leaving = new Set(op === "delete" ? cleared : planOf(change).clears);
  return cleared.filter((number) => leaving.has(number));
}

/** Numbers that one resource gives to another one in this run: what they have, and what they get, with their overrides. */
export interface Move extends NumberChange {
  readonly from: NumberChange;
}

/** Where the numbers of a resource come from. Numbers with the same origin and the same change are one move. */
export function originsOf(change: NumberChange, numbers: Iterable<string>, holders: Holders) {
  const { after } = change;
  const origins = [...numbers].map((number) => ({ number, from: holders.previousHolder(number, change) }));
  const moved = origins.flatMap(({ number, from }) => (from === undefined ? [] : [{ number, from }]));
  const differences = ({ number, from }: (typeof moved)[number]) =>
    JSON.stringify([from.urn, differenceOf(from.before, number), differenceOf(after, number)]);
  return {
    moves: groupBy(moved, differences).map((all): Move => {
      const [{ number, from }] = all;
      const moving = all.map((one) => one.number);
      const some = (side: Snapshot) => snapshotOfSome(number, side, moving);
      return { ...change, from, before: some(from.before), after: some(after) };
    }),
    /** Numbers that no resource of the stack had. */
    fresh: origins.flatMap(({ number, from }) => (from === undefined ? [number] : [])),
  };
}

/** What one number of a group may have for itself. */
function differenceOf({ state }: Snapshot, number: string): unknown[] {
  const { reason, applied, maybe, maybeBefore } = unappliedOf(state).get(number) ?? {};
  return [reason, applied, maybe, maybeBefore];
}
