import { isEmpty, type Split } from "../../../provider/core/split";
import { isOfNumbers } from "../../../provider/core/urn";
import { groupBy } from "../../lists";
import { isSplit, type Known } from "../../pulumi/values";
import type { Changes } from "../collect";
import { type Card, type Change, card, type Fact, type Listed, NOTHING, sum, type Tone, type Undo } from "../model";
import {
  type Holders,
  holdersOf,
  moveFacts,
  moveNotes,
  moveRequests,
  type NumberMove,
  type Origins,
  originsOf,
} from "../ownership";
import {
  affectedBy,
  areNumbersKnown,
  listedNumbers,
  mayChangeNumbers,
  membersOf,
  type NumberChange,
  numberChange,
  planOf,
  type Snapshot,
  stayersOf,
  stayingBefore,
  wasAssigned,
  withNumbers,
} from "../snapshot";
import { counted, id, plain, say, type Text } from "../text";
import { numberText, onText, totalOf } from "../words";
import { declaredFields, ownNotes, sentFields, undeclared } from "./fields";
import { type Guards, guardLine, type Handover, noGuards, wholeChangeCards } from "./guards";
import { leaveCards, pendingDelete, type Removal, removalCards } from "./removals";
import { replacedCard, replacedGroup, uncertainCard } from "./replacements";
import { agentTable, isCut, isWithoutCanary, ratio, splitText } from "./splits";
import { changesMore, labelsChanged, type Update, updateCards } from "./updates";

/** What happens to numbers: assigned for the first time, renamed, changed, moved, removed. */

interface Parts {
  /** What is assigned for the first time. */
  readonly first?: NumberChange;
  readonly updates?: readonly Update[];
  readonly removal?: Removal;
  readonly others?: readonly Card[];
}

export function numberCards({ ours, kept }: Changes, guards: Guards): Card[] {
  const ofNumbers = (all: readonly Change[]) => all.filter(({ kind }) => isOfNumbers(kind)).map(numberChange);
  const changes = ofNumbers(ours);
  const holders = holdersOf(changes, ofNumbers(kept));
  const parts = changes.map((change) => partsOf(change, holders));
  const firsts = parts.flatMap(({ first }) => first ?? []);
  const updates = parts.flatMap((part) => part.updates ?? []);
  const handovers = changes.flatMap((change) => [...handoversTo(change, holders), ...toItself(change)]);
  const shrunk = changes.flatMap((change) => shrunkIn(change, holders));
  return [
    ...firstCards(firsts, guards),
    ...updateCards(updates, guards),
    ...removalCards(parts.flatMap(({ removal }) => removal ?? [])),
    ...parts.flatMap(({ others = [] }) => others),
    ...wholeChangeCards(handovers, shrunk, guards),
  ];
}

function handoversTo(to: NumberChange, holders: Holders): Handover[] {
  const isJoined = to.op === "update" && to.kind === "NumberGroup";
  const numbers = isJoined ? planOf(to).joins : [...membersOf(to.after).keys()];
  const { moves } = originsOf(to, numbers, holders);
  return moves.filter(({ from }) => from !== to).map((move) => ({ ...move, to }));
}

/** With `--replace` the engine asks for no diff, so the provider judges a new resource. */
function toItself(change: NumberChange): Handover[] {
  const { op, before, after } = change;
  const numbers = stayersOf(change).filter((number) => wasAssigned(number, before));
  const isItself = op === "replace" && numbers.length > 0 && isMadeAnew(change);
  return isItself ? [{ from: change, to: change, before, after, numbers }] : [];
}

/** A group that is gone, and that lives on in part. */
function shrunkIn(change: NumberChange, holders: Holders): Removal[] {
  const { kind, op, isLeftover, isRetained, before } = change;
  if (kind !== "NumberGroup" || op !== "delete" || isLeftover || isRetained) {
    return [];
  }
  const lost = lostBy(change, holders);
  return lost.length < membersOf(before).size ? [{ ...change, lost }] : [];
}

function partsOf(change: NumberChange, holders: Holders): Parts {
  switch (change.op) {
    case "create":
      return created(change, holders);
    case "delete": {
      if (change.isLeftover && change.kind === "NumberGroup" && !holders.shows(change.urn)) {
        return { others: [pendingDelete(change)] };
      }
      const lost = lostBy(change, holders);
      const isHidden = membersOf(change.before).size === 0;
      return lost.length === 0 && !isHidden ? {} : { removal: { ...change, lost } };
    }
    case "replace":
      return isMadeAnew(change) ? { others: replaced(change, holders) } : changed(change, holders);
    case "update":
      return changed(change, holders);
  }
}

