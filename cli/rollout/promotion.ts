import { same } from "../../provider/core/common/equality";
import { counted } from "../../provider/core/messages";
import type { NamedRollout } from "../../provider/core/routing/rollouts";
import { present } from "../lists";
import { freezeIn, guardsIn } from "../pulumi/guards";
import { readState } from "../pulumi/stackExport";
import { valuesOf } from "../pulumi/stacks";
import {
  namedAgent,
  percentOf,
  percentOfAgent,
  percentText,
  type Rollout,
  type StackRollout as Standing,
  stackRollout,
} from "../stack/rollout";
import { durationText, timeText } from "../stack/time";
import { type Soak, waitsForAfter } from "../stack/waits";
import { applyText, NOT_WRITTEN, type Result, rolloutJson } from "./apply";
import { runCheck } from "./check";
import { refuseUnknown } from "./known";
import { nextValue, nothingToPromote, refuseNamed, waitsForApproval, waitsForStack } from "./next";
import { rewrite } from "./rewrite";
import { readRollout, rolloutCommand, type StackRollout, stepsOf } from "./stackFile";

/** One promotion: it is judged first, and no file is changed for that. Then it is written. */

interface PromotionValues {
  readonly to?: string | undefined;
  readonly check?: string | undefined;
  /** Is what the file says applied, if a number does not have it? */
  readonly up?: boolean | undefined;
  /** Is the agent of `to` new? Then no typing mistake is looked for. */
  readonly new?: boolean | undefined;
}

/** A promotion that has passed its gates and its check. */
export interface Promotion {
  readonly rollout: StackRollout;
  readonly standing: Standing;
  readonly next: NamedRollout;
  readonly steps: readonly number[];
  readonly check: string | undefined;
  readonly now: Date;
}

const waitResult = (reasons: readonly string[], rollout: StackRollout): Result => ({
  code: 1,
  text: reasons.map((reason) => `Held: ${reason}`).join("\n"),
  outcome: "held",
  ...rolloutJson(rollout),
  reasons,
});

/** A promotion that may be written, or what is said if it may not. */
export async function judge(rollout: StackRollout, given: PromotionValues): Promise<Promotion | Result> {
  const { name, value, stack, workspace } = rollout;
  const { project, io } = workspace;
  const { after, minSoak } = value.promote ?? {};
  const soak = { minSoak, now: io.now() };
  const other = after === undefined ? undefined : await readRollout({ project, io }, after, name);
  const steps = stepsOf(rollout);
  const guards = guardsIn(valuesOf(rollout.config), false);
  const state = await readState(stack, io);
  const standing = stackRollout(name, value, state);
  refuseNamed(rollout, given.to);
  const next = nextValue(value, given.to, other && namedAgent(other.value), steps);
  if (given.up && standing.resources.length > 0 && standing.notApplied.length > 0) {
    return notAppliedResult(rollout, standing.notApplied);
  }
  if (next !== undefined && given.to !== undefined && !given.new) {
    await refuseUnknown(given.to, rollout, state, guards.settings.guards.approvedAgents ?? []);
  }
  const reasons = [
    ...waitsForStack(rollout, standing, next === undefined ? { ...soak, minSoak: undefined } : soak),
    ...(next === undefined ? [] : waitsForApproval(next, guards)),
    ...(next === undefined || other === undefined ? [] : await waitsThere(next, other, soak)),
  ];
  if (reasons.length > 0) {
    return waitResult(reasons, rollout);
  }
  if (next === undefined) {
    const text = nothingToPromote(rollout, standing);
    return { code: 3, text, outcome: "nothing to promote", ...rolloutJson(rollout) };
  }
  return withCheck({ rollout, standing, next, steps, check: given.check, now: soak.now });
}

/** With `--up`: the step that the file has already is not on every number yet. */
const notAppliedResult = (rollout: StackRollout, notApplied: readonly string[]): Result => ({
  ...waitResult(notApplied, rollout),
  text: `Not promoted: ${notApplied.join("; ")}. What ${rollout.file.shown} says is applied first.`,
  isUnapplied: true,
});

/** Why the rollout has to wait for the stack that is to be first. */
async function waitsThere(next: Rollout, other: StackRollout, soak: Soak): Promise<string[]> {
  const { stack, name, value, workspace } = other;
  const short = waitsForAfter(next, stack, value);
  if (short.length > 0) {
    return short;
  }
  const standing = stackRollout(name, value, await readState(stack, workspace.io));
  return waitsForStack(other, standing, soak).map((reason) => `in stack ${stack}, ${reason}`);
}

// --- the check, and the edit

async function withCheck(promotion: Promotion): Promise<Promotion | Result> {
  const { rollout, next, standing, check } = promotion;
  if (check === undefined) {
    return promotion;
  }
  const { stable, candidate = "", percent } = next;
  const input = {
    name: rollout.name,
    stack: rollout.stack,
    stable,
    candidate,
    percent: String(percentOfAgent(candidate, rollout.value)),
    next: String(percent),
    since: standing.since?.toISOString() ?? "",
  };
  const failed = await runCheck(check, input, standing.numbers, rollout.workspace.io);
  return failed === undefined ? promotion : waitResult([`the check ${failed}. Nothing was changed.`], rollout);
}

/** Writes a promotion, into what the file has by now: another one may have been written into it. */
export async function writePromotion(promotion: Promotion, isDry: boolean, isUp: boolean): Promise<Result> {
  const { rollout, standing } = promotion;
  const decide = ({ value }: StackRollout) => (same(value, rollout.value) ? promotion.next : undefined);
  const { next, note } = await rewrite(rollout, decide, isDry);
  if (next === undefined) {
    const reason = `${rollout.file.shown} was changed while this command ran. Nothing was written. Run it again.`;
    return waitResult([reason], rollout);
  }
  // Else its reviewers meet the freeze only after a commit.
  const freeze = isUp || freezeIn(rollout.config) === undefined ? undefined : applyText(rollout);
  return {
    code: 0,
    text: `${headText(promotion)}\n\n${present([note, isDry ? NOT_WRITTEN : endText(promotion), freeze]).join("\n")}`,
    outcome: isDry ? "not written" : "written",
    ...rolloutJson(rollout, next),
    since: standing.since,
    numbers: standing.numbers.length,
  };
}

function headText({ rollout: { name, stack, value }, standing, next, steps, check, now }: Promotion): string {
  const { since, numbers } = standing;
  const percent = percentOf(value);
  const isStart = next.candidate !== value.candidate || percent === 0 || percent === 100;
  const move = isStart
    ? `starts at ${percentText(percentOf(next))}, beside ${next.stable}`
    : `from ${percentText(percent)} to ${percentText(percentOf(next))}`;
  const agent = namedAgent(value);
  const at = `${isStart ? `${agent} ` : ""}at ${percentText(percentOfAgent(agent, value))}`;
  const age = since && ` since ${timeText(since)}, ${durationText(now.getTime() - since.getTime())}`;
  return [
    `${name} in ${stack}: ${next.candidate} ${move} (steps ${steps.join(", ")})`,
    `  ${at}${age ?? ""}; on ${counted(numbers.length, "number")}`,
    ...(check === undefined ? [] : [`  check passed: ${check}`]),
  ].join("\n");
}

function endText({ rollout, next, steps }: Promotion): string {
  const following = steps.find((step) => step > percentOf(next));
  const then =
    following === undefined ? `${next.candidate} then has all calls.` : `The next step is ${percentText(following)}.`;
  return `Written to ${rollout.file.shown}. ${then} To go back at any time: ${rolloutCommand("abort", rollout)}`;
}
