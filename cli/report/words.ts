import { groupBy } from "../lists";
import { counted, id, type Part, say, someIds, type Text } from "./text";

/** Whom a change affects, and what several changes are called together: the words that all cards have in common. */

/** What a card is about: a resource, with its single number or its group of numbers. */
export interface Affected {
  readonly name: string;
  readonly providerName: string | undefined;
  /** Of a single number: what it is, or that it is not known yet. */
  readonly number?: Part | undefined;
  /** Of a group: how many numbers; undefined where they are not known yet. */
  readonly count: number | undefined;
  /** Is it a secret which numbers they are? */
  readonly isMasked?: boolean;
}

export const totalOf = (affected: readonly Affected[]): number | undefined =>
  affected.some(({ count }) => count === undefined)
    ? undefined
    : affected.reduce((total, { count = 0 }) => total + count, 0);

/** `400 numbers (3 groups)`, `180 numbers (emea)`, `+15551234567 (support)`. */
export function onText(affected: readonly Affected[]): Text {
  const [only, ...more] = affected;
  if (only === undefined) {
    return ["nothing"];
  }
  if (more.length === 0) {
    return affectedText(only);
  }
  const total = totalOf(affected);
  const groups = affected.filter(({ number }) => number === undefined).length;
  const single = groups < affected.length ? `, ${affected.length - groups} single` : "";
  const kinds = groups > 0 ? ` (${counted(groups, "group")}${single})` : "";
  const providers = affected.flatMap(({ providerName }) => providerName ?? []);
  const of = providers.length === 0 ? [] : say` of provider ${someIds(providers)}`;
  return say`${total === undefined ? "numbers, not all known yet," : counted(total, "number")}${kinds}${of}`;
}

export function affectedText({ name, number, count, providerName, isMasked = false }: Affected): Text {
  const of = providerName === undefined ? [] : say`, provider ${id(providerName)}`;
  if (number !== undefined) {
    return say`${number} (${id(name)}${of})`;
  }
  return count === undefined
    ? say`group ${id(name)} (numbers ${isMasked ? "masked" : "known after apply"}${of})`
    : say`${counted(count, "number")} (${id(name)}${of})`;
}

/** One group may be named more than once, with some of its numbers each time. */
export const mergedAffected = (affected: readonly Affected[]): Affected[] =>
  groupBy(affected, ({ name, providerName, number }) => JSON.stringify([name, providerName, number])).map((same) =>
    same[0].number === undefined ? { ...same[0], count: totalOf(same) } : same[0],
  );

/** `+442079460201 London sales`. */
export const numberText = (number: string, label = ""): Text =>
  label === "" ? [id(number)] : say`${id(number)} ${id(label)}`;

/** Of a number that has no agents any more. */
export const NOT_SPECIFIED = "The API does not specify what callers hear then.";

/** What several cards of one kind are called together, in the headline. */
export const TOGETHER = {
  guard: ({ count }) => `⚠ ${count} guards exceeded by the whole change`,
  unresolved: ({ count }) => `⚠ ${count} entries unresolved since an earlier run`,
  removal: ({ numbers }) => `⚠ ${numbers} lose their current agents`,
  message: ({ count }) => `⚠ ${count} chats are sent`,
  replacement: ({ count }) => `⚠ ${count} replacements`,
  split: ({ count, numbers }) => `Traffic split on ${numbers}, in ${count} different ways`,
  firstAssignment: ({ count, numbers }) => `Assigns ${numbers} for the first time, in ${count} different ways`,
  join: ({ numbers }) => `${numbers} join groups`,
  routing: ({ numbers }) => `Routing of ${numbers}`,
  voice: ({ count }) => `Adds ${count} voices`,
  end: ({ count }) => `${count} voices and chats end or are forgotten`,
  provider: ({ count }) => `${count} providers`,
  quiet: ({ count }) => `${count} changes that send nothing`,
} satisfies Record<string, (many: Readonly<Record<"count" | "numbers", string>>) => string>;
export type Family = keyof typeof TOGETHER;
