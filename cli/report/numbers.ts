import type { GuardsOf } from "./guards";
import { type Holders, holdersOf } from "./holders";
import { joinContribution } from "./joins";
import type { Change, Contribution } from "./model";
import { originsOf } from "./moves";
import { leaveContribution, type Removal, removalContributions } from "./removals";
import { replacedContribution, replacedGroup } from "./replacements";
import {
  afterOf,
  areNumbersKnown,
  beforeOf,
  labelsOf,
  mayChangeNumbers,
  neverTouched,
  partOf,
  planOf,
  type Side,
  stillLeaving,
} from "./sides";
import { type Takeover, takeoverContributions } from "./takeovers";
import { uncertainContribution } from "./uncertain";
import { changesMore, type Update } from "./updateRequests";
import { updateContributions } from "./updates";

/** What happens to numbers: taken over, renamed, changed, moved, removed. */

interface Sorted {
  readonly takeover?: Takeover;
  readonly updates?: readonly Update[];
  readonly removal?: Removal;
  readonly others?: readonly Contribution[];
}

export function numberContributions(all: readonly Change[], guardsOf: GuardsOf, isOpen: boolean): Contribution[] {
  const changes = all.filter(({ kind }) => kind === "NumberAssignment" || kind === "NumberGroup");
  const holders = holdersOf(changes);
  const sorted = changes.map((change) => sort(change, holders));
  const present = <T>(one: T | undefined): T[] => (one === undefined ? [] : [one]);
  return [
    ...takeoverContributions(
      sorted.flatMap(({ takeover }) => present(takeover)),
      guardsOf,
      isOpen,
    ),
    ...updateContributions(
      sorted.flatMap(({ updates = [] }) => updates),
      guardsOf,
      isOpen,
    ),
    ...removalContributions(sorted.flatMap(({ removal }) => present(removal))),
    ...sorted.flatMap(({ others = [] }) => others),
  ];
}

function sort(change: Change, holders: Holders): Sorted {
  const [before, after] = [beforeOf(change), afterOf(change)];
  switch (change.op) {
    case "create":
      return created(change, after, holders);
    case "delete": {
      const lost = lostBy(change, holders);
      const isHidden = labelsOf(before).size === 0;
      if (lost.length === 0 && !isHidden) return {};
      return { removal: { change, before, lost, isKnown: areNumbersKnown(before) } };
    }
    case "replace":
      return { others: replaced(change, holders) };
    case "update": {
      const others = membership(change, holders);
      // Who joins and who leaves is told by itself; nothing else may have happened.
      return others.length === 0 || changesMore(before, after)
        ? { updates: [{ change, before, after }], others }
        : { others };
    }
  }
}

/** What the stack held under other names moves here; the rest is taken over. */
function created(change: Change, after: Side, holders: Holders): Sorted {
  const { moves, fresh } = originsOf(change, [...labelsOf(after).keys()], holders);
  const updates = moves.map((move): Update => ({ change, before: move.before, after: move.after, move }));
  if (moves.length === 0) return { takeover: { change, after } };
  if (fresh.length === 0) return { updates };
  return { updates, takeover: { change, after: partOf(after, fresh) } };
}

function replaced(change: Change, holders: Holders): Contribution[] {
  if (change.kind !== "NumberGroup") return [replacedContribution(change, holders)];
  const [before, after] = [beforeOf(change), afterOf(change)];
  const own = replacedGroup(change);
  if (mayChangeNumbers(change, before, after)) return [own, uncertainContribution(change)];
  return [own, ...(areNumbersKnown(before) && areNumbersKnown(after) ? joinsAndLeaves(change, holders) : [])];
}

/** The numbers of a resource that no other one declares after the run. */
function lostBy(change: Change, holders: Holders): string[] {
  const before = beforeOf(change);
  const all = new Set([...labelsOf(before).keys(), ...stillLeaving(before)]);
  const untouched = neverTouched(before);
  return [...all].filter(
    (number) => !untouched.has(number) && holders.after(number, before, change.account) === undefined,
  );
}

function membership(change: Change, holders: Holders): Contribution[] {
  const [before, after] = [beforeOf(change), afterOf(change)];
  if (mayChangeNumbers(change, before, after)) return [uncertainContribution(change)];
  return change.kind === "NumberGroup" ? joinsAndLeaves(change, holders) : [];
}

function joinsAndLeaves(change: Change, holders: Holders): Contribution[] {
  const [before, after] = [beforeOf(change), afterOf(change)];
  const plan = planOf(before, after);
  if (plan === undefined) return [];
  // Of a group that goes to another platform nothing is cleared here: what leaves is only forgotten.
  const isMoved = after.place !== undefined && before.place !== after.place;
  const areForgotten = change.op === "replace" ? change.before?.retainOnDelete === true : isMoved;
  const isHeld = (number: string) => holders.after(number, before, change.account) !== undefined;
  const leaving = areForgotten ? plan.leaving : plan.clear;
  const lost = change.op === "replace" ? lostBy(change, holders) : leaving.filter((number) => !isHeld(number));
  return [
    ...joinContribution(change, before, originsOf(change, plan.joining, holders)),
    ...leaveContribution(change, before, lost, areForgotten),
  ];
}
