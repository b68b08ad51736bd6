import { possibleSplits } from "../../../provider/core/change/state";
import { BYPASS_ENV } from "../../../provider/core/config/settings";
import { counted } from "../../../provider/core/messages";
import type { Aborted } from "../../../provider/core/routing/rollout";
import type { NamedRollout } from "../../../provider/core/routing/rollouts";
import { percentages } from "../../../provider/core/routing/split";
import { CALLED, defineCommand, JSON_OPTION } from "../../command";
import { UsageError } from "../../errors";
import { type Io, nowOf } from "../../io";
import { present } from "../../lists";
import { stateIn } from "../../pulumi/coreState";
import { readProject } from "../../pulumi/projectFile";
import type { StackState } from "../../pulumi/stackExport";
import { stackOf } from "../../pulumi/stackNames";
import { type Part, resourcesOf, type Standing, standingOf } from "../../rollout/standing";
import { timeText } from "../../rollout/time";
import { percentOf, percentOfAgent, percentText, type Rollout, rolloutIn } from "../../rollout/value";
import { lineDiff, replaceFile } from "./stackFile";
import { freezeIn, print, type Result, readStack, readTarget, type Target, targetJson } from "./target";

export const abortCommand = defineCommand({
  name: "abort",
  group: "Roll out a version",
  summary: "Give a rollout's stable agent all calls again, in Pulumi.<stack>.yaml",
  usage: ["[name] --stack <name> [options]"],
  examples: [`${CALLED} abort front --stack prod`],
  about: `It writes what was aborted into the stack's config file and prints the difference. It sends nothing itself: \`pulumi up\`
then sends the stable split to every number of the rollout, whatever the state says that it has. No guard but freeze
refuses that, from any percentage and after failed runs. Without a name it takes the one rollout of the stack.

There is nothing to abort if the file has an abort already, or never had a candidate. If a run was stopped since, or numbers
are not applied, it writes another time, which is sent again.`,
  options: {
    stack: { type: "string", value: "<name>", help: "the stack whose rollout is aborted" },
    "dry-run": { type: "boolean", help: "write nothing" },
    json: JSON_OPTION,
  },
  takes: { least: 0, most: 1, rule: "Name one rollout." },
  exitCodes: "0 written, 2 wrong arguments, 3 nothing to abort",
  page: "docs/guides/rollout.md",
  async run({ values, positionals: [name] }, io) {
    const project = readProject(io);
    const stack = await stackOf(values, io);
    const read = await tryToRead(stack, io);
    const target = () => readTarget(project, stack, { name }, io);
    return print(abort(target, read, values["dry-run"] ?? false, nowOf(io)), values, io);
  },
});

/** What was read of the stack. `unread` says why it could not be read: an abort needs no state, so it is written anyway. */
type Stack = Pick<StackState, "resources" | "pending"> & {
  readonly freeze?: string | undefined;
  readonly unread?: string;
};

async function tryToRead(stack: string, io: Io): Promise<Stack> {
  try {
    const { state, config } = await readStack(stack, io);
    return { ...state, freeze: freezeIn(config) };
  } catch (error) {
    if (error instanceof UsageError) {
      return { resources: [], pending: [], unread: error.message };
    }
    throw error;
  }
}

/** Reads the file again if another command has written it meanwhile. */
function abort(read: () => Target, stack: Stack, isDry: boolean, now: Date): Result {
  const target = read();
  const next = abortedValue(target, stack, now);
  if (next === undefined) {
    const { found, stack: name } = target;
    const lags = standingOf(found.name, found.value, stack)?.lags ?? [`stack ${name} could not be read`];
    return {
      code: 3,
      text: nothingText(target, lags),
      outcome: "nothing to abort",
      ...targetJson(target),
      isApplied: lags.length === 0,
      lags,
    };
  }
  const text = target.found.edited(next);
  if (!isDry && !replaceFile(target.file, text)) {
    return abort(read, stack, isDry, now);
  }
  return written({ target, next, diff: lineDiff(target.file.text, text) }, stack, isDry);
}

interface AbortedRollout extends NamedRollout {
  readonly aborted: Aborted;
}

/** The value after the abort; undefined if no number can have the candidate. */
function abortedValue({ found: { name, value } }: Target, stack: Stack, now: Date): AbortedRollout | undefined {
  const agent = tried(name, value, stack);
  if (agent === undefined || isDone(name, value, stack)) {
    return undefined;
  }
  const { candidate: _, percent: __, ...rest } = value;
  // A time of its own, also within the same second: only another time is sent.
  const at = now.toISOString();
  return { ...rest, stable: knownStable(name, value, stack), aborted: { ...agent, at } };
}

/**
 * The agent that is taken back, and the most that callers can have had of it: as the resources of this rollout and the steps of a stopped
 * run say, else as the file says. A second abort takes back the same one.
 */
