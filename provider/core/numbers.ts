import { z } from "zod";
import { CAPS, numberId, plainText, validate } from "./inputs";
import { holdsUnknown, UNKNOWN } from "./unknown";

/**
 * The numbers of a group as one text: sorted, a number a line, with its label behind a tab. Unchanged, the engine prints one
 * shortened line; changed, only the lines that differ. A list would print every number.
 */
export type NumbersText = string;

export type Labels = ReadonlyMap<string, string>;

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

export function toText(labels: Labels): NumbersText {
  return [...labels]
    .sort(([a], [b]) => compare(a, b))
    .map(([number, label]) => (label === "" ? `${number}\n` : `${number}\t${label}\n`))
    .join("");
}

export function toLabels(text: NumbersText): Labels {
  return new Map(
    text.split("\n").flatMap((line): [string, string][] => {
      if (line === "") return [];
      const tab = line.indexOf("\t");
      return [tab < 0 ? [line, ""] : [line.slice(0, tab), line.slice(tab + 1)]];
    }),
  );
}

export const numbersOf = (text: NumbersText): string[] => [...toLabels(text).keys()];

/** The program's list, its map from number to label, or our own canonical text. */
export const numbers = z.unknown().transform((value, context): NumbersText => {
  if (holdsUnknown(value)) return UNKNOWN;
  const entries = entriesOf(value);
  const refuse = (path: number[], message: string): NumbersText => {
    context.issues.push({ code: "custom", path, message, input: undefined });
    return "";
  };
  if (entries === undefined) return refuse([], "must be a list of numbers, or a map from number to label");
  if (entries.length === 0) return refuse([], "must not be empty; to remove a group, remove its resource");
  if (entries.length > CAPS.numbers)
    return refuse([], `must hold at most ${CAPS.numbers} numbers; make several groups`);
  const { labels, slips } = read(entries);
  const where = Array.isArray(value) ? "" : " (counted from 0 through the sorted keys)";
  for (const { index, rule } of slips.slice(0, MOST_SLIPS)) refuse([index], `${rule}${where}`);
  if (slips.length > MOST_SLIPS) refuse([], `has ${slips.length - MOST_SLIPS} more entries that are not valid`);
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

type Entry = readonly [unknown, unknown];

function entriesOf(value: unknown): Entry[] | undefined {
  if (typeof value === "string") return value.endsWith("\n") ? [...toLabels(value)] : undefined;
  if (Array.isArray(value)) return value.map((number) => [number, ""] as const);
  if (typeof value !== "object" || value === null) return undefined;
  // The engine keeps no order of keys, so that a position means something only in the sorted one.
  return Object.entries(value).sort(([a], [b]) => compare(a, b));
}

function read(entries: readonly Entry[]): { labels: Labels; slips: { index: number; rule: string }[] } {
  const labels = new Map<string, string>();
  const slips: { index: number; rule: string }[] = [];
  for (const [index, [number, label]] of entries.entries()) {
    const rule = ruleBroken(number, label, labels);
    if (rule === undefined) labels.set(number as string, label as string);
    else slips.push({ index, rule });
  }
  return { labels, slips };
}

function ruleBroken(number: unknown, label: unknown, seen: Labels): string | undefined {
  const parsed = numberId.safeParse(number);
  if (!parsed.success) return parsed.error.issues[0]?.message;
  if (seen.has(parsed.data)) return "names the same number as an earlier entry";
  if (label === "") return undefined;
  return plainText.safeParse(label).success ? undefined : "must have a short text as its label";
}
