import { resolve } from "node:path";
import { counted } from "../../../provider/core/messages";
import type { NamedRollout } from "../../../provider/core/routing/rollouts";
import { CALLED } from "../../command";
import { UsageError } from "../../errors";
import { type Io, nowOf } from "../../io";
import { type ProjectFile, projectFileIn, readProject } from "../../pulumi/projectFile";
import { parseAfter } from "../../rollout/after";
import { type Standing, standingOf } from "../../rollout/standing";
import { durationText, timeText } from "../../rollout/time";
import { percentOf, percentOfAgent, percentText, type Rollout, subjectOf } from "../../rollout/value";
import { runCheck } from "./check";
import { heldByAfter, heldByApproval, heldByStack, nextValue, nothingText } from "./next";
import { findRollout } from "./rolloutFile";
import { lineDiff, replaceFile } from "./stackFile";
import { guardsOf, type Result, readStack, readTarget, type Target, targetJson } from "./target";

/** One promotion: it is judged first, and no file is changed for that. Then it is written. */

export interface Given {
  readonly to?: string | undefined;
  readonly check?: string | undefined;
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

const held = (reasons: readonly string[], target: Target): Result => ({
  code: 1,
  text: reasons.map((reason) => `Held: ${reason}`).join("\n"),
  outcome: "held",
  ...targetJson(target),
  reasons,
});

/** A promotion that may be written, or what is said if it may not. */
export async function judge(target: Target, given: Given, project: ProjectFile, io: Io): Promise<Promotion | Result> {
  const { found, stack } = target;
  const { after, minSoak } = found.value.promote ?? {};
  const soak = { minSoak, now: nowOf(io) };
  const other = after === undefined ? undefined : await readAfter(after, target, project, io);
  const { state, config } = await readStack(stack, io);
  const guards = guardsOf(config, stack, io);
  const standing = standingOf(found.name, found.value, state);
  const to = given.to ?? (other && subjectOf(other.found.value));
  const next = nextValue(found.value, { to, isNamed: given.to !== undefined, steps: guards.steps });
  const reasons = [
    ...heldByStack(target, standing, next === undefined ? { ...soak, minSoak: undefined } : soak),
    ...(next === undefined ? [] : heldByApproval(next, guards)),
    ...(next === undefined || other === undefined ? [] : await heldThere(next, other, after ?? "", soak)),
  ];
  if (reasons.length > 0 || standing === undefined) {
    return held(reasons, target);
  }
  if (next === undefined) {
    return { code: 3, text: nothingText(target, standing), outcome: "nothing to promote", ...targetJson(target) };
  }
  return withCheck({ target, standing, next, steps: guards.steps, check: given.check, now: soak.now }, io);
}

// --- the stack that is to be first

interface Other extends Target {
  /** Works in the folder of its project. */
  readonly io: Io;
}

async function readAfter(after: string, { found }: Target, project: ProjectFile, io: Io): Promise<Other> {
  const { folder, stack, name } = parseAfter(after);
  const cwd = resolve(io.cwd, folder ?? "");
  if (folder !== undefined && projectFileIn(cwd) === undefined) {
    throw new UsageError(`promote.after: there is no Pulumi.yaml in ${folder}.`);
  }
  const there = { ...io, cwd };
  const target = readTarget(
    folder === undefined ? project : readProject(there),
    stack,
    { name, usual: found.name },
    there,
  );
  return { ...target, io: there };
}

async function heldThere(next: Rollout, other: Other, after: string, soak: Parameters<typeof heldByStack>[2]) {
  const { stack, found, io } = other;
  const short = heldByAfter(next, stack, found.value, after);
  if (short.length > 0) {
    return short;
  }
  const { state } = await readStack(stack, io);
  return heldByStack(other, standingOf(found.name, found.value, state), soak).map(
    (reason) => `in stack ${stack}, ${reason}`,
  );
}

// --- the check, and the edit

async function withCheck(promotion: Promotion, io: Io): Promise<Promotion | Result> {
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
  const failed = await runCheck(check, input, standing.numbers, io);
  return failed === undefined ? promotion : held([`the check ${failed}. Nothing was changed.`], target);
}

/** Writes the promotions of one file. Each edits what the one before it has left. */
export function write(all: readonly [Promotion, ...Promotion[]], isWritten: boolean): Result[] {
  const [{ target: first }] = all;
  let { text } = first.file;
  const edits = all.map((step) => {
    const edited = findRollout({ ...first.file, text }, step.target.found).edited(step.next);
    const diff = lineDiff(text, edited);
    text = edited;
    return { step, diff };
  });
  if (isWritten && !replaceFile(first.file, text)) {
    const reason = `${first.file.shown} was changed while this command ran. Nothing was written. Run it again.`;
    return all.map(({ target }) => held([reason], target));
  }
  return edits.map(({ step, diff }) => written(step, diff, isWritten));
}

function written(step: Promotion, diff: string, isWritten: boolean): Result {
  const { target, next, standing } = step;
  return {
    code: 0,
    text: `${headText(step)}\n\n${diff}\n\n${endText(step, isWritten)}`,
    outcome: isWritten ? "written" : "not written",
    ...targetJson(target, next),
    since: standing.since,
    numbers: standing.numbers.length,
    diff,
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

function endText({ target: { file, found, stack }, next, steps }: Promotion, isWritten: boolean): string {
  const following = steps.find((step) => step > percentOf(next));
  const then =
    following === undefined ? `${next.candidate} then has all calls.` : `The next step is ${percentText(following)}.`;
  const back = `To go back at any time: ${CALLED} abort ${found.name} --stack ${stack}`;
  return isWritten ? `Written to ${file.shown}. ${then} ${back}` : `Not written (--dry-run). ${then}`;
}
