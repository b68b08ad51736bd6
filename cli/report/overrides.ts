import { type FleetInputs, type Override, routingFor } from "../../provider/core/fleet";
import { same } from "../../provider/core/same";
import { numberText } from "./places";
import { areNumbersKnown, labelsOf, type Side } from "./sides";
import { id, joined, say, type Text } from "./text";
import { isHidden, isMap, isMasked, type Properties, shown } from "./values";

/** What differs for single numbers of a group. */

const FIELDS: readonly (keyof Override)[] = ["outboundAgentId", "outboundAgentVersion", "inboundWebhookUrl"];
const MOST = 10;

const entriesOf = ({ values: { overrides } }: Side): Properties => (isMap(overrides) ? overrides : {});

const isIn = (number: string, side: Side): boolean => !areNumbersKnown(side) || labelsOf(side).has(number);

/** The numbers that stay and whose own entry changes; what comes and goes with a number is told there. */
function changedNumbers(before: Side, after: Side): string[] {
  const [old, next] = [entriesOf(before), entriesOf(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(next)])]
    .filter((number) => isIn(number, before) && isIn(number, after) && !same(old[number], next[number]))
    .sort();
}

const areHidden = (before: Side, after: Side): boolean =>
  isHidden(after.values.overrides) && !same(before.values.overrides, after.values.overrides);

export const overridesChange = (before: Side, after: Side): boolean =>
  areHidden(before, after) || changedNumbers(before, after).length > 0;

/** `+493012345670: outboundAgentId agent_front → agent_berlin`: from what the number has to what it gets. */
export function overrideNotes(before: Side, after: Side): Text[] {
  if (areHidden(before, after))
    return [
      [
        `What differs for single numbers is ${isMasked(after.values.overrides) ? "masked" : "known after apply alone"}.`,
      ],
    ];
  return lines(changedNumbers(before, after), after, (number) => rowsOf(number, before, after));
}

/** What some of a group's numbers get in place of what the others do. */
export function ownNotes(after: Side): Text[] {
  if (isHidden(after.values.overrides)) return overrideNotes({ ...after, values: {} }, after);
  const entries = entriesOf(after);
  const numbers = Object.keys(entries).filter((number) => isIn(number, after));
  const { overrides: _, ...common } = after.values;
  return lines(numbers.sort(), after, (number) => rowsOf(number, { ...after, values: common }, after));
}

/** What a number gets, as the provider decides it; undefined where its own entry is hidden. */
function routingOf(number: string, side: Side): Properties | undefined {
  const entries = entriesOf(side);
  const isOwn = Object.hasOwn(entries, number);
  if (isOwn && !isMap(entries[number])) return undefined;
  const inputs = isOwn
    ? { ...side.values, overrides: { [number]: entries[number] } }
    : { ...side.values, overrides: {} };
  return routingFor(number, inputs as unknown as FleetInputs) as Properties;
}

function rowsOf(number: string, before: Side, after: Side): Text {
  const [from, to] = [routingOf(number, before), routingOf(number, after)];
  if (to === undefined) return shown(entriesOf(after)[number]);
  if (from === undefined) return say`${shown(entriesOf(before)[number])} until now`;
  const fields = FIELDS.filter((field) => !same(from[field], to[field]));
  if (fields.length === 0) return ["as before"];
  return joined(
    fields.map((field) => say`${id(field)} ${shown(from[field])} → ${shown(to[field])}`),
    ", ",
  );
}

function lines(numbers: readonly string[], after: Side, rows: (number: string) => Text): Text[] {
  const labels = labelsOf(after);
  const all = numbers.slice(0, MOST).map((number) => say`${numberText(number, labels.get(number))}: ${rows(number)}`);
  const more = numbers.length - all.length;
  return more > 0 ? [...all, say`… and ${more} more numbers with differences of their own.`] : all;
}
