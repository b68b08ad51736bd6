import { same } from "../../provider/core/equality";
import { identityOf } from "../../provider/core/numberList";
import { clearedFrom } from "../../provider/core/routing";
import { unappliedOf } from "../../provider/core/state";
import { capped, groupBy } from "../lists";
import { overrideIn } from "../pulumi/values";
import { fieldChanges } from "./cards/fields";
import { pointsOf, shiftFacts, splitText } from "./cards/splits";
import { type Fact, NOTHING, type Requests } from "./model";
import {
  bothSplits,
  membersOf,
  type NumberChange,
  type Sides,
  type Snapshot,
  snapshotOfSome,
  wasAssigned,
} from "./snapshot";
import { counted, id, joined, say, type Text } from "./text";

/** Who holds each number before the run, and who declares it after: what is renamed or moved keeps its agents. */

export type Holders = ReturnType<typeof holdersOf>;

export function holdersOf(changes: readonly NumberChange[], kept: readonly NumberChange[]) {
  const [givers, heirs] = [new Map<string, NumberChange>(), new Map<string, NumberChange>()];
  for (const change of changes) {
    const { before, after } = change;
    for (const number of membersOf(before).keys()) {
      if (!membersOf(after).has(number) && wasAssigned(number, before)) {
        givers.set(keyOf(number, before, change), change);
      }
    }
  }
  for (const change of [...changes, ...kept]) {
    for (const number of membersOf(change.after).keys()) {
      heirs.set(keyOf(number, change.after, change), change);
    }
  }
  const shown = new Set([...changes, ...kept].filter(({ isLeftover }) => !isLeftover).map(({ urn }) => urn));
  return {
    /** Who held a number that this one gets, if that one gives it away in this run. */
    giver: (number: string, to: NumberChange) => givers.get(keyOf(number, to.after, to)),
    /** Who declares a number that this one held after the run, among what the preview shows. */
    heir: (number: string, from: NumberChange) => heirs.get(keyOf(number, from.before, from)),
    /** Is the resource itself part of the preview, and not only what is left over of it? */
    shows: (urn: string) => shown.has(urn),
  };
}

const keyOf = (number: string, { values: { endpoint } }: Snapshot, { providerName = "" }: NumberChange): string =>
  JSON.stringify(identityOf(number, String(endpoint), providerName));

/** Numbers that one declaration of the stack gives to another one in this run: what they had, and get, with what differs for them. */
export interface NumberMove extends Sides {
  readonly from: NumberChange;
  readonly numbers: readonly string[];
}

export type Origins = ReturnType<typeof originsOf>;

/** Where each of the numbers comes from that a resource gets; equal ones are one move. */
export function originsOf(change: NumberChange, numbers: readonly string[], holders: Holders) {
  const { after } = change;
  const origins = numbers.map((number) => ({ number, from: holders.giver(number, change) }));
  const moved = origins.flatMap(({ number, from }) => (from === undefined ? [] : [{ number, from }]));
  const differences = ({ number, from }: (typeof moved)[number]) =>
    JSON.stringify([from.urn, differenceOf(from.before, number), differenceOf(after, number)]);
  return {
    moves: groupBy(moved, differences).map((all): NumberMove => {
      const [{ number, from }] = all;
      const same = all.map((one) => one.number);
      const some = (side: Snapshot) => snapshotOfSome(number, side, same);
      return { from, numbers: same, before: some(from.before), after: some(after) };
    }),
    /** Numbers that nothing of the stack held. */
    fresh: origins.flatMap(({ number, from }) => (from === undefined ? [number] : [])),
  };
}

/** What tells one number of a group from the others. */
function differenceOf({ values: { overrides }, state }: Snapshot, number: string): unknown[] {
  const { reason, applied, maybe } = ("numbers" in state && unappliedOf(state).get(number)) || {};
  return [overrideIn(overrides, number), reason, applied, maybe];
}

/** Does whoever gives them away touch them once more, to take away what only it had bound? */
export function moveRequests(move: NumberMove): Requests {
  const { op, isRetained } = move.from;
  const isKept = isRetained && (op === "delete" || op === "replace");
  const clears = handsOver(move) && !isKept ? move.numbers.length : 0;
  return { ...NOTHING, puts: clears, clears };
}

/** Another declaration goes on: it takes away what only the old one bound, and never the agents. */
export function handsOver({ before, after }: Sides): boolean {
  if (before.endpoint !== after.endpoint) {
    return false;
  }
  const { inboundAgents: _, ...others } = before.state;
  const { bindings, extraFields } = clearedFrom(others, after.state);
  return bindings.length + extraFields.length > 0;
}

export const moveFacts = (move: NumberMove, { name }: NumberChange): Fact[] =>
  shiftFacts(move, say`${counted(move.numbers.length, "number")} from ${id(move.from.name)} to ${id(name)}`);

/** What a move changes, from each that gives numbers away. */
export function moveNotes(moves: readonly NumberMove[]): readonly Text[] {
  const notes = moves.flatMap((move) => {
    const what = joined(changesOf(move), "; ");
    return what.length === 0
      ? []
      : [say`${counted(move.numbers.length, "number")} from ${id(move.from.name)}: ${what}.`];
  });
  return capped(notes, MOST_MOVES, (more) => [`… and ${more} more changes by a move.`]);
}

const MOST_MOVES = 6;

function changesOf(move: NumberMove): Text[] {
  const { before, after } = move;
  const fields = fieldChanges(move)
    .filter(({ isSent }) => isSent)
    .map(({ field, before: from, after: to }) => say`${field} ${from} → ${to}`);
  if (same(before.split, after.split)) {
    return fields;
  }
  const splits = bothSplits(move);
  const points = splits ? `, ${pointsOf(splits.before, splits.after)} points` : ", the size of the change is not known";
  return [say`${splitText(before.split)} → ${splitText(after.split)}${points}`, ...fields];
}