/** A group whose numbers leave is a replacement for the engine alone: nobody who stays is sent to for that. */
function isMadeAnew(change: NumberChange): boolean {
  if (change.kind !== "NumberGroup" || change.before.endpoint !== change.after.endpoint) {
    return true;
  }
  const { binds, replaces } = planOf(change);
  return binds !== undefined && replaces.length === 0;
}

function changed(change: NumberChange, holders: Holders): Parts {
  const others = membership(change, holders);
  if (others.length === 0 && onlyGives(change, holders)) {
    return {};
  }
  // Who joins and who leaves is told by itself; nothing else may have happened.
  return others.length === 0 || changesMore(change)
    ? { updates: [{ ...change, before: stayingBefore(change) }], others }
    : { others };
}

/** Nothing but numbers that move to other resources of this run, whose cards say so. */
function onlyGives(change: NumberChange, holders: Holders): boolean {
  const { leaves } = planOf(change);
  const isTold = (number: string) => {
    const heir = holders.heir(number, change);
    return heir !== undefined && !membersOf(heir.before).has(number);
  };
  return leaves.length > 0 && leaves.every(isTold) && !changesMore(change) && !labelsChanged(change);
}

/** What the stack held under other names moves here; the rest is assigned for the first time. */
function created(change: NumberChange, holders: Holders): Parts {
  const { moves, fresh } = originsOf(change, [...membersOf(change.after).keys()], holders);
  if (moves.length === 0) {
    return { first: change };
  }
  const updates = moves.map((move): Update => ({ ...change, before: move.before, after: move.after, move }));
  return { updates, ...(fresh.length > 0 && { first: { ...change, after: withNumbers(change.after, fresh) } }) };
}

function replaced(change: NumberChange, holders: Holders): Card[] {
  if (change.kind !== "NumberGroup") {
    return [replacedCard(change, holders)];
  }
  const own = replacedGroup(change);
  if (mayChangeNumbers(change)) {
    return [own, uncertainCard(change)];
  }
  const areKnown = areNumbersKnown(change.before) && areNumbersKnown(change.after);
  return [own, ...(areKnown ? joinsAndLeaves(change, holders) : [])];
}

/** The numbers of a resource that no other one declares after the run. */
const lostBy = (change: NumberChange, holders: Holders): string[] =>
  [...membersOf(change.before).keys()].filter(
    (number) => wasAssigned(number, change.before) && holders.heir(number, change) === undefined,
  );

function membership(change: NumberChange, holders: Holders): Card[] {
  const areLeaversHidden = change.op === "replace" && !areNumbersKnown(change.before);
  if (mayChangeNumbers(change) || areLeaversHidden) {
    return [uncertainCard(change)];
  }
  return change.kind === "NumberGroup" ? joinsAndLeaves(change, holders) : [];
}

function joinsAndLeaves(change: NumberChange, holders: Holders): Card[] {
  const { before, after } = change;
  const { joins, leaves, clears } = planOf(change);
  // Of a group that goes to another platform nothing is cleared here: what leaves is only forgotten.
  const isElsewhere = after.endpoint !== undefined && before.endpoint !== after.endpoint;
  const areForgotten = isElsewhere || change.isRetained;
  const lost = (areForgotten ? leaves : clears).filter((number) => holders.heir(number, change) === undefined);
  return [...joinCards(change, originsOf(change, joins, holders)), ...leaveCards({ ...change, lost }, areForgotten)];
}

// --- numbers that are declared for the first time: a PUT overwrites the routing that they have

/** The same routing on many new numbers is one card. */
function firstCards(firsts: readonly NumberChange[], guards: Guards): Card[] {
  const keyOf = ({ providerName, after: { values } }: NumberChange) => {
    const { number: _, numbers: __, ...routing } = values;
    return JSON.stringify([providerName, routing]);
  };
  return groupBy(firsts, keyOf).map((all) => firstCard(all, guards));
}

