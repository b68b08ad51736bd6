import { clearedFrom, routingOf, sameRouting } from "../../provider/core/routing";
import { same } from "../../provider/core/same";
import { holdsUnknown } from "../../provider/core/unknown";
import { type FieldChange, fieldChanges } from "./fields";
import { type Change, NOTHING, type Place, type Requests, sum } from "./model";
import { type Move, moveRequests } from "./moves";
import { overridesChange } from "./overrides";
import { areNumbersKnown, labelsOf, mayChangeNumbers, planOf, routingIn, type Side, unappliedIn } from "./sides";
import { holdsMasked, isHidden, SECRET } from "./values";

/** What an update sends: counted as the provider decides it. */

export interface Update {
  readonly change: Change;
  readonly before: Side;
  readonly after: Side;
  /** Where the numbers come from, if another name declared them until now. */
  readonly move?: Move | undefined;
}

export interface Group extends Update {
  readonly places: readonly Place[];
  readonly all: readonly Update[];
  readonly fields: readonly FieldChange[];
  readonly isGoingBack: boolean;
}

/** One that changes nothing but what is recorded sends nothing. */
export function requestsOf({ change, before, after, move }: Update): Requests {
  const clears = unbinds(before, after) ? 1 : 0;
  // A new name is a create, which sends to each number.
  if (move !== undefined) return sum([{ ...NOTHING, puts: move.numbers.length }, moveRequests(move)]);
  if (change.kind === "NumberGroup") return groupRequests({ change, before, after }, clears);
  const puts = mustSend(before, after) ? 1 : 0;
  return { ...NOTHING, puts, clears: puts * clears };
}

function groupRequests({ change, before, after }: Update, clears: number): Requests {
  const plan = planOf(before, after);
  const isAll = !sameRouting(routingIn(before), routingIn(after)) || holdsHiddenChange(before, after);
  if (plan === undefined) return { ...NOTHING, puts: leastPuts({ change, before, after }, isAll), isAtLeast: true };
  const old = labelsOf(before);
  const staying = plan.send.filter((number) => old.has(number)).length;
  const all = [...labelsOf(after).keys()].filter((number) => old.has(number)).length;
  const puts = isAll ? all : staying;
  // What differs for some numbers may be known after apply alone: then more may be sent.
  return { ...NOTHING, puts, clears: clears * puts, isAtLeast: isHidden(after.values.overrides) && puts < all };
}

/** Where its numbers are not known yet, each one of before is sent or cleared if all are, and else maybe none is. */
function leastPuts({ change, before, after }: Update, isAll: boolean): number {
  if (!mayChangeNumbers(change, before, after)) return 1;
  if (before.place !== after.place) return 1;
  return isAll && areNumbersKnown(before) ? labelsOf(before).size : 0;
}

function mustSend(before: Side, after: Side): boolean {
  return (
    unappliedIn(before, after) !== undefined ||
    before.place !== after.place ||
    !sameRouting(routingIn(before), routingIn(after)) ||
    holdsHiddenChange(before, after)
  );
}

/** What triggers say, and that the engine sees a change where all that differs is masked. */
function holdsHiddenChange(before: Side, after: Side): boolean {
  if (!same(before.values.triggers, after.values.triggers) || holdsUnknown(after.values.triggers)) return true;
  // A number that is masked on one side alone is told by itself.
  if (before.numbers === SECRET && after.numbers === SECRET) return true;
  return [before, after].some((side) => holdsMasked([routingOf(routingIn(side)), side.values.overrides]));
}

const unbinds = (before: Side, after: Side): boolean =>
  before.place === after.place && clearedFrom(routingIn(before), routingIn(after)).bindings.length > 0;

/** Does a group change beside its members? */
export const changesMore = (before: Side, after: Side): boolean =>
  fieldChanges(before, after).length > 0 ||
  before.place !== after.place ||
  unappliedIn(before, after) !== undefined ||
  !sameRouting(routingIn(before), routingIn(after)) ||
  overridesChange(before, after) ||
  holdsHiddenChange(before, after);
