import { relative, resolve } from "node:path";
import { counted } from "../../../provider/core/messages";
import type { NamedRollout, PromoteGates } from "../../../provider/core/routing/rollouts";
import { CALLED } from "../../command";
import { UsageError } from "../../errors";
import { type Io, nowOf } from "../../io";
import { type ProjectFile, projectFileIn, readProject } from "../../pulumi/projectFile";
import { parseAfter } from "../../rollout/after";
import { type Standing, standingOf } from "../../rollout/standing";
import { durationText, readDuration, timeText } from "../../rollout/time";
import { percentOf, percentOfAgent, percentText, type Rollout, subjectOf } from "../../rollout/value";
import { type CheckResult, runCheck } from "./check";
import { heldBecause, heldByAfter, nextValue, nothingText, type Start } from "./next";
import { findRollout } from "./rolloutYaml";
import { lineDiff, replaceFile } from "./stackFile";
import { type Result, readStack, readTarget, stepsOf, type Target, targetJson } from "./target";

/** One promotion: it is judged first, and no file is changed for that. Then it is written. */

/** The options that are about one promotion. */
export interface Given {
  readonly to?: string | undefined;
  readonly after?: string | undefined;
  readonly "min-soak"?: string | undefined;
  readonly check?: string | undefined;
}

export const held = (reasons: readonly string[], target: Target): Result => ({
  code: 1,
  text: reasons.map((reason) => `Held: ${reason}`).join("\n"),
  outcome: "held",
  ...targetJson(target),
  reasons,
});

/** A promotion that may be written, or what is said if it may not. No file is changed. */
export async function judge(
  target: Target,
  given: Given,
  project: ProjectFile,
  io: Io,
): Promise<CheckedPromotion | Result> {
  const { found, stack } = target;
  const gates = gatesOf(given, found.value, io);
  const { soak, after } = gates;
  const other = after.text === undefined ? undefined : await readAfter(after.text, { ...target, project, io });
  const { state, config } = await readStack(stack, io);
  const steps = stepsOf(config, stack);
  const standing = standingOf(found.name, found.value, state);
  const wish = { to: given.to ?? (other && subjectOf(other.found.value)), isNamed: given.to !== undefined, steps };
  const next = nextValue(found.value, wish);
  const own = heldBecause(target, standing, next && soak);
  const reasons = [...own, ...(other && next ? await heldOf(other, next, gates) : [])];
  if (reasons.length > 0 || standing === undefined) {
    return held(reasons, target);
  }
  if (next === undefined) {
    const text = nothingText(target, standing, other && (await firstOf(other, io)), other?.found.value);
    return { code: 3, text, outcome: "nothing to promote", ...targetJson(target) };
  }
  return withCheck({ target, standing, next, steps, gates }, given.check, io);
}

// --- what is given, and what the file asks for

type Gates = ReturnType<typeof gatesOf>;

/** An option takes the place of the file's gate, for this once. */
function gatesOf({ after, "min-soak": soak }: Given, { promote: file = {} }: NamedRollout, io: Io) {
  const gate = (option: string, field: keyof PromoteGates, given: string | undefined) => ({
    text: given ?? file[field],
    asks: given === undefined ? `promote.${field}` : `--${option}`,
    overridden:
      given === undefined || file[field] === undefined || file[field] === given
        ? []
        : [`--${option} ${given} takes the place of promote.${field}: ${file[field]}, for this once`],
  });
  const [first, minimum] = [gate("after", "after", after), gate("min-soak", "minSoak", soak)];
  return {
    after: { text: first.text, asks: after === undefined ? `${first.asks}: ${first.text}` : `${first.asks} ${after}` },
    soak: { ...minimum, length: readSoak(minimum.text), now: nowOf(io) },
    /** The gates of the file that an option takes the place of. */
    overridden: [...first.overridden, ...minimum.overridden],
  };
}

export function readSoak(text: string | undefined): number {
  const length = text === undefined ? 0 : readDuration(text);
  if (length === undefined) {
    throw new UsageError("--min-soak takes a number with a unit: 90s, 30m, 24h or 7d.");
  }
  return length;
}

// --- another stack that is to be first

interface Other extends Target {
  readonly project: ProjectFile;
  /** Works in the folder of its project. */
  readonly io: Io;
}

async function readAfter(after: string, { project, found, io }: Other): Promise<Other> {
  const { folder, stack, name } = parseAfter(after);
  if (stack === "" || name === "") {
    throw new UsageError(
      "--after takes a stack, with its rollout or its folder: canary, canary:front, ../desk/canary.",
    );
  }
  const there = folder === undefined ? { project, io } : projectIn(folder, io);
  return { ...there, ...readTarget(there.project, stack, { name, usual: found.name }, io) };
}

function projectIn(folder: string, io: Io) {
  const cwd = resolve(io.cwd, folder);
  if (projectFileIn(cwd) === undefined) {
    throw new UsageError(`There is no Pulumi.yaml in ${folder}.`);
  }
  return { project: readProject({ cwd }), io: { ...io, cwd } };
}

