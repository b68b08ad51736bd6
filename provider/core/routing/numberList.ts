import * as z from "zod";
import { compare } from "../common/equality";
import { CAPS, holdsUnknown, numberId, plainText, UNKNOWN, validate } from "../common/schemas";

/**
 * The numbers of a group as one text: sorted, one line for each number, with its label behind a tab. Unchanged, the engine prints one
 * shortened line; changed, only the lines that differ. A list would print every number.
 */
export type NumbersText = string;

/** The numbers of a group, each with its label. */
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
  const members = new Map<string, string>();
  for (const line of text.split("\n")) {
    if (line === "") {
      continue;
    }
    const tab = line.indexOf("\t");
    if (tab < 0) {
      members.set(line, "");
    } else {
      members.set(line.slice(0, tab), line.slice(tab + 1));
    }
  }
  return members;
}

export const numbersOf = (text: NumbersText): string[] => [...toMembers(text).keys()];

/** The program's list, its map from number to label, or our own canonical text. */
export const numbers = z.unknown().transform((value, context): NumbersText => {
  if (holdsUnknown(value)) {
    return UNKNOWN;
  }
  const entries = entriesOf(value);
  const refuse = (path: PropertyKey[], message: string): NumbersText => {
    context.issues.push({ code: "custom", path, message, input: undefined });
    return "";
  };
  if (entries === undefined) {
    return refuse([], "must be a list of numbers, or a map from number to label");
  }
  if (entries.pairs.length === 0) {
    return refuse([], "must not be empty; to remove a group, remove its resource");
  }
  if (entries.pairs.length > CAPS.numbers) {
    return refuse([], `must hold at most ${CAPS.numbers} numbers; make several groups`);
  }
  const { members, slips } = read(entries);
  for (const { key, rule } of slips.slice(0, MOST_SLIPS)) {
    refuse([key], rule);
  }
  if (slips.length > MOST_SLIPS) {
    refuse([], `has ${slips.length - MOST_SLIPS} more entries that are not valid`);
  }
  return toText(members);
});

/**
 * The text is made in the program, because the engine and the provider would carry each entry of a list as an object. A list that breaks a
 * rule stays as it is, so that check can name the place.
 */
export function canonicalNumbers(value: unknown): unknown {
  const { value: text, problems } = validate(numbers, value);
  return problems.length === 0 ? text : value;
}

/** How many mistakes are shown: a faulty loop may make thousands. */
const MOST_SLIPS = 10;

interface Entries {
  readonly isList: boolean;
  readonly pairs: readonly (readonly [number: unknown, label: unknown])[];
}

function entriesOf(value: unknown): Entries | undefined {
  if (typeof value === "string") {
    const members = value.endsWith("\n") ? toMembers(value) : undefined;
    return members && { isList: false, pairs: [...members] };
  }
  if (Array.isArray(value)) {
    return { isList: true, pairs: value.map((number) => [number, ""]) };
  }
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  // The engine does not keep the order of keys, and messages must have an order.
  return { isList: false, pairs: Object.entries(value).sort(([a], [b]) => compare(a, b)) };
}

/** The key of a slip is the place in a list, or the number in a map. */
function read({ pairs, isList }: Entries): { members: Members; slips: { key: PropertyKey; rule: string }[] } {
  const members = new Map<string, string>();
  const slips: { key: PropertyKey; rule: string }[] = [];
  for (const [index, [number, label]] of pairs.entries()) {
    const rule = ruleBroken(number, label, members);
    if (rule === undefined) {
      members.set(number as string, label as string);
    } else {
      slips.push({ key: isList ? index : String(number), rule });
    }
  }
  return { members, slips };
}

function ruleBroken(number: unknown, label: unknown, seen: Members): string | undefined {
  const rule = numberId.safeParse(number).error?.issues[0]?.message;
  if (rule !== undefined) {
    return rule;
  }
  if (seen.has(number as string)) {
    return "names the same number as an earlier entry";
  }
  if (label === "") {
    return undefined;
  }
  return plainText.safeParse(label).success ? undefined : "must have a short text as its label";
}

/** A number in international format exists once in the world, for every account; an extension exists once in each account. */
export const existsOnce = (number: string): boolean => number.startsWith("+");
