import { isOfNumbers } from "../../provider/review";
import type { Card } from "./card";
import { created, firstCards, joinCards } from "./cards/created";
import { deleted, leaveCards, removalCards } from "./cards/deleted";
import { replacedCard, replacedGroup, uncertainCard } from "./cards/replaced";
import { changesMore, labelsChanged, updateCards } from "./cards/updated";
import type { Change, Changes } from "./changes";
import type { Guards } from "./guards";
import { type Holders, holdersOf, type Removal, type Update } from "./ownership";
import type { Rollouts } from "./rollouts";
import { isSentAgain, mayChangeNumbers, type NumberChange, numberChange, planOf, staying } from "./snapshot";
import { unapprovedCards } from "./unapproved";
import { wholeRunCards } from "./wholeRun";

/** What one change means. Parts of several changes become one card if they say the same. */
interface Parts {
  /** What is assigned for the first time. */
  readonly firsts?: readonly NumberChange[];
  readonly updates?: readonly Update[];
  readonly removals?: readonly Removal[];
  readonly cards?: readonly Card[];
}

export function numberCards({ ours, kept, isDestroy }: Changes, guards: Guards, rollouts: Rollouts): Card[] {
  const ofNumbers = (all: readonly Change[]) => all.filter(({ kind }) => isOfNumbers(kind)).map(numberChange);
  const changes = ofNumbers(ours);
  const holders = holdersOf(changes, ofNumbers(kept));
  const all = changes.map((change) => partsOf(change, holders));
  const firsts = all.flatMap((parts) => parts.firsts ?? []);
  const updates = all.flatMap((parts) => parts.updates ?? []);
  const removals = all.flatMap((parts) => parts.removals ?? []);
  return [
    ...firstCards(firsts, guards),
    ...updateCards(updates, guards, rollouts),
    ...removalCards(removals, isDestroy ? undefined : guards),
    ...all.flatMap((parts) => parts.cards ?? []),
    ...unapprovedCards(changes, guards),
    ...wholeRunCards(changes, holders, guards, isDestroy),
  ];
}

function partsOf(change: NumberChange, holders: Holders): Parts {
  switch (change.op) {
    case "create":
      return created(change, holders);
    case "delete":
      return deleted(change, holders);
    case "replace":
      return isSentAgain(change) ? { cards: replaced(change, holders) } : updated(change, holders);
    case "update":
      return updated(change, holders);
  }
}

function updated(change: NumberChange, holders: Holders): Parts {
  const cards = membership(change, holders);
  if (cards.length === 0 && onlyGives(change, holders)) {
    return {};
  }
  // Joining and leaving numbers have cards of their own. A card of the group is needed only if anything else changes.
  return cards.length === 0 || changesMore(change)
    ? { updates: [{ ...change, ...staying(change) }], cards }
    : { cards };
}

/** Do numbers only move to other resources of this run, whose cards tell that? */
function onlyGives(change: NumberChange, holders: Holders): boolean {
  const { leaves } = planOf(change);
  const isTold = (number: string) => {
    const holder = holders.newHolder(number, change);
    return holder !== undefined && !holder.before.members.has(number);
  };
  return leaves.length > 0 && leaves.every(isTold) && !changesMore(change) && !labelsChanged(change);
}

function replaced(change: NumberChange, holders: Holders): Card[] {
  if (change.kind !== "NumberGroup") {
    return [replacedCard(change, holders)];
  }
  const areHidden = !change.before.areNumbersKnown && !mayChangeNumbers(change);
  return [replacedGroup(change), ...(areHidden ? [] : membership(change, holders))];
}

/** The cards of numbers that join and leave. */
function membership(change: NumberChange, holders: Holders): Card[] {
  const areLeaversHidden = change.op === "replace" && !change.before.areNumbersKnown;
  if (mayChangeNumbers(change) || areLeaversHidden) {
    return [uncertainCard(change)];
  }
  return change.kind === "NumberGroup" ? [...joinCards(change, holders), ...leaveCards(change, holders)] : [];
}
