import * as z from "zod";
import { compare } from "../common/equality";
import { CAPS, E164, holdsUnknown, numberId, plainText, UNKNOWN, validate } from "../common/schemas";

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
  if (entries.count === 0) {
    return refuse([], "must not be empty; to remove a group, remove its resource");
  }
  if (entries.count > CAPS.numbers) {
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
 * The text is made in the program, because the engine and the provider would carry a list of 50,000 entries as 50,000 objects. A list that
 * breaks a rule stays as it is, so that check can name the place.
 */
export function canonicalNumbers(value: unknown): unknown {
  const { value: text, problems } = validate(numbers, value);
  return problems.length === 0 ? text : value;
}

/** How many mistakes are shown: a faulty loop may make thousands. */
const MOST_SLIPS = 10;

/** The pairs are made one by one, to save the memory of 50,000 objects. */
interface Entries {
  readonly isList: boolean;
  readonly count: number;
  readonly pairs: Iterable<readonly [unknown, unknown]>;
}

function entriesOf(value: unknown): Entries | undefined {
  if (typeof value === "string") {
    const members = value.endsWith("\n") ? toMembers(value) : undefined;
    return members && { isList: false, count: members.size, pairs: members };
  }
  if (Array.isArray(value)) {
    return { isList: true, count: value.length, pairs: unlabelled(value) };
  }
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  // The engine does not keep the order of keys, and messages must have an order.
  const pairs = Object.entries(value).sort(([a], [b]) => compare(a, b));
  return { isList: false, count: pairs.length, pairs };
}

function* unlabelled(numbers: readonly unknown[]): Iterable<readonly [unknown, unknown]> {
  for (const number of numbers) {
    yield [number, ""];
  }
}

/** The key of a slip is the place in a list, or the number in a map. */
function read({ pairs, isList }: Entries): { members: Members; slips: { key: PropertyKey; rule: string }[] } {
  const members = new Map<string, string>();
  const slips: { key: PropertyKey; rule: string }[] = [];
  let index = 0;
  for (const [number, label] of pairs) {
    const rule = ruleBroken(number, label, members);
    if (rule === undefined) {
      members.set(number as string, label as string);
    } else {
      slips.push({ key: isList ? index : String(number), rule });
    }
    index += 1;
  }
  return { members, slips };
}

function ruleBroken(number: unknown, label: unknown, seen: Members): string | undefined {
  const rule = numberRuleBroken(number);
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

/** Most numbers are in international format and break no rule. For each other one the schema makes objects. */
function numberRuleBroken(number: unknown): string | undefined {
  if (typeof number === "string" && E164.test(number)) {
    return undefined;
  }
  return numberId.safeParse(number).error?.issues[0]?.message;
}

/** A number in international format exists once in the world, for every account; an extension exists once in each account. */
export const existsOnce = (number: string): boolean => number.startsWith("+");

/** Two declarations with the same identity are about the same number. @param account tells two accounts at one endpoint apart */
export const identityOf = (number: string, endpoint: string, account: string): readonly string[] => [
  endpoint,
  existsOnce(number) ? "" : account,
  number,
];
