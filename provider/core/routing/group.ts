import * as z from "zod";
import { holdsUnknown, UNKNOWN } from "../common/engine";
import { compare, isObject } from "../common/equality";
import { onceForEach } from "../common/once";
import { CAPS, type HiddenInputs, nameText, noneMissing, numberId, validate } from "../common/schemas";
import type { Endpoint } from "../platform/endpoint";
import type { Rollout } from "./rollout";
import type { Routing } from "./routing";

/** Numbers with one routing. A single number is a group of one. */

/** The numbers of a resource: a NumberAssignment has `number`, a NumberGroup has `numbers`. */
export interface Numbers {
  readonly number?: string | undefined;
  readonly numbers?: NumbersText | undefined;
}

/** The inputs of a resource of numbers, as check makes them. */
export interface NumbersInputs extends Numbers, Routing, Endpoint, HiddenInputs {
  /** If the program writes a rollout, `inboundAgents` follows from it. */
  readonly rollout?: Rollout | undefined;
  readonly triggers?: unknown;
}

export const isSingle = ({ number }: Numbers): boolean => number !== undefined;

// --- the text

/**
 * The numbers of a group as one text: sorted, one line for each number, with its label behind a tab. Unchanged, the engine prints one
 * shortened line; changed, only the lines that differ. A list would print every number.
 */
export type NumbersText = string;

export type Members = ReadonlyMap<string, string>;

export function toText(members: Members): NumbersText {
  const lineOf = (number: string) => {
    const label = members.get(number);
    return label === "" ? `${number}\n` : `${number}\t${label}\n`;
  };
  return [...members.keys()].sort(compare).map(lineOf).join("");
}

/** Reads the whole text. `membersOf` reads the text of a state once: use it to look up one number after the other. */
export function toMembers(text: NumbersText): Members {
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => line.split("\t")).map(([number = "", label = ""]) => [number, label]));
}

/** A state's text is read once: a run asks about each of its numbers. */
export const membersOf = onceForEach(
  ({ number, numbers = "" }: Numbers): Members => (number === undefined ? toMembers(numbers) : new Map([[number, ""]])),
);

export const numbersOf = (text: NumbersText): string[] => [...toMembers(text).keys()];

const writtenNumbers = z.unknown().transform((value, context): NumbersText => {
  if (holdsUnknown(value)) {
    return UNKNOWN;
  }
  const members = new Map<string, string>();
  const slips = slipsIn(entriesOf(value), members);
  const more = `has ${slips.length - MOST_SLIPS} more entries that are not valid: fix these first`;
  const shown = [...slips.slice(0, MOST_SLIPS), ...(slips.length > MOST_SLIPS ? [{ path: [], message: more }] : [])];
  context.issues.push(...shown.map((slip) => ({ ...slip, code: "custom" as const, input: undefined })));
  return toText(members);
});

/** The program's list, its map from number to label, or our own canonical text. */
export const numbers = noneMissing.pipe(writtenNumbers);

/**
 * The text is made in the program, because the engine and the provider would carry each entry of a list as an object. A list that breaks a
 * rule stays as it is, so that check can name the place.
 */
export function canonicalNumbers(value: unknown): unknown {
  const { value: text, problems } = validate(numbers, value);
  return problems.length === 0 ? text : value;
}

const MOST_SLIPS = 10;

interface WrittenNumber {
  /** The place in a list, or the number in a map. */
  readonly key: PropertyKey;
  readonly number: unknown;
  readonly label: unknown;
}

function entriesOf(value: unknown): WrittenNumber[] | undefined {
  if (Array.isArray(value)) {
    return value.map((number, key) => ({ key, number, label: "" }));
  }
  const isText = typeof value === "string" && value.endsWith("\n");
  const map: unknown = isText ? Object.fromEntries(toMembers(value)) : value;
  if (!isObject(map)) {
    return undefined;
  }
  // The engine does not keep the order of keys, and messages must have an order.
  return Object.keys(map)
    .sort(compare)
    .map((number) => ({ key: number, number, label: map[number] }));
}

function slipsIn(entries: readonly WrittenNumber[] | undefined, members: Map<string, string>) {
  if (entries === undefined) {
    return [{ path: [], message: "must be a list of numbers, or a map from number to label" }];
  }
  if (entries.length === 0) {
    return [{ path: [], message: "must not be empty; to remove a group, remove its resource" }];
  }
  if (entries.length > CAPS.numbers) {
    return [{ path: [], message: `must hold at most ${CAPS.numbers} numbers; make several groups` }];
  }
  const slips: { path: PropertyKey[]; message: string }[] = [];
  for (const { key, number, label } of entries) {
    const message = ruleBroken(number, label, members);
    if (message === undefined) {
      members.set(number as string, label as string);
    } else {
      slips.push({ path: [key], message });
    }
  }
  return slips;
}

function ruleBroken(number: unknown, label: unknown, seen: Members): string | undefined {
  const rule = numberId.safeParse(number).error?.issues[0]?.message;
  if (rule !== undefined) {
    return rule;
  }
  if (seen.has(number as string)) {
    return "names the same number as an earlier entry: remove one of the two";
  }
  return label === "" || nameText.safeParse(label).success ? undefined : "must have a short text as its label";
}

/** A number in international format exists once at a platform, an extension once in each account and workspace. */
export const existsOnce = (number: string): boolean => number.startsWith("+");
