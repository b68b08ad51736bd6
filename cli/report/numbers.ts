import type { Card } from "./card";
import { firstCards, joinCards } from "./cards/created";
import { leaveCards, pendingDelete, removalCards } from "./cards/deleted";
import { replacedCard, replacedGroup, uncertainCard } from "./cards/replaced";
import { changesMore, labelsChanged, updateCards } from "./cards/updated";
import type { Changes } from "./changes";
import type { Guards } from "./guards";
import { changesOfNumbers, type Holders, lostBy, originsOf, type Removal } from "./ownership";
import type { Rollouts } from "./rollouts";
import { isSentAgain, mayChangeNumbers, type NumberChange, planOf, staying, withNumbers } from "./snapshot";
import { unapprovedCards } from "./unapproved";
import { wholeRunCards } from "./wholeRun";

/** What one change means. Parts of several changes become one card if they say the same. */
interface Parts {
  /** What is assigned for the first time. */
  readonly firsts?: readonly NumberChange[];
  readonly updates?: readonly NumberChange[];
  readonly removals?: readonly Removal[];
  readonly cards?: readonly Card[];
}

export function numberCards(all: Changes, guards: Guards, rollouts: Rollouts): Card[] {
  const { changes, holders } = changesOfNumbers(all);
  const parts = changes.map((change) => meaningOf(change, holders));
  const firsts = parts.flatMap(({ firsts = [] }) => firsts);
  const updates = parts.flatMap(({ updates = [] }) => updates);
  const removals = parts.flatMap(({ removals = [] }) => removals);
  return [
    ...firstCards(firsts, guards),
    ...updateCards(updates, guards, rollouts),
    ...removalCards(removals, all.isDestroy ? undefined : guards),
    ...parts.flatMap(({ cards = [] }) => cards),
    ...unapprovedCards(changes, guards),
    ...wholeRunCards(changes, holders, guards, all.isDestroy),
  ];
}

function meaningOf(change: NumberChange, holders: Holders): Parts {
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

/** Numbers of a new resource. If the stack had them under other names, they move here; the others are assigned for the first time. */
function created(change: NumberChange, holders: Holders): Parts {
  const { moves, fresh } = originsOf(change, change.after.members.keys(), holders);
  if (moves.length === 0) {
    return { firsts: [change] };
  }
  const firsts = fresh.length === 0 ? [] : [{ ...change, after: withNumbers(change.after, fresh) }];
  return { updates: moves, firsts };
}

function deleted(change: NumberChange, holders: Holders): Parts {
  if (change.isLeftover && change.kind === "NumberGroup" && !holders.shows(change.urn)) {
    return { cards: [pendingDelete(change)] };
  }
  const lost = lostBy(change, holders);
  const areHidden = change.before.members.size === 0;
  return lost.length === 0 && !areHidden ? {} : { removals: [{ ...change, lost }] };
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
