import { samePlace } from "./endpoint";
import { type Labels, numbersOf, toLabels } from "./numbers";
import type { Failure } from "./operations";
import { either, type OnDelete, type Routing, routingOf, sameRouting } from "./routing";
import { same } from "./same";
import { isUnknown } from "./unknown";
import type { Mismatch } from "./verify";

/** What is to be done for a group, decided without sending anything. */

/** What one number may have for itself. */
export interface Override {
  outboundAgentId?: string | undefined;
  outboundAgentVersion?: number | undefined;
  inboundWebhookUrl?: string | undefined;
}

export type Overrides = Readonly<Record<string, Override>>;

export interface FleetInputs extends Routing {
  numbers: string;
  overrides?: Overrides | undefined;
  triggers?: unknown;
  onDelete?: OnDelete | undefined;
  endpoint: string;
  account?: string | undefined;
}

/**
 * Why a number of the group may hold something else than the state says. `leaving`: to be cleared, and no longer of the group.
 * `untouched`: it never got anything of this group, so nothing of it is ours to clear.
 */
export type Shortfall = "rejected" | "unknown" | "different" | "not sent" | "leaving" | "untouched";

export interface FleetState extends FleetInputs {
  /** Only while some numbers are not applied; the next run sends these alone. */
  unapplied?: Readonly<Record<string, Shortfall>> | undefined;
  /** What those may still hold of an earlier routing, so that it is cleared where it is gone. */
  formerRouting?: Routing | undefined;
  formerOverrides?: Overrides | undefined;
}

export interface Plan {
  send: string[];
  clear: string[];
  joining: string[];
  leaving: string[];
}

/** A number may be any text, so it may be the name of something that every object has. */
const own = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;

const shared = new WeakMap<FleetInputs, Routing>();

/** One object for all numbers without an override: 50,000 equal ones would be made, and kept, for nothing. */
function sharedRouting(inputs: FleetInputs): Routing {
  const routing = shared.get(inputs) ?? routingOf(inputs);
  shared.set(inputs, routing);
  return routing;
}

/** The group's version belongs to the group's agent: another agent does not inherit it. */
export function routingFor(number: string, inputs: FleetInputs): Routing {
  const routing = sharedRouting(inputs);
  const override = own(inputs.overrides, number);
  if (override === undefined) return routing;
  const { outboundAgentVersion: _, ...withoutVersion } = routing;
  return { ...(override.outboundAgentId === undefined ? routing : withoutVersion), ...override };
}

type Place = Pick<FleetInputs, "endpoint" | "account">;

const members = new WeakMap<FleetInputs, Labels>();

/** Looked up once for each state: it is asked for each of 50,000 numbers, and to find the text means to compare it. */
function membersOf(state: FleetState): Labels {
  const known = members.get(state) ?? toLabels(state.numbers);
  members.set(state, known);
  return known;
}

/** Did the number ever get anything of this group? */
export function isTouched(number: string, state: FleetState): boolean {
  const shortfall = own(state.unapplied, number);
  return shortfall === undefined ? membersOf(state).has(number) : shortfall !== "untouched";
}

/** What the platform may hold for a number: for one that an earlier run did not reach, what it had before as well. */
export function heldBy(number: string, state: FleetState | undefined, place: Place): Routing {
  if (state === undefined || !samePlace(state, place) || !isTouched(number, state)) return {};
  const now = routingFor(number, state);
  if (own(state.unapplied, number) === undefined) return now;
  return either({ ...state.formerRouting, ...own(state.formerOverrides, number) }, now);
}

/** Account and workspace in which a number is cleared: for one that left in an earlier run, those of then. */
export const scopeIn = (number: string, state: FleetState): Routing =>
  own(state.unapplied, number) === "leaving" ? { ...state, ...state.formerRouting } : state;

/** What has to be remembered of the state before, while some numbers may still hold it. */
export function formerOf(
  olds: FleetState | undefined,
  place: Place,
  unapplied: readonly string[],
): Pick<FleetState, "formerRouting" | "formerOverrides"> {
  if (olds === undefined || !samePlace(olds, place)) return {};
  const overrides = unapplied.flatMap((number): [string, Override][] => {
    const former = { ...own(olds.formerOverrides, number), ...own(olds.overrides, number) };
    return Object.keys(former).length === 0 ? [] : [[number, former]];
  });
  return {
    formerRouting: either(olds.formerRouting ?? {}, routingOf(olds)),
    ...(overrides.length === 0 ? {} : { formerOverrides: Object.fromEntries(overrides) }),
  };
}

export function plan(olds: FleetState | undefined, news: FleetInputs): Plan {
  const wanted = numbersOf(news.numbers);
  if (olds === undefined) return { send: wanted, clear: [], joining: wanted, leaving: [] };
  const had = toLabels(olds.numbers);
  const has = new Set(wanted);
  const isMoved = !samePlace(olds, news);
  const isAllChanged = isMoved || !sameRouting(olds, news) || !same(olds.triggers, news.triggers);
  const isChanged = (number: string) =>
    isAllChanged ||
    !had.has(number) ||
    own(olds.unapplied, number) !== undefined ||
    !same(own(olds.overrides, number), own(news.overrides, number));
  const leaving = [...had.keys()].filter((number) => !has.has(number));
  const left = new Set([...leaving, ...stillLeaving(olds)]);
  return {
    send: wanted.filter(isChanged),
    // What is bound at another platform stays as it is there.
    clear: isMoved ? [] : [...left].filter((number) => !has.has(number) && isTouched(number, olds)),
    joining: wanted.filter((number) => !had.has(number)),
    leaving,
  };
}

const stillLeaving = ({ unapplied = {} }: FleetState): string[] =>
  Object.keys(unapplied).filter((number) => unapplied[number] === "leaving");

/** At preview the numbers, or what differs for some of them, may not be known yet: then nothing is known of what is sent. */
export const isPlannable = ({ numbers, overrides }: FleetInputs): boolean =>
  !isUnknown(numbers) && !isUnknown(overrides);

export interface Missed {
  number: string;
  shortfall: Exclude<Shortfall, "leaving" | "untouched">;
  /** Was it to be cleared? */
  isLeaving: boolean;
  /** Why, in words that are the same for the same cause. */
  cause: string;
  failure?: Failure | undefined;
  mismatches?: readonly Mismatch[] | undefined;
}

export interface MissedByCause extends Omit<Missed, "number"> {
  numbers: string[];
}

/** Failures by cause, most frequent first and what was never sent last, so that 400 equal ones are one line. */
export function byCause(missed: readonly Missed[]): MissedByCause[] {
  const groups = new Map<string, MissedByCause>();
  for (const { number, ...one } of missed) {
    const key = `${one.isLeaving} ${one.shortfall} ${one.cause}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { ...one, numbers: [number] });
    else group.numbers.push(number);
  }
  // They ended in any order; a reader looks them up in a sorted list.
  for (const { numbers } of groups.values()) numbers.sort();
  const isUnsent = ({ shortfall }: MissedByCause) => Number(shortfall === "not sent");
  return [...groups.values()].sort((a, b) => isUnsent(a) - isUnsent(b) || b.numbers.length - a.numbers.length);
}

/** How many numbers may leave a group in one run where no setting says: the larger of 5 and 5 %. */
export const removable = (count: number, maxRemove: number | undefined): number =>
  maxRemove ?? Math.max(5, Math.floor(count * 0.05));
