import { same } from "../../provider/core/equality";
import { UNAPPLIED } from "../../provider/core/messages/reasons";
import { clearedFrom, routingOf, sameRouting } from "../../provider/core/routing";
import { holdsUnknown } from "../../provider/core/schemas";
import { isEmpty } from "../../provider/core/split";
import { groupBy } from "../groupBy";
import { holdsMasked, isHidden, isSplit, SECRET } from "../pulumi/values";
import { type FieldChange, fieldChanges, overrideNotes, overridesChange, sentAgain } from "./fields";
import { type GuardsOf, guardLine, noGuards } from "./guards";
import {
  type Card,
  type Change,
  type Contribution,
  contribution,
  type Fact,
  mergedPlaces,
  NOTHING,
  onText,
  type Place,
  REMOVAL,
  type Requests,
  sum,
  totalOf,
  type Undo,
} from "./model";
import { type Move, moveRequests } from "./ownership";
import {
  areNumbersKnown,
  bothSplits,
  labelsOf,
  mayChangeNumbers,
  placeOf,
  planOf,
  previousOf,
  routingIn,
  type Snapshot,
  unappliedIn,
} from "./snapshot";
import { agentTable, farthestPoints, isCut, isWithoutCanary, ratio, splitNotes, splitTitle, stepFacts } from "./splits";
import { capital, counted, id, plain, say, some, type Text } from "./text";

/** Routings that change in place. The same change on many numbers is one card. */

interface Group extends Update {
  readonly places: readonly Place[];
  readonly all: readonly Update[];
  readonly fields: readonly FieldChange[];
  readonly isGoingBack: boolean;
}

export function updateContributions(updates: readonly Update[], guardsOf: GuardsOf, isOpen: boolean): Contribution[] {
  return groupBy(updates, keyOf).map((all) => updateContribution(all, guardsOf, isOpen));
}

const goesBack = ({ before, after }: Update): boolean => {
  const previous = previousOf(before);
  return isSplit(previous) && isSplit(after.split) && same(previous, after.split) && !same(before.split, after.split);
};

function keyOf(update: Update): string {
  const { change, before, after, move } = update;
  const fields = fieldChanges(before, after).map((row) => [row.field, plain(row.before), plain(row.after)]);
  const { triggers } = before.values;
  const unapplied = unappliedIn(before, after);
  return JSON.stringify([
    change.account,
    [before.place, after.place, after.isChecked],
    // Where the split stays, it does not tell two changes apart.
    same(before.split, after.split) ? [] : [before.split, after.split],
    fields,
    [
      goesBack(update),
      move !== undefined,
      [...unapplied.values()].map(({ reason }) => reason).sort(),
      same(triggers, after.values.triggers),
    ],
    // What a group has beside its routing is told by itself.
    hasOwnChanges(update) ? change.urn : "",
  ]);
}

const hasOwnChanges = ({ change, before, after }: Update): boolean =>
  change.kind === "NumberGroup" && (unappliedIn(before, after).size > 0 || overridesChange(before, after));

function updateContribution(all: [Update, ...Update[]], guardsOf: GuardsOf, isOpen: boolean): Contribution {
  const [first] = all;
  const { before, after } = first;
  const group: Group = {
    ...first,
    all,
    places: mergedPlaces(all.map((one) => placeOf(one.change, stayingSide(one.before, one.after)))),
    fields: fieldChanges(before, after),
    isGoingBack: goesBack(first),
  };
  return contribution({
    ...weightOf(group),
    title: titleOf(group),
    places: group.places,
    agents: same(before.split, after.split) ? undefined : agentTable(before.split, after.split, "both"),
    fields: group.fields,
    notes: [...notesOf(group), ...(after.isChecked ? [] : [noGuards]), ...guardNotes(group, guardsOf, isOpen)],
    facts: factsOf(group),
    requests: sum(all.map(requestsOf)),
    undo: undoOf(group),
  });
}

