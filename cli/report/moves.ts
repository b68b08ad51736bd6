import { clearedFrom } from "../../provider/core/routing";
import { same } from "../../provider/core/same";
import { fieldChanges } from "./fields";
import type { Holder, Holders } from "./holders";
import { type Change, type Fact, NOTHING, type Requests } from "./model";
import { afterOf, routingIn, type Side, sideFor } from "./sides";
import { pointsOf, splitText } from "./splits";
import { stepFacts } from "./steps";
import { counted, id, joined, say, type Text } from "./text";
import { isMap, isSplit } from "./values";

/** Numbers that one declaration of the stack gives to another one in this run: what they had is in the state. */
export interface Move {
  readonly from: Holder;
  /** What these numbers had, and get: with what differs for them alone. */
  readonly before: Side;
  readonly after: Side;
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
  const groups = new Map<Change, Map<string, { from: Holder; numbers: string[] }>>();
  const fresh: string[] = [];
  for (const number of numbers) {
    const from = holders.before(number, after, change.account);
    if (from === undefined) {
      fresh.push(number);
      continue;
    }
    const ofHolder = groups.get(from.change) ?? new Map<string, { from: Holder; numbers: string[] }>();
    groups.set(from.change, ofHolder);
    const key = JSON.stringify([differenceOf(from.side, number), differenceOf(after, number)]);
    const group = ofHolder.get(key);
    if (group === undefined) ofHolder.set(key, { from, numbers: [number] });
    else group.numbers.push(number);
  }
  const moves = [...groups.values()].flatMap((ofHolder) =>
    [...ofHolder.values()].map(({ from, numbers: moved }): Move => {
      const one = moved[0] ?? "";
      return { from, numbers: moved, before: sideFor(one, from.side, moved), after: sideFor(one, after, moved) };
    }),
  );
  return { moves, fresh };
}

/** What tells one number of a group from the others. */
function differenceOf({ values: { overrides, unapplied } }: Side, number: string): unknown[] {
  const own = (all: unknown) => (isMap(all) && Object.hasOwn(all, number) ? all[number] : null);
  return [own(overrides), own(unapplied)];
}

/** Does whoever gives them away touch them once more, to take away what only it had bound? */
export function moveRequests({ from, before, after, numbers }: Move): Requests {
  const clears = handsOver(before, after) && !isKept(from) ? numbers.length : 0;
  return { ...NOTHING, puts: clears, clears };
}

/** Another declaration goes on: it takes away what only the old one bound, and never the agents. */
export function handsOver(before: Side, after: Side): boolean {
  if (before.place !== after.place) return false;
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

function changesOf(before: Side, after: Side): Text[] {
  const fields = fieldChanges(before, after)
    .filter(({ isSent }) => isSent)
    .map(({ field, before: from, after: to }) => say`${field} ${from} → ${to}`);
  if (same(before.split, after.split)) return fields;
  const points =
    isSplit(before.split) && isSplit(after.split)
      ? say`, ${pointsOf(before.split, after.split)} points`
      : ", the step is not known";
  return [say`${splitText(before.split)} → ${splitText(after.split)}${points}`, ...fields];
}