function tried(name: string, value: NamedRollout, stack: Stack): Omit<Aborted, "at"> | undefined {
  const [inFile] = triedIn(value);
  const parts = resourcesOf(name, stack);
  const stopped = stack.pending.flatMap(({ inputs }) => rolloutIn(inputs.rollout) ?? []);
  const known = [...parts.flatMap(hadOf), ...stopped.filter((one) => one.name === name).flatMap(triedIn)]
    .filter(({ percent }) => percent > 0)
    .sort((one, other) => other.percent - one.percent);
  const isUnheard = parts.length > 0 && value.candidate !== undefined;
  const unheard = inFile && { ...inFile, ...(isUnheard && { percent: 0 }) };
  return known.find(({ agent }) => agent === inFile?.agent) ?? known[0] ?? unheard;
}

/** What callers of a resource can have had. Its rollout is what was wanted last, which no number may have got. */
const hadOf = ({ saved, rollout }: Part): Omit<Aborted, "at">[] =>
  triedIn(rollout).map(({ agent, percent }) => {
    const had = possibleSplits(stateIn(saved.outputs)).map((split) => percentages(split)[agent] ?? 0);
    return { agent, percent: rollout.aborted === undefined ? Math.max(0, ...had) : percent };
  });

/** What resources have of it. */
const savedOf = (name: string, stack: Stack): Rollout[] => resourcesOf(name, stack).map(({ rollout }) => rollout);

function triedIn(rollout: Rollout): Omit<Aborted, "at">[] {
  const { candidate, aborted } = rollout;
  if (candidate !== undefined) {
    return [{ agent: candidate, percent: percentOf(rollout) }];
  }
  return aborted === undefined ? [] : [{ agent: aborted.agent, percent: aborted.percent }];
}

/**
 * Is the abort of the file enough? `pulumi up` sends it to each resource that does not have it, but not again after a run that was stopped.
 */
function isDone(name: string, value: NamedRollout, stack: Stack): boolean {
  const standing = standingOf(name, value, stack);
  return value.aborted !== undefined && stack.unread === undefined && standing?.isBroken !== true;
}

/**
 * The stable agent to go back to: the file's. If that was edited and never applied, it has had no calls, and the one of the state counts.
 * Only resources of this rollout count: another one's stable agent answers other calls.
 */
function knownStable(name: string, { stable }: NamedRollout, stack: Stack): string {
  const saved = savedOf(name, stack);
  return saved.some((one) => hadAll(stable, one)) ? stable : (saved[0]?.stable ?? stable);
}

const hadAll = (agent: string, rollout: Rollout): boolean =>
  rollout.stable === agent || percentOfAgent(agent, rollout) === 100;

/** @param lags which numbers do not have what the file says */
function nothingText({ stack, file, found: { name, value } }: Target, lags: readonly string[]): string {
  const { stable, aborted } = value;
  if (aborted === undefined) {
    return `Nothing to abort: ${file.shown} gives ${stable} all calls, and no resource of stack ${stack} has another agent in the rollout ${name}.`;
  }
  const end =
    lags.length === 0
      ? `, and every number of ${name} has that.`
      : `. Not every number of ${name} has that yet: ${lags.join("; ")}. Apply it: pulumi up --stack ${stack}`;
  return `Nothing to abort: ${aborted.agent} was aborted at ${timeText(new Date(aborted.at))}${end}`;
}

function written(
  { target, next, diff }: { target: Target; next: AbortedRollout; diff: string },
  stack: Stack,
  isDry: boolean,
): Result {
  const { file, found } = target;
  const { agent, percent } = next.aborted;
  const move = percent === 0 ? `${agent} had no calls` : `${agent} from ${percentText(percent)} to 0 %`;
  const apply = `Written to ${file.shown}. Apply it: pulumi up --stack ${target.stack}`;
  const notes = notesOf(target, next, stack);
  return {
    code: 0,
    text: [
      `${found.name} in ${target.stack}: ${move}; ${next.stable} gets all calls`,
      diff,
      [...notes, isDry ? "Not written (--dry-run)." : apply].join("\n"),
    ].join("\n\n"),
    outcome: isDry ? "not written" : "written",
    ...targetJson(target, next),
    notes,
    diff,
  };
}

const sentText = ({ numbers }: Standing): string =>
  `It sends the stable split to ${counted(numbers.length, "number")}, whatever the state says of ${numbers.length === 1 ? "it" : "them"}.`;

/** What an operator has to know before `pulumi up`. */
function notesOf({ stack: name, found }: Target, next: NamedRollout, stack: Stack): string[] {
  const { freeze, unread } = stack;
  if (unread !== undefined) {
    return [`Stack ${name} could not be read, so ${next.stable} was not compared with its state: ${unread}`];
  }
  const standing = standingOf(found.name, next, stack);
  const missing = found.value.aborted === undefined ? [] : (standingOf(found.name, found.value, stack)?.lags ?? []);
  return present([
    missing.length > 0 && `The abort before did not reach all: ${missing.join("; ")}.`,
    next.stable !== found.value.stable &&
      `${found.value.stable} was never applied as the stable agent; ${next.stable} was.`,
    standing === undefined
      ? `No resource of stack ${name} has the rollout ${found.name}: make sure that ${next.stable} is to get all calls.`
      : sentText(standing),
    freeze !== undefined &&
      `agent-platform:freeze blocks it ("${freeze}"). Remove the setting, or apply with ${BYPASS_ENV}="<reason>".`,
  ]);
}
