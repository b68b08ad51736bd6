import { placeText } from "../../provider/core/endpoint";
import { type FleetInputs, type FleetState, plan, routingFor, type Shortfall } from "../../provider/core/fleet";
import { type Labels, numbers as numbersSchema, toLabels, toText } from "../../provider/core/numbers";
import type { Routing } from "../../provider/core/routing";
import type { Split } from "../../provider/core/traffic";
import { isUnknown, UNKNOWN } from "../../provider/core/unknown";
import type { Change, Place } from "./model";
import { id } from "./text";
import { isHidden, isMap, isSplit, type Properties, SECRET, type Seen, splitIn } from "./values";

/** What a number or a group holds before or after a change, as far as the preview shows it. */
export interface Side {
  readonly split: Seen<Split>;
  /** Of a single number: that one, without a label. */
  readonly numbers: Seen<Labels>;
  /** Which platform, and through which explicit provider; undefined where the provider was not asked. */
  readonly place: string | undefined;
  readonly values: Properties;
  /** Did the provider see it? Where its own config is not known yet, the engine asks it nothing. */
  readonly isChecked: boolean;
}

const EMPTY: Side = { split: undefined, numbers: undefined, place: undefined, values: {}, isChecked: true };

/** What was applied is in the outputs; after an update that failed half-way the old inputs say something else. */
export function beforeOf({ kind, before }: Change): Side {
  if (before === undefined) return EMPTY;
  return sideOf(kind, Object.keys(before.outputs).length > 0 ? before.outputs : before.inputs);
}

export const afterOf = ({ kind, after }: Change): Side => (after === undefined ? EMPTY : sideOf(kind, after.inputs));

function sideOf(kind: Change["kind"], values: Properties): Side {
  return {
    split: splitIn(values.inboundAgents),
    numbers: kind === "NumberGroup" ? labelsIn(values.numbers) : numberIn(values.number),
    place: placeIn(values),
    values,
    isChecked: values.endpoint !== undefined,
  };
}

function placeIn({ endpoint, account }: Properties): string | undefined {
  if (typeof endpoint !== "string") return undefined;
  return placeText({ endpoint, account: typeof account === "string" ? account : undefined });
}

function numberIn(value: unknown): Seen<Labels> {
  if (isHidden(value) || value === undefined) return value;
  return typeof value === "string" ? new Map([[value, ""]]) : UNKNOWN;
}

function labelsIn(value: unknown): Seen<Labels> {
  if (isHidden(value) || value === undefined) return value;
  if (typeof value === "string") return toLabels(value);
  if (typeof value !== "object" || value === null) return UNKNOWN;
  // A list or a map, where the provider was not asked.
  const hidden = Object.values(value).find(isHidden);
  if (hidden !== undefined) return hidden;
  const parsed = numbersSchema.safeParse(value);
  if (!parsed.success) return SECRET;
  return isUnknown(parsed.data) ? UNKNOWN : toLabels(parsed.data);
}

/** The numbers, where they are known. */
export const labelsOf = ({ numbers }: Side): Labels => (typeof numbers === "object" ? numbers : new Map());

/** Is it open which of the numbers before stay? A single one that is shown afterwards would be a replacement otherwise. */
export const mayChangeNumbers = ({ kind }: Change, before: Side, after: Side): boolean =>
  after.numbers !== before.numbers && (!areNumbersKnown(after) || (kind === "NumberGroup" && !areNumbersKnown(before)));

export const areNumbersKnown = ({ numbers }: Side): boolean => typeof numbers === "object";

/** The routing as the provider compares it; what is masked or not known yet is one value there, where the provider has fields. */
export const routingIn = ({ values, split }: Side): Routing => ({
  ...(values as Routing),
  inboundAgents: split as Split | undefined,
  extraFields: extraFieldsIn(values),
});

function extraFieldsIn({ extraFields }: Properties): Properties | undefined {
  if (extraFields === undefined || extraFields === null) return undefined;
  return isMap(extraFields) ? extraFields : { "": extraFields };
}

/** What a group's update would send; undefined where its numbers are not known. */
export function planOf(before: Side, after: Side): ReturnType<typeof plan> | undefined {
  if (!areNumbersKnown(before) || !areNumbersKnown(after)) return undefined;
  const olds = { ...before.values, ...routingIn(before), numbers: toText(labelsOf(before)) };
  const { endpoint, account } = after.isChecked ? after.values : before.values;
  const news = { ...after.values, ...routingIn(after), numbers: toText(labelsOf(after)), endpoint, account };
  return plan(olds as FleetState, news as FleetInputs);
}

/** A side with some of its numbers alone. */
export function partOf(side: Side, numbers: readonly string[]): Side {
  const labels = labelsOf(side);
  return { ...side, numbers: new Map(numbers.map((number) => [number, labels.get(number) ?? ""])) };
}

/** Some numbers of a side, with what differs for them as their own routing: one of them stands for all. */
export function sideFor(one: string, side: Side, numbers: readonly string[]): Side {
  const { overrides, unapplied, ...values } = side.values;
  const own = (all: unknown) => (isMap(all) && Object.hasOwn(all, one) ? all[one] : undefined);
  return {
    ...partOf(side, numbers),
    values: {
      ...(isMap(own(overrides))
        ? { ...values, outboundAgentVersion: undefined, ...routingFor(one, side.values as unknown as FleetInputs) }
        : values),
      ...(isMap(overrides) ? {} : { overrides }),
      unapplied: isMap(unapplied) ? own(unapplied) : unapplied,
    },
  };
}

/** What an earlier run did not apply and this one sends again; what leaves, or is to be cleared since then, is told by itself. */
export function unappliedIn({ values: { unapplied } }: Side, after: Side): unknown {
  if (!isMap(unapplied)) return unapplied;
  const stays = (number: string) => !areNumbersKnown(after) || labelsOf(after).has(number);
  const open = Object.entries(unapplied).filter(([number, reason]) => reason !== "leaving" && stays(number));
  return open.length === 0 ? undefined : Object.fromEntries(open);
}

const withShortfall = ({ values: { unapplied } }: Side, shortfall: Shortfall): string[] =>
  isMap(unapplied) ? Object.keys(unapplied).filter((number) => unapplied[number] === shortfall) : [];

/** What left a group in an earlier run that did not clear it. */
export const stillLeaving = (side: Side): string[] => withShortfall(side, "leaving");

/** What never got anything of a group: there is nothing of it to clear, and what it has is in no state. */
export const neverTouched = (side: Side): ReadonlySet<string> => new Set(withShortfall(side, "untouched"));

export function placeOf(
  change: Change,
  side: Side = change.after === undefined ? beforeOf(change) : afterOf(change),
): Place {
  const { name, account, kind } = change;
  if (kind === "NumberGroup") {
    if (areNumbersKnown(side)) return { name, account, count: labelsOf(side).size };
    return { name, account, count: undefined, isMasked: side.numbers === SECRET };
  }
  const [number] = labelsOf(side).keys();
  return { name, account, count: 1, number: number === undefined ? hiddenNumber(side) : id(number) };
}

const hiddenNumber = ({ numbers }: Side) =>
  numbers === SECRET ? "a masked number" : "a number that is known after apply";

/** The split that was applied before the one that stands now. */
export const previousOf = ({ values }: Side): Seen<Split> => splitIn(values.previousInboundAgents);

export const bothSplits = (before: Side, after: Side): { before: Split; after: Split } | undefined =>
  isSplit(before.split) && isSplit(after.split) ? { before: before.split, after: after.split } : undefined;
