import { postedAs } from "../../provider/config/kinds";
import { bypassIn } from "../../provider/config/settings";
import { judgeChange } from "../../provider/numbers/guards";
import { membersOf } from "../../provider/routing/group";
import { isAborted, namedRollout, type RolloutEntry, splitOf } from "../../provider/routing/rollout";
import { violationFix, violationText } from "../../provider/run/violation";
import { counted, shortList } from "../../provider/words/message";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { present } from "../lists";
import { findRollout, freezeReason, guardsIn, readConfig, setRollout, valuesOf } from "../pulumi/config";
import { isAbort, isDestroyed, isFailedDestroy, type LastRun, readLastRun, runTitle } from "../pulumi/history";
import { readState, type StackState, stateIn } from "../pulumi/state";
import { configName, pulumiCommand, type Target, withBypass } from "../pulumi/target";
import { hasSplit } from "../state/callers";
import { failedResources, KILLED_HINT } from "../state/findings";
import { isPosting, openOperations, pendingText, resourceTitle } from "../state/resources";
import {
  applyCommand,
  commandToAbort,
  isLeftBehind,
  missingAbort,
  missingPromotion,
  percentOf,
  percentOfAgent,
  percentText,
  STEPS,
  type StackRollout,
  stackRollout,
  stepsIn,
  whyBypassNeeded,
} from "../state/stackRollout";
import { durationText, readDuration, timeText } from "../state/time";
import {
  type ActionResult,
  type ActionValues,
  applyText,
  destroyedText,
  finishDestroy,
  lookFirst,
  NOT_WRITTEN,
  type ReadRollout,
  rolloutCommand,
  rolloutJson,
  stoppedBefore,
  type ToApply,
} from "./apply";

/**
 * Writes the next step of a rollout to the config.
 * @param values `to` is the agent with which a new rollout starts. With `up`, if a number may lack the split that is
 * already configured, nothing is written, and only that split is applied
 */
export async function promote(
  target: Target,
  name: string | undefined,
  { to, up, "dry-run": isDry }: ActionValues,
  io: Io,
): Promise<ActionResult> {
  const [state, lastRun] = await Promise.all([readState(target, io), readLastRun(target.stack, io)]);
  // Read the config as late as possible, because an abort in another process may change it before the promotion is
  // written.
  const config = await readConfig(target, io);
  const found = findRollout(config, name, target);
  const rollout = stackRollout(found.name, found.entry, state);
  const read = { target, config, rollout };
  const { resources, notApplied, since, numbers } = rollout;
  const steps = stepsOf(read);
  refuseNamed(read, to);
  const next = nextEntry(found.entry, to, steps);

  const unsafe = waitsForSafeUp(read, state, lastRun, to, next ?? found.entry);
  if (unsafe.length > 0) {
    return held(rollout, unsafe);
  }
  const again = `${rolloutCommand("promote", read)}${to === undefined ? "" : ` --to ${to}`}${up ? " --up" : ""}`;
  const unexplained = waitsForCause(read, state, lastRun, up);
  if (up && resources.length > 0 && notApplied.length > 0 && leftBehind(rollout).length === 0) {
    return earlierStep(read, to, again, unexplained);
  }
  const missing = waitsForNumbers(read, state, lastRun);
  if (missing.length > 0) {
    return held(rollout, missing);
  }
  if (next === undefined) {
    return {
      result: { code: 3, text: nothingToPromote(read), outcome: "nothing to promote", ...rolloutJson(rollout) },
    };
  }
  const isBypassed = bypassIn(io.env) !== undefined;
  const reasons = [
    ...unexplained,
    ...waitsForSoak(rollout, state, io.now()),
    ...(isBypassed ? [] : waitsForGuards(read, next, again)),
  ];
  if (reasons.length > 0) {
    return held(rollout, reasons);
  }
  if (!isDry) {
    await setRollout(target, found.name, next, config, io);
  }
  const frozen = whyBypassNeeded({ entry: next, resources }, config);
  const text = present([
    ...moveLines(rollout, next, steps, io.now()),
    "",
    isDry ? NOT_WRITTEN : writtenText(read, next, steps, frozen !== undefined),
    // While the stack is frozen, `pulumi up` needs a bypass too, so show a command that includes it.
    !up && frozen !== undefined && applyText(frozen, pulumiCommand(target, "up"), "this step"),
  ]).join("\n");
  const outcome = isDry ? "not written" : "written";
  return {
    result: { code: 0, text, outcome, ...rolloutJson(rollout, next), since, numbers: numbers.length },
    toApply: ordinaryUp(read, next),
  };
}

