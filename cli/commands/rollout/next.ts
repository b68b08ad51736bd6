import { notApproved } from "../../../provider/core/change/approved";
import type { NamedRollout } from "../../../provider/core/routing/rollouts";
import { CALLED } from "../../command";
import { UsageError } from "../../errors";
import type { Standing } from "../../rollout/standing";
import { durationText, readDuration, timeText } from "../../rollout/time";
import { percentOf, percentOfAgent, percentText, type Rollout, subjectOf } from "../../rollout/value";
import type { guardsOf, Target } from "./target";

/** What promote may do next, and why it has to wait. Pure: it uses no file, no clock and no process. */

interface Wish {
  /** The candidate to start with: from `--to`, or from the stack that is to be first. */
  readonly to?: string | undefined;
  /** Was it named with `--to`? */
  readonly isNamed: boolean;
  readonly steps: readonly number[];
}

/** The stable agent of the next rollout: the candidate, if it has all calls. */
const nextStable = (now: Rollout): string => (percentOf(now) === 100 ? (now.candidate ?? now.stable) : now.stable);

/** The next value, or undefined if there is nothing to promote. */
export function nextValue(now: NamedRollout, { to, isNamed, steps }: Wish): NamedRollout | undefined {
  const percent = percentOf(now);
  const isUnderWay = percent > 0 && percent < 100;
  if (isUnderWay && isNamed) {
    const rule = "Promote it to 100 %, or abort it, before another one starts.";
    throw new UsageError(`${now.candidate} has ${percentText(percent)} of the calls. ${rule}`);
  }
  if (isNamed && to === now.stable && percent < 100) {
    throw new UsageError(`${to} is the stable agent. --to takes another one.`);
  }
  const candidate = isUnderWay ? now.candidate : (to ?? (percent === 0 ? now.candidate : undefined));
  const stable = nextStable(now);
  // A candidate that was aborted starts again only if it is named.
  const isAgain = !isNamed && candidate === now.aborted?.agent;
  if (candidate === undefined || candidate === stable || isAgain) {
    return undefined;
  }
  const next = steps.find((step) => step > (percent === 100 ? 0 : percent)) ?? 100;
  const { aborted: _, ...rest } = now;
  return { ...rest, stable, candidate, percent: next };
}

// --- why a promotion has to wait; each is empty if it need not

/** Do all numbers of the rollout have what the file says, for as long as `promote.minSoak` asks? */
export function heldByStack({ stack, file, found }: Target, standing: Standing | undefined, soak: Soak): string[] {
  if (standing === undefined) {
    return [`no resource of stack ${stack} has the rollout ${found.name}. Apply ${file.shown} first.`];
  }
  return standing.lags.length > 0
    ? standing.lags.map((lag) => `${lag}. Run \`pulumi up --stack ${stack}\` until it succeeds.`)
    : heldBySoak(found.value, standing.since, soak);
}

interface Soak {
  readonly minSoak?: string | undefined;
  readonly now: Date;
}

function heldBySoak(rollout: Rollout, since: Date | undefined, { minSoak, now }: Soak): string[] {
  if (minSoak === undefined) {
    return [];
  }
  const agent = subjectOf(rollout);
  const what = `${agent} is at ${percentText(percentOfAgent(agent, rollout))}`;
  const asks = `promote.minSoak asks for ${minSoak}`;
  if (since === undefined) {
    const how = "To count from now on, change `triggers`, which sends it again.";
    return [`${what}, and the state does not say since when; ${asks}. ${how}`];
  }
  const age = now.getTime() - since.getTime();
  const ready = since.getTime() + (readDuration(minSoak) ?? 0);
  // The next whole minute, because the text has no seconds.
  const at = timeText(new Date(Math.ceil(ready / 60_000) * 60_000));
  return now.getTime() >= ready ? [] : [`${what} for ${durationText(age)}; ${asks}. Ready at ${at}.`];
}

/** Does the stack that is to be first give the agent less than all its calls? */
export function heldByAfter({ candidate = "" }: Rollout, stack: string, there: Rollout, after: string): string[] {
  const percent = percentOfAgent(candidate, there);
  const asks = `promote.after: ${after} asks for 100 %`;
  return percent === 100 ? [] : [`stack ${stack} gives ${candidate} ${percentText(percent)}; ${asks}.`];
}

/** Would the guard approvedAgents refuse the next percentage? */
export function heldByApproval(next: Rollout, guards: ReturnType<typeof guardsOf>): string[] {
  const { approvedAgents, maxUnapproved, list } = guards;
  const { candidate = "", percent = 0 } = next;
  if (approvedAgents === undefined || approvedAgents.includes(candidate) || percent <= maxUnapproved) {
    return [];
  }
  const { meant } = notApproved(candidate, approvedAgents);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  const rule = `would get ${percentText(percent)}; agents that are not approved may get ${percentText(maxUnapproved)}`;
  return [`${candidate} is not in ${list} and ${rule}. Approve it there.${hint}`];
}

/** What to do if there is nothing to promote. */
export function nothingText({ found, stack }: Target, { since }: Standing): string {
  const { aborted } = found.value;
  const has = `${nextStable(found.value)} has all calls${since === undefined ? "" : ` since ${timeText(since)}`}`;
  const start = `${CALLED} promote ${found.name} --stack ${stack} --to`;
  if (aborted === undefined) {
    return `Nothing to promote: ${has}. Start the next: ${start} <agent>`;
  }
  const was = `${aborted.agent} was aborted at ${timeText(new Date(aborted.at))}`;
  return `Nothing to promote: ${was}, and ${has}. To start it again: ${start} ${aborted.agent}`;
}
