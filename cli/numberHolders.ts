import { type FleetState, routingFor } from "../provider/core/fleet";
import { toLabels } from "../provider/core/numbers";
import { type Properties, type Saved, SECRET, type StackState } from "./stateFile";

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

function labelsOf({ kind, outputs: { numbers } }: Saved): ReadonlyMap<string, string> {
  const isReadable = kind === "NumberGroup" && typeof numbers === "string" && numbers !== SECRET;
  return isReadable ? toLabels(numbers) : new Map();
}

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

/**
 * Who holds each number of each platform. Extensions such as `4001` exist in many workspaces, so a declared account or workspace
 * that differs tells two of them apart.
 */
export function claimsOf(states: readonly StackState[]): ReadonlyMap<string, readonly Claim[]> {
  const claims = new Map<string, Claim[]>();
  for (const state of states) {
    for (const saved of state.resources.filter(({ isLeftover }) => !isLeftover)) {
      for (const number of numbersHeld(saved)) {
        const endpoint = String(saved.outputs.endpoint ?? "an unknown platform");
        const key = JSON.stringify([endpoint, number]);
        claims.set(key, [...(claims.get(key) ?? []), { number, endpoint, state, saved }]);
      }
    }
  }
  return new Map(
    [...claims].map(([key, all]) => [key, all.filter((claim) => all.some((other) => meets(claim, other)))]),
  );
}

const SCOPE = ["accountSid", "workspaceId"] as const;

/** Is the other one another resource, of what may be the same account and workspace? */
function meets(claim: Claim, other: Claim): boolean {
  if (claim === other) return false;
  return SCOPE.every((field) => {
    const [mine, theirs] = [claim.saved.outputs[field], other.saved.outputs[field]];
    return mine === undefined || theirs === undefined || mine === theirs;
  });
}
