import { round } from "../../provider/core/traffic";
import type { AgentTable } from "./model";

/** The rows of a split, in words and bars. */

const CELLS = 10;
/** More agents in one table are counted. */
const MOST_AGENTS = 25;

/** A share of ten: a share that is there is never drawn as none, and one that is not all is never drawn as all. */
export function bar(share: number): string {
  const filled = share <= 0 ? 0 : share >= 100 ? CELLS : Math.min(CELLS - 1, Math.max(1, Math.round(share / CELLS)));
  return "█".repeat(filled) + "░".repeat(CELLS - filled);
}

export interface AgentLine {
  readonly agent: string;
  readonly before: { readonly text: string; readonly share: number | undefined };
  readonly after: { readonly text: string; readonly share: number | undefined };
  readonly isChanged: boolean;
}

/** The largest shares first; what does not fit is counted. */
export function agentLines({ rows, sides }: AgentTable): { rows: AgentLine[]; hidden: number } {
  const largest = ({ before = 0, after = 0 }: (typeof rows)[number]) => Math.max(before, after);
  const shown =
    rows.length <= MOST_AGENTS ? rows : [...rows].sort((a, b) => largest(b) - largest(a)).slice(0, MOST_AGENTS);
  return {
    hidden: rows.length - shown.length,
    rows: shown.map(({ agent, before, after, weights }) => ({
      agent,
      isChanged: sides === "both" && before !== after,
      before: { text: shareText(before, weights?.before, "new"), share: before },
      after: { text: shareText(after, weights?.after, "removed"), share: after },
    })),
  };
}

function shareText(share: number | undefined, weight: number | undefined, none: string): string {
  if (share === undefined) return none;
  return weight === undefined ? `${round(share)} %` : `${round(share)} % (weight ${round(weight)})`;
}
