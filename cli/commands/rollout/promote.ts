import { relative, resolve } from "node:path";
import { counted } from "../../../provider/core/messages";
import type { NamedRollout, PromoteGates } from "../../../provider/core/routing/rollouts";
import { isAgentKey } from "../../../provider/core/routing/split";
import { CALLED, defineCommand, JSON_OPTION, type ValuesOf } from "../../command";
import { UsageError } from "../../errors";
import type { Io } from "../../io";
import { projectFileIn } from "../../pulumi/projectFile";
import { STACKS_OPTIONS } from "../../pulumi/stackNames";
import { parseAfter } from "../../rollout/after";
import { type Standing, standingOf } from "../../rollout/standing";
import { durationText, readDuration, timeText } from "../../rollout/time";
import { percentOf, percentOfAgent, percentText, type Rollout, subjectOf } from "../../rollout/value";
import { type CheckResult, runCheck } from "./check";
import { heldBecause, heldByAfter, nextValue, nothingText, type Soak, type Start } from "./next";
import { allTargets, promoteAll } from "./promoteAll";
import { findRollout } from "./rolloutYaml";
import { lineDiff, type ProjectFile, readProject, replaceFile } from "./stackFile";
import { print, type Result, readStack, readTarget, stackOf, stepsIn, type Target, targetJson } from "./target";

const options = {
  stack: { ...STACKS_OPTIONS.stack, help: "the stack whose rollout is promoted; repeatable" },
  all: { type: "boolean", help: "every rollout of every stack of the project, in the order of promote.after" },
  to: {
    type: "string",
    value: "<agent>",
    help: "start a rollout of this agent at the first step, such as agent_front@14",
  },
  after: {
    type: "string",
    value: "<stack>[:<name>]",
    help: "only if that stack gives the candidate 100 %; without --to, start with its agent",
  },
  "min-soak": {
    type: "string",
    value: "<time>",
    help: "only if the present split is this old: 30m, 24h or 7d; with --after, in that stack as well",
  },
  check: {
    type: "string",
    value: "<command>",
    help: "only if this command ends with exit code 0; it gets the numbers on standard input",
  },
  "dry-run": { type: "boolean", help: "write nothing" },
  json: JSON_OPTION,
} as const;

type Given = ValuesOf<typeof options>;

export const promoteCommand = defineCommand({
  name: "promote",
  group: "Roll out a version",
  summary: "Give a rollout's candidate its next percentage, in Pulumi.<stack>.yaml",
  usage: [
    "[name] --stack <name> [options]",
    "[name] --all [options]",
    "[name] --stack <name> --stack <name>… [options]",
  ],
  examples: [
    `${CALLED} promote front --stack prod`,
    `${CALLED} promote --all`,
    `${CALLED} promote front --stack prod --to agent_front@14`,
    `${CALLED} promote front --stack prod --after canary --min-soak 24h --check ./rate.sh`,
  ],
  about: `It edits one value of the stack's config file and prints the difference. It sends nothing: commit the file, review it
as any change, and apply it with \`pulumi up\`. The rest of the file stays as it is. Without a name it takes the one
rollout of the stack. The percentages are those of agent-platform:steps.

The file may ask for more: \`promote: { after: canary, minSoak: 24h }\` in the rollout. An option takes its place for once.

With --all or several stacks, each rollout has the gates of its own file, and is judged by what its stack has now. If one
is held, the others are written. If one stack cannot be read, nothing is written.

A check passes with exit code 0 and fails with 1. With any other exit code, a signal, or after 600 seconds it is
inconclusive. Unless it passes, nothing is written. Its variables are ROLLOUT_NAME, ROLLOUT_STACK, ROLLOUT_STABLE,
ROLLOUT_CANDIDATE, ROLLOUT_PERCENT, ROLLOUT_NEXT and ROLLOUT_SINCE. The last line that it prints is shown.`,
  options,
  takes: { least: 0, most: 1, rule: "Name one rollout." },
  exitCodes:
    "0 written, 1 held, 2 wrong arguments, 3 nothing to promote;\nof several stacks 0 if one was written, else 1 if one is held",
  page: "docs/guides/rollout.md",
  async run({ values, positionals: [name] }, io) {
    return print(await promote(name, values, io), values, io);
  },
});

