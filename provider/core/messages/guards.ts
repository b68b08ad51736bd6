import type { StepProblem, Unapproved, Violation } from "../numbers/guards";
import { describe, moves, round, type Split } from "../routing/split";
import { type Code, remedyOf } from "./codes";
import { counted, type Message, say, shortList } from "./message";

/** Messages about guards that block a change, or that an operator bypasses. */

type Of<Guard extends Violation["guard"]> = Extract<Violation, { guard: Guard }>;

/**
 * A row for each guard: its code, and what is refused, without the remedy. Messages have this order: a wrong agent explains most of what the
 * other guards refuse, and a wrong sum what the rest refuses.
 */
const GUARDS: {
  readonly [Guard in Violation["guard"]]: { readonly code: Code; readonly text: (violation: Of<Guard>) => string };
} = {
  maxUnapproved: { code: "AGP-023", text: approvalSentence },
  requireVersions: {
    code: "AGP-022",
    text: ({ path, agents }) => `${path}: every agent must name its version; missing for ${shortList(agents)}.`,
  },
  weightTotal: {
    code: "AGP-020",
    text: ({ path, sum, total, split }) =>
      `${path}: the weights sum to ${round(sum)}, expected ${round(total)} (${describe(split)}).`,
  },
  steps: { code: "AGP-027", text: stepSentence },
  maxShift: { code: "AGP-021", text: shiftSentence },
  maxRemove: { code: "AGP-024", text: removalSentence },
  freeze: { code: "AGP-025", text: ({ reason }) => `Changes are frozen: ${reason}.` },
};

const RANKS = Object.keys(GUARDS);

export const codeOf = ({ guard }: Violation): Code => GUARDS[guard].code;

/** What is refused, without the remedy. */
export const violationText = (violation: Violation): string =>
  (GUARDS[violation.guard].text as (one: Violation) => string)(violation);

/** A message for each violation, the most telling one first. */
export function violated(who: string | undefined, violations: readonly Violation[]): Message[] {
  const sorted = [...violations].sort((a, b) => RANKS.indexOf(a.guard) - RANKS.indexOf(b.guard));
  return sorted.map((violation, index) => {
    const code = codeOf(violation);
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
      violations.map((one) => `${codeOf(one)} ${violationText(one)}`).join(" "),
  );

function shiftSentence({ path, shift, max, before, after }: Of<"maxShift">): string {
  const what = path === "rollout.stable" ? "an abort would move" : "moves";
  return `${path}: ${what} ${round(shift)} percentage points of traffic; limit ${round(max)} (${movesText(before, after)}).`;
}

function approvalSentence({ path, share, agents }: Of<"maxUnapproved">): string {
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
  return `${shortList(texts)} are not approved.`;
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
      return `rollout.percent: not every number has ${percent(problem.from)} yet. Run \`pulumi up\` with that until it succeeds, or take numbers that never will out of the program. Then promote.`;
    case "underWay": {
      return problem.has >= 100
        ? `rollout.candidate: ${problem.agent} has all calls. Name it as stable, or abort it, before another one starts.`
        : `rollout.candidate: ${problem.agent} has ${percent(problem.has)} of the calls. Promote it to 100 %, or abort it, before another one starts.`;
    }
    case "atOnce": {
      const { from, to, isReturn, isCandidate, name = "front" } = problem;
      const called = "npx pulumi-agent-platform";
      const how = isReturn
        ? `To return to it, run \`${called} abort ${name} --to ${to}\`.`
        : `Undo that, then run \`${called} promote ${name}${isCandidate ? "" : ` --to ${to}`}\`.`;
      return `rollout.stable: changes from ${from} to ${to} at once and skips the steps. ${how}`;
    }
  }
}

/** If the run is judged as a whole, only this resource's numbers are named. */
function removalSentence({ leaving, max, inRun, isKnown = true }: Of<"maxRemove">): string {
  const count = inRun ?? leaving.length;
  const [path, when, of] =
    inRun === undefined ? ["numbers: ", "at once", ""] : ["", "in this run", "of this resource: "];
  const [its, them] = count === 1 ? ["its", "it"] : ["their", "them"];
  // The engine asks for this diff before it checks the resources that come later.
  const [unless, moves] = isKnown
    ? ["", ""]
    : [
        `, unless another resource declares ${them}`,
        ` If ${them === "it" ? "it moves" : "they move"}, name ${its} new resource in \`dependsOn\` of this one.`,
      ];
  return `${path}${counted(count, "number")} would lose ${its} agents ${when}${unless}; limit ${max} (${of}${shortList(leaving)}).${moves}`;
}

/** `agent_a@1 90 % → 70 %, agent_a@2 none → 30 %`: only the agents whose percentage changes. */
const movesText = (before: Split, after: Split): string =>
  moves(before, after)
    .filter(({ from, to }) => from !== to)
    .map(({ agent, from, to }) => `${agent} ${percent(from)} → ${percent(to)}`)
    .join(", ");

const percent = (value: number | undefined): string => (value === undefined ? "none" : `${round(value)} %`);
