import { isEmpty, type Split } from "../../provider/core/split";
import { groupBy } from "../groupBy";
import { isSplit, type Known } from "../pulumi/values";
import type { Changes } from "./collect";
import { declaredFields, ownNotes, undeclared } from "./fields";
import { type GuardsOf, guardLine, type Handover, noGuards, type Shrunk, wholeContributions } from "./guards";
import {
  type Change,
  type Contribution,
  contribution,
  type Fact,
  type Listed,
  NOTHING,
  numberText,
  onText,
  sum,
  type Tone,
  totalOf,
  type Undo,
} from "./model";
import {
  type Holders,
  holdersOf,
  type Move,
  moveFacts,
  moveNotes,
  moveRequests,
  type Origins,
  originsOf,
} from "./ownership";
import { leaveContribution, pendingDelete, type Removal, removalContributions } from "./removals";
import { replacedContribution, replacedGroup, uncertainContribution } from "./replacements";
import {
  afterOf,
  areNumbersKnown,
  beforeOf,
  labelsOf,
  mayChangeNumbers,
  placeOf,
  planOf,
  type Snapshot,
  stayingBefore,
  wasAssigned,
  withNumbers,
} from "./snapshot";
import { agentTable, isCut, isWithoutCanary, ratio, splitText } from "./splits";
import { counted, id, plain, say, type Text } from "./text";
import { changesMore, type Update, updateContributions } from "./updates";

/** What happens to numbers: taken over, renamed, changed, moved, removed. */

interface Parts {
  readonly takeover?: Takeover;
  readonly updates?: readonly Update[];
  readonly removal?: Removal;
  readonly others?: readonly Contribution[];
}

export function numberContributions({ ours, kept }: Changes, guardsOf: GuardsOf, isOpen: boolean): Contribution[] {
  const isOfNumbers = ({ kind }: Change) => kind === "NumberAssignment" || kind === "NumberGroup";
  const changes = ours.filter(isOfNumbers);
  const holders = holdersOf(changes, kept.filter(isOfNumbers));
  const sorted = changes.map((change) => partsOf(change, holders));
  return [
    ...takeoverContributions(
      sorted.flatMap(({ takeover }) => takeover ?? []),
      guardsOf,
      isOpen,
    ),
    ...updateContributions(
      sorted.flatMap(({ updates = [] }) => updates),
      guardsOf,
      isOpen,
    ),
    ...removalContributions(sorted.flatMap(({ removal }) => removal ?? [])),
    ...sorted.flatMap(({ others = [] }) => others),
    ...wholeContributions(
      changes.flatMap((change) => handoversTo(change, holders)),
      changes.flatMap((change) => shrunkIn(change, holders)),
      guardsOf,
      isOpen,
    ),
  ];
}

function handoversTo(change: Change, holders: Holders): Handover[] {
  const { name, account, op } = change;
  const [before, after] = [beforeOf(change), afterOf(change)];
  const numbers =
    op === "update" && change.kind === "NumberGroup" ? planOf(before, after).joins : [...labelsOf(after).keys()];
  return [
    ...originsOf(change, numbers, holders)
      .moves.filter(({ from }) => from.change !== change)
      .map((move) => ({ ...move, from: move.from.change.name, to: name, account })),
    ...toItself(change),
  ];
}

/** With `--replace` the engine asks for no diff, so the provider judges a new resource. */
function toItself(change: Change): Handover[] {
  const { name, account, op } = change;
  const [before, after] = [beforeOf(change), afterOf(change)];
  const had = labelsOf(before);
  const numbers = [...labelsOf(after).keys()].filter((number) => had.has(number) && wasAssigned(number, before));
  const isItself = op === "replace" && numbers.length > 0 && isMadeAnew(change, before, after);
  return isItself ? [{ from: name, to: name, account, before, after, numbers }] : [];
}

/** A group that is gone, and that lives on in part. */
function shrunkIn(change: Change, holders: Holders): Shrunk[] {
  const { kind, op, name, account, isLeftover, before: saved } = change;
  if (kind !== "NumberGroup" || op !== "delete" || isLeftover || saved?.retainOnDelete === true) {
    return [];
  }
  const before = beforeOf(change);
  const lost = lostBy(change, holders);
  return lost.length < labelsOf(before).size ? [{ name, account, before, lost }] : [];
}

function partsOf(change: Change, holders: Holders): Parts {
  const [before, after] = [beforeOf(change), afterOf(change)];
  switch (change.op) {
    case "create":
      return created(change, after, holders);
    case "delete": {
      if (change.isLeftover && change.kind === "NumberGroup" && !holders.shows(change.urn)) {
        return { others: [pendingDelete(change, before)] };
      }
      const lost = lostBy(change, holders);
      const isHidden = labelsOf(before).size === 0;
      if (lost.length === 0 && !isHidden) {
        return {};
      }
      return { removal: { change, before, lost, isKnown: areNumbersKnown(before) } };
    }
    case "replace":
      return isMadeAnew(change, before, after) ? { others: replaced(change, holders) } : changed(change, holders);
    case "update":
      return changed(change, holders);
  }
}

