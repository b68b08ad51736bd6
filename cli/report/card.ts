import { compare } from "../../provider/base/json";
import { counted } from "../../provider/words/message";
import { quoted, type Text, toPlain, words } from "./text";

/** The parts of a report. A card describes one effect of a run and every resource that has this effect. */

/**
 * The kinds of cards, most important first. If there are several cards of one kind, its function writes their headline,
 * such as `⚠ Sends 3 SMS again`.
 */
const FAMILIES = {
  fails: (count) => `⛔ \`pulumi up\` would fail, in ${count} different ways`,
  guard: (count) => `⛔ The change as a whole exceeds ${count} guards`,
  unresolved: (count) => `⚠ ${count} voices and chats unresolved since an earlier run`,
  removal: (_, numbers) => `⚠ ${numbers} lose their current agents`,
  smsAgain: (count) => `⚠ Sends ${count} SMS again`,
  again: (count) => `⚠ ${count} voices and chats replaced`,
  message: (count) => `⚠ Starts ${count} chats, each with an SMS`,
  elsewhere: (_, numbers) => `⚠ ${numbers} move to another platform`,
  restart: (_, numbers) => `⚠ Aborted agents receive calls again on ${numbers}`,
  atOnce: (count, numbers) => `⚠ All calls to ${numbers} move at once, in ${count} different ways`,
  abort: (count, numbers) => `Aborts rollouts on ${numbers}, in ${count} different ways`,
  first: (count, numbers) => `First assignment overwrites ${numbers}, in ${count} different ways`,
  split: (count, numbers) => `Traffic changes on ${numbers}, in ${count} different ways`,
  routing: (count, numbers) => `Routing updates on ${numbers}, in ${count} different ways`,
  end: (count) => `Ends or forgets ${count} voices and chats`,
  voice: (count) => `Adds ${count} voices`,
  quiet: (count) => `${count} changes that send nothing`,
} as const satisfies Record<string, (count: string, numbers: string) => string>;
export type Family = keyof typeof FAMILIES;

const ORDER = Object.keys(FAMILIES) as Family[];

/** A NumberAssignment or NumberGroup that a card is about. */
export interface Subject {
  readonly name: string;
  /** The phone number of a NumberAssignment, or "" if it isn't known before the run. Absent for a group. */
  readonly number?: string | undefined;
  /** How many of the resource's numbers are affected. Undefined if that isn't known before the run. */
  readonly count: number | undefined;
}

export interface FieldChange {
  readonly field: string;
  /** The value before the change. Absent if only the new value is shown, as for a first assignment. */
  readonly before?: Text | undefined;
  readonly after: Text;
}

/** Returns a phrase such as `webhook none → https://…`. */
export const fieldChangeText = ({ field, before, after }: FieldChange): Text =>
  before === undefined ? words`${field} ${after}` : words`${field} ${before} → ${after}`;

/**
 * The conditions that `--fail-on` accepts. They are separate, so a pull request label that allows one, such as
 * `delete`, doesn't allow another, such as `sms`.
 */
export const CONDITIONS = ["create", "delete", "replace", "shift", "sms", "voice", "end", "unresolved"] as const;
/** Two more conditions always block the merge: a change that violates a guard, and a run that is certain to fail. */
export type Condition = (typeof CONDITIONS)[number] | "guard" | "fails";

/** A reason why a CI gate may block a change, such as an SMS that the change sends. */
export interface Fact {
  readonly condition: Condition;
  /** The size of a shift in percentage points, if it is known. */
  readonly points?: number | undefined;
  /** Why gates ignore this fact, such as `a return to the stable split`. Undefined if they don't ignore it. */
  readonly excused?: string | undefined;
  readonly text: Text;
}

export interface Card {
  readonly family: Family;
  readonly title: Text;
  readonly subjects?: readonly Subject[];
  /** Rows of a table. Each row has an agent, its percentage before the change and its percentage after it. */
  readonly agents?: readonly (readonly [string, string, string])[];
  readonly rows?: readonly FieldChange[];
  readonly notes?: readonly Text[];
  /** The affected resources, or the numbers of a single group. */
  readonly list?: readonly Text[];
  readonly facts?: readonly Fact[];
  readonly requests?: Partial<Requests>;
  /**
   * Advice on undoing the change: what reverting it does, such as `reverting sends another SMS`, or a command to run
   * instead.
   */
  readonly undo?: Text | undefined;
  /** False if reverting the change has no effect. */
  readonly isUndoNeeded?: boolean;
}

/** Sorts by importance, then by title, because the engine's order differs between runs. */
export const byImportance = (a: Card, b: Card): number =>
  ORDER.indexOf(a.family) - ORDER.indexOf(b.family) || compare(toPlain(a.title), toPlain(b.title));

/** Returns the headline for all cards of one kind: the title of the only card, or a summary of several. */
export function familyTitle(alike: readonly [Card, ...Card[]]): Text {
  const [{ title, family }] = alike;
  const total = totalOf(alike.flatMap(({ subjects = [] }) => subjects));
  return alike.length === 1 ? title : [FAMILIES[family](alike.length.toLocaleString("en"), countText(total))];
}

// --- subjects

export const totalOf = (subjects: readonly Pick<Subject, "count">[]): number | undefined =>
  subjects.reduce<number | undefined>(
    (total, { count }) => (total === undefined || count === undefined ? undefined : total + count),
    0,
  );

export const countText = (count: number | undefined): string =>
  count === undefined ? "numbers that are not all known yet" : counted(count, "number");

/**
 * Says which numbers a card is about: `+15551234567 (support)` or `180 numbers (emea)` for one resource, and
 * `400 numbers` for several.
 */
export const onText = (subjects: readonly Subject[]): Text =>
  subjects.length === 1 ? subjects.flatMap(subjectText) : [countText(totalOf(subjects))];

export function subjectText({ name, number, count }: Subject): Text {
  const single = number === "" ? "a number known after apply" : quoted(number);
  return words`${number === undefined ? countText(count) : single} (${quoted(name)})`;
}

// --- requests

/** Formats the counts in `Requests`, for example as `3 PUTs` or `2 chats ended`. */
const COUNTS = {
  puts: (count) => counted(count, "PUT"),
  voices: (count) => counted(count, "new voice"),
  messages: (count) => `${count.toLocaleString("en")} SMS`,
  ends: (count) => `${counted(count, "chat")} ended`,
} as const satisfies Record<string, (count: number) => string>;

const COUNTED = Object.keys(COUNTS) as (keyof typeof COUNTS)[];

/** The requests that a run sends. */
export interface Requests extends Readonly<Record<keyof typeof COUNTS, number>> {
  /**
   * Whether more requests may be needed than counted, because some numbers aren't known yet, or because clearing a
   * field may require trying several values of `clearWith`.
   */
  readonly isAtLeast: boolean;
}

export function sum(parts: readonly (Partial<Requests> | undefined)[]): Requests {
  const totals = COUNTED.map((name) => [name, parts.reduce((total, part) => total + (part?.[name] ?? 0), 0)]);
  return { ...Object.fromEntries(totals), isAtLeast: parts.some((part) => part?.isAtLeast) };
}

/** Returns a phrase such as `at least 3 PUTs, 1 SMS`. */
export function requestsText({ isAtLeast, ...counts }: Requests): string {
  const sent = COUNTED.filter((name) => counts[name] > 0);
  if (sent.length === 0) {
    return isAtLeast ? "the number of PUTs is not known before the run" : counted(0, "PUT");
  }
  return `${isAtLeast ? "at least " : ""}${sent.map((name) => COUNTS[name](counts[name])).join(", ")}`;
}
