import type { Code } from "../codes";
import type { Violation } from "../guards";
import { describe, moves, round, type Split } from "../split";
import { counted, type Message, say, some } from "./message";

/** What a guard blocks, and what an operator bypasses. */

const CODES = {
  weightTotal: "AGP-020",
  maxShift: "AGP-021",
  requireVersions: "AGP-022",
  maxUnapproved: "AGP-023",
  maxRemove: "AGP-024",
  freeze: "AGP-025",
} as const satisfies Record<Violation["guard"], Code>;

/** `hidden` names the arguments whose values are secret: a split of theirs is not printed. */
export const violated = (who: string | undefined, violation: Violation, hidden: readonly string[] = []): Message =>
  say(
    CODES[violation.guard],
    who,
    `${sentence(violation, hidden)} ${remedy(violation)} Nothing was sent for this resource.`,
  );

export const guardsBypassed = (
  who: string,
  reason: string,
  violations: readonly Violation[],
  hidden: readonly string[] = [],
): Message =>
  say(
    "AGP-068",
    who,
    `AGENT_PLATFORM_BYPASS (${reason}) bypassed ${counted(violations.length, "guard")}: ` +
      violations.map((one) => `${CODES[one.guard]} ${sentence(one, hidden)}`).join(" "),
  );

function sentence(violation: Violation, hidden: readonly string[]): string {
  const isHidden = "path" in violation && hidden.includes(violation.path.split(".")[0] ?? "");
  switch (violation.guard) {
    case "weightTotal":
      return isHidden
        ? `${violation.path}: the weights do not sum to ${round(violation.total)}.`
        : `${violation.path}: the weights sum to ${round(violation.sum)}, expected ${round(violation.total)} (${describe(violation.split)}).`;
    case "maxShift":
      return isHidden
        ? `${violation.path}: moves more than ${round(violation.max)} percentage points of traffic.`
        : `${violation.path}: moves ${round(violation.shift)} percentage points of traffic; limit ${round(violation.max)} (${movesText(violation.before, violation.after)}).`;
    case "requireVersions":
      return `${violation.path}: every agent must name its version${isHidden ? "" : `; missing for ${some(violation.agents)}`}.`;
    case "maxUnapproved":
      return isHidden
        ? `${violation.path}: unapproved agents would receive more than ${round(violation.max)} %.`
        : `${violation.path}: unapproved agents would receive ${round(violation.share)} % (now ${round(violation.from)} %, limit ${round(violation.max)} %): ${some(violation.agents)}.`;
    case "maxRemove":
      return `numbers: ${counted(violation.leaving.length, "number")} would lose their agents at once; limit ${violation.max}${hidden.includes("numbers") ? "" : ` (${some(violation.leaving)})`}.`;
    case "freeze":
      return `Changes are frozen: ${violation.reason}.`;
  }
}

function remedy({ guard }: Violation): string {
  switch (guard) {
    case "weightTotal":
      return "Change a weight, or weightTotal.";
    case "maxShift":
      return "Move less traffic at a time, or raise maxShift.";
    case "requireVersions":
      return "Add the version, as in `agent_front@12`.";
    case "maxUnapproved":
      return "Lower their weight, or approve them in agent-platform:approvedAgents.";
    case "maxRemove":
      return "Remove fewer at a time, or raise agent-platform:maxRemove.";
    case "freeze":
      return "To resume, remove agent-platform:freeze.";
  }
}

/** `agent_a@1 90 % → 70 %, agent_a@2 none → 30 %`: only the agents whose percentage changes. */
const movesText = (before: Split, after: Split): string =>
  moves(before, after)
    .filter(({ from, to }) => from !== to)
    .map(({ agent, from, to }) => `${agent} ${percent(from)} → ${percent(to)}`)
    .join(", ");

const percent = (value: number | undefined): string => (value === undefined ? "none" : `${round(value)} %`);
