import { clearedFrom, type Routing, sameRouting } from "../../provider/core/routing";
import { same } from "../../provider/core/same";
import { holdsUnknown } from "../../provider/core/unknown";
import { type FieldChange, fieldChanges } from "./fields";
import { type Change, NOTHING, type Place, type Requests } from "./model";
import { areNumbersKnown, labelsOf, planOf, routingIn, type Side } from "./sides";
import { holdsMasked } from "./values";

/** What an update sends: counted as the provider decides it. */

export interface Update {
  readonly change: Change;
  readonly before: Side;
  readonly after: Side;
  /** The name that declared the number until now. */
  readonly renamedFrom?: string | undefined;
}

export interface Group extends Update {
  readonly places: readonly Place[];
  readonly all: readonly Update[];
  readonly fields: readonly FieldChange[];
  readonly isGoingBack: boolean;
}

/** One that changes nothing but what is recorded sends nothing. */
export function requestsOf({ change, before, after, renamedFrom }: Update): Requests {
  const clears = unbinds(before, after) ? 1 : 0;
  // A new name is a create, which always sends; the old one then takes away what the new one does not declare.
  if (renamedFrom !== undefined) return { ...NOTHING, puts: 1 + clears, clears };
  if (change.kind === "NumberGroup") return groupRequests(before, after, clears);
  const puts = mustSend(before, after) ? 1 : 0;
  return { ...NOTHING, puts, clears: puts * clears };
}

function groupRequests(before: Side, after: Side, clears: number): Requests {
  const plan = planOf(before, after);
  const isHidden = !sameRouting(routingIn(before), routingIn(after)) || holdsHiddenChange(before, after);
  if (plan === undefined)
    return { ...NOTHING, puts: areNumbersKnown(before) ? labelsOf(before).size : 1, isAtLeast: true };
  const old = labelsOf(before);
  const staying = plan.send.filter((number) => old.has(number)).length;
  const all = [...labelsOf(after).keys()].filter((number) => old.has(number)).length;
  const puts = isHidden ? all : staying;
  return { ...NOTHING, puts, clears: clears * puts };
}

function mustSend(before: Side, after: Side): boolean {
  return (
    before.values.unapplied !== undefined ||
    before.place !== after.place ||
    !sameRouting(routingIn(before), routingIn(after)) ||
    holdsHiddenChange(before, after)
  );
}

/** What triggers say, and that the engine sees a change where all that differs is masked. */
function holdsHiddenChange(before: Side, after: Side): boolean {
  if (!same(before.values.triggers, after.values.triggers) || holdsUnknown(after.values.triggers)) return true;
  return holdsMasked(routingIn(before)) || holdsMasked(routingIn(after));
}

const unbinds = (before: Side, after: Side): boolean =>
  before.place === after.place &&
  clearedFrom(routingIn(before) as Routing, routingIn(after) as Routing).bindings.length > 0;

/** Does a group change beside its members? */
export const changesMore = (before: Side, after: Side): boolean =>
  fieldChanges(before, after).length > 0 ||
  before.place !== after.place ||
  before.values.unapplied !== undefined ||
  !sameRouting(routingIn(before), routingIn(after)) ||
  !same(before.values.overrides, after.values.overrides) ||
  holdsHiddenChange(before, after);
