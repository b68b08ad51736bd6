import { series } from "../base/text";
import type { Guards } from "../config/settings";
import { agentKey, moves, round, type Split, toAgents } from "../routing/split";
import { BYPASS_ONCE, type Code, fixOf } from "../words/codes";
import { counted, type Message, messageOf, shortList } from "../words/message";

export type Violation =
  | { readonly guard: "weightTotal"; readonly path: string; split: Split; sum: number; total: number }
  | ({ readonly guard: "maxShift"; shift: number; max: number; before: Split } & JudgedSplit)
  | { readonly guard: "requireVersions"; readonly path: string; agents: readonly string[] }
  | {
      readonly guard: "maxUnapproved";
      readonly path: string;
      agents: readonly Unapproved[];
      /**
       * Set if unapproved agents would receive more than `max` percent of calls. `from` is their percentage now. Never
       * set for an outbound agent.
       */
      share: { readonly percentage: number; readonly from: number; readonly max: number } | undefined;
    }
  | ({ readonly guard: "steps"; readonly path: "rollout"; readonly name?: string | undefined } & StepProblem)
  | ({ readonly guard: "maxRemove"; readonly max: number } & Losses)
  | { readonly guard: "freeze"; reason: string };

/** Why the `steps` guard refuses a rollout. All percentages are percentages of calls. */
export type StepProblem =
  | { readonly why: "noStep"; readonly percent: number; readonly steps: readonly number[] }
  | { readonly why: "skips"; readonly from: number; readonly to: number; readonly skipped: readonly number[] }
  | { readonly why: "unconfirmed"; readonly from: number }
  /** A new rollout can't start, because its stable agent doesn't receive all calls yet. */
  | { readonly why: "notStable"; readonly stable: string; readonly percentages: Readonly<Record<string, number>> };

export interface JudgedSplit {
  readonly path: "inboundAgents" | "rollout.stable";
  readonly after: Split;
}

/** An agent that `approvedAgents` doesn't list. */
export interface Unapproved {
  readonly agent: string;
  /**
   * The approved ID that may have been meant. If set, the agent is refused even if `maxUnapproved` allows its
   * percentage.
   */
  readonly suggestion: string | undefined;
}

export const judgeFreeze = ({ freeze }: Guards): Violation[] =>
  freeze === undefined ? [] : [{ guard: "freeze", reason: freeze }];

/** The numbers that lose their agents, because a resource removes them and no other resource declares them. */
export interface Losses {
  /**
   * The numbers that the message lists. In the provider, these are the numbers of one delete; in the report and doctor,
   * those of the whole run.
   */
  readonly lost: readonly string[];
  /** How many numbers would lose their agents in the whole run, as far as is known. */
  readonly inRun: number;
}

type ViolationOf<Guard extends Violation["guard"]> = Extract<Violation, { guard: Guard }>;

interface GuardMessage<Guard extends Violation["guard"]> {
  readonly code: Code;
  /**
   * The basis for the guard's decision.
   * - `declared`: the declared values.
   * - `difference`: the difference between the declared and the applied values. The provider doesn't know the applied
   * values of a renamed resource, but the report does.
   * - `run`: the run as a whole.
   */
  readonly judges: "declared" | "difference" | "run";
  /** Returns the text of the violation, without the final full stop. */
  readonly text: (violation: ViolationOf<Guard>) => string;
  /** Returns how to fix this violation. If absent, the general fix for the error code is used (`fixOf`). */
  readonly fix?: (violation: ViolationOf<Guard>) => string;
}

/**
 * The guards' messages, in the order in which they are shown. A wrong agent or a wrong sum comes first, because it
 * often causes the other violations.
 */
