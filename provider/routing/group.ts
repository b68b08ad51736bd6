import { type HiddenInputs, isUnknown, MISSING, type Previewed } from "../base/engine";
import { compare, isPlain, memoizeByObject } from "../base/json";
import type { Routing } from "./routing";
import type { Rollout } from "./types";

export interface Endpoint {
  readonly endpoint: string;
}

export const sameEndpoint = (a: Endpoint, b: Endpoint): boolean => a.endpoint === b.endpoint;

/** A resource's numbers, which share one routing. A NumberAssignment has `number`, a NumberGroup has `numbers`. */
export interface Numbers {
  readonly number?: string | undefined;
  readonly numbers?: NumbersText | undefined;
}

/** The inputs of a number resource, as check returns them. */
export interface NumbersInputs extends Numbers, Routing, Endpoint, HiddenInputs {
  /** If the program writes a rollout, `inboundAgents` follows from it. */
  readonly rollout?: Rollout | undefined;
  readonly triggers?: unknown;
}

/** The same inputs at preview, where an argument may depend on something that doesn't exist yet. */
export type PreviewedNumbers = Previewed<Omit<NumbersInputs, keyof Endpoint | keyof HiddenInputs>> &
  Endpoint &
  HiddenInputs;

/** The numbers of a resource; undefined if a preview doesn't know them yet. */
export function knownNumbers({ number, numbers }: Previewed<Numbers>): Numbers | undefined {
  return isUnknown(number) || isUnknown(numbers) ? undefined : { number, numbers };
}

export const isSingle = ({ number }: Previewed<Numbers>): boolean => number !== undefined;

/**
 * A group's numbers as one string: sorted, one line per number, with the label after a tab. If it hasn't changed, the
 * engine prints one shortened line; if it has, only the lines that differ. A list would print every number.
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

/** A resource's numbers, with their labels. Parsed once per state, because a run asks about each of its numbers. */
export const membersOf = memoizeByObject(({ number, numbers = "" }: Numbers): Members => {
  if (number !== undefined) {
    return new Map([[number, ""]]);
  }
  const lines = numbers.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => line.split("\t")).map(([member = "", label = ""]) => [member, label]));
});

/**
 * Converts to text in the program, because the engine and the provider would carry each list entry as an object. A list
 * is left as it is unless all entries are plain, unique numbers with single-line labels, so that check can report where
 * the mistake is.
 */
export function canonicalNumbers(numbers: unknown): unknown {
  const entries: [unknown, unknown][] = Array.isArray(numbers)
    ? numbers.map((number) => [number, ""])
    : Object.entries(isPlain(numbers) ? numbers : {});
  const members = new Map(entries as [string, string][]);
  const isText = (value: unknown, form: RegExp): boolean => typeof value === "string" && form.test(value);
  const isPlainList = entries.every(
    ([number, label]) => isText(number, /^(\+\d{7,15}|\d+)$/) && isText(label, /^[^\t\r\n]*$/) && label !== MISSING,
  );
  return isPlainList && entries.length > 0 && entries.length === members.size ? numbersText(members) : numbers;
}

/**
 * A number in international format is unique on a platform. An extension is unique only within its account and
 * workspace.
 */
export const isInternational = (number: string): boolean => number.startsWith("+");
