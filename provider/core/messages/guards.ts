import type { Code } from "../codes";
import type { Violation } from "../guards";
import { describe, moves, round, type Split } from "../split";
import { counted, type Message, say, some } from "./message";

/** What a guard blocks, and what an operator bypasses. */

const WORDS = {
  weightTotal: { code: "AGP-020", remedy: "Change a weight, or weightTotal." },
  maxShift: { code: "AGP-021", remedy: "Move less traffic at a time, or raise maxShift." },
  requireVersions: { code: "AGP-022", remedy: "Add the version, as in `agent_front@12`." },
  maxUnapproved: {
    code: "AGP-023",
    remedy: "Lower their weight, or approve them in agent-platform:approvedAgents.",
  },
  maxRemove: { code: "AGP-024", remedy: "Remove fewer at a time, or raise agent-platform:maxRemove." },
  freeze: { code: "AGP-025", remedy: "To resume, remove agent-platform:freeze." },
} as const satisfies Record<Violation["guard"], { code: Code; remedy: string }>;

/** `hidden` names the arguments whose values are secret: a split of theirs is not printed. */
export function violated(who: string | undefined, violation: Violation, hidden: readonly string[] = []): Message {
  const { code, remedy } = WORDS[violation.guard];
  return say(code, who, `${sentence(violation, hidden)} ${remedy} Nothing was sent for this resource.`);
}

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
      violations.map((one) => `${WORDS[one.guard].code} ${sentence(one, hidden)}`).join(" "),
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

/** `agent_a@1 90 % → 70 %, agent_a@2 none → 30 %`: only the agents whose percentage changes. */
const movesText = (before: Split, after: Split): string =>
  moves(before, after)
    .filter(({ from, to }) => from !== to)
    .map(({ agent, from, to }) => `${agent} ${percent(from)} → ${percent(to)}`)
    .join(", ");

const percent = (value: number | undefined): string => (value === undefined ? "none" : `${round(value)} %`);
