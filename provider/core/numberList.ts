import * as z from "zod";
import { compare } from "./equality";
import { CAPS, E164, holdsUnknown, numberId, plainText, UNKNOWN, validate } from "./schemas";

/**
 * The numbers of a group as one text: sorted, a number a line, with its label behind a tab. Unchanged, the engine prints one
 * shortened line; changed, only the lines that differ. A list would print every number.
 */
export type NumbersText = string;

export type Labels = ReadonlyMap<string, string>;

export function toText(labels: Labels): NumbersText {
  const lineOf = (number: string) => {
    const label = labels.get(number);
    return label === "" ? `${number}\n` : `${number}\t${label}\n`;
  };
  return [...labels.keys()].sort(compare).map(lineOf).join("");
}

/** The last texts that were read: check, diff and create of a group all read its text, an update that of its state as well. */
const lastRead = new Map<NumbersText, Labels>();
const TEXTS_KEPT = 2;

export function toLabels(text: NumbersText): Labels {
  const known = lastRead.get(text);
  if (known !== undefined) {
    return known;
  }
  const labels = readLines(text);
  for (const oldest of lastRead.keys()) {
    if (lastRead.size >= TEXTS_KEPT) {
      lastRead.delete(oldest);
    }
  }
  lastRead.set(text, labels);
  return labels;
}

function readLines(text: NumbersText): Labels {
  const labels = new Map<string, string>();
  for (const line of text.split("\n")) {
    if (line === "") {
      continue;
    }
    const tab = line.indexOf("\t");
    if (tab < 0) {
      labels.set(line, "");
    } else {
      labels.set(line.slice(0, tab), line.slice(tab + 1));
    }
  }
  return labels;
}

export const numbersOf = (text: NumbersText): string[] => [...toLabels(text).keys()];

/** The first number, which stands for the group where it is named, and how many there are. */
export function firstOf(text: NumbersText): { first: string; count: number } {
  const [first = ""] = toLabels(text).keys();
  return { first, count: toLabels(text).size };
}

/** The program's list, its map from number to label, or our own canonical text. */
export const numbers = z.unknown().transform((value, context): NumbersText => {
  if (holdsUnknown(value)) {
    return UNKNOWN;
  }
  const entries = entriesOf(value);
  const refuse = (path: number[], message: string): NumbersText => {
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
  const { labels, slips } = read(entries);
  const where = Array.isArray(value) ? "" : " (counted from 0 through the sorted keys)";
  for (const { index, rule } of slips.slice(0, MOST_SLIPS)) {
    refuse([index], `${rule}${where}`);
  }
  if (slips.length > MOST_SLIPS) {
    refuse([], `has ${slips.length - MOST_SLIPS} more entries that are not valid`);
  }
  return toText(labels);
});

/**
 * The text at once, in the program: the engine and the provider would carry a list of 50,000 entries as 50,000 objects. What
 * breaks a rule goes on as it was written, so that check names its place.
 */
export function canonicalNumbers(value: unknown): unknown {
  const { value: text, problems } = validate(numbers, value);
  return problems.length === 0 ? text : value;
}

/** A slip of a loop breaks a rule thousands of times: the first few say which. */
const MOST_SLIPS = 10;

/** One entry at a time: 50,000 pairs at once would be as many objects more. */
interface Entries {
  readonly count: number;
  readonly pairs: Iterable<readonly [unknown, unknown]>;
}

function entriesOf(value: unknown): Entries | undefined {
  if (typeof value === "string") {
    const labels = value.endsWith("\n") ? toLabels(value) : undefined;
    return labels && { count: labels.size, pairs: labels };
  }
  if (Array.isArray(value)) {
    return { count: value.length, pairs: unlabelled(value) };
  }
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  // The engine keeps no order of keys, so that a position means something only in the sorted one.
  const pairs = Object.entries(value).sort(([a], [b]) => compare(a, b));
  return { count: pairs.length, pairs };
}

function* unlabelled(numbers: readonly unknown[]): Iterable<readonly [unknown, unknown]> {
  for (const number of numbers) {
    yield [number, ""];
  }
}

function read({ pairs }: Entries): { labels: Labels; slips: { index: number; rule: string }[] } {
  const labels = new Map<string, string>();
  const slips: { index: number; rule: string }[] = [];
  let index = 0;
  for (const [number, label] of pairs) {
    const rule = ruleBroken(number, label, labels);
    if (rule === undefined) {
      labels.set(number as string, label as string);
    } else {
      slips.push({ index, rule });
    }
    index += 1;
  }
  return { labels, slips };
}

function ruleBroken(number: unknown, label: unknown, seen: Labels): string | undefined {
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

/** A number in international format breaks no rule: nearly all are, and the schema makes objects for each. */
function numberRuleBroken(number: unknown): string | undefined {
  if (typeof number === "string" && E164.test(number)) {
    return undefined;
  }
  return numberId.safeParse(number).error?.issues[0]?.message;
}
