import { round } from "../../provider/review";
import { present } from "../lists";
import { percentText } from "../rollout/value";
import type { AgentTable, FieldRow } from "./card";
import type { Alert } from "./diagnostics";
import type { Model } from "./model";
import { id, say, sentences, type Text } from "./text";

/** What the Markdown and the page of a report have in common. */

/** Lines that the command adds: gates, and whether this is what was reviewed. */
export interface Extra {
  readonly alerts: readonly Alert[];
  readonly lines: readonly Text[];
}

export const NO_EXTRA: Extra = { alerts: [], lines: [] };

const MOST_UNDO = 5;

/** Said above the cards of a preview that failed. */
export const isPartText = ({ hasFailed, cards }: Model): string | false =>
  hasFailed && cards.length > 0 && "The preview stopped there, so this is not everything that the change would do.";

/**
 * The lines below the cards.
 * @param stack whose digest it is; undefined if the report is of one stack
 */
export const footLines = (model: Model, gates: readonly Text[], stack?: string): Text[] => {
  const { onMerge, undo, rest, digest, cards, hasFailed } = model;
  const isUndone = cards.length > 0 && undo.length > 0 && !hasFailed;
  return present([
    ...gates,
    onMerge,
    isUndone && say`Undo: ${sentences(undo, MOST_UNDO)}`,
    ...rest,
    digest !== undefined && digestLine(stack, digest),
  ]);
};

/** A pipeline finds the digest by this line. */
export const digestLine = (stack: string | undefined, digest: string): Text =>
  say`reviewed-digest ${stack === undefined ? "" : say`${id(stack)} `}${id(digest)}`;

/** What is assigned for the first time has no value before. */
export const isAllNew = (fields: readonly FieldRow[]): boolean => fields.every(({ before }) => before.length === 0);

// --- the rows of a split

/** A table shows so many agents, and counts the others. */
const MOST_AGENTS = 25;

export type AgentLine = ReturnType<typeof agentLines>["rows"][number];

const HEADS = { both: ["before", "after"], before: ["now"], after: ["percentage"] } as const;

/** The rows of a table and their heads. If there are too many, the largest percentages are shown, and the others are counted. */
export function agentLines({ rows, sides }: AgentTable) {
  const largest = ({ before = 0, after = 0 }: (typeof rows)[number]) => Math.max(before, after);
  const shown =
    rows.length <= MOST_AGENTS ? rows : [...rows].sort((a, b) => largest(b) - largest(a)).slice(0, MOST_AGENTS);
  return {
    heads: ["agent", ...HEADS[sides]],
    more: rows.length - shown.length,
    rows: shown.map(({ agent, before, after, weights }) => {
      const old = { side: "old", text: shareText(before, weights?.before, "new"), share: before } as const;
      const now = { side: "new", text: shareText(after, weights?.after, "removed"), share: after } as const;
      const cells = sides === "both" ? [old, now] : [sides === "before" ? old : now];
      return { agent, cells, isChanged: sides === "both" && before !== after };
    }),
  };
}

function shareText(share: number | undefined, weight: number | undefined, none: string): string {
  if (share === undefined) {
    return none;
  }
  return weight === undefined ? percentText(share) : `${percentText(share)} (weight ${round(weight)})`;
}

/** The headline with its stack, and the sign of a warning or of a block before both. */
export function headlineWithStack({ stack, headline }: Model): Text {
  if (stack === "") {
    return headline;
  }
  const [first = "", ...rest] = headline;
  const sign = typeof first === "string" ? /^[⚠⛔] /u.exec(first)?.[0] : undefined;
  return sign === undefined || typeof first !== "string"
    ? say`${id(stack)}: ${headline}`
    : say`${sign}${id(stack)}: ${[first.slice(sign.length), ...rest]}`;
}
