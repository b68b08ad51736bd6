import type { Unapproved } from "../change/approved";
import type { Violation } from "../change/guards";
import { type Code, remedyOf } from "../common/codes";
import type { StepProblem } from "../routing/rollout";
import { describe, moves, round, type Split } from "../routing/split";
import { counted, type Message, say, some } from "./message";

/** Messages about guards that block a change, or that an operator bypasses. */

const CODE_OF = {
  weightTotal: "AGP-020",
  maxShift: "AGP-021",
  requireVersions: "AGP-022",
  maxUnapproved: "AGP-023",
  steps: "AGP-027",
  maxRemove: "AGP-024",
  freeze: "AGP-025",
} as const satisfies Record<Violation["guard"], Code>;

export const codeOf = ({ guard }: Violation): Code => CODE_OF[guard];

/** A wrong agent explains most of what the other guards refuse, and a wrong sum what the rest refuses. */
const TELLING = [
  "maxUnapproved",
  "requireVersions",
  "weightTotal",
  "steps",
  "maxShift",
  "maxRemove",
  "freeze",
] as const satisfies readonly Violation["guard"][];

/** A message for each violation, the most telling one first. */
export function violated(who: string | undefined, violations: readonly Violation[]): Message[] {
  const rankOf = ({ guard }: Violation) => TELLING.indexOf(guard);
  const sorted = [...violations].sort((a, b) => rankOf(a) - rankOf(b));
  return sorted.map((violation, index) => {
    const code = CODE_OF[violation.guard];
    // The sentences of the guard steps have the remedy.
    const remedy =
      violation.guard === "steps" ? [] : [remedyOf(code, "file" in violation ? violation.file : undefined)];
    const end = index === sorted.length - 1 ? ["Nothing was sent for this resource."] : [];
    return say(code, who, [violationText(violation), ...remedy, ...end].join(" "));
  });
}

export const guardsBypassed = (who: string, reason: string, violations: readonly Violation[]): Message =>
  say(
    "AGP-068",
    who,
    `AGENT_PLATFORM_BYPASS (${reason}) bypassed ${counted(violations.length, "guard")}: ` +
      violations.map((one) => `${CODE_OF[one.guard]} ${violationText(one)}`).join(" "),
  );

/** What is refused, without the remedy. */
export function violationText(violation: Violation): string {
  switch (violation.guard) {
    case "weightTotal":
      return `${violation.path}: the weights sum to ${round(violation.sum)}, expected ${round(violation.total)} (${describe(violation.split)}).`;
    case "maxShift": {
      const what = violation.path === "rollout.stable" ? "an abort would move" : "moves";
      return `${violation.path}: ${what} ${round(violation.shift)} percentage points of traffic; limit ${round(violation.max)} (${movesText(violation.before, violation.after)}).`;
    }
    case "steps":
      return stepSentence(violation);
    case "requireVersions":
      return `${violation.path}: every agent must name its version; missing for ${some(violation.agents)}.`;
    case "maxUnapproved":
      return approvalSentence(violation);
    case "maxRemove":
      return removalSentence(violation);
    case "freeze":
      return `Changes are frozen: ${violation.reason}.`;
  }
}

function approvalSentence(violation: Extract<Violation, { guard: "maxUnapproved" }>): string {
  const { path, share, agents } = violation;
  const named = notApproved(agents);
  if (share === undefined) {
    return `${path}: ${named}`;
  }
  const { percentage, from, max } = share;
  const who = path === "rollout.stable" ? "After an abort, unapproved agents" : "Unapproved agents";
  const received = `${round(percentage)} % (now ${round(from)} %, limit ${round(max)} %)`;
  return `${path}: ${named} ${who} would receive ${received}.`;
}

/** `agent_frnot@14 is not approved: did you mean agent_front@14?` */
function notApproved(agents: readonly Unapproved[]): string {
  const [first, ...more] = agents;
  if (more.length === 0) {
    const end = first?.meant === undefined ? "." : `: did you mean ${first.meant}?`;
    return `${first?.agent} is not approved${end}`;
  }
  const texts = agents.map(({ agent, meant }) => (meant === undefined ? agent : `${agent} (did you mean ${meant}?)`));
  return `${some(texts)} are not approved.`;
}

function stepSentence(problem: StepProblem): string {
  switch (problem.why) {
    case "noStep":
      return `rollout.percent: ${round(problem.percent)} is no step. The steps are ${[0, ...problem.steps].join(", ")} (agent-platform:steps).`;
    case "skips": {
      const text = `from ${percent(problem.from)} to ${percent(problem.to)} skips ${problem.skipped.map(percent).join(", ")}`;
      return `rollout.percent: ${text}. Promote one step at a time.`;
    }
    case "unconfirmed":
      return `rollout.percent: not every number has ${percent(problem.from)} yet. Run \`pulumi up\` with that until it succeeds, then promote.`;
    case "underWay": {
      return problem.has >= 100
        ? `rollout.candidate: ${problem.agent} has all calls. Name it as stable, or abort it, before another one starts.`
        : `rollout.candidate: ${problem.agent} has ${percent(problem.has)} of the calls. Promote it to 100 %, or abort it, before another one starts.`;
    }
  }
}

/** If the run is judged as a whole, only this resource's numbers are named. */
function removalSentence({ leaving, max, inRun }: Extract<Violation, { guard: "maxRemove" }>) {
  const count = inRun ?? leaving.length;
  const [path, when, of] =
    inRun === undefined ? ["numbers: ", "at once", ""] : ["", "in this run", "of this resource: "];
  const names = ` (${of}${some(leaving)})`;
  return `${path}${counted(count, "number")} would lose ${count === 1 ? "its" : "their"} agents ${when}; limit ${max}${names}.`;
}

/** `agent_a@1 90 % → 70 %, agent_a@2 none → 30 %`: only the agents whose percentage changes. */
const movesText = (before: Split, after: Split): string =>
  moves(before, after)
    .filter(({ from, to }) => from !== to)
    .map(({ agent, from, to }) => `${agent} ${percent(from)} → ${percent(to)}`)
    .join(", ");

const percent = (value: number | undefined): string => (value === undefined ? "none" : `${round(value)} %`);