/** Makes `--up` run `pulumi up` for the whole program. Unlike an abort, a promotion is an ordinary deployment. */
const ordinaryUp = (read: ReadRollout, entry: RolloutEntry): ToApply => ({
  ...read,
  rollout: { ...read.rollout, entry },
  command: pulumiCommand(read.target, "up"),
  up: { args: [] },
});

/**
 * Returns the result of a `promote --up` that promotes nothing, because some numbers may lack the split that is already
 * configured. The command applies only that split.
 */
function earlierStep(
  read: ReadRollout,
  to: string | undefined,
  again: string,
  unexplained: readonly string[],
): ActionResult {
  const { rollout, target } = read;
  if (unexplained.length > 0) {
    return held(rollout, unexplained);
  }
  const text = `Not promoted: ${rollout.notApplied.join("; ")}. This run applies the split in ${configName(target)} first.`;
  return {
    result: { code: 1, text, outcome: "held", ...rolloutJson(rollout), reasons: rollout.notApplied },
    toApply: ordinaryUp(read, rollout.entry),
    notPromoted: notPromotedText(read.rollout.entry, to, again),
  };
}

function notPromotedText(entry: RolloutEntry, to: string | undefined, again: string): string {
  const only = "this run only applied the split that was already in the config";
  if (to !== undefined) {
    return `The rollout of ${to} was not started: ${only}. To start it, run ${again}`;
  }
  // An aborted rollout has no next step, so there is no command that continues it.
  return `Nothing was promoted: ${only}.${isAborted(entry) ? "" : ` To continue, run ${again}`}`;
}

function stepsOf({ target, config }: ReadRollout): readonly number[] {
  const { data, error } = stepsIn(config) ?? {};
  if (error) {
    throw new UsageError(`agent-platform:steps ${error.issues[0]?.message}.`);
  }
  if (data === undefined) {
    const set = pulumiCommand(target, "config", "set", STEPS, "[1, 10, 50, 100]", "--plaintext");
    const why = config[STEPS]?.secret ? `${STEPS} is secret` : `Stack ${target.stack} has no steps`;
    throw new UsageError(`${why}, so the next percentage is not known. To set the steps, run ${set}`);
  }
  return data;
}

/**
 * Throws if `--to` would start a rollout before the current one ends, or if it names the stable agent and that agent
 * already receives all calls.
 * @param to the agent given by `--to`
 */
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
        ? `The rollout of ${to} has already started and is at ${percentText(percent)}. To promote it, run ${promote}`
        : `The rollout of ${entry.candidate} is at ${percentText(percent)}. Promote it to 100% or abort it before you start another rollout.`,
    );
  }
  if (to === entry.stable && percent < 100) {
    throw new UsageError(`${to} is already the stable agent. Pass another agent to --to.`);
  }
}

/**
 * Returns the stable agent of the next rollout: the current candidate if it has all calls, and otherwise the current
 * stable agent.
 */
const nextStable = (now: RolloutEntry): string => (percentOf(now) === 100 ? (now.candidate ?? now.stable) : now.stable);

/**
 * Returns the rollout after this promotion, or undefined if there is nothing to promote. An aborted agent gets calls
 * again only if `--to` names it.
 */
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

// --- reasons to hold a promotion

function held(rollout: StackRollout, reasons: readonly string[]): ActionResult {
  const text = reasons.map((reason) => `Held: ${reason}`).join("\n");
  return { result: { code: 1, text, outcome: "held", ...rolloutJson(rollout), reasons } };
}