/** Of a group whose members change as well, the numbers that were in it already. */
function stayingSide(before: Snapshot, after: Snapshot): Snapshot {
  if (!areNumbersKnown(before) || !areNumbersKnown(after)) {
    return after;
  }
  const old = labelsOf(before);
  return { ...after, numbers: new Map([...labelsOf(after)].filter(([number]) => old.has(number))) };
}

function factsOf(group: Group): Fact[] {
  const { before, after, isGoingBack } = group;
  const facts = stepFacts(before, after, onText(group.places));
  // A gate that stopped the way back would be in the way of a rollback.
  return isGoingBack ? facts.filter(({ condition }) => condition === "delete") : facts;
}

function undoOf({ before, after, move }: Group): Undo | undefined {
  if (move !== undefined) {
    return undefined;
  }
  if (same(before.split, after.split) || !isSplit(before.split)) {
    return {};
  }
  return isEmpty(before.split)
    ? { back: [": the numbers are without inbound agents again"] }
    : { back: say` (back to ${ratio(before.split)}; only a freeze blocks it)` };
}

/** How a routing that changes in place is shown. */

/** How dangerous it is, and so how far above. */
function weightOf({ before, after, fields, all }: Group): Pick<Card, "tone" | "rank" | "family"> {
  const splits = bothSplits(before, after);
  const isSplitChanged = !same(before.split, after.split);
  if (isCut(before.split, after.split)) {
    return REMOVAL;
  }
  const isAtOnce = splits !== undefined && isWithoutCanary(splits.before, splits.after);
  const isMoved = before.place !== after.place;
  const isSent =
    fields.some((field) => field.isSent) || all.map(requestsOf).some(({ puts, isAtLeast }) => puts > 0 || isAtLeast);
  const tone = isAtOnce || isMoved ? "warning" : "plain";
  if (isSplitChanged) {
    return { tone, rank: 3, family: "split" };
  }
  return isMoved || isSent ? { tone, rank: isMoved ? 3 : 5, family: "routing" } : { tone, rank: 8, family: "quiet" };
}

function guardNotes({ before, after, change, isGoingBack }: Group, guardsOf: GuardsOf, isOpen: boolean): Text[] {
  if (bothSplits(before, after) === undefined || same(before.split, after.split)) {
    return [];
  }
  const line = guardLine(guardsOf(change.account), { before, after, isGoingBack, isOpen });
  return line === undefined ? [] : [line];
}

function titleOf(group: Group): Text {
  const { before, after, fields, change } = group;
  const on = onText(group.places);
  if (!same(before.split, after.split)) {
    return splitTitle(before.split, after.split, on);
  }
  if (before.place !== after.place && after.place !== undefined) {
    return capital(say`${on}: to another platform, ${id(after.place)}`);
  }
  const sent = fields.filter(({ isSent }) => isSent);
  const [only] = sent;
  if (sent.length === 1 && only !== undefined) {
    return capital(say`${only.field} on ${on}: ${only.before} → ${only.after}`);
  }
  if (sent.length > 1) {
    return capital(say`${sent.map(({ field }) => field).join(" and ")} change on ${on}`);
  }
  if (group.move !== undefined) {
    return say`Renamed, keeps its agents: ${on}`;
  }
  return quietTitle(group, on, change);
}

function quietTitle({ all, fields, before, after }: Group, on: Text, { name }: Change): Text {
  const { puts, isAtLeast } = sum(all.map(requestsOf));
  if (overridesChange(before, after)) {
    return say`Differences of single numbers in ${id(name)}`;
  }
  if (puts === 0 && isAtLeast) {
    return say`May be sent again: ${on}`;
  }
  if (puts > 0 && (isAtLeast || all.length > 1)) {
    return say`Sent again: ${on}`;
  }
  if (puts > 0) {
    return say`Sent again: ${onText([{ name, account: undefined, count: puts, ...only(all) }])}`;
  }
  if (fields.length > 0) {
    return say`Settings of ${on}: recorded, nothing is sent`;
  }
  return say`${capital(on)}: recorded, nothing is sent`;
}

/** A single assignment is named by its number. */
const only = (all: readonly Update[]): Partial<Place> => {
  const [first] = all;
  if (all.length !== 1 || first === undefined || first.change.kind === "NumberGroup") {
    return {};
  }
  return placeOf(first.change, first.after);
};

