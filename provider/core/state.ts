import * as z from "zod";
import { type Endpoint, sameEndpoint } from "./endpoint";
import { defined, same } from "./equality";
import { type GroupInputs, membersOf, type Overrides, routingFor } from "./group";
import { type NumbersText, numbersOf } from "./numberList";
import { onceForEach } from "./once";
import type { PlatformIds } from "./operations";
import { either, type OnDelete, type RoutedInputs, type Routing } from "./routing";
import { isUnknown } from "./schemas";
import { agentKey, type Split } from "./split";
import type { ResourceKind } from "./urn";

/**
 * What is saved of a number and of a group: what is wanted (the inputs), and apart from it, for what was not applied, what the
 * numbers hold as far as is known. A guard judges a change from what was applied, never from a split that no number got.
 */

export interface NumberInputs extends RoutedInputs {
  readonly number: string;
}

/** `different`: the platform accepted the request and shows something else. `not sent`: the run stopped before it. */
export const UNAPPLIED_REASONS = ["rejected", "unknown", "different", "not sent"] as const;
export type UnappliedReason = (typeof UNAPPLIED_REASONS)[number];

/** A number that does not certainly hold what is wanted. */
export interface Unapplied {
  readonly reason: UnappliedReason;
  /** What it got last; absent where it never got anything of this resource, so that nothing of it is ours to clear. */
  readonly applied?: Routing | undefined;
  /** What requests since then may have left on it. */
  readonly maybe?: Routing | undefined;
}

/** Numbers of a group that share their fate. */
export interface UnappliedPart extends Unapplied {
  readonly numbers: NumbersText;
}

/** What guards let pass because it was there before the last change: the way back is open. */
interface WayBack {
  /** Outbound agents, of the routing and of overrides. */
  readonly outboundAgents?: readonly string[] | undefined;
  readonly onDelete?: OnDelete | undefined;
  /** Numbers that joined the group in the last change of its numbers. */
  readonly joined?: NumbersText | undefined;
}

interface Saved {
  /** The split that was applied before this one. */
  readonly previousInboundAgents?: Split | undefined;
  readonly previous?: WayBack | undefined;
}

export interface NumberState extends NumberInputs, Saved {
  readonly platformIds?: PlatformIds | undefined;
  readonly unapplied?: Unapplied | undefined;
}

export interface GroupState extends GroupInputs, Saved {
  /** Only while some numbers are not applied; the next run sends these alone. */
  readonly unapplied?: readonly UnappliedPart[] | undefined;
}

export type NumbersState = NumberState | GroupState;

// --- what a hand may have edited

const bound = z.record(z.string(), z.unknown()).optional();
const fate = { reason: z.enum(UNAPPLIED_REASONS), applied: bound, maybe: bound };
const previous = z
  .looseObject({ outboundAgents: z.array(z.string()).optional(), joined: z.string().optional() })
  .optional();

/** The fields that are more than what a program writes: in another form they would say something else about what is to be cleared. */
export const SAVED_NUMBER = { unapplied: z.looseObject(fate).optional(), previous } as const;
export const SAVED_GROUP = {
  overrides: z.record(z.string(), z.looseObject({})).optional(),
  unapplied: z.array(z.looseObject({ ...fate, numbers: z.string() })).optional(),
  previous,
} as const;

// --- what numbers hold

/** Everything that may be bound to a number that was not applied. */
const heldIn = ({ applied = {}, maybe = {} }: Unapplied): Routing => either(maybe, applied);

/** By number. */
export const unappliedOf = onceForEach(
  ({ unapplied = [] }: GroupState): ReadonlyMap<string, UnappliedPart> =>
    new Map(unapplied.flatMap((part) => numbersOf(part.numbers).map((one) => [one, part]))),
);

const unappliedIn = (number: string, state: NumbersState): Unapplied | undefined =>
  "number" in state ? state.unapplied : unappliedOf(state).get(number);

/** Did the number ever get anything of this group? */
export function isTouched(number: string, state: NumbersState): boolean {
  if ("number" in state) {
    return true;
  }
  const part = unappliedOf(state).get(number);
  return part === undefined ? membersOf(state).has(number) : part.applied !== undefined || part.maybe !== undefined;
}

/** What the platform may hold for a number of this state. At another endpoint it holds nothing of it. */
export function heldBy(number: string, state: NumbersState | undefined, endpoint: Endpoint): Routing {
  if (state === undefined || !sameEndpoint(state, endpoint) || !isTouched(number, state)) {
    return {};
  }
  const missed = unappliedIn(number, state);
  return missed === undefined ? routingFor(number, state) : heldIn(missed);
}