/** A group whose numbers leave is a replacement for the engine alone: nobody who stays is sent to for that. */
function isMadeAnew(change: Change, before: Snapshot, after: Snapshot): boolean {
  if (change.kind !== "NumberGroup" || before.place !== after.place) {
    return true;
  }
  const { binds, replaces } = planOf(before, after);
  return binds !== undefined && replaces.length === 0;
}

function changed(change: Change, holders: Holders): Parts {
  const [before, after] = [beforeOf(change), afterOf(change)];
  const others = membership(change, holders);
  // Who joins and who leaves is told by itself; nothing else may have happened.
  return others.length === 0 || changesMore(before, after)
    ? { updates: [{ change, before: stayingBefore(before, after), after }], others }
    : { others };
}

/** What the stack held under other names moves here; the rest is taken over. */
function created(change: Change, after: Snapshot, holders: Holders): Parts {
  const { moves, fresh } = originsOf(change, [...labelsOf(after).keys()], holders);
  const updates = moves.map((move): Update => ({ change, before: move.before, after: move.after, move }));
  if (moves.length === 0) {
    return { takeover: { change, after } };
  }
  if (fresh.length === 0) {
    return { updates };
  }
  return { updates, takeover: { change, after: withNumbers(after, fresh) } };
}

function replaced(change: Change, holders: Holders): Contribution[] {
  if (change.kind !== "NumberGroup") {
    return [replacedContribution(change, holders)];
  }
  const [before, after] = [beforeOf(change), afterOf(change)];
  const own = replacedGroup(change);
  if (mayChangeNumbers(change, before, after)) {
    return [own, uncertainContribution(change)];
  }
  return [own, ...(areNumbersKnown(before) && areNumbersKnown(after) ? joinsAndLeaves(change, holders) : [])];
}

/** The numbers of a resource that no other one declares after the run. */
function lostBy(change: Change, holders: Holders): string[] {
  const before = beforeOf(change);
  return [...labelsOf(before).keys()].filter(
    (number) => wasAssigned(number, before) && holders.after(number, before, change.account) === undefined,
  );
}

function membership(change: Change, holders: Holders): Contribution[] {
  const [before, after] = [beforeOf(change), afterOf(change)];
  const areLeaversHidden = change.op === "replace" && !areNumbersKnown(before);
  if (mayChangeNumbers(change, before, after) || areLeaversHidden) {
    return [uncertainContribution(change)];
  }
  return change.kind === "NumberGroup" ? joinsAndLeaves(change, holders) : [];
}

function joinsAndLeaves(change: Change, holders: Holders): Contribution[] {
  const [before, after] = [beforeOf(change), afterOf(change)];
  const { joins, leaves, clears } = planOf(before, after);
  // Of a group that goes to another platform nothing is cleared here: what leaves is only forgotten.
  const isElsewhere = after.place !== undefined && before.place !== after.place;
  const areForgotten = isElsewhere || change.before?.retainOnDelete === true;
  const isHeld = (number: string) => holders.after(number, before, change.account) !== undefined;
  const lost = (areForgotten ? leaves : clears).filter((number) => !isHeld(number));
  return [
    ...joinContribution(change, before, originsOf(change, joins, holders)),
    ...leaveContribution(change, before, lost, areForgotten),
  ];
}

/** Numbers that are declared for the first time: a PUT overwrites the routing that they have. */

interface Takeover {
  readonly change: Change;
  readonly after: Snapshot;
}

/** The same routing on many new numbers is one card. */
function takeoverContributions(takeovers: readonly Takeover[], guardsOf: GuardsOf, isOpen: boolean): Contribution[] {
  const keyOf = ({ change, after: { values } }: Takeover) => {
    const { number: _, numbers: __, ...routing } = values;
    return JSON.stringify([change.account, routing]);
  };
  return groupBy(takeovers, keyOf).map((all) => takeover(all, guardsOf, isOpen));
}

function takeover(all: [Takeover, ...Takeover[]], guardsOf: GuardsOf, isOpen: boolean): Contribution {
  const [{ change, after }] = all;
  const places = all.map((one) => placeOf(one.change, one.after));
  const total = totalOf(places);
  const puts = places.reduce((sum, { count = 1 }) => sum + count, 0);
  const on = onText(places);
  const guards = isSplit(after.split)
    ? guardLine(guardsOf(change.account), { before: undefined, after, isGoingBack: false, isOpen })
    : undefined;
  return contribution({
    tone: "warning",
    rank: 4,
    family: "takeover",
    title: say`First assignment of ${on}: ${splitText(after.split)}`,
    places,
    agents: agentTable(undefined, after.split, "after"),
    fields: declaredFields(after),
    notes: [
      overwritten(total),
      ...undeclared(after),
      ...all.flatMap((one) => ownNotes(one.after)),
      ...(after.isChecked ? [] : [noGuards]),
      ...(guards === undefined ? [] : [guards]),
    ],
    listed: all.flatMap((one) => listedNumbers(one, all.length)),
    facts: [{ condition: "create", text: say`${on}: assigned for the first time` }],
    requests: { puts, isAtLeast: total === undefined },
    undo: UNASSIGNS,
  });
}

