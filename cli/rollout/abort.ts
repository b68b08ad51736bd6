import { counted } from "../../provider/core/messages";
import { possibleSplits } from "../../provider/core/numbers/state";
import type { Aborted } from "../../provider/core/routing/rollout";
import { type NamedRollout, rollouts } from "../../provider/core/routing/rollouts";
import { percentages } from "../../provider/core/routing/split";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { present } from "../lists";
import { stateIn } from "../pulumi/coreState";
import { readState, type StackState } from "../pulumi/stackExport";
import { isHidden } from "../pulumi/values";
import { percentOf, percentOfAgent, percentText, type Rollout, rolloutIn } from "../stack/rollout";
import { type Part, resourcesOf, standingOf } from "../stack/standing";
import { timeText } from "../stack/time";
import { type Place, type Result, readTarget, rewrite, type Target, targetJson } from "./target";

/** What was read of the stack. `unread` says why it could not be read: an abort needs no state, so it is written anyway. */
type Stack = Pick<StackState, "resources" | "pending"> & { readonly unread?: string };

interface Asked {
  readonly stack: string;
  readonly name: string | undefined;
  readonly isDry: boolean;
}

/** How long an abort waits for the Pulumi CLI, before it does without. */
const SECONDS = 30;

export async function abort(given: Place, { stack: stackName, name, isDry }: Asked): Promise<Result> {
  const io = { seconds: SECONDS, ...given.io };
  const [first, stack] = await Promise.all([
    readTarget({ ...given, io, isUrgent: true }, stackName, name),
    tryToRead(stackName, io),
  ]);
  let last = first;
  const decide = (target: Target) => {
    last = target;
    return abortedValue(target, stack, io.now());
  };
  const next = isDry ? decide(first) : undefined;
  const written = isDry
    ? next && { target: first, next, note: first.found.edited(next).note }
    : await rewrite(first, decide);
  return written === undefined ? nothing(last, stack) : done(written, stack, isDry);
}

const tryToRead = (stack: string, io: Io): Promise<Stack> =>
  readState(stack, io).catch((error: unknown) => {
    if (error instanceof UsageError) {
      return { resources: [], pending: [], unread: error.message };
    }
    throw error;
  });

type AbortedRollout = NamedRollout & { readonly aborted: Aborted };
type Tried = Omit<Aborted, "at">;

/** The value after the abort; undefined if no number can have the candidate. */
function abortedValue({ found: { name, value } }: Target, stack: Stack, now: Date): AbortedRollout | undefined {
  const parts = resourcesOf(name, stack);
  const agent = tried(name, value, parts, stack);
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

// --- what is said

function nothing(target: Target, stack: Stack): Result {
  const { found, stack: name } = target;
  const lags = standingOf(found.name, found.value, stack)?.lags ?? [`no resource of stack ${name} has it`];
  const json = { ...targetJson(target), isApplied: lags.length === 0 };
  return { code: 3, text: nothingText(target, lags), outcome: "nothing to abort", ...json };
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

interface Written {
  readonly target: Target;
  readonly next: AbortedRollout;
  readonly note?: string | undefined;
}

function done({ target, next, note }: Written, stack: Stack, isDry: boolean): Result {
  const { file, found } = target;
  const { agent, percent } = next.aborted;
  const move = percent === 0 ? `${agent} had no calls` : `${agent} from ${percentText(percent)} to 0 %`;
  const apply = `Written to ${file.shown}. Apply it: pulumi up --stack ${target.stack}`;
  const head = `${found.name} in ${target.stack}: ${move}; ${next.stable} gets all calls`;
  const notes = present([...notesOf(target, next, stack), note, refusal(target)]);
  return {
    code: 0,
    text: [head, "", ...notes, isDry ? "Not written (--dry-run)." : apply].join("\n"),
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

/** An abort asks nothing of the other rollouts, but the provider reads all of them. */
function refusal({ found }: Target): string | undefined {
  const { [found.name]: _, ...others } = found.all;
  const [issue] = rollouts.safeParse(others).error?.issues ?? [];
  return issue && `\`pulumi up\` refuses the file until this is fixed: ${issue.path.join(".")} ${issue.message}.`;
}
