import { BYPASS_ENV } from "../../provider/core/config/settings";
import { counted } from "../../provider/core/messages";
import { hadAllCalls, possibleSplits } from "../../provider/core/numbers/state";
import type { Aborted } from "../../provider/core/routing/rollout";
import { type NamedRollout, rollouts } from "../../provider/core/routing/rollouts";
import { percentages } from "../../provider/core/routing/split";
import { CALLED } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { present } from "../lists";
import { stateIn } from "../pulumi/coreState";
import { guardsIn } from "../pulumi/guards";
import { configOf, readHistory } from "../pulumi/history";
import { approvedIn } from "../pulumi/projectFile";
import { readState, type StackState } from "../pulumi/stackExport";
import { valuesOf } from "../pulumi/stacks";
import { isHidden } from "../pulumi/values";
import {
  percentOf,
  percentOfAgent,
  percentText,
  ROLLOUTS,
  type Rollout,
  rolloutIn,
  rolloutsIn,
} from "../stack/rollout";
import { type Part, resourcesOf, standingOf } from "../stack/standing";
import { timeText } from "../stack/time";
import { applyText } from "./apply";
import { NOT_WRITTEN, type Place, type Result, readTarget, rewrite, type Target, targetJson } from "./target";

/** What was read of the stack. `unread` says why it could not be read: an abort needs no state, so it is written anyway. */
type Stack = Pick<StackState, "resources" | "pending"> & { readonly unread?: string };

interface Asked {
  readonly stack: string;
  readonly name: string | undefined;
  /** The agent to return to, if it is another one than the stable agent. */
  readonly to: string | undefined;
  readonly isDry: boolean;
  /** Does this command apply it? */
  readonly isUp: boolean;
}

/** How long an abort waits for the Pulumi CLI, before it does without. */
const SECONDS = 30;