// --- what was applied last

/** What was applied to the number last, and what may be on it beside that. */
export type Before = Pick<Unapplied, "applied" | "maybe">;

export function beforeOf(number: string, olds: NumbersState | undefined, endpoint: Endpoint): Before {
  if (olds === undefined || !sameEndpoint(olds, endpoint)) {
    return {};
  }
  const isHere = isTouched(number, olds);
  return unappliedIn(number, olds) ?? (isHere ? { applied: routingFor(number, olds) } : {});
}

/** What is saved of a number whose request had no outcome, a bad one, or was not made. */
export const missed = (reason: UnappliedReason, wanted: Routing, { applied, maybe }: Before): Unapplied =>
  defined({ reason, applied, maybe: reason === "unknown" ? either(maybe ?? {}, wanted) : maybe });

/** The splits that callers meet today: of the numbers that were applied, and of those that an earlier run missed. */
export function appliedSplits(state: NumbersState): Split[] {
  const { unapplied, inboundAgents } = state;
  if (unapplied === undefined) {
    return inboundAgents === undefined ? [] : [inboundAgents];
  }
  const parts = "reason" in unapplied ? [unapplied] : unapplied;
  const isPartly = "numbers" in state && unappliedOf(state).size < membersOf(state).size;
  const all = [...(isPartly ? [inboundAgents] : []), ...parts.map(({ applied }) => applied?.inboundAgents)];
  return all
    .filter((split) => split !== undefined)
    .filter((split, index, splits) => splits.findIndex((one) => same(one, split)) === index);
}

// --- the way back

/** Every outbound agent that a routing and its overrides name, as keys. */
export const outboundAgents = (routing: Routing & { overrides?: Overrides | undefined }): string[] =>
  outboundKeys([routing, ...Object.values(routing.overrides ?? {})]);

/** Those that are known. */
export function outboundKeys(routings: readonly Routing[]): string[] {
  const keys = routings.flatMap(({ outboundAgentId: agentId, outboundAgentVersion: agentVersion }) =>
    agentId === undefined || isUnknown(agentId) || isUnknown(agentVersion) ? [] : [agentKey({ agentId, agentVersion })],
  );
  return [...new Set(keys)].sort();
}

type Wanted = Routing & Pick<GroupInputs, "overrides" | "onDelete"> & { numbers?: string | undefined };

/** What the next change may go back to: what stood before this one, or, of what did not change, what stood before that. */
export function wayBack(olds: NumbersState | undefined, news: Wanted): Saved {
  if (olds === undefined) {
    return {};
  }
  const [before] = appliedSplits(olds);
  const old = olds.previous ?? {};
  const agents = outboundAgents(olds);
  const next: WayBack = {
    outboundAgents: same(agents, outboundAgents(news)) ? old.outboundAgents : agents,
    onDelete: same(olds.onDelete, news.onDelete) ? old.onDelete : olds.onDelete,
    joined: joinedSince(olds, news, old.joined),
  };
  return {
    previousInboundAgents: same(before, news.inboundAgents) ? olds.previousInboundAgents : before,
    previous: Object.values(next).every((value) => value === undefined) ? undefined : defined(next),
  };
}

function joinedSince(olds: NumbersState, news: Wanted, known: NumbersText | undefined) {
  if (!("numbers" in olds) || news.numbers === undefined || olds.numbers === news.numbers) {
    return known;
  }
  const had = membersOf(olds);
  const has = numbersOf(news.numbers);
  const joined = has.filter((number) => !had.has(number));
  if (joined.length > 0) {
    return joined.map((number) => `${number}\n`).join("");
  }
  // Only a label changed, so the last change of the numbers is still the one before.
  return has.length === had.size ? known : undefined;
}

/** What a saved state of each kind must hold, as text: without it nothing can be updated or deleted. */
const NEEDED_IN_STATE = {
  NumberAssignment: ["number", "endpoint"],
  NumberGroup: ["numbers", "endpoint"],
  CommunityVoice: ["voiceName", "endpoint"],
  SmsChat: ["toNumber", "endpoint"],
} as const satisfies Record<ResourceKind, readonly string[]>;

/** Which of that is missing. */
export const missingInState = (kind: ResourceKind, saved: Readonly<Record<string, unknown>>): string[] =>
  NEEDED_IN_STATE[kind].filter((field) => typeof saved[field] !== "string" || saved[field] === "");