const GUARD_MESSAGES: { readonly [Guard in Violation["guard"]]: GuardMessage<Guard> } = {
  maxUnapproved: {
    code: "AGP-023",
    judges: "declared",
    text({ path, share, agents }) {
      // For example: `inboundAgents: agent_frnot@14 (did you mean agent_front?) is not approved`.
      const names = agents.map(({ agent, suggestion }) =>
        suggestion === undefined ? agent : `${agent} (did you mean ${suggestion}?)`,
      );
      const refused =
        names.length === 1
          ? `${path}: ${names[0]} is not approved`
          : `${path}: these agents are not approved: ${shortList(names)}`;
      if (share === undefined) {
        return refused;
      }
      const { percentage, from, max } = share;
      const calls = `${round(percentage)}% of calls`;
      const consequence =
        path === "rollout.stable"
          ? `A later abort would send ${calls} to unapproved agents, which now receive ${round(from)}%`
          : `Unapproved agents, which now receive ${round(from)}% of calls, would receive ${round(percentage)}%`;
      return `${refused}. ${consequence}, but the limit is ${round(max)}%`;
    },
    // Don't advise the user to approve an agent that may be a typo.
    fix: ({ agents }) =>
      agents.some(({ suggestion }) => suggestion !== undefined)
        ? "Correct each misspelled agent. If an ID is right, add the agent to agent-platform:approvedAgents."
        : fixOf("AGP-023"),
  },
  requireVersions: {
    code: "AGP-022",
    judges: "declared",
    text: ({ path, agents }) =>
      `${path}: every agent needs a version, but ${agents.length <= 4 ? series(agents) : shortList(agents)} ${agents.length === 1 ? "has" : "have"} none`,
  },
  weightTotal: {
    code: "AGP-020",
    judges: "declared",
    text({ path, sum, total, split }) {
      // For example: `the weights of agent_front@12 (40) and agent_front@13 (50) add up to 90 instead of 100`.
      const weights = toAgents(split).map((agent) => `${agentKey(agent)} (${agent.weight})`);
      const found =
        weights.length === 1
          ? `the weight of ${Object.keys(split).join("")} is`
          : `the weights of ${series(weights)} add up to`;
      return `${path}: ${found} ${round(sum)} instead of ${round(total)}`;
    },
  },
  steps: {
    code: "AGP-027",
    judges: "difference",
    text: stepText,
    fix: (violation) => (violation.why === "notStable" ? notStableFix(violation) : fixOf("AGP-027", violation.name)),
  },
  maxShift: {
    code: "AGP-021",
    judges: "difference",
    text({ path, shift, max, before, after }) {
      const subject =
        path === "rollout.stable"
          ? "a later abort would send all calls to the new stable agent. That would move"
          : "the change moves";
      // List only agents whose percentage changes, for example `agent_a@1 100% → 70%, agent_a@2 0% → 30%`.
      const moved = moves(before, after)
        .filter(({ from = 0, to = 0 }) => from !== to)
        .map(({ agent, from = 0, to = 0 }) => `${agent} ${inPercent(from)} → ${inPercent(to)}`);
      return `${path}: ${subject} ${round(shift)} percentage points of traffic (${moved.join(", ")}), but the limit is ${round(max)}`;
    },
  },
  maxRemove: {
    code: "AGP-024",
    judges: "run",
    text({ lost, inRun, max }) {
      const possessive = inRun === 1 ? "its" : "their";
      return `${counted(inRun, "number")} would lose ${possessive} agents in this run, but the limit is ${max}. In this resource, the affected ${lost.length === 1 ? "number is" : "numbers are"} ${shortList(lost)}`;
    },
  },
  freeze: { code: "AGP-025", judges: "run", text: ({ reason }) => `changes to this stack are frozen (${reason})` },
};

/**
 * Doesn't just recommend `promote` or `abort`: if numbers join a rollout that they were not in, either command would
 * only change the rollout's other numbers.
 */
const notStableFix = ({ name, stable }: { readonly name?: string | undefined; readonly stable: string }): string =>
  `If these numbers are joining the rollout "${name}", first send all of their calls to ${stable}. If they are already in it, first restore the rollout in the config as it was last applied. Then run \`npx pulumi-agent-platform promote ${name} --stack <stack>\` until the candidate has 100%, or run \`npx pulumi-agent-platform abort ${name} --stack <stack>\`.`;

const RANKS = Object.keys(GUARD_MESSAGES);

const messageRow = ({ guard }: Violation) => GUARD_MESSAGES[guard] as unknown as GuardMessage<Violation["guard"]>;

export const guardCode = (violation: Violation): Code => messageRow(violation).code;

export const judgesDifference = (violation: Violation): boolean => messageRow(violation).judges === "difference";

/** Returns the text of a violation without its final full stop, so that a caller can append to it. */
export const violationPhrase = (violation: Violation): string => messageRow(violation).text(violation);

export const violationText = (violation: Violation): string => `${violationPhrase(violation)}.`;

/**
 * Returns how to fix a violation. Doesn't say how to bypass the guards, so that `promote` can print its own command for
 * that.
 */
export function violationFix(violation: Violation): string {
  const { code, fix = () => fixOf(code) } = messageRow(violation);
  return fix(violation);
}

export const violationRemedy = (violation: Violation): string => `${violationFix(violation)} ${BYPASS_ONCE}`;

/** Returns a message for each violation, the most important one first. The last message says that nothing was sent. */
export function violated(label: string | undefined, violations: readonly Violation[]): Message[] {
  const sorted = [...violations].sort((a, b) => RANKS.indexOf(a.guard) - RANKS.indexOf(b.guard));
  return sorted.map((violation, index) => {
    const ending = index === sorted.length - 1 ? " Nothing was sent for this resource." : "";
    return messageOf(guardCode(violation), label, `${violationText(violation)}${ending}`, violationRemedy(violation));
  });
}

export const guardsBypassed = (label: string, reason: string, violations: readonly Violation[]): Message =>
  messageOf("AGP-068", label, [
    `AGENT_PLATFORM_BYPASS (${reason}) bypassed ${counted(violations.length, "guard")}.`,
    ...violations.map((violation) => `${guardCode(violation)} ${violationText(violation)}`),
  ]);

function stepText(problem: StepProblem): string {
  switch (problem.why) {
    case "noStep":
      return `rollout.percent: ${inPercent(problem.percent)} is not one of the steps ${series([0, ...problem.steps].map(inPercent))} (agent-platform:steps)`;
    case "skips":
      return `rollout.percent: going from ${inPercent(problem.from)} to ${inPercent(problem.to)} skips the ${problem.skipped.length === 1 ? "step" : "steps"} ${series(problem.skipped.map(inPercent))}`;
    case "unconfirmed":
      return `rollout.percent: the percentage cannot rise yet, because not every number is known to be at ${inPercent(problem.from)}`;
    case "notStable": {
      const shares = Object.entries(problem.percentages).map(
        ([agent, percent]) => `${agent} receives ${inPercent(percent)}`,
      );
      return `rollout.stable: ${problem.stable} cannot be the stable agent yet, because it does not receive all calls (${shares.join(", ")})`;
    }
  }
}

const inPercent = (value: number): string => `${round(value)}%`;
