import type { GuardsOf } from "./guards";
import { type Holders, holdersOf } from "./holders";
import type { Change, Contribution } from "./model";
import { leaveContribution, type Removal, removalContributions, replacedContribution } from "./removals";
import { afterOf, beforeOf, labelsOf, planOf } from "./sides";
import { joinContribution, type Takeover, takeoverContributions } from "./takeovers";
import { changesMore, type Update } from "./updateRequests";
import { updateContributions } from "./updates";

/** What happens to numbers: taken over, renamed, changed, moved, removed. */

interface Sorted {
  readonly takeover?: Takeover;
  readonly update?: Update;
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
      sorted.flatMap(({ update }) => present(update)),
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
    case "create": {
      const update = renamedBy(change, holders);
      return update === undefined ? { takeover: { change, after } } : { update };
    }
    case "delete": {
      const lost = lostBy(change, holders);
      return lost.length > 0 || labelsOf(before).size === 0 ? { removal: { change, before, lost } } : {};
    }
    case "replace":
      if (change.kind === "NumberGroup") return { update: { change, before, after } };
      return { others: [replacedContribution(change, lostBy(change, holders).length === 0)] };
    case "update": {
      const others = membership(change, holders);
      // Who joins and who leaves is told by itself; nothing else may have happened.
      return others.length === 0 || changesMore(before, after)
        ? { update: { change, before, after }, others }
        : { others };
    }
  }
}

/** All numbers of a new resource were held by one that goes, under another name. */
function renamedBy(change: Change, holders: Holders): Update | undefined {
  const after = afterOf(change);
  const numbers = [...labelsOf(after).keys()];
  const found = numbers.map((number) => holders.before(number, after, change.account));
  const [first] = found;
  const isOne = first !== undefined && found.every((holder) => holder?.change === first.change);
  return isOne ? { change, before: first.side, after, renamedFrom: first.change.name } : undefined;
}

/** The numbers of a resource that no other one declares after the run. */
function lostBy(change: Change, holders: Holders): string[] {
  const before = beforeOf(change);
  return [...labelsOf(before).keys()].filter((number) => holders.after(number, before, change.account) === undefined);
}

function membership(change: Change, holders: Holders): Contribution[] {
  if (change.kind !== "NumberGroup") return [];
  const [before, after] = [beforeOf(change), afterOf(change)];
  const plan = planOf(before, after);
  if (plan === undefined) return [];
  const lost = plan.leaving.filter((number) => holders.after(number, before, change.account) === undefined);
  const cameFrom = (number: string) => holders.before(number, after, change.account)?.change.name;
  return [...joinContribution(change, before, plan.joining, cameFrom), ...leaveContribution(change, before, lost)];
}
