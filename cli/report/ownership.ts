import { existsOnce } from "../../provider/core/endpoint";
import { same } from "../../provider/core/equality";
import { clearedFrom } from "../../provider/core/routing";
import { unappliedOf } from "../../provider/core/state";
import { groupBy } from "../groupBy";
import { isMap, isSplit } from "../pulumi/values";
import { fieldChanges } from "./fields";
import { type Change, type Fact, NOTHING, type Requests } from "./model";
import { afterOf, beforeOf, labelsOf, routingIn, type Snapshot, snapshotOfSome, wasAssigned } from "./snapshot";
import { pointsOf, splitText, stepFacts } from "./splits";
import { counted, id, joined, say, type Text } from "./text";

/** Who holds each number before the run, and who declares it after: what is renamed or moved keeps its agents. */

interface Holder {
  readonly change: Change;
  readonly snapshot: Snapshot;
}

export interface Holders {
  /** Who held the number, if that one gives it away in this run. */
  before(number: string, snapshot: Snapshot, account: string | undefined): Holder | undefined;
  /** Is the resource itself part of the preview, and not only what is left over of it? */
  shows(urn: string): boolean;
  /** Who declares the number after the run, among what the preview shows. */
  after(number: string, snapshot: Snapshot, account: string | undefined): Holder | undefined;
}

export function holdersOf(changes: readonly Change[], kept: readonly Change[]): Holders {
  const [old, next] = [new Map<string, Holder>(), new Map<string, Holder>()];
  for (const change of changes) {
    const [before, after] = [beforeOf(change), afterOf(change)];
    const kept = labelsOf(after);
    for (const number of labelsOf(before).keys()) {
      if (!kept.has(number) && wasAssigned(number, before)) {
        old.set(keyOf(number, before, change.account), { change, snapshot: before });
      }
    }
    for (const number of kept.keys()) {
      next.set(keyOf(number, after, change.account), { change, snapshot: after });
    }
  }
  for (const change of kept) {
    const snapshot = afterOf(change);
    for (const number of labelsOf(snapshot).keys()) {
      next.set(keyOf(number, snapshot, change.account), { change, snapshot });
    }
  }
  const shown = new Set([...changes.filter(({ isLeftover }) => !isLeftover), ...kept].map(({ urn }) => urn));
  return {
    shows: (urn) => shown.has(urn),
    before: (number, snapshot, account) => old.get(keyOf(number, snapshot, account)),
    after: (number, snapshot, account) => next.get(keyOf(number, snapshot, account)),
  };
}

/** A number in international format exists once in the world; an extension exists once an account. */
function keyOf(number: string, { values: { endpoint } }: Snapshot, account: string | undefined): string {
  const scope = existsOnce(number) ? "" : account;
  return JSON.stringify([endpoint, scope ?? "", number]);
}

/** Numbers that one declaration of the stack gives to another one in this run: what they had is in the state. */
export interface Move {
  readonly from: Holder;
  /** What these numbers had, and get: with what differs for them alone. */
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly numbers: readonly string[];
}

export interface Origins {
  readonly moves: readonly Move[];
  /** Numbers that nothing of the stack held. */
  readonly fresh: readonly string[];
}

/** Where each of the numbers comes from that a resource gets; equal ones are one move. */
export function originsOf(change: Change, numbers: readonly string[], holders: Holders): Origins {
  const after = afterOf(change);
  const origins = numbers.map((number) => ({ number, from: holders.before(number, after, change.account) }));
  const moved = origins.flatMap(({ number, from }) => (from === undefined ? [] : [{ number, from }]));
  const keyOf = ({ number, from }: (typeof moved)[number]) =>
    JSON.stringify([from.change.urn, differenceOf(from.snapshot, number), differenceOf(after, number)]);
  return {
    moves: groupBy(moved, keyOf).map((all): Move => {
      const [{ number, from }] = all;
      const same = all.map((one) => one.number);
      return {
        from,
        numbers: same,
        before: snapshotOfSome(number, from.snapshot, same),
        after: snapshotOfSome(number, after, same),
      };
    }),
    fresh: origins.filter(({ from }) => from === undefined).map(({ number }) => number),
  };
}

/** What tells one number of a group from the others. */
function differenceOf({ values: { overrides }, state }: Snapshot, number: string): unknown[] {
  const own = isMap(overrides) && Object.hasOwn(overrides, number) ? overrides[number] : null;
  const { reason, applied, maybe } = ("numbers" in state && unappliedOf(state).get(number)) || {};
  return [own, reason, applied, maybe];
}

/** Does whoever gives them away touch them once more, to take away what only it had bound? */
export function moveRequests({ from, before, after, numbers }: Move): Requests {
  const clears = handsOver(before, after) && !isKept(from) ? numbers.length : 0;
  return { ...NOTHING, puts: clears, clears };
}

/** Another declaration goes on: it takes away what only the old one bound, and never the agents. */
export function handsOver(before: Snapshot, after: Snapshot): boolean {
  if (before.place !== after.place) {
    return false;
  }
  const { inboundAgents: _, ...others } = routingIn(before);
  const { bindings, extraFields } = clearedFrom(others, routingIn(after));
  return bindings.length + extraFields.length > 0;
}

/** With `retainOnDelete` the engine only forgets it. */
const isKept = ({ change: { op, before } }: Holder): boolean =>
  (op === "delete" || op === "replace") && before?.retainOnDelete === true;

export const moveFacts = ({ from, before, after, numbers }: Move, to: Change): Fact[] =>
  stepFacts(before, after, say`${counted(numbers.length, "number")} from ${id(from.change.name)} to ${id(to.name)}`);

/** What a move changes, from each that gives numbers away. */
export function moveNotes(moves: readonly Move[]): Text[] {
  const changed = moves.filter(({ before, after }) => changesOf(before, after).length > 0);
  const lines = changed.slice(0, MOST_MOVES).map(({ from, before, after, numbers }) => {
    const what = joined(changesOf(before, after), "; ");
    return say`${counted(numbers.length, "number")} from ${id(from.change.name)}: ${what}.`;
  });
  const more = changed.length - lines.length;
  return more > 0 ? [...lines, [`… and ${more} more changes by a move.`]] : lines;
}

const MOST_MOVES = 6;

function changesOf(before: Snapshot, after: Snapshot): Text[] {
  const fields = fieldChanges(before, after)
    .filter(({ isSent }) => isSent)
    .map(({ field, before: from, after: to }) => say`${field} ${from} → ${to}`);
  if (same(before.split, after.split)) {
    return fields;
  }
  const points =
    isSplit(before.split) && isSplit(after.split)
      ? say`, ${pointsOf(before.split, after.split)} points`
      : ", the size of the change is not known";
  return [say`${splitText(before.split)} → ${splitText(after.split)}${points}`, ...fields];
}