/** The stack in which a version starts: that of `--after`, or the one that its own rollout names as `promote.after`, and so on. */
async function firstOf(other: Other, io: Io, seen: readonly string[] = []): Promise<Start> {
  const { after } = other.found.value.promote ?? {};
  if (after !== undefined && !seen.includes(other.file.path)) {
    return firstOf(await readAfter(after, other), io, [...seen, other.file.path]);
  }
  return { ...other, folder: relative(io.cwd, other.io.cwd) };
}

async function heldOf(other: Other, next: Rollout, { soak, after }: Gates): Promise<string[]> {
  const { stack, found, io } = other;
  const short = heldByAfter(next.candidate ?? "", stack, found.value, after.asks);
  if (short !== undefined) {
    return [short];
  }
  const { state } = await readStack(stack, io);
  const standing = standingOf(found.name, found.value, state);
  const reasons = heldBecause(other, standing, soak);
  return standing === undefined ? reasons : reasons.map((reason) => `in stack ${stack}, ${reason}`);
}

// --- the check, and the edit

interface Promotion {
  readonly target: Target;
  readonly standing: Standing;
  readonly next: NamedRollout;
  readonly steps: readonly number[];
  readonly gates: Gates;
}

/** A promotion that has passed its gates and its check. */
export interface CheckedPromotion extends Promotion {
  readonly check?: { readonly command: string; readonly checked: CheckResult } | undefined;
}

async function withCheck(
  promotion: Promotion,
  command: string | undefined,
  io: Io,
): Promise<CheckedPromotion | Result> {
  if (command === undefined) {
    return promotion;
  }
  const checked = await runCheck(command, checkInput(promotion), promotion.standing.numbers, io);
  return checked.passed
    ? { ...promotion, check: { command, checked } }
    : held([`${checkText(checked)}. Nothing was changed.`], promotion.target);
}

/** Writes the promotions of one file. Each edits what the one before it has left. */
export function write(
  all: readonly [CheckedPromotion, ...CheckedPromotion[]],
  project: ProjectFile,
  isWritten: boolean,
): Result[] {
  const [{ target: first }] = all;
  let { text } = first.file;
  const edits = all.map((step) => {
    const { found } = step.target;
    const edited = findRollout({ ...first.file, text }, project, found).edited(step.next);
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

function written(step: CheckedPromotion, diff: string, isWritten: boolean): Result {
  const { target, next, standing, check } = step;
  return {
    code: 0,
    text: `${headText(step)}\n\n${diff}\n\n${endText(step, isWritten)}`,
    outcome: isWritten ? "written" : "not written",
    ...targetJson(target, next),
    since: standing.since,
    numbers: standing.numbers.length,
    check: check?.checked,
    diff,
  };
}

function checkInput({ target: { found, stack }, standing, next }: Promotion) {
  const { stable, candidate = "" } = next;
  const percent = percentOfAgent(candidate, found.value);
  return {
    name: found.name,
    stack,
    stable,
    candidate,
    percent: String(percent),
    next: String(next.percent),
    since: standing.since?.toISOString() ?? "",
  };
}

const checkText = ({ what, said }: CheckResult): string =>
  `the check ${what === "failed" ? "" : "was "}${what}${quoted(said)}`;
const quoted = (said: string): string => (said === "" ? "" : `: "${said}"`);

function headText({ target, standing, next, steps, gates, check }: CheckedPromotion): string {
  const { found, stack } = target;
  const { since, numbers } = standing;
  const percent = percentOf(found.value);
  const isStart = next.candidate !== found.value.candidate || percent === 0 || percent === 100;
  const move = isStart
    ? `starts at ${percentText(percentOf(next))}, beside ${next.stable}`
    : `from ${percentText(percent)} to ${percentText(percentOf(next))}`;
  const agent = subjectOf(found.value);
  const at = `${isStart ? `${agent} ` : ""}at ${percentText(percentOfAgent(agent, found.value))}`;
  const age = since && ` since ${timeText(since)}, ${durationText(gates.soak.now.getTime() - since.getTime())}`;
  return [
    `${found.name} in ${stack}: ${next.candidate} ${move} (steps ${steps.join(", ")})`,
    `  ${at}${age ?? ""}; on ${counted(numbers.length, "number")}`,
    ...standing.hidden.map((who) => `  the numbers of ${who} are encrypted: no check gets them`),
    ...gates.overridden.map((line) => `  ${line}`),
    ...(check === undefined ? [] : [`  check ${check.checked.what}: ${check.command}${quoted(check.checked.said)}`]),
  ].join("\n");
}

function endText({ target: { file, found, stack }, next, steps }: CheckedPromotion, isWritten: boolean): string {
  const following = steps.find((step) => step > percentOf(next));
  const then =
    following === undefined ? `${next.candidate} then has all calls.` : `The next step is ${percentText(following)}.`;
  const back = `To go back at any time: ${CALLED} abort ${found.name} --stack ${stack}`;
  return isWritten ? `Written to ${file.shown}. ${then} ${back}` : `Not written (--dry-run). ${then}`;
}