const held = (reasons: readonly string[], target: Target): Result & { readonly reasons: readonly string[] } => ({
  code: 1,
  text: reasons.map((reason) => `Held: ${reason}`).join("\n"),
  outcome: "held",
  ...targetJson(target),
  reasons,
});

async function promote(name: string | undefined, given: Given, io: Io): Promise<Result> {
  refuseNoAgent(given);
  refuseEmptyCheck(given);
  readSoak(given["min-soak"]);
  const isWritten = !given["dry-run"];
  const project = await readProject(io);
  const judged = (target: Target) => judge(target, given, project, io);
  const [stack, ...others] = given.stack ?? [];
  if (given.all || others.length > 0) {
    return promoteAll(await allTargets(name, given, project, io), {
      judge: judged,
      isStep: (one): one is CheckedPromotion => !("code" in one),
      write: (steps) => write(steps, project, isWritten),
      held,
    });
  }
  const one = await judged(readTarget(project, stackOf({ stack }), { name }, io));
  return "code" in one ? one : (write([one], project, isWritten)[0] ?? held([], one.target));
}

/** A promotion that may be written, or what is said if it may not. No file is changed. */
async function judge(target: Target, given: Given, project: ProjectFile, io: Io): Promise<CheckedPromotion | Result> {
  const { found, stack } = target;
  const gates = gatesOf(given, found.value, io);
  const { soak, after } = gates;
  const other = after.text === undefined ? undefined : await readAfter(after.text, { ...target, project, io });
  const { state, config } = await readStack(stack, io);
  const steps = stepsIn(config, stack);
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

interface Gates {
  readonly soak: Soak;
  readonly after: { readonly text: string | undefined; readonly asks: string };
  /** The gates of the file that an option takes the place of, for this once. */
  readonly overridden: readonly string[];
}

/** An option takes the place of the file's gate, for this once. */
function gatesOf({ after, "min-soak": soak }: Given, { promote: file = {} }: NamedRollout, io: Io): Gates {
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
    soak: { ...minimum, length: readSoak(minimum.text), now: io.now?.() ?? new Date() },
    overridden: [...first.overridden, ...minimum.overridden],
  };
}

function readSoak(text: string | undefined): number {
  const length = text === undefined ? 0 : readDuration(text);
  if (length === undefined) {
    throw new UsageError("--min-soak takes a number with a unit: 90s, 30m, 24h or 7d.");
  }
  return length;
}

function refuseNoAgent({ to }: Given): void {
  if (to !== undefined && !isAgentKey(to)) {
    throw new UsageError(`--to takes an agent, such as agent_front@14; found ${JSON.stringify(to)}.`);
  }
}

/** A pipeline may have forgotten to set a variable. Then no check would be asked, and every candidate would pass. */
function refuseEmptyCheck({ check }: Given): void {
  if (check?.trim() === "") {
    throw new UsageError("--check is empty. Name a command, or leave the option out.");
  }
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
  const there = folder === undefined ? { project, io } : await projectIn(folder, io);
  return { ...there, ...readTarget(there.project, stack, { name, usual: found.name }, io) };
}

async function projectIn(folder: string, io: Io) {
  const cwd = resolve(io.cwd, folder);
  if (projectFileIn(cwd) === undefined) {
    throw new UsageError(`There is no Pulumi.yaml in ${folder}.`);
  }
  return { project: await readProject({ ...io, cwd }), io: { ...io, cwd } };
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
interface CheckedPromotion extends Promotion {
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
function write(
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
    ...{ since: standing.since, numbers: standing.numbers.length, check: check?.checked, diff },
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
