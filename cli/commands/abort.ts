import { counted } from "../../provider/core/messages";
import { possibleSplits } from "../../provider/core/numbers/state";
import type { Aborted } from "../../provider/core/routing/rollout";
import type { NamedRollout } from "../../provider/core/routing/rollouts";
import { percentages } from "../../provider/core/routing/split";
import { CALLED, defineCommand, JSON_OPTION } from "../command";
import { UsageError } from "../errors";
import { type Io, writeText } from "../io";
import { present } from "../lists";
import { stateIn } from "../pulumi/coreState";
import { readProject } from "../pulumi/projectFile";
import { readState, type StackState } from "../pulumi/stackExport";
import { stackOf } from "../pulumi/stacks";
import { isHidden } from "../pulumi/values";
import { findRollouts } from "../rollout/file";
import { print, type Result, readTarget, type Target, targetJson } from "../rollout/target";
import { percentOf, percentOfAgent, percentText, type Rollout, rolloutIn } from "../stack/rollout";
import { type Part, resourcesOf, rolloutParts, standingOf } from "../stack/standing";
import { timeText } from "../stack/time";

export const abortCommand = defineCommand({
  name: "abort",
  group: "Roll out a version",
  summary: "Give a rollout's stable agent all calls again, in Pulumi.<stack>.yaml",
  usage: ["[name] [options]"],
  examples: [`${CALLED} abort front --stack prod`],
  about: `It writes what was aborted into the stack's config file. It sends nothing itself: \`pulumi up\` then sends the stable
split to every number of the rollout, whatever the state says that it has. No guard but freeze refuses that, from any
percentage and after failed runs. Without a name it takes the one rollout of the stack.

There is nothing to abort if the file has an abort already, or never had a candidate. If a run was stopped since, or numbers
are not applied, it writes another time, which is sent again.`,
  options: {
    stack: { type: "string", value: "<name>", help: "the stack whose rollout is aborted; default the selected one" },
    "dry-run": { type: "boolean", help: "write nothing" },
    json: JSON_OPTION,
  },
  takes: { least: 0, most: 1, rule: "Name one rollout." },
  exitCodes: "0 written, 2 wrong arguments, 3 nothing to abort",
  page: "rollout",
  async run({ values, positionals: [name] }, io) {
    const stack = await stackOf(values.stack, io);
    const target = readTarget(readProject(io), stack, name, io);
    return print(abort(target, await tryToRead(stack, io), values["dry-run"] ?? false, io), values, io);
  },
});

/** What was read of the stack. `unread` says why it could not be read: an abort needs no state, so it is written anyway. */
type Stack = Pick<StackState, "resources" | "pending"> & { readonly unread?: string };

const tryToRead = (stack: string, io: Io): Promise<Stack> =>
  readState(stack, io).catch((error: unknown) => {
    if (error instanceof UsageError) {
      return { resources: [], pending: [], unread: error.message };
    }
    throw error;
  });

function abort(target: Target, stack: Stack, isDry: boolean, io: Io): Result {
  const next = abortedValue(target, stack, io.now());
  if (next === undefined) {
    const { found, stack: name } = target;
    const lags = standingOf(found.name, found.value, stack)?.lags ?? [`no resource of stack ${name} has it`];
    const json = { ...targetJson(target), isApplied: lags.length === 0 };
    return { code: 3, text: nothingText(target, lags), outcome: "nothing to abort", ...json };
  }
  if (!isDry) {
    writeText(target.found.edited(next), target.file.shown, io);
  }
  return written(target, next, stack, isDry);
}

type AbortedRollout = NamedRollout & { readonly aborted: Aborted };
type Tried = Omit<Aborted, "at">;

/** Resources with this candidate in a rollout that the file no longer has. They had this rollout, if it was renamed and not applied since. */
function renamedIn(file: Target["file"], { candidate = "" }: NamedRollout, stack: Stack): Part[] {
  const names: readonly (string | undefined)[] = findRollouts(file).map(({ name }) => name);
  return rolloutParts(stack).filter(({ rollout }) => !names.includes(rollout.name) && rollout.candidate === candidate);
}

/** The value after the abort; undefined if no number can have the candidate. */
function abortedValue({ file, found: { name, value } }: Target, stack: Stack, now: Date): AbortedRollout | undefined {
  const parts = resourcesOf(name, stack);
  const agent = tried(name, value, parts.length > 0 ? parts : renamedIn(file, value, stack), stack);
  // `pulumi up` sends the abort of the file to each resource that does not have it, but not again after a run that was stopped.
  const isBroken = stack.unread !== undefined || standingOf(name, value, stack)?.isBroken === true;
  if (agent === undefined || (value.aborted !== undefined && !isBroken)) {
    return undefined;
  }
  const { candidate: _, percent: __, ...rest } = value;
  // A time of its own, also within the same second: only another time is sent.
  return { ...rest, stable: knownStable(value, parts), aborted: { ...agent, at: now.toISOString() } };
}