const UNASSIGNS: Undo = {
  caveat: ["a revert unassigns the newly assigned numbers; it cannot restore the routing that they have today"],
};

const overwritten = (count: number | undefined): Text => [
  { strong: "Overwritten:" },
  ` the routing that ${count === 1 ? "this number has" : `these ${count ?? "numbers"}${count === undefined ? "" : " numbers"} have`} today. It cannot be read back: write down the values of the platform's web application before you merge.`,
];

/** A group's numbers; single ones are listed as places. */
function listedNumbers({ change, after }: Takeover, of: number): Listed[] {
  if (change.kind !== "NumberGroup" || labelsOf(after).size === 0) {
    return [];
  }
  const items = [...labelsOf(after)].map(([number, label]) => numberText(number, label));
  return [{ title: of === 1 ? "The numbers" : `The numbers of ${plain([id(change.name)])}`, items }];
}

/** Numbers that join a group which is there already: from elsewhere in the stack, or taken over. */
function joinContribution(change: Change, before: Snapshot, { moves, fresh }: Origins): Contribution[] {
  const moved = moves.reduce((count, { numbers }) => count + numbers.length, 0);
  const count = moved + fresh.length;
  if (count === 0) {
    return [];
  }
  const after = afterOf(change);
  const isTaken = fresh.length > 0;
  const weight = weightOf(moves, isTaken);
  const takenText = say`${counted(fresh.length, "number")}: assigned for the first time by ${id(change.name)}`;
  const taken: Fact = { condition: "create", text: takenText };
  const [joins, gets] = count === 1 ? ["joins", "gets"] : ["join", "get"];
  return [
    contribution({
      ...weight,
      family: "join",
      title: say`${weight.tone === "danger" ? "⚠ " : ""}${counted(count, "number")} ${joins} ${id(change.name)} (${labelsOf(before).size} → ${labelsOf(after).size}) and ${gets} its ${splitWords(after.split)} at once`,
      places: [{ ...placeOf(change, after), count }],
      agents: agentTable(undefined, after.split, "after"),
      notes: [
        ...(isTaken ? [overwritten(fresh.length), ...undeclared(after), ...ownNotes(withNumbers(after, fresh))] : []),
        ...(moved > 0 ? [movesHere(moved)] : []),
        ...moveNotes(moves),
      ],
      listed: [{ title: "Numbers that join", items: itemsOf(after, moves, fresh) }],
      facts: [...(isTaken ? [taken] : []), ...moves.flatMap((move) => moveFacts(move, change))],
      requests: sum([{ ...NOTHING, puts: count }, ...moves.map(moveRequests)]),
      undo: isTaken ? UNASSIGNS : undefined,
    }),
  ];
}

/** As a change of the split in place would be. */
function weightOf(moves: readonly Move[], isTaken: boolean): { tone: Tone; rank: number } {
  if (moves.some(({ before, after }) => isCut(before.split, after.split))) {
    return { tone: "danger", rank: 1 };
  }
  const isAtOnce = moves.some(
    ({ before, after }) => isSplit(before.split) && isSplit(after.split) && isWithoutCanary(before.split, after.split),
  );
  return { tone: isTaken || isAtOnce ? "warning" : "plain", rank: isAtOnce ? 3 : 4 };
}

const movesHere = (count: number): Text => [
  `${counted(count, "number")} of this stack ${count === 1 ? "moves" : "move"} here: no moment without agents.`,
];

function itemsOf(after: Snapshot, moves: readonly Move[], fresh: readonly string[]): Text[] {
  const labels = labelsOf(after);
  const from = new Map(
    moves.flatMap(({ from: { change }, numbers }) => numbers.map((number) => [number, change.name])),
  );
  const joining = new Set([...from.keys(), ...fresh]);
  return [...labels.keys()]
    .filter((number) => joining.has(number))
    .map((number) => {
      const name = from.get(number);
      const text = numberText(number, labels.get(number));
      return name === undefined ? text : say`${text} (from ${id(name)})`;
    });
}

const splitWords = (split: Known<Split>): Text =>
  isSplit(split) && !isEmpty(split) && Object.keys(split).length > 1
    ? say`split ${ratio(split)}`
    : say`routing (${splitText(split)})`;
