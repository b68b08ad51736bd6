import { compare } from "../../provider/base/json";
import { counted } from "../../provider/words/message";
import { quoted, type Text, toPlain, words } from "./text";

/** The parts of a report. A card says one thing that a run does, for all resources to which the run does it. */

/** The kinds of cards, the most important first, with the words of the headline for several of them. */
const FAMILIES = {
  fails: (count) => `⛔ \`pulumi up\` fails, in ${count} different ways`,
  guard: (count) => `⛔ ${count} guards exceeded by the whole change`,
  unresolved: (count) => `⚠ ${count} entries unresolved since an earlier run`,
  removal: (_, numbers) => `⚠ ${numbers} lose their current agents`,
  smsAgain: (count) => `⚠ Sends ${count} SMS again`,
  again: (count) => `⚠ ${count} voices and chats replaced`,
  message: (count) => `⚠ ${count} chats, each with an SMS`,
  elsewhere: (_, numbers) => `⚠ ${numbers} go to another platform`,
  restart: (_, numbers) => `⚠ Agents that were aborted get calls again on ${numbers}`,
  atOnce: (count, numbers) => `⚠ All calls of ${numbers} at once, in ${count} different ways`,
  abort: (count, numbers) => `Rollouts are aborted on ${numbers}, in ${count} different ways`,
  first: (count, numbers) => `First assignment overwrites ${numbers}, in ${count} different ways`,
  split: (count, numbers) => `Traffic on ${numbers}, in ${count} different ways`,
  routing: (count, numbers) => `Routing of ${numbers}, in ${count} different ways`,
  end: (count) => `${count} voices and chats end or are forgotten`,
  voice: (count) => `Adds ${count} voices`,
  quiet: (count) => `${count} changes that send nothing`,
} as const satisfies Record<string, (count: string, numbers: string) => string>;
export type Family = keyof typeof FAMILIES;

const ORDER = Object.keys(FAMILIES) as Family[];

/** A resource that a card is about: a single number, or a group with its count, which may be known only in the run. */
export interface Subject {
  readonly name: string;
  /** Absent for a group; "" if it is known only in the run. */
  readonly number?: string | undefined;
  readonly count: number | undefined;
}

export interface FieldChange {
  readonly field: string;
  /** Absent for what is new. */
  readonly before?: Text | undefined;
  readonly after: Text;
}

/** `webhook none → https://…`. */
export const fieldChangeText = ({ field, before, after }: FieldChange): Text =>
  before === undefined ? words`${field} ${after}` : words`${field} ${before} → ${after}`;

/**
 * What `--fail-on` can name. The first four concern numbers, and the next three voices and chats, so that a label which lets a change remove
 * numbers doesn't let it text somebody as well.
 */
export const CONDITIONS = ["create", "delete", "replace", "shift", "sms", "voice", "end", "unresolved"] as const;
/** Two more always block: a guard that the whole change exceeds, and a run that is certain to fail. */
export type Condition = (typeof CONDITIONS)[number] | "guard" | "fails";

export interface Fact {
  readonly condition: Condition;
  /** The percentage points of a shift; undefined if they are not known. */
  readonly points?: number | undefined;
  /** Why no gate blocks it. */
  readonly excused?: string | undefined;
  readonly text: Text;
}

export interface Card {
  readonly family: Family;
  readonly title: Text;
  readonly subjects?: readonly Subject[];
  /** The agents with their percentages before and after. */
  readonly agents?: readonly (readonly [string, string, string])[];
  readonly rows?: readonly FieldChange[];
  readonly notes?: readonly Text[];
  /** The resources that it is about if there are several, or the numbers of a group. */
  readonly list?: readonly Text[];
  readonly facts?: readonly Fact[];
  readonly requests?: Partial<Requests>;
  /** What a revert cannot take back, or what goes back in its place. */
  readonly undo?: Text | undefined;
  /** False if there is nothing to take back. */
  readonly isUndoNeeded?: boolean;
}

/** The most important first, and then by title, because the engine's order differs from run to run. */
export const byImportance = (a: Card, b: Card): number =>
  ORDER.indexOf(a.family) - ORDER.indexOf(b.family) || compare(toPlain(a.title), toPlain(b.title));

/** In the headline a card has its title, and several cards of one family have a count. */
export function familyTitle(alike: readonly [Card, ...Card[]]): Text {
  const [{ title, family }] = alike;
  const total = totalOf(alike.flatMap(({ subjects = [] }) => subjects));
  return alike.length === 1 ? title : [FAMILIES[family](alike.length.toLocaleString("en"), numbersText(total))];
}

// --- subjects

export const totalOf = (subjects: readonly Pick<Subject, "count">[]): number | undefined =>
  subjects.reduce<number | undefined>(
    (total, { count }) => (total === undefined || count === undefined ? undefined : total + count),
    0,
  );

export const numbersText = (count: number | undefined): string =>
  count === undefined ? "numbers that are not all known yet" : counted(count, "number");

/** `400 numbers`, `180 numbers (emea)`, `+15551234567 (support)`. */
export const onText = (subjects: readonly Subject[]): Text =>
  subjects.length === 1 ? subjects.flatMap(subjectText) : [numbersText(totalOf(subjects))];

export function subjectText({ name, number, count }: Subject): Text {
  const single = number === "" ? "a number that is known after apply" : quoted(number);
  return words`${number === undefined ? numbersText(count) : single} (${quoted(name)})`;
}

// --- requests

/** What is counted of the requests, in words. */
const COUNTS = {
  puts: (count) => counted(count, "PUT"),
  voices: (count) => counted(count, "new voice"),
  messages: (count) => `${count.toLocaleString("en")} SMS`,
  ends: (count) => `${counted(count, "chat")} ended`,
} as const satisfies Record<string, (count: number) => string>;

const COUNTED = Object.keys(COUNTS) as (keyof typeof COUNTS)[];

/** What a run sends. */
export interface Requests extends Readonly<Record<keyof typeof COUNTS, number>> {
  /** Is some of it not known before the run? To clear a field may take several PUTs, because the interface does not specify how. */
  readonly isAtLeast: boolean;
}

export function sum(parts: readonly (Partial<Requests> | undefined)[]): Requests {
  const totals = COUNTED.map((name) => [name, parts.reduce((total, part) => total + (part?.[name] ?? 0), 0)]);
  return { ...Object.fromEntries(totals), isAtLeast: parts.some((part) => part?.isAtLeast) };
}

/** `at least 3 PUTs, 1 SMS`. */
export function requestsText({ isAtLeast, ...counts }: Requests): string {
  const sent = COUNTED.filter((name) => counts[name] > 0);
  if (sent.length === 0) {
    return isAtLeast ? "the number of PUTs is known only after apply" : counted(0, "PUT");
  }
  return `${isAtLeast ? "at least " : ""}${sent.map((name) => COUNTS[name](counts[name])).join(", ")}`;
}