/** Returns the reasons to hold the promotion because `pulumi up` might send an SMS again or lower a percentage. */
function waitsForSafeUp(
  read: ReadRollout,
  state: StackState,
  lastRun: LastRun | undefined,
  to: string | undefined,
  next: RolloutEntry,
): string[] {
  const { target } = read;
  return isFailedDestroy(lastRun)
    ? [`the last run of stack ${target.stack} was a destroy that failed. ${finishDestroy(target)}`]
    : [...waitsForPosts(state), ...waitsForDeletes(state), ...waitsForConfig(read, to, next)];
}

/**
 * Returns a reason to hold the promotion for each voice or chat that a stopped run may have created, because the
 * next `pulumi up` would create it again.
 */
const waitsForPosts = (state: StackState): string[] =>
  openOperations(state)
    .filter(isPosting)
    .map(
      (pending) =>
        `${pendingText(pending, resourceTitle(pending))}. The next \`pulumi up\` ${postedAs(pending.kind).sends}, possibly for the second time. ${lookFirst(state.target)}`,
    );

/**
 * Returns a reason to hold the promotion for each resource that a stopped run was deleting, because that run may have
 * been a destroy.
 */
const waitsForDeletes = (state: StackState): string[] =>
  openOperations(state)
    .filter(({ operation }) => operation === "deleting")
    .map(
      (pending) =>
        `${pendingText(pending, resourceTitle(pending))}. If that run was a \`pulumi destroy\`, \`pulumi up\` would start the deleted chats again, which sends SMS. ${lookFirst(state.target)}`,
    );

/**
 * Returns the reasons to hold the promotion if the config lacks something that only the saved state contains:
 * - An abort that the config would undo, or that `next` would undo. `next` may do so if `--to` names the aborted agent.
 * - A promotion, which `pulumi up` would undo.
 */
function waitsForConfig({ target, rollout }: ReadRollout, to: string | undefined, next: RolloutEntry): string[] {
  const undoneByNext = missingAbort({ ...rollout, entry: next }, target);
  const aborted = missingAbort(rollout, target) ?? (undoneByNext?.agent === to ? undefined : undoneByNext);
  const missing = [aborted, missingPromotion(rollout, target)];
  return present(missing).map(({ problem, remedy }) => `${problem} ${remedy}`);
}

/**
 * Returns a reason to hold `promote --up` if the last run failed and the state doesn't say why. If the provider's
 * process was killed, a voice or chat may exist, and the next `pulumi up` would create it again. An abort creates none.
 */
function waitsForCause(
  { target, rollout }: ReadRollout,
  state: StackState,
  lastRun: LastRun | undefined,
  isUp = false,
): string[] {
  if (!isUp || lastRun?.result !== "failed" || isAbort(lastRun) || failedResources(state, lastRun).length > 0) {
    return [];
  }
  const sentences = present([
    `${runTitle(lastRun)} failed at ${timeText(lastRun.startTime)}, and Pulumi's history does not say why. ${KILLED_HINT}. Otherwise, run \`${pulumiCommand(target, "up")}\` until it succeeds.`,
    rollout.notApplied.length === 0 && "To write the step without applying it, leave out `--up`.",
  ]);
  return [sentences.join(" ")];
}

/** Titles of resources that a config change can't reach because of `ignoreChanges`. */
const leftBehind = ({ entry, resources }: StackRollout): string[] =>
  resources.filter((resource) => isLeftBehind(resource, entry)).map(({ saved }) => resourceTitle(saved));

/**
 * Returns the reasons to hold the promotion if some numbers may lack the configured split. The last reason also says
 * what to do.
 */
