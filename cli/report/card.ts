import {
  POST_COUNTS,
  POSTED_KINDS,
  type PostCount,
  type PostedFamily,
  postedAs,
  postedNouns,
} from "../../provider/review";
import { groupBy, present } from "../lists";
import { counted, filled, id, type Part, plain, say, someIds, type Text } from "./text";

/** The parts of a report. A card says one thing that a run does, for all resources to which the run does it. */

export type Tone = "danger" | "warning" | "plain";

export interface AgentRow {
  readonly agent: string;
  /** Percentages of the calls; undefined if the agent is not in the list. */
  readonly before: number | undefined;
  readonly after: number | undefined;
  /** The weights, if they differ from the percentages. */
  readonly weights: { readonly before: number | undefined; readonly after: number | undefined } | undefined;
}

export interface AgentTable {
  readonly rows: readonly AgentRow[];
  /** A number that is assigned for the first time, or that is deleted, has only one side. */
  readonly sides: "both" | "before" | "after";
}

export interface FieldRow {
  readonly field: string;
  readonly before: Text;
  readonly after: Text;
}

export interface Listed {
  readonly title: string;
  readonly items: readonly Text[];
}

/** The conditions that gates judge. `guard` cannot be named in `--fail-on`, because it always blocks. */
export const CONDITIONS = ["create", "delete", "replace", "shift", "unresolved", "guard"] as const;
export type Condition = (typeof CONDITIONS)[number];

export interface Fact {
  readonly condition: Condition;
  /** The percentage points of a shift; undefined if they are not known. */
  readonly points?: number | undefined;
  /** Why no gate blocks it. */
  readonly excused?: string | undefined;
  readonly text: Text;
}

/**
 * What a run would send. `clears` are PUTs that clear something: each may take several requests, because the interface does not specify how
 * a field is cleared. The others are what makes and ends what is posted.
 */
const COUNTS: readonly Count[] = ["puts", "clears", ...POST_COUNTS.map(({ count }) => count)];
type Count = "puts" | "clears" | PostCount;

export interface Requests extends Readonly<Record<Count, number>> {
  /** Is some of it not known before the run? */
  readonly isAtLeast: boolean;
}

/**
 * What a revert of the pull request does. `back` is the end of the sentence "revert this pull request…"; `caveat` is what the revert cannot
 * undo.
 */
export interface Undo {
  readonly back?: Text;
  readonly caveat?: Text;
  /** A command that goes back, instead of a revert. */
  readonly command?: Text;
}

export interface Card {
  readonly family: Family;
  readonly tone: Tone;
  /** Smaller is more important. */
  readonly rank: number;
  readonly title: Text;
  readonly affected: readonly Affected[];
  readonly agents: AgentTable | undefined;
  readonly fields: readonly FieldRow[];
  readonly notes: readonly Text[];
  readonly listed: readonly Listed[];
  /** What gates judge. */
  readonly facts: readonly Fact[];
  readonly requests: Partial<Requests>;
  readonly undo: Undo | undefined;
}

type CardParts = Pick<Card, "title" | "rank" | "family"> &
  Partial<Omit<Card, "notes">> & { readonly notes?: readonly (Text | false | undefined)[] };

/** A card. Parts that are left out are empty. */
export const card = ({ notes = [], ...parts }: CardParts): Card => ({
  tone: "plain",
  affected: [],
  agents: undefined,
  fields: [],
  listed: [],
  facts: [],
  requests: {},
  undo: undefined,
  ...parts,
  notes: present(notes),
});

export function sum(all: readonly Partial<Requests>[]): Requests {
  const counts = COUNTS.map((name) => [name, all.reduce((total, { [name]: count = 0 }) => total + count, 0)]);
  return { ...Object.fromEntries(counts), isAtLeast: all.some(({ isAtLeast }) => isAtLeast) };
}

/** How important a card is if callers lose their agents, or if the engine replaces a resource. */
export const REMOVAL = { tone: "danger", rank: 1, family: "removal" } as const;
export const REPLACEMENT = { tone: "danger", rank: 1, family: "replacement" } as const;

// --- whom a change affects

/** A resource that a card is about, with its number or its count of numbers. */
export interface Affected {
  readonly name: string;
  readonly providerName: string | undefined;
  /** The number of a single number's resource, or words in its place if it is hidden; undefined for a group. */
  readonly number?: Part | undefined;
  /** How many numbers the group has; undefined if they are not known yet. */
  readonly count: number | undefined;
  /** Are the numbers secret? */
  readonly isMasked?: boolean;
}

export const totalOf = (affected: readonly Pick<Affected, "count">[]): number | undefined =>
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

/** Each group once, with the sum of its numbers. */
export const mergedAffected = (affected: readonly Affected[]): Affected[] =>
  groupBy(affected, ({ name, providerName, number }) => JSON.stringify([name, providerName, number])).map((same) =>
    same[0].number === undefined ? { ...same[0], count: totalOf(same) } : same[0],
  );

/** `+442079460201 London sales`. */
export const numberText = (number: string, label = ""): Text =>
  label === "" ? [id(number)] : say`${id(number)} ${id(label)}`;

/** Said about a number that has no agents any more. */
export const NOT_SPECIFIED = "The API does not specify what callers hear then.";

/** The headline of several cards of a family that is not of one posted kind. */
const TOGETHER = {
  guard: ({ count }) => `⚠ ${count} guards exceeded by the whole change`,
  unresolved: ({ count }) => `⚠ ${count} entries unresolved since an earlier run`,
  unapproved: ({ count }) => `⚠ ${count} agents that are not approved`,
  removal: ({ numbers }) => `⚠ ${numbers} lose their current agents`,
  replacement: ({ count }) => `⚠ ${count} replacements`,
  split: ({ count, numbers }) => `Traffic split on ${numbers}, in ${count} different ways`,
  firstAssignment: ({ count, numbers }) => `First assignment overwrites ${numbers}, in ${count} different ways`,
  firstJoin: ({ numbers }) => `${numbers} join groups, which overwrites those that are new to the stack`,
  join: ({ numbers }) => `${numbers} join groups`,
  routing: ({ numbers }) => `Routing of ${numbers}`,
  end: ({ count }) => `${count} ${postedNouns("and")} end or are forgotten`,
  provider: ({ count }) => `${count} providers`,
  quiet: ({ count }) => `${count} changes that send nothing`,
} satisfies Record<string, (many: Many) => string>;
type Many = Readonly<Record<"count" | "numbers", string>>;

export type Family = keyof typeof TOGETHER | PostedFamily;

/** The headline of several cards of one family. Of what is posted, the words are in the row of its kind. */
export function together(family: Family, many: Many): string {
  if (family in TOGETHER) {
    return TOGETHER[family as keyof typeof TOGETHER](many);
  }
  const row = POSTED_KINDS.map(postedAs).find(({ sends }) => sends.family === family);
  return row === undefined
    ? many.count
    : `${row.sends.isLoud ? LOUD : ""}${plain(filled(row.sends.together, { count: [many.count] }))}`;
}

/** Before the title of what reaches callers and cannot be taken back. */
export const LOUD = "⚠ ";