/**
 * The agent that is taken back, and the most that callers can have had of it: as the resources of this rollout and the steps of a stopped
 * run say, else as the file says. A second abort takes back the same one.
 */
function tried(name: string, value: NamedRollout, parts: readonly Part[], stack: Stack): Tried | undefined {
  const [inFile] = triedIn(value);
  // A candidate that got all calls is the stable agent of the next rollout, and is not taken back with it.
  const stable = knownStable(value, parts);
  const stopped = stack.pending.flatMap(({ inputs }) => rolloutIn(inputs.rollout) ?? []);
  const recorded = value.aborted === undefined ? [] : triedIn(value);
  const known = [...recorded, ...parts.flatMap(hadOf), ...stopped.filter((one) => one.name === name).flatMap(triedIn)]
    .filter(({ agent, percent }) => percent > 0 && agent !== stable)
    .sort((one, other) => other.percent - one.percent);
  // Without a resource of it, no first run has gone through, so callers had none of it either.
  const isUnheard = stack.unread === undefined && value.candidate !== undefined;
  const unheard = inFile && { ...inFile, ...(isUnheard && { percent: 0 }) };
  return known.find(({ agent }) => agent === inFile?.agent) ?? known[0] ?? unheard;
}

/** What callers of a resource can have had. Its rollout is what was wanted last, which no number may have got; encrypted, it is not known. */
const hadOf = ({ saved, rollout }: Part): Tried[] =>
  triedIn(rollout).map(({ agent, percent }) => {
    const had = possibleSplits(stateIn(saved.outputs)).map((split) => percentages(split)[agent] ?? 0);
    return { agent, percent: isHidden(saved.outputs.unapplied) ? percent : Math.max(0, ...had) };
  });

function triedIn(rollout: Rollout): Tried[] {
  const { candidate, aborted } = rollout;
  if (candidate !== undefined) {
    return [{ agent: candidate, percent: percentOf(rollout) }];
  }
  return aborted === undefined ? [] : [{ agent: aborted.agent, percent: aborted.percent }];
}

/**
 * The stable agent to go back to: the file's. If that was edited and never applied, it has had no calls, and the one of the state counts.
 * Only resources of this rollout count: another one's stable agent answers other calls.
 */
function knownStable({ stable }: NamedRollout, parts: readonly Part[]): string {
  const isKnown = parts.some(({ rollout }) => rollout.stable === stable || percentOfAgent(stable, rollout) === 100);
  return isKnown ? stable : (parts[0]?.rollout.stable ?? stable);
}

/** @param lags which numbers do not have what the file says */
function nothingText({ stack, file, found: { name, value } }: Target, lags: readonly string[]): string {
  const { stable, aborted } = value;
  if (aborted === undefined) {
    return `Nothing to abort: ${file.shown} gives ${stable} all calls, and no resource of stack ${stack} has another agent in the rollout ${name}.`;
  }
  const end =
    lags.length === 0
      ? `, and every number of ${name} has the stable split.`
      : `. Not every number of ${name} has the stable split yet: ${lags.join("; ")}. Apply it: pulumi up --stack ${stack}`;
  return `Nothing to abort: ${aborted.agent} was aborted at ${timeText(new Date(aborted.at))}${end}`;
}

function written(target: Target, next: AbortedRollout, stack: Stack, isDry: boolean): Result {
  const { file, found } = target;
  const { agent, percent } = next.aborted;
  const move = percent === 0 ? `${agent} had no calls` : `${agent} from ${percentText(percent)} to 0 %`;
  const apply = `Written to ${file.shown}. Apply it: pulumi up --stack ${target.stack}`;
  const head = `${found.name} in ${target.stack}: ${move}; ${next.stable} gets all calls`;
  return {
    code: 0,
    text: [head, "", ...notesOf(target, next, stack), isDry ? "Not written (--dry-run)." : apply].join("\n"),
    outcome: isDry ? "not written" : "written",
    ...targetJson(target, next),
  };
}

/** What an operator has to know before `pulumi up`. */
function notesOf({ stack: name, found }: Target, { stable }: NamedRollout, stack: Stack): string[] {
  if (stack.unread !== undefined) {
    return [`Stack ${name} could not be read, so ${stable} was not compared with its state: ${stack.unread}`];
  }
  const count = standingOf(found.name, found.value, stack)?.numbers.length;
  const sent = `It sends the stable split to ${counted(count ?? 0, "number")}, whatever the state says of ${count === 1 ? "it" : "them"}.`;
  return present([
    stable !== found.value.stable && `${found.value.stable} was never applied as the stable agent; ${stable} was.`,
    count === undefined
      ? `No resource of stack ${name} has the rollout ${found.name}: make sure that ${stable} is to get all calls.`
      : sent,
  ]);
}