function waitsForNumbers(
  { target, config, rollout }: ReadRollout,
  state: StackState,
  lastRun: LastRun | undefined,
): string[] {
  const { stack, name, resources, stopped, notApplied } = rollout;
  // After a stopped run, recommend `doctor` first. `pulumi up` may send an SMS again, or restart chats that a destroy
  // has ended.
  const isOpen = openOperations(state).length > 0;
  if (resources.length === 0 && stopped.length === 0) {
    const first = isDestroyed(lastRun)
      ? destroyedText(target)
      : `Apply the program first with \`${pulumiCommand(target, "up")}\`.`;
    const remedy = isOpen ? lookFirst(target) : first;
    return [`no resource of stack ${stack} uses the rollout "${name}". ${remedy}`];
  }
  const up = pulumiCommand(target, "up");
  const apply = applyCommand(rollout, target);
  const why = whyBypassNeeded(rollout, config);
  const ways = [
    isOpen && (stopped.length > 0 ? lookFirst(target) : stoppedBefore(target)),
    ...leftBehind(rollout).map(
      (title) =>
        `The resource option \`ignoreChanges\` on ${title} keeps the rollout from reaching its numbers. Change that option so that it no longer covers \`rollout\` and \`inboundAgents\`, and run \`${up}\`.`,
    ),
    why === undefined
      ? `To apply the configured split first, run \`${apply}\` until it succeeds.${takeOutText(rollout)}`
      : applyText(why, apply, "the configured split first"),
  ];
  const [how] = present(ways);
  return notApplied.map((one, index) => (index < notApplied.length - 1 ? `${one}.` : `${one}. ${how}`));
}

/**
 * Advises removing a rejected number from the program if other numbers of its resource have the split. If none has it,
 * the cause is probably not the number but, for example, an invalid token.
 */
function takeOutText({ entry, resources }: StackRollout): string {
  const rejected = resources
    .filter(({ callers }) => callers.some((one) => hasSplit(one, splitOf(entry))))
    .flatMap(({ saved }) => (stateIn(saved.outputs).unapplied ?? []).filter(({ reason }) => reason === "rejected"))
    .flatMap((part) => [...membersOf(part).keys()]);
  if (rejected.length === 0) {
    return "";
  }
  const them = rejected.length === 1 ? "the number" : "these numbers";
  return ` If the platform keeps refusing ${shortList(rejected)}, you can remove ${them} from the program. The next \`pulumi up\` then unassigns the agents of ${them}, unless \`retainOnDelete: true\` was applied to the resource first. With that option, ${them} ${rejected.length === 1 ? "keeps its" : "keep their"} current agents, and no later abort changes them.`;
}

/** Returns a reason to wait if the current percentage may have been in effect for less than `promote.minSoak`. */
function waitsForSoak({ entry, since }: StackRollout, state: StackState, now: Date): string[] {
  const { minSoak } = entry.promote ?? {};
  // At 0%, as after an abort, there is nothing to wait for.
  if (minSoak === undefined || percentOf(entry) === 0) {
    return [];
  }
  if (since === undefined) {
    const { target } = state;
    // After a stopped run, `pulumi up` may send an SMS again, so recommend `doctor` instead.
    const how =
      openOperations(state).length > 0
        ? stoppedBefore(target)
        : `To start the wait now, change \`triggers\` of the rollout's resources and run \`${pulumiCommand(target, "up")}\`, which sends the split again.`;
    return [
      `promote.minSoak requires ${minSoak} at each percentage. ${agentAt(entry)}, but the state does not record since when. ${how}`,
    ];
  }
  const ready = since.getTime() + (readDuration(minSoak) ?? 0);
  // Round up to a whole minute, because the message shows no seconds.
  const at = timeText(new Date(Math.ceil(ready / 60_000) * 60_000));
  const age = durationText(now.getTime() - since.getTime());
  return now.getTime() >= ready
    ? []
    : [
        `${agentAt(entry, "has been")} for ${age}, but promote.minSoak requires ${minSoak}. Promote again at ${at} or later.`,
      ];
}

/**
 * Returns a reason to hold the promotion if the guards would refuse it. A promotion written to the config during a
 * freeze would be applied as soon as the freeze ends.
 */