/** The result, and the rollout if not every number may have what its file says. */
export async function abort(given: Place, { stack: stackName, name, to, isDry, isUp }: Asked) {
  const io = { seconds: SECONDS, ...given.io };
  const [first, stack] = await Promise.all([
    readTarget({ ...given, io, isUrgent: true }, stackName, name),
    tryToRead(stackName, io),
  ]);
  const doubt = to === undefined ? undefined : await doubtOf(to, first, stack);
  let last = first;
  const decide = (target: Target) => {
    last = target;
    return abortedValue(target, stack, to, io.now());
  };
  const written = await rewrite(first, decide, isDry);
  const result =
    written === undefined ? nothing(last, stack, isUp) : done({ doubt, ...written }, stack, { isDry, isUp });
  return { result, unapplied: isDry || result.isApplied === true ? [] : [{ ...last, place: given }] };
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

/** The value after the abort; undefined if no number can have another agent. */
function abortedValue({ found: { name, value } }: Target, stack: Stack, to: string | undefined, now: Date) {
  const parts = resourcesOf(name, stack);
  const before = knownStable(value, parts);
  const stable = to ?? before;
  const isReturn = stable !== before || value.aborted?.to === stable;
  const agent = isReturn ? mostHeard(stable, value, parts, stack) : tried(name, value, parts, stack);
  // `pulumi up` sends the abort of the file to each resource that does not have it, but not again after a run that was stopped.
  const isBroken = stack.unread !== undefined || standingOf(name, value, stack)?.isBroken === true;
  const isWritten = value.aborted !== undefined && value.stable === stable;
  if (agent === undefined || (isWritten && !isBroken)) {
    return undefined;
  }
  const { candidate: _, percent: __, ...rest } = value;
  // A time of its own, also within the same second: only another time is sent.
  const aborted: Aborted = { ...agent, ...(isReturn && { to: stable }), at: now.toISOString() };
  return { ...rest, stable, aborted };
}

/** Of the agents that callers have before a return, the one with the most calls; as the file says, if the state says nothing. */
function mostHeard(to: string, value: NamedRollout, parts: readonly Part[], stack: Stack): Tried | undefined {
  const splits = parts.flatMap(({ saved }) => possibleSplits(stateIn(saved.outputs)));
  const had = splits.flatMap((split) => Object.entries(percentages(split)));
  const inFile = [value.stable, value.candidate ?? value.stable].map(
    (agent) => [agent, percentOfAgent(agent, value)] as const,
  );
  const recorded = value.aborted && ([value.aborted.agent, value.aborted.percent] as const);
  const [most] = present([recorded, ...(had.length > 0 ? had : inFile)])
    .filter(([agent]) => agent !== to)
    .sort(([, one], [, other]) => other - one);
  return most && { agent: most[0], percent: stack.unread === undefined && had.length === 0 ? 0 : most[1] };
}

/**
 * A return passes the guards if the agent had all calls of the rollout before, by the saved state, or is approved. If only Pulumi's record says
 * so, a guard may refuse it. Any other agent is promoted, and not returned to.
 */
async function doubtOf(
  to: string,
  { stack, place, found, config }: Target,
  { resources }: Stack,
): Promise<string | undefined> {
  const parts = resourcesOf(found.name, { resources });
  const { approvedAgents = [] } = guardsIn(valuesOf(config), false, approvedIn(place.io)).settings.guards;
  const isCandidate = [found.value, ...parts.map(({ rollout }) => rollout)].some(({ candidate }) => candidate === to);
  const isKnown = ({ saved }: Part) => hadAllCalls(to, stateIn(saved.outputs));
  if ((approvedAgents.includes(to) && !isCandidate) || (parts.length > 0 && parts.every(isKnown))) {
    return undefined;
  }
  const runs = await readHistory(stack, place.io).catch(() => []);
  const inRecord = runs.some((run) => {
    const { [found.name]: rollout } = rolloutsIn(configOf(run, ROLLOUTS));
    return run.result === "succeeded" && rollout !== undefined && percentOfAgent(to, rollout) === 100;
  });
  if (inRecord || parts.some(isKnown) || found.value.aborted?.to === to) {
    return `Not every saved resource remembers that ${to} had all calls. If a guard refuses it: ${BYPASS_ENV}="<reason>" pulumi up --stack ${stack}`;
  }
  if (isCandidate) {
    throw new UsageError(
      `${to} is the candidate of ${found.name}. Promote it: ${CALLED} promote ${found.name} --stack ${stack}`,
    );
  }
  throw new UsageError(
    `${to} never had all calls of ${found.name}, by the saved state and Pulumi's record, and approvedAgents does not have it. Start it: ${CALLED} promote ${found.name} --stack ${stack} --to ${to}`,
  );
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
function knownStable({ stable, aborted }: NamedRollout, parts: readonly Part[]): string {
  const isKnown = parts.some(({ rollout }) => rollout.stable === stable || percentOfAgent(stable, rollout) === 100);
  return isKnown || aborted?.to === stable ? stable : (parts[0]?.rollout.stable ?? stable);
}

// --- what is said

function nothing(target: Target, stack: Stack, isUp: boolean): Result {
  const { found, stack: name } = target;
  const lags = standingOf(found.name, found.value, stack)?.lags ?? [`no resource of stack ${name} has it`];
  const json = { ...targetJson(target), isApplied: lags.length === 0 };
  return { code: 3, text: nothingText(target, lags, isUp), outcome: "nothing to abort", ...json };
}

/** @param lags which numbers do not have what the file says */
function nothingText(target: Target, lags: readonly string[], isUp: boolean): string {
  const { stack, file, found } = target;
  const { name, value } = found;
  const { stable, aborted } = value;
  if (aborted === undefined) {
    return `Nothing to abort: ${file.shown} gives ${stable} all calls, and no resource of stack ${stack} has another agent in the rollout ${name}.`;
  }
  const end =
    lags.length === 0
      ? `, and every number of ${name} has the stable split.`
      : `. Not every number of ${name} has the stable split yet: ${lags.join("; ")}.${isUp ? "" : ` ${applyText(target)}`}`;
  return `Nothing to abort: ${aborted.agent} was aborted at ${timeText(new Date(aborted.at))}${end}`;
}

interface Written {
  readonly target: Target;
  readonly next: AbortedRollout;
  readonly note?: string | undefined;
  readonly doubt?: string | undefined;
}

function done(
  { target, next, note, doubt }: Written,
  stack: Stack,
  { isDry, isUp }: Pick<Asked, "isDry" | "isUp">,
): Result {
  const { file, found } = target;
  const { agent, percent } = next.aborted;
  const move = percent === 0 ? `${agent} had no calls` : `${agent} from ${percentText(percent)} to 0 %`;
  const apply = `Written to ${file.shown}.${isUp ? "" : ` ${applyText(target)}`}`;
  const head = `${found.name} in ${target.stack}: ${move}; ${next.stable} gets all calls`;
  const notes = present([...notesOf(target, next, stack), note, doubt, refusal(target)]);
  return {
    code: 0,
    text: [head, "", ...notes, isDry ? NOT_WRITTEN : apply].join("\n"),
    outcome: isDry ? "not written" : "written",
    ...targetJson(target, next),
  };
}

/** What an operator has to know before `pulumi up`. */
function notesOf({ stack: name, found }: Target, { stable, aborted }: AbortedRollout, stack: Stack): string[] {
  if (stack.unread !== undefined) {
    return [`Stack ${name} could not be read, so ${stable} was not compared with its state: ${stack.unread}`];
  }
  const count = standingOf(found.name, found.value, stack)?.numbers.length;
  const sent = `It sends the stable split to ${counted(count ?? 0, "number")}, whatever the state says of ${count === 1 ? "it" : "them"}.`;
  return present([
    stable !== found.value.stable &&
      aborted.to === undefined &&
      `${found.value.stable} was never applied as the stable agent; ${stable} was.`,
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
