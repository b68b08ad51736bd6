import { same } from "../../provider/base/json";
import { isAborted, type RolloutEntry } from "../../provider/routing/rollout";
import { counted } from "../../provider/words/message";

import { UsageError } from "../errors";
import type { Io } from "../io";
import { present } from "../lists";
import { configName, findRollout, freezeIn, pulumiCommand, readConfig, setRollout } from "../pulumi/config";
import { percentOf, percentOfAgent, percentText, type StackRollout, stepsIn } from "../stack/rollout";
import { durationText, readDuration, timeText } from "../stack/time";
import { applyText, DOCTOR, NOT_WRITTEN, type ReadRollout, type Result, rolloutCommand, rolloutJson } from "./apply";

/** A promotion that may be written. */
export interface Promotion extends ReadRollout {
  readonly next: RolloutEntry;
  readonly steps: readonly number[];
  readonly now: Date;
}

interface PromoteValues {
  /** The agent that starts. */
  readonly to?: string | undefined;
  /** Is what the config says applied, if a number does not have it? */
  readonly up?: boolean | undefined;
}

/** A promotion that may be written, or what is said if it may not. */
export function judge(read: ReadRollout, { to, up }: PromoteValues, now: Date): Promotion | Result {
  const { rollout } = read;
  const { entry, resources, notApplied } = rollout;
  const steps = stepsOf(read);
  refuseNamed(read, to);
  const next = nextEntry(entry, to, steps);
  if (up && resources.length > 0 && notApplied.length > 0) {
    const text = `Not promoted: ${notApplied.join("; ")}. What ${configName(read.target)} says is applied first.`;
    return { ...heldResult(notApplied, rollout), text, isUnapplied: true };
  }
  const reasons = [...waitsForNumbers(read), ...(next === undefined ? [] : waitsForSoak(rollout, now))];
  if (reasons.length > 0) {
    return heldResult(reasons, rollout);
  }
  return next === undefined
    ? { code: 3, text: nothingToPromote(read), outcome: "nothing to promote", ...rolloutJson(rollout) }
    : { ...read, next, steps, now };
}

const heldResult = (reasons: readonly string[], rollout: StackRollout): Result => ({
  code: 1,
  text: reasons.map((reason) => `Held: ${reason}`).join("\n"),
  outcome: "held",
  ...rolloutJson(rollout),
  reasons,
});

function stepsOf({ target, config }: ReadRollout): readonly number[] {
  const { data, error } = stepsIn(config) ?? {};
  if (error) {
    throw new UsageError(`agent-platform:steps ${error.issues[0]?.message}.`);
  }
  if (data === undefined) {
    const set = pulumiCommand(target, "config", "set", "agent-platform:steps", "[1, 10, 50, 100]");
    throw new UsageError(`Stack ${target.stack} has no steps, so the next percentage is not known. Set them: ${set}`);
  }
  return data;
}

/** Another rollout starts only after this one, and only with another agent. @param to the agent of `--to` */
function refuseNamed(read: ReadRollout, to: string | undefined): void {
  const { entry } = read.rollout;
  const percent = percentOf(entry);
  if (to === undefined) {
    return;
  }
  if (percent > 0 && percent < 100) {
    const promote = rolloutCommand("promote", read);
    throw new UsageError(
      to === entry.candidate
        ? `${to} is under way already, at ${percentText(percent)}. Promote it: ${promote}`
        : `${entry.candidate} is under way, at ${percentText(percent)}. Promote it to 100 %, or abort it, before another one starts.`,
    );
  }
  if (to === entry.stable && percent < 100) {
    throw new UsageError(`${to} is the stable agent. --to takes another one.`);
  }
}

/** The stable agent of the next rollout: the candidate, if it has all calls. */
const nextStable = (now: RolloutEntry): string => (percentOf(now) === 100 ? (now.candidate ?? now.stable) : now.stable);

/** What the rollout becomes; undefined if there is nothing to promote. An agent that was aborted starts again only if `--to` names it. */
function nextEntry(now: RolloutEntry, to: string | undefined, steps: readonly number[]): RolloutEntry | undefined {
  const percent = percentOf(now);
  const isOver = percent === 100 || isAborted(now);
  const candidate = to ?? (isOver ? undefined : now.candidate);
  const stable = nextStable(now);
  if (candidate === undefined || candidate === stable) {
    return undefined;
  }
  const next = steps.find((step) => step > (percent === 100 ? 0 : percent)) ?? 100;
  return { ...now, stable, candidate, percent: next };
}

// --- why it has to wait; each is empty if it need not

