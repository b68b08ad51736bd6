import { same } from "../../provider/core/same";
import { isEmpty } from "../../provider/core/traffic";
import { fieldChanges } from "./fields";
import type { GuardsOf } from "./guards";
import { type Contribution, type Fact, sum } from "./model";
import { overridesChange } from "./overrides";
import { mergedPlaces, onText } from "./places";
import { areNumbersKnown, labelsOf, placeOf, previousOf, type Side, unappliedIn } from "./sides";
import { ratio } from "./splits";
import { stepFacts } from "./steps";
import { plain, say, type Text } from "./text";
import { cardOf } from "./updateCard";
import { type Group, requestsOf, type Update } from "./updateRequests";
import { isMap, isSplit } from "./values";

/** Routings that change in place. The same change on many numbers is one card. */

export function updateContributions(updates: readonly Update[], guardsOf: GuardsOf, isOpen: boolean): Contribution[] {
  const groups = new Map<string, Update[]>();
  for (const update of updates) {
    const key = keyOf(update);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [update]);
    else group.push(update);
  }
  return [...groups.values()].map((all) => contribution(all as [Update, ...Update[]], guardsOf, isOpen));
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
    [goesBack(update), move !== undefined, isMap(unapplied) || unapplied, same(triggers, after.values.triggers)],
    // What a group has beside its routing is told by itself.
    hasOwnChanges(update) ? change.urn : "",
  ]);
}

const hasOwnChanges = ({ change, before, after }: Update): boolean =>
  change.kind === "NumberGroup" && (isMap(unappliedIn(before, after)) || overridesChange(before, after));

function contribution(all: [Update, ...Update[]], guardsOf: GuardsOf, isOpen: boolean): Contribution {
  const [first] = all;
  const places = mergedPlaces(all.map(({ change, before, after }) => placeOf(change, stayingSide(before, after))));
  const group: Group = {
    ...first,
    all,
    places,
    fields: fieldChanges(first.before, first.after),
    isGoingBack: goesBack(first),
  };
  return {
    card: cardOf(group, guardsOf, isOpen),
    facts: factsOf(group),
    requests: sum(all.map(requestsOf)),
    undo: undoOf(group),
  };
}

/** Of a group whose members change as well, the numbers that were in it already. */
function stayingSide(before: Side, after: Side): Side {
  if (!areNumbersKnown(before) || !areNumbersKnown(after)) return after;
  const old = labelsOf(before);
  return { ...after, numbers: new Map([...labelsOf(after)].filter(([number]) => old.has(number))) };
}

function factsOf(group: Group): Fact[] {
  const { before, after, isGoingBack } = group;
  const facts = stepFacts(before, after, onText(group.places));
  // A gate that stopped the way back would be in the way of a rollback.
  return isGoingBack ? facts.filter(({ condition }) => condition === "delete") : facts;
}

function undoOf({ before, after, move }: Group): Text | undefined {
  if (move !== undefined) return undefined;
  if (same(before.split, after.split)) return ["revert this pull request"];
  if (!isSplit(before.split)) return ["revert this pull request"];
  if (isEmpty(before.split)) return ["revert this pull request: the numbers are without inbound agents again"];
  return say`revert this pull request (back to ${ratio(before.split)}, never refused)`;
}
