import { type HiddenInputs, isUnknown, MISSING, NOT_JSON, type Previewed } from "../base/engine";
import { compare, isPlain, memoizeByObject } from "../base/json";
import type { Routing } from "./routing";
import type { Rollout } from "./types";

export interface Endpoint {
  readonly endpoint: string;
}

export const sameEndpoint = (a: Endpoint, b: Endpoint): boolean => a.endpoint === b.endpoint;

/**
 * The numbers to which a resource assigns its routing: `number` for a NumberAssignment, `numbers` for a NumberGroup.
 */
export interface Numbers {
  readonly number?: string | undefined;
  readonly numbers?: NumbersText | undefined;
}

/** The inputs of a number resource, as check returns them. */
export interface NumbersInputs extends Numbers, Routing, Endpoint, HiddenInputs {
  /**
   * The rollout that the program names, from which check computes `inboundAgents`. Absent if the program sets
   * `inboundAgents` itself.
   */
  readonly rollout?: Rollout | undefined;
  readonly triggers?: unknown;
}

/** The inputs of a number resource during a preview, where some values may still be unknown. */
export type PreviewedNumbers = Previewed<Omit<NumbersInputs, keyof Endpoint | keyof HiddenInputs>> &
  Endpoint &
  HiddenInputs;

/** Returns the numbers of a resource, or undefined if a preview doesn't know them yet. */
export function knownNumbers({ number, numbers }: Previewed<Numbers>): Numbers | undefined {
  return isUnknown(number) || isUnknown(numbers) ? undefined : { number, numbers };
}

export const isSingle = ({ number }: Previewed<Numbers>): boolean => number !== undefined;

/**
 * A group's numbers as one string: sorted, one line per number, with the label after a tab. The engine's diff shows
 * only the changed lines of a string, but all entries of a list.
 */
export type NumbersText = string;

export type Members = ReadonlyMap<string, string>;

export function numbersText(members: Members): NumbersText {
  const lineOf = (number: string) => {
    const label = members.get(number);
    return label === "" ? `${number}\n` : `${number}\t${label}\n`;
  };
  return [...members.keys()].sort(compare).map(lineOf).join("");
}

/**
 * Returns a map from number to label (`""` if there is none). The map is cached, because a run looks up every number of
 * a group in the same object.
 */
export const membersOf = memoizeByObject(({ number, numbers = "" }: Numbers): Members => {
  if (number !== undefined) {
    return new Map([[number, ""]]);
  }
  const lines = numbers.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => line.split("\t")).map(([member = "", label = ""]) => [member, label]));
});

/**
 * Converts a group's numbers to one string. This runs in the program's process, before check. If an entry might be
 * invalid, returns the argument unchanged, so that check can report that entry.
 */
export function canonicalNumbers(numbers: unknown): unknown {
  const entries: [unknown, unknown][] = Array.isArray(numbers)
    ? numbers.map((number) => [number, ""])
    : Object.entries(isPlain(numbers) ? numbers : {});
  const members = new Map(entries as [string, string][]);
  const isText = (value: unknown, form: RegExp): boolean => typeof value === "string" && form.test(value);
  const isLabel = (label: unknown) => isText(label, /^[^\t\r\n]*$/) && label !== MISSING && label !== NOT_JSON;
  const isPlainList = entries.every(([number, label]) => isText(number, /^(\+\d{7,15}|\d+)$/) && isLabel(label));
  return isPlainList && entries.length > 0 && entries.length === members.size ? numbersText(members) : numbers;
}

/**
 * Whether this is a phone number, which exists only once on a platform. An extension such as `4001` may exist in every
 * account and workspace.
 */
export const isInternational = (number: string): boolean => number.startsWith("+");