/** Do all numbers have what the config says? What was under way when a run was stopped comes first: it may be a chat that is sent again. */
function waitsForNumbers({ target, config, rollout }: ReadRollout): string[] {
  const { stack, name, resources, stopped, notApplied } = rollout;
  if (resources.length === 0 && stopped.length === 0) {
    return [`no resource of stack ${stack} has the rollout ${name}. Apply it first: ${pulumiCommand(target, "up")}`];
  }
  const up = `Run \`${pulumiCommand(target, "up")}\` until it succeeds, or remove numbers that the platform keeps refusing from the program.`;
  const apply = freezeIn(config) === undefined ? up : applyText(config, pulumiCommand(target, "up"));
  const how = stopped.length > 0 ? `What to do first: ${DOCTOR} --stack ${stack}` : apply;
  return notApplied.map((one, index) => (index < notApplied.length - 1 ? `${one}.` : `${one}. ${how}`));
}

/** Have callers had the present percentage for as long as `promote.minSoak` asks? */
function waitsForSoak({ entry, since }: StackRollout, now: Date): string[] {
  const { minSoak } = entry.promote ?? {};
  if (minSoak === undefined) {
    return [];
  }
  const what = agentAt(entry);
  const asks = `promote.minSoak asks for ${minSoak}`;
  if (since === undefined) {
    const how = "To count from now on, change `triggers`, which sends it again.";
    return [`${what}, and the state does not say since when; ${asks}. ${how}`];
  }
  const ready = since.getTime() + (readDuration(minSoak) ?? 0);
  // The next whole minute, because the text has no seconds.
  const at = timeText(new Date(Math.ceil(ready / 60_000) * 60_000));
  const age = durationText(now.getTime() - since.getTime());
  return now.getTime() >= ready ? [] : [`${what} for ${age}; ${asks}. Ready at ${at}.`];
}

/** `agent_front@13 is at 10 %`: the candidate while it has calls, else the stable agent. */
function agentAt(entry: RolloutEntry): string {
  const agent = percentOf(entry) > 0 && entry.candidate !== undefined ? entry.candidate : entry.stable;
  return `${agent} is at ${percentText(percentOfAgent(agent, entry))}`;
}

/** What to do if there is nothing to promote. */
function nothingToPromote(read: ReadRollout): string {
  const { entry, since } = read.rollout;
  const has = `${nextStable(entry)} has all calls${since === undefined ? "" : ` since ${timeText(since)}`}`;
  const start = `${rolloutCommand("promote", read)} --to`;
  return isAborted(entry)
    ? `Nothing to promote: ${abortedText(entry)}, and ${has}. To start it again: ${start} ${entry.aborted.agent}`
    : `Nothing to promote: ${has}. Start the next: ${start} <agent>`;
}

const abortedText = ({ aborted }: RolloutEntry): string =>
  aborted === undefined ? "" : `${aborted.agent} was aborted at ${timeText(new Date(aborted.at))}`;

// --- it is written

export async function writePromotion(
  promotion: Promotion,
  isDry: boolean | undefined,
  isUp: boolean | undefined,
  io: Io,
): Promise<Result> {
  const { target, rollout, next } = promotion;
  const config = await readConfig(target, io);
  // It may have been aborted while other stacks were read.
  if (!same(findRollout(config, rollout.name, target).entry, rollout.entry)) {
    const reason = `${configName(target)} was changed while this command ran. Nothing was written. Run it again.`;
    return heldResult([reason], rollout);
  }
  if (!isDry) {
    await setRollout(target, rollout.name, next, config, io);
  }
  // Else its reviewers meet the freeze only after a commit.
  const freeze = isUp || freezeIn(config) === undefined ? [] : [applyText(config, pulumiCommand(target, "up"))];
  return {
    code: 0,
    text: [headText(promotion), "", isDry ? NOT_WRITTEN : writtenText(promotion), ...freeze].join("\n"),
    outcome: isDry ? "not written" : "written",
    ...rolloutJson(rollout, next),
    since: rollout.since,
    numbers: rollout.numbers.length,
  };
}

function headText({ rollout: { name, stack, entry, since, numbers }, next, steps, now }: Promotion): string {
  const percent = percentOf(entry);
  const isStart = next.candidate !== entry.candidate || percent === 0 || percent === 100;
  const move = isStart
    ? `starts at ${percentText(percentOf(next))}, beside ${next.stable}`
    : `from ${percentText(percent)} to ${percentText(percentOf(next))}`;
  const age = since === undefined ? "" : ` since ${timeText(since)}, ${durationText(now.getTime() - since.getTime())}`;
  const wasAborted = isStart && next.candidate === entry.aborted?.agent;
  return present([
    `${name} in ${stack}: ${next.candidate} ${move} (steps ${steps.join(", ")})`,
    `  ${agentAt(entry)}${age}; on ${counted(numbers.length, "number")}`,
    wasAborted && `  ${abortedText(entry)}, when it had ${percentText(entry.aborted?.percent ?? 0)}`,
  ]).join("\n");
}

function writtenText(promotion: Promotion): string {
  const { target, next, steps } = promotion;
  const following = steps.find((step) => step > percentOf(next));
  const then =
    following === undefined ? `${next.candidate} then has all calls.` : `The next step is ${percentText(following)}.`;
  const back = `${rolloutCommand("abort", promotion)} --up`;
  return `Written to ${configName(target)}. ${then} To go back at any time: ${back}`;
}
