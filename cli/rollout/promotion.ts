import { same } from "../../provider/core/common/equality";
import { counted } from "../../provider/core/messages";
import type { NamedRollout } from "../../provider/core/routing/rollouts";
import { CALLED } from "../command";
import { present } from "../lists";
import { guardsIn } from "../pulumi/guards";
import { approvedIn } from "../pulumi/projectFile";
import { readState } from "../pulumi/stackExport";
import { valuesOf } from "../pulumi/stacks";
import { percentOf, percentOfAgent, percentText, type Rollout, subjectOf } from "../stack/rollout";
import { type Standing, standingOf } from "../stack/standing";
import { durationText, timeText } from "../stack/time";
import { type Soak, waitsForAfter } from "../stack/waits";
import { runCheck } from "./check";
import { refuseUnknown } from "./known";
import { nextValue, nothingText, waitsForApproval, waitsForStack } from "./next";
import { NOT_WRITTEN, type Result, readTarget, rewrite, stepsOf, type Target, targetJson } from "./target";

/** One promotion: it is judged first, and no file is changed for that. Then it is written. */

export interface Given {
  readonly to?: string | undefined;
  readonly check?: string | undefined;
  /** Is what the file says applied, if a number does not have it? */
  readonly up?: boolean | undefined;
  /** Is the agent of `to` new? Then no typing mistake is looked for. */
  readonly new?: boolean | undefined;
}

/** A promotion that has passed its gates and its check. */
export interface Promotion {
  readonly target: Target;
  readonly standing: Standing;
  readonly next: NamedRollout;
  readonly steps: readonly number[];
  readonly check: string | undefined;
  readonly now: Date;
}

const waiting = (reasons: readonly string[], target: Target): Result => ({
  code: 1,
  text: reasons.map((reason) => `Held: ${reason}`).join("\n"),
  outcome: "held",
  ...targetJson(target),
  reasons,
});

/** A promotion that may be written, or what is said if it may not. */
export async function judge(target: Target, given: Given): Promise<Promotion | Result> {
  const { found, stack, config, place } = target;
  const { project, io } = place;
  const { after = "", minSoak } = found.value.promote ?? {};
  const soak = { minSoak, now: io.now() };
  const other = after === "" ? undefined : await readTarget({ project, io }, after, found.name);
  const steps = stepsOf(config, stack);
  const guards = guardsIn(valuesOf(config), false, approvedIn(io));
  const state = await readState(stack, io);
  const standing = standingOf(found.name, found.value, state);
  const { to = other && subjectOf(other.found.value) } = given;
  const next = nextValue(found.value, { to, isNamed: given.to !== undefined, steps });
  if (given.up && standing !== undefined && standing.lags.length > 0) {
    return unapplied(target, standing.lags);
  }
  if (next !== undefined && given.to !== undefined && !given.new) {
    await refuseUnknown(given.to, target, state, guards.settings.guards.approvedAgents ?? []);
  }
  const reasons = [
    ...waitsForStack(target, standing, next === undefined ? { ...soak, minSoak: undefined } : soak),
    ...(next === undefined ? [] : waitsForApproval(next, guards)),
    ...(next === undefined || other === undefined ? [] : await waitsThere(next, other, after, soak)),
  ];
  if (reasons.length > 0 || standing === undefined) {
    return waiting(reasons, target);
  }
  if (next === undefined) {
    return { code: 3, text: nothingText(target, standing), outcome: "nothing to promote", ...targetJson(target) };
  }
  return withCheck({ target, standing, next, steps, check: given.check, now: soak.now });
}

/** With `--up`: the step that the file has already is not on every number yet. */
const unapplied = (target: Target, lags: readonly string[]): Result => ({
  ...waiting(lags, target),
  text: `Not promoted: ${lags.join("; ")}. What ${target.file.shown} says is applied first.`,
  isUnapplied: true,
});

/** Why the stack that is to be first holds it. */
async function waitsThere(next: Rollout, other: Target, after: string, soak: Soak) {
  const { stack, found, place } = other;
  const short = waitsForAfter(next, stack, found.value, after);
  if (short.length > 0) {
    return short;
  }
  const standing = standingOf(found.name, found.value, await readState(stack, place.io));
  return waitsForStack(other, standing, soak).map((reason) => `in stack ${stack}, ${reason}`);
}

// --- the check, and the edit

async function withCheck(promotion: Promotion): Promise<Promotion | Result> {
  const { target, next, standing, check } = promotion;
  if (check === undefined) {
    return promotion;
  }
  const { stable, candidate = "", percent } = next;
  const input = {
    name: target.found.name,
    stack: target.stack,
    stable,
    candidate,
    percent: String(percentOfAgent(candidate, target.found.value)),
    next: String(percent),
    since: standing.since?.toISOString() ?? "",
  };
  const failed = await runCheck(check, input, standing.numbers, target.place.io);
  return failed === undefined ? promotion : waiting([`the check ${failed}. Nothing was changed.`], target);
}

/** Writes a promotion, into what the file has by now: another one may have been written into it. */
export async function write(promotion: Promotion, isDry: boolean): Promise<Result> {
  const { target, next, standing } = promotion;
  const { shown } = target.file;
  const decide = ({ found }: Target) => (same(found.value, target.found.value) ? next : undefined);
  const written = await rewrite(target, decide, isDry);
  if (written === undefined) {
    return waiting([`${shown} was changed while this command ran. Nothing was written. Run it again.`], target);
  }
  return {
    code: 0,
    text: `${headText(promotion)}\n\n${present([written.note, isDry ? NOT_WRITTEN : endText(promotion)]).join("\n")}`,
    outcome: isDry ? "not written" : "written",
    ...targetJson(target, next),
    since: standing.since,
    numbers: standing.numbers.length,
  };
}

function headText({ target, standing, next, steps, check, now }: Promotion): string {
  const { found, stack } = target;
  const { since, numbers } = standing;
  const percent = percentOf(found.value);
  const isStart = next.candidate !== found.value.candidate || percent === 0 || percent === 100;
  const move = isStart
    ? `starts at ${percentText(percentOf(next))}, beside ${next.stable}`
    : `from ${percentText(percent)} to ${percentText(percentOf(next))}`;
  const agent = subjectOf(found.value);
  const at = `${isStart ? `${agent} ` : ""}at ${percentText(percentOfAgent(agent, found.value))}`;
  const age = since && ` since ${timeText(since)}, ${durationText(now.getTime() - since.getTime())}`;
  return [
    `${found.name} in ${stack}: ${next.candidate} ${move} (steps ${steps.join(", ")})`,
    `  ${at}${age ?? ""}; on ${counted(numbers.length, "number")}`,
    ...(check === undefined ? [] : [`  check passed: ${check}`]),
  ].join("\n");
}

function endText({ target: { file, found, stack }, next, steps }: Promotion): string {
  const following = steps.find((step) => step > percentOf(next));
  const then =
    following === undefined ? `${next.candidate} then has all calls.` : `The next step is ${percentText(following)}.`;
  const back = `To go back at any time: ${CALLED} abort ${found.name} --stack ${stack}`;
  return `Written to ${file.shown}. ${then} ${back}`;
}
