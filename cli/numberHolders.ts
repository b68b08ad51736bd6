import { type FleetState, routingFor } from "../provider/core/fleet";
import { toLabels } from "../provider/core/numbers";
import { type Pending, type Properties, type Saved, SECRET, type StackState } from "./stateFile";

/** Which saved resource holds which number. */

export interface Claim {
  readonly number: string;
  readonly endpoint: string;
  readonly state: StackState;
  readonly saved: Saved;
}

/** The numbers that a resource holds; a secret list of numbers holds none that can be told. */
export function numbersHeld(saved: Saved): readonly string[] {
  return saved.kind === "NumberAssignment" ? [saved.id] : [...labelsOf(saved).keys()];
}

/** The numbers that a stopped step was about, as the program asked for them. */
export function numbersPending({ kind, inputs: { number, numbers } }: Pending): readonly string[] {
  if (kind === "NumberGroup") return [...labelsIn(numbers).keys()];
  return kind === "NumberAssignment" && typeof number === "string" ? [number] : [];
}

const labelsOf = ({ kind, outputs }: Saved): ReadonlyMap<string, string> =>
  labelsIn(kind === "NumberGroup" ? outputs.numbers : undefined);

const labelsIn = (numbers: unknown): ReadonlyMap<string, string> =>
  typeof numbers === "string" && numbers !== SECRET ? toLabels(numbers) : new Map();

/** The label that a group gives a number; empty where it gives none. */
export const labelOf = (saved: Saved, number: string): string => labelsOf(saved).get(number) ?? "";

/** What one number of a group has for itself. */
export const overrideOf = ({ outputs }: Saved, number: string): Properties => ownOf(outputs.overrides, number);

/** The routing that the state holds for a number: the group's, with what is its own. */
export const routingHeld = ({ kind, outputs }: Saved, number: string): Properties =>
  kind === "NumberGroup" ? { ...routingFor(number, readableOverrides(outputs)) } : outputs;

/** What a number that was not applied may hold instead; undefined where nothing is remembered. */
export function formerHeld({ outputs }: Saved, number: string): Properties | undefined {
  const { formerRouting, formerOverrides } = outputs;
  return isMap(formerRouting) ? { ...formerRouting, ...ownOf(formerOverrides, number) } : undefined;
}

const readableOverrides = (outputs: Properties): FleetState =>
  ({ ...outputs, overrides: isMap(outputs.overrides) ? outputs.overrides : undefined }) as unknown as FleetState;

/** A number may be any text, so it may be the name of something that every object has. */
function ownOf(all: unknown, number: string): Properties {
  const own = isMap(all) && Object.hasOwn(all, number) ? all[number] : undefined;
  return isMap(own) ? own : {};
}

/** Why the platform may hold something else for this number than the state says; undefined where it holds that. */
export function openFor({ outputs: { unapplied } }: Saved, number: string): string | undefined {
  if (typeof unapplied === "string") return unapplied;
  const open = isMap(unapplied) && Object.hasOwn(unapplied, number) ? unapplied[number] : undefined;
  return typeof open === "string" ? open : undefined;
}

export const isMap = (value: unknown): value is Properties =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Numbers that the next `up` of this resource's stack clears: those that left a group, and all of what is to be deleted. */
function numbersGoing(saved: Saved): readonly string[] {
  const { outputs, isLeftover } = saved;
  const left = isMap(outputs.unapplied) ? Object.keys(outputs.unapplied) : [];
  const leaving = left.filter((number) => openFor(saved, number) === "leaving");
  return isLeftover ? [...numbersHeld(saved), ...leaving] : leaving;
}

export interface Claims {
  /** The holders of a number that more than one resource holds. */
  readonly shared: readonly (readonly Claim[])[];
  /** What a resource's stack is about to clear, though another stack holds it. */
  readonly endangered: ReadonlyMap<Saved, readonly Claim[]>;
}

/** Who holds each number of each platform, over all states. */
export function claimsOf(states: readonly StackState[]): Claims {
  const held = new Map<string, Claim[]>();
  for (const claim of claimsIn(states, (saved) => (saved.isLeftover ? [] : numbersHeld(saved)))) {
    const others = held.get(keyOf(claim)) ?? [];
    // Two exports of one stack say the same.
    if (others.every(({ saved }) => saved.urn !== claim.saved.urn)) held.set(keyOf(claim), [...others, claim]);
  }
  const endangered = new Map<Saved, Claim[]>();
  for (const going of claimsIn(states, numbersGoing)) {
    const others = (held.get(keyOf(going)) ?? []).filter((other) => meets(going, other));
    // What its own stack holds as well is handed over, and not cleared.
    if (others.some(({ state }) => isSameStack(state, going.state))) continue;
    if (others.length > 0) endangered.set(going.saved, [...(endangered.get(going.saved) ?? []), ...others]);
  }
  const meeting = [...held.values()].map((all) => all.filter((claim) => all.some((other) => meets(claim, other))));
  return { shared: meeting.filter((all) => all.length > 1), endangered };
}

function claimsIn(states: readonly StackState[], numbersOf: (saved: Saved) => readonly string[]): Claim[] {
  return states.flatMap((state) =>
    state.resources.flatMap((saved) => {
      const endpoint = String(saved.outputs.endpoint ?? "an unknown platform");
      return numbersOf(saved).map((number) => ({ number, endpoint, state, saved }));
    }),
  );
}

/** An extension such as `4001` exists once an account; a number in international format exists once in the world. */
const keyOf = ({ number, endpoint, saved }: Claim): string =>
  JSON.stringify([endpoint, number, number.startsWith("+") ? "" : (saved.outputs.account ?? "")]);

const isSameStack = (a: StackState, b: StackState): boolean => a.stack === b.stack && a.project === b.project;

const SCOPE = ["accountSid", "workspaceId"] as const;

/** Is the other one another resource, of what may be the same account and workspace? Where one declares none, it may be. */
function meets(claim: Claim, other: Claim): boolean {
  if (claim === other) return false;
  const [mine, theirs] = [scopeOf(claim), scopeOf(other)];
  return SCOPE.every(
    (field) => mine[field] === undefined || theirs[field] === undefined || mine[field] === theirs[field],
  );
}

/** A number that left is cleared where the group was then. */
const scopeOf = ({ saved, number }: Claim): Properties =>
  openFor(saved, number) === "leaving" ? { ...saved.outputs, ...formerHeld(saved, number) } : saved.outputs;