function waitsForGuards({ config, rollout }: ReadRollout, next: RolloutEntry, again: string): string[] {
  const allTheSame = `To write this step anyway, run ${withBypass(again)}`;
  const freeze = freezeReason(config);
  if (freeze !== undefined) {
    return [`the stack is frozen (${freeze}). ${allTheSame}`];
  }
  const guards = guardsIn(valuesOf(config));
  const [violation] = rollout.resources.flatMap(({ saved }) => {
    const olds = stateIn(saved.outputs);
    const inboundAgents = splitOf(next, guards.weightTotal);
    return judgeChange(olds, { ...olds, rollout: namedRollout(rollout.name, next), inboundAgents }, guards);
  });
  return violation === undefined ? [] : [`${violationText(violation)} ${violationFix(violation)} ${allTheSame}`];
}

/**
 * Returns a clause such as `agent_front@13 is at 10%`. It is about the candidate if the candidate receives calls, and
 * about the stable agent otherwise.
 */
function agentAt(entry: RolloutEntry, verb: "is" | "has been" = "is"): string {
  const agent = percentOf(entry) > 0 && entry.candidate !== undefined ? entry.candidate : entry.stable;
  return `${agent} ${verb} at ${percentText(percentOfAgent(agent, entry))}`;
}

/** Explains what to do if there is nothing to promote. */
function nothingToPromote(read: ReadRollout): string {
  const { entry, since } = read.rollout;
  const has =
    since === undefined
      ? `${nextStable(entry)} receives all calls`
      : `${nextStable(entry)} has received all calls since ${timeText(since)}`;
  const start = `${rolloutCommand("promote", read)} --to`;
  return isAborted(entry)
    ? `Nothing to promote: ${abortedText(entry)}, and ${has}. To restart the rollout of the aborted agent, run ${start} ${entry.aborted.agent}`
    : `Nothing to promote: ${has}. To start the next rollout, run ${start} <agent>`;
}

const abortedText = ({ aborted }: RolloutEntry): string =>
  aborted === undefined ? "" : `${aborted.agent} was aborted at ${timeText(new Date(aborted.at))}`;

// --- messages about a promotion

function moveLines(
  { name, stack, entry, since, numbers }: StackRollout,
  next: RolloutEntry,
  steps: readonly number[],
  now: Date,
): string[] {
  const percent = percentOf(entry);
  const isStart = next.candidate !== entry.candidate || percent === 0 || percent === 100;
  const move = isStart
    ? `starts at ${percentText(percentOf(next))} of calls${percentOf(next) < 100 ? `, and ${next.stable} keeps the rest` : ""}`
    : `goes from ${percentText(percent)} to ${percentText(percentOf(next))} of calls`;
  const age =
    since === undefined
      ? agentAt(entry)
      : `${agentAt(entry, "has been")} since ${timeText(since)} (${durationText(now.getTime() - since.getTime())})`;
  const wasAborted = isStart && next.candidate === entry.aborted?.agent;
  return present([
    // The pipelines use this first line as the title of a commit and a pull request.
    `Rollout "${name}" in stack ${stack}: ${next.candidate} ${move}`,
    `  Steps: ${steps.map(percentText).join(", ")}`,
    `  So far: ${age}, on ${counted(numbers.length, "number")}`,
    wasAborted &&
      `  Note: ${abortedText(entry)}, when it received ${percentText(entry.aborted?.percent ?? 0)} of calls`,
  ]);
}

function writtenText(read: ReadRollout, next: RolloutEntry, steps: readonly number[], isFrozen: boolean): string {
  const following = steps.find((step) => step > percentOf(next));
  const then =
    following === undefined
      ? `Once this step is applied, ${next.candidate} receives all calls.`
      : `The next step is ${percentText(following)}.`;
  const abort = commandToAbort(read.rollout.name, read.target);
  const back = isFrozen
    ? `To go back while the stack is frozen, run ${withBypass(abort)}`
    : `To go back at any time, run ${abort}`;
  return `This step has been written to ${configName(read.target)}. ${then}\n${back}`;
}
