import type { NamedRollout } from "../../provider/core/routing/rollouts";
import { CALLED } from "../command";
import { UsageError } from "../errors";
import { freezeIn, type StackGuards } from "../pulumi/guards";
import { percentOf, percentText, type Rollout, type StackRollout as Standing } from "../stack/rollout";
import { timeText } from "../stack/time";
import { type Soak, waitsForSoak } from "../stack/waits";
import { applyText } from "./apply";
import { pulumiCommand, rolloutCommand, type StackRollout } from "./stackFile";

/** What promote may do next, and why it has to wait. Pure: it uses no file, no clock and no process. */

/** The stable agent of the next rollout: the candidate, if it has all calls. */
const nextStable = (now: Rollout): string => (percentOf(now) === 100 ? (now.candidate ?? now.stable) : now.stable);

/**
 * The next value, or undefined if there is nothing to promote.
 * @param named the candidate of `--to`
 * @param first that of the stack that is to be first
 */
export function nextValue(
  now: NamedRollout,
  named: string | undefined,
  first: string | undefined,
  steps: readonly number[],
): NamedRollout | undefined {
  const percent = percentOf(now);
  const isUnderWay = percent > 0 && percent < 100;
  const candidate = isUnderWay ? now.candidate : (named ?? first ?? (percent === 0 ? now.candidate : undefined));
  const stable = nextStable(now);
  // A candidate that was aborted starts again only if it is named. After a return to an older agent, each of those since then was taken back.
  const isAgain = named === undefined && (candidate === now.aborted?.agent || now.aborted?.to !== undefined);
  if (candidate === undefined || candidate === stable || isAgain) {
    return undefined;
  }
  const next = steps.find((step) => step > (percent === 100 ? 0 : percent)) ?? 100;
  const { aborted: _, ...rest } = now;
  return { ...rest, stable, candidate, percent: next };
}

/** Another rollout starts only after this one, and only with another agent. @param to the agent of `--to` */
export function refuseNamed(rollout: StackRollout, to: string | undefined): void {
  const { value: now } = rollout;
  const percent = percentOf(now);
  if (to === undefined) {
    return;
  }
  if (percent > 0 && percent < 100) {
    const has = `${now.candidate} has ${percentText(percent)} of the calls. Promote it to 100 %, or abort it, before another one starts.`;
    const promote = rolloutCommand("promote", rollout);
    const isSame = to === now.candidate;
    throw new UsageError(
      isSame ? `${to} is under way already, at ${percentText(percent)}. Promote it: ${promote}` : has,
    );
  }
  if (to === now.stable && percent < 100) {
    throw new UsageError(`${to} is the stable agent. --to takes another one.`);
  }
}

// --- why a promotion has to wait; each is empty if it need not

/** Do all numbers of the rollout have what the file says, for as long as `promote.minSoak` asks? */
export function waitsForStack(rollout: StackRollout, standing: Standing, soak: Soak): string[] {
  const { stack, file, name, value } = rollout;
  if (standing.resources.length === 0 && !standing.isStopped) {
    return [`no resource of stack ${stack} has the rollout ${name}. Apply ${file.shown} first.`];
  }
  const { notApplied, since } = standing;
  const last = notApplied.length - 1;
  return last < 0
    ? waitsForSoak(value, since, soak)
    : notApplied.map((one, index) => (index < last ? `${one}.` : `${one}. ${howToApply(rollout, standing)}`));
}

/** What was under way when a run was stopped comes first: it may be a chat that the next `pulumi up` sends again. */
function howToApply(rollout: StackRollout, { isStopped }: Standing): string {
  if (isStopped) {
    return `What to do first: ${CALLED} doctor --stack ${rollout.stack}`;
  }
  return freezeIn(rollout.config) === undefined
    ? `Run \`${pulumiCommand(rollout, "up")}\` until it succeeds, or remove numbers that the platform keeps refusing from the program.`
    : applyText(rollout);
}

/** Would the guard approvedAgents refuse the next percentage? The preview would say so only after a commit. */
export function waitsForApproval({ candidate = "", percent = 0 }: Rollout, { settings }: StackGuards): string[] {
  const { approvedAgents, maxUnapproved } = settings.guards;
  if (approvedAgents === undefined || approvedAgents.includes(candidate) || percent <= maxUnapproved) {
    return [];
  }
  const rule = `would get ${percentText(percent)}; agents that are not approved may get ${percentText(maxUnapproved)}`;
  return [`${candidate} is not in approvedAgents and ${rule}. Approve it there.`];
}

/** What to do if there is nothing to promote. */
export function nothingToPromote(rollout: StackRollout, { since }: Standing): string {
  const { value } = rollout;
  const { aborted } = value;
  const has = `${nextStable(value)} has all calls${since === undefined ? "" : ` since ${timeText(since)}`}`;
  const start = `${rolloutCommand("promote", rollout)} --to`;
  if (aborted === undefined) {
    return `Nothing to promote: ${has}. Start the next: ${start} <agent>`;
  }
  const was = `${aborted.agent} was aborted at ${timeText(new Date(aborted.at))}`;
  return `Nothing to promote: ${was}, and ${has}. To start it again: ${start} ${aborted.agent}`;
}