function firstCard(all: [NumberChange, ...NumberChange[]], guards: Guards): Card {
  const [{ providerName, after }] = all;
  const affected = all.map((one) => affectedBy(one, one.after));
  const total = totalOf(affected);
  const on = onText(affected);
  return card({
    tone: "warning",
    rank: 4,
    family: "firstAssignment",
    title: say`First assignment of ${on}: ${splitText(after.split)}`,
    affected,
    agents: agentTable(undefined, after.split, "after"),
    fields: declaredFields(after),
    notes: [
      overwritten(total),
      undeclared(after),
      ...all.flatMap((one) => ownNotes(one.after)),
      !after.isChecked && noGuards,
      isSplit(after.split) && guardLine(guards, { providerName, after }),
    ],
    listed: all.flatMap((one) => listedIn(one, all.length)),
    facts: [{ condition: "create", text: say`${on}: assigned for the first time` }],
    requests: { puts: affected.reduce((sum, { count = 1 }) => sum + count, 0), isAtLeast: total === undefined },
    undo: UNASSIGNS,
  });
}

const UNASSIGNS: Undo = {
  caveat: ["a revert unassigns the newly assigned numbers; it cannot restore the routing that they have today"],
};

const overwritten = (count: number | undefined): Text => [
  { strong: "Overwritten:" },
  ` the routing that ${count === 1 ? "this number has" : `these ${count === undefined ? "" : `${count} `}numbers have`} today. It cannot be read back: write down the values of the platform's web application before you merge.`,
];

function listedIn(change: NumberChange, of: number): Listed[] {
  const title = of === 1 ? "The numbers" : `The numbers of ${plain([id(change.name)])}`;
  return listedNumbers(change, change.after, [...membersOf(change.after).keys()], title);
}

/** Numbers that join a group which is there already: from elsewhere in the stack, or for the first time. */
function joinCards(change: NumberChange, { moves, fresh }: Origins): Card[] {
  const moved = moves.reduce((count, { numbers }) => count + numbers.length, 0);
  const count = moved + fresh.length;
  if (count === 0) {
    return [];
  }
  const { before, after } = change;
  const name = id(change.name);
  const hasFresh = fresh.length > 0;
  const weight = weightOf(moves, hasFresh);
  const firstText = say`${counted(fresh.length, "number")}: assigned for the first time by ${name}`;
  const created: Fact = { condition: "create", text: firstText };
  const [joins, gets] = count === 1 ? ["joins", "gets"] : ["join", "get"];
  return [
    card({
      ...weight,
      family: "join",
      title: say`${weight.tone === "danger" ? "⚠ " : ""}${counted(count, "number")} ${joins} ${name} (${membersOf(before).size} → ${membersOf(after).size}) and ${gets} its ${splitWords(after.split)} at once`,
      affected: [{ ...affectedBy(change, after), count }],
      agents: agentTable(undefined, after.split, "after"),
      fields: hasFresh ? sentFields(after) : [],
      notes: [
        ...(hasFresh ? [overwritten(fresh.length), undeclared(after), ...ownNotes(withNumbers(after, fresh))] : []),
        moved > 0 && movesHere(moved),
        ...moveNotes(moves),
      ],
      listed: [{ title: "Numbers that join", items: itemsOf(after, moves, fresh) }],
      facts: [...(hasFresh ? [created] : []), ...moves.flatMap((move) => moveFacts(move, change))],
      requests: sum([{ ...NOTHING, puts: count }, ...moves.map(moveRequests)]),
      undo: hasFresh ? UNASSIGNS : { back: [] },
    }),
  ];
}

/** As a change of the split in place would be. */
function weightOf(moves: readonly NumberMove[], hasFresh: boolean): { tone: Tone; rank: number } {
  if (moves.some(isCut)) {
    return { tone: "danger", rank: 1 };
  }
  const isAtOnce = moves.some(isWithoutCanary);
  return { tone: hasFresh || isAtOnce ? "warning" : "plain", rank: isAtOnce ? 3 : 4 };
}

const movesHere = (count: number): Text => [
  `${counted(count, "number")} of this stack ${count === 1 ? "moves" : "move"} here: no moment without agents.`,
];

function itemsOf(after: Snapshot, moves: readonly NumberMove[], fresh: readonly string[]): Text[] {
  const from = new Map(moves.flatMap(({ from: { name }, numbers }) => numbers.map((number) => [number, name])));
  const joining = new Set([...from.keys(), ...fresh]);
  return [...membersOf(after)]
    .filter(([number]) => joining.has(number))
    .map(([number, label]) => {
      const [text, name] = [numberText(number, label), from.get(number)];
      return name === undefined ? text : say`${text} (from ${id(name)})`;
    });
}

const splitWords = (split: Known<Split>): Text =>
  isSplit(split) && !isEmpty(split) && Object.keys(split).length > 1
    ? say`split ${ratio(split)}`
    : say`routing (${splitText(split)})`;
