import { clearedFrom, routingOf } from "../../provider/core/routing";
import { holdsMasked, isHidden, SECRET } from "../pulumi/values";
import { fieldChanges, overridesChange } from "./fields";
import { type Change, NOTHING, type Requests, sum } from "./model";
import { type Move, moveRequests } from "./ownership";
import { areNumbersKnown, labelsOf, mayChangeNumbers, planOf, routingIn, type Snapshot } from "./snapshot";

export interface Update {
  readonly change: Change;
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** Where the numbers come from, if another name declared them until now. */
  readonly move?: Move | undefined;
}

/** Counted by the core's plan. One that changes nothing but what is recorded sends nothing. */
export function requestsOf({ change, before, after, move }: Update): Requests {
  // A new name is a create, which sends to each number.
  if (move !== undefined) {
    return sum([{ ...NOTHING, puts: move.numbers.length }, moveRequests(move)]);
  }
  const { puts, isAtLeast } =
    change.kind === "NumberGroup" ? groupPuts(change, before, after) : numberPuts(before, after);
  return { ...NOTHING, puts, clears: unbinds(before, after) ? puts : 0, isAtLeast };
}

type Puts = Pick<Requests, "puts" | "isAtLeast">;

function numberPuts(before: Snapshot, after: Snapshot): Puts {
  const isSent = isMaskedChange(before, after) || planOf(before, after).binds?.length === 1;
  return { puts: isSent ? 1 : 0, isAtLeast: false };
}

/** Of the numbers that stay: who joins is told by itself. */
function groupPuts(change: Change, before: Snapshot, after: Snapshot): Puts {
  const areKnown = areNumbersKnown(before) && areNumbersKnown(after);
  const staying = stayersSent(before, after);
  const all = areKnown ? [...labelsOf(after).keys()].filter((number) => labelsOf(before).has(number)) : [];
  if (areKnown) {
    const puts = isMaskedChange(before, after) ? all.length : staying.length;
    // What differs for some numbers may be known after apply alone: then more may be sent.
    return { puts, isAtLeast: isHidden(after.values.overrides) && puts < all.length };
  }
  if (!mayChangeNumbers(change, before, after) || before.place !== after.place) {
    return { puts: 1, isAtLeast: true };
  }
  // Each one of before is sent or cleared if all are, and else maybe none is.
  const had = labelsOf(before).size;
  const isAll = had > 0 && (staying.length === had || isMaskedChange(before, after));
  return { puts: isAll ? had : 0, isAtLeast: true };
}

/** Those that get a PUT among the numbers that were there; as if all of them stayed, where that is not known. */
function stayersSent(before: Snapshot, after: Snapshot): readonly string[] {
  const had = labelsOf(before);
  const { binds } = planOf(before, areNumbersKnown(after) ? after : { ...after, numbers: before.numbers });
  return (binds ?? []).filter((number) => had.has(number));
}

/** The engine sees a change where all that differs is masked. */
function isMaskedChange(before: Snapshot, after: Snapshot): boolean {
  // A number that is masked on one side alone is told by itself.
  if (before.numbers === SECRET && after.numbers === SECRET) {
    return true;
  }
  return [before, after].some((one) => holdsMasked([routingOf(routingIn(one)), one.values.overrides]));
}

const unbinds = (before: Snapshot, after: Snapshot): boolean =>
  before.place === after.place && clearedFrom(routingIn(before), routingIn(after)).bindings.length > 0;

/** Does a group change beside its members? */
export const changesMore = (before: Snapshot, after: Snapshot): boolean =>
  fieldChanges(before, after).length > 0 ||
  before.place !== after.place ||
  overridesChange(before, after) ||
  isMaskedChange(before, after) ||
  stayersSent(before, after).length > 0;