/** Why a routing is sent, and what a reader has to know of it. */

function notesOf(group: Group): Text[] {
  const { before, after, fields, move, isGoingBack, all } = group;
  const splits = bothSplits(before, after);
  const isSplitChanged = !same(before.split, after.split);
  const isSent = all.some((update) => requestsOf(update).puts > 0);
  const total = totalOf(group.places);
  return [
    ...(splits !== undefined && isSplitChanged
      ? [
          ...splitNotes(splits.before, splits.after),
          say`Moves ${farthestPoints(before, after) ?? 0} percentage points of traffic${isGoingBack ? ", back to the split that was applied before: only a freeze blocks that" : ""}.`,
        ]
      : []),
    ...(before.place !== after.place && after.place !== undefined
      ? [
          say`Moves from ${id(before.place ?? "another platform")} to ${id(after.place)}. The routing at ${id(before.place ?? "the other platform")} is unchanged; remove it there if unwanted.`,
        ]
      : []),
    ...(move === undefined
      ? []
      : [
          say`Declared as ${namesText(all.flatMap((one) => one.move?.from.change.name ?? []))} until now, as ${namesText(all.map((one) => one.change.name))} from now on${isSplitChanged ? "; the provider cannot check maxShift together with a new name, but this report does" : ""}.`,
        ]),
    ...reasons(group, total),
    ...(isSent && isSplitChanged
      ? sentAgain(
          all.map((update) => update.after),
          fields,
        )
      : []),
  ];
}

const namesText = (names: readonly string[]): Text =>
  some(
    [...new Set(names)].map((name) => [id(name)]),
    3,
  );

function reasons(group: Group, total: number | undefined): Text[] {
  const { before, after } = group;
  const isAgain = !same(before.values.triggers, after.values.triggers) || holdsUnknown(after.values.triggers);
  return [
    ...unappliedNote(group, total),
    ...(isAgain
      ? [say`Sent again because ${id("triggers")} changed: this overwrites changes made in the web application.`]
      : []),
    ...overrideNotes(before, after),
    ...(labelsChanged(before, after) ? [["Labels change. They are shown, but never sent."]] : []),
    ...maskedNote(group),
  ];
}

function unappliedNote({ before, after, all }: Group, total: number | undefined): Text[] {
  const unapplied = unappliedIn(before, after);
  if (unapplied.size === 0) {
    return [];
  }
  const isOne = !("numbers" in before.state);
  const missing = isOne ? (total ?? all.length) : unapplied.size;
  const reasons = groupBy([...unapplied.values()], ({ reason }) => reason).map((same) => {
    const why = UNAPPLIED[same[0].reason];
    return isOne || missing === same.length ? why : `${same.length}: ${why}`;
  });
  const [was, is] = missing === 1 ? ["was", "is"] : ["were", "are"];
  return [
    say`⚠ ${missing} of ${total === undefined ? "the numbers" : counted(total, "number")} ${was} not applied in an earlier run (${reasons.join("; ")}), and ${is} sent again.`,
  ];
}

/** The engine sees a change where all that differs is masked. */
function maskedNote({ before, after, fields, change }: Group): Text[] {
  const isVisible =
    !sameRouting(routingIn(before), routingIn(after)) ||
    fields.length > 0 ||
    before.place !== after.place ||
    change.op !== "update";
  const isMasked = holdsMasked(before.values) || holdsMasked(after.values);
  return !isVisible && isMasked ? [["A masked value may have changed. A preview shows neither which nor how."]] : [];
}

function labelsChanged(before: Snapshot, after: Snapshot): boolean {
  const old = labelsOf(before);
  return [...labelsOf(after)].some(([number, label]) => old.has(number) && old.get(number) !== label);
}

// --- what is sent

export interface Update {
  readonly change: Change;
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** Where the numbers come from, if another name declared them until now. */
  readonly move?: Move | undefined;
}

/** Counted by the core's plan. One that changes nothing but what is recorded sends nothing. */
function requestsOf({ change, before, after, move }: Update): Requests {
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
