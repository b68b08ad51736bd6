import { BYPASS_ENV } from "../../provider/core/config/settings";
import { counted } from "../../provider/core/messages";
import { possibleSplits } from "../../provider/core/numbers/state";
import type { Aborted } from "../../provider/core/routing/rollout";
import type { NamedRollout } from "../../provider/core/routing/rollouts";
import { percentages } from "../../provider/core/routing/split";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { present } from "../lists";
import { stateIn } from "../pulumi/coreState";
import { guardsIn } from "../pulumi/guards";
import { readState, type StackState } from "../pulumi/stackExport";
import { valuesOf } from "../pulumi/stacks";
import {
  percentOf,
  percentOfAgent,
  percentsOf,
  percentText,
  type Rollout,
  type RolloutResource,
  rolloutIn,
  rolloutResources,
  stackRollout,
} from "../stack/rollout";
import { timeText } from "../stack/time";
import { applyText, NOT_WRITTEN, notAppliedIn, type Result, rolloutJson } from "./apply";
import { rewrite } from "./rewrite";
import { pulumiCommand, readRollout, rolloutCommand, type StackRollout, type Workspace } from "./stackFile";

/** What was read of the stack. `unread` says why it could not be read: an abort needs no state, so it is written anyway. */
type KnownState = Pick<StackState, "resources" | "pending"> & { readonly unread?: string };

interface AbortValues {
  /** The agent to return to, if it is another one than the stable agent. */
  readonly to?: string | undefined;
  readonly "dry-run"?: boolean | undefined;
  /** Does this command apply it? */
  readonly up?: boolean | undefined;
}

/** How long an abort waits for the Pulumi CLI, before it does without. */
const CLI_SECONDS = 30;

/** The result, and the rollout if not every number may have what its file says. */
export async function abort(workspace: Workspace, stack: string, name: string | undefined, given: AbortValues) {
  const { to, up: isUp = false, "dry-run": isDry = false } = given;
  const io = { seconds: CLI_SECONDS, ...workspace.io };
  const [first, state] = await Promise.all([
    readRollout({ ...workspace, io, isUrgent: true }, stack, name),
    tryToRead(stack, io),
  ]);
  if (to !== undefined) {
    refuseReturn(to, first, state);
  }
  const { rollout, next, note } = await rewrite(first, (now) => abortedValue(now, state, to, io.now()), isDry);
  const result =
    next === undefined
      ? nothingToAbort(rollout, state, isUp)
      : abortResult(rollout, next, [...notesOf(rollout, next, state), note], isDry, isUp);
  return { result, unapplied: result.isApplied === true ? [] : [rollout] };
}

const tryToRead = (stack: string, io: Io): Promise<KnownState> =>
  readState(stack, io).catch((error: unknown) => {
    if (error instanceof UsageError) {
      return { resources: [], pending: [], unread: error.message };
    }
    throw error;
  });

type AbortedRollout = NamedRollout & { readonly aborted: Aborted };

/** An agent, and the most of the calls that callers can have had of it. */
type AgentCalls = Pick<Aborted, "agent" | "percent">;

/** The value after the abort; undefined if no number can have another agent. */
function abortedValue({ name, value }: StackRollout, state: KnownState, to: string | undefined, now: Date) {
  const resources = rolloutResources(state).filter((one) => one.rollout.name === name);
  const before = knownStable(value, resources);
  const stable = to ?? before;
  const isReturn = stable !== before || value.aborted?.to === stable;
  const taken = isReturn
    ? takenBackByReturn(stable, value, resources, state)
    : takenBackByAbort(stable, name, value, resources, state);
  // `pulumi up` sends the abort of the file to each resource that does not have it, but not again after a run that was stopped.
  const isSentAgain = state.unread !== undefined || isUncertain(name, value, state);
  const isWritten = value.aborted !== undefined && value.stable === stable;
  if (taken === undefined || (isWritten && !isSentAgain)) {
    return undefined;
  }
  const { candidate: _, percent: __, ...rest } = value;
  // A time of its own, also within the same second: only another time is sent.
  const aborted: Aborted = { ...taken, ...(isReturn && { to: stable }), at: now.toISOString() };
  return { ...rest, stable, aborted };
}

/** Was a run stopped, or did numbers of a resource that has the rollout fail? Then it may not be known what they have. */
function isUncertain(name: string, value: NamedRollout, state: KnownState): boolean {
  const { isStopped, resources } = stackRollout(name, value, { ...state, stack: "" });
  return isStopped || resources.some(({ saved }) => saved.outputs.unapplied !== undefined);
}

/**
 * The stable agent to go back to: the file's. If that was edited and never applied, it has had no calls, and the one of the state counts.
 * Only resources of this rollout count: another one's stable agent answers other calls.
 */
function knownStable({ stable, aborted }: NamedRollout, resources: readonly RolloutResource[]): string {
  const isKnown = resources.some(({ rollout }) => rollout.stable === stable || percentOfAgent(stable, rollout) === 100);
  return isKnown || aborted?.to === stable ? stable : (resources[0]?.rollout.stable ?? stable);
}

/** Those that are taken back if the stable agent gets all calls, the one with the most calls first. */
const besides = (stable: string, all: readonly AgentCalls[]): readonly AgentCalls[] =>
  all.filter(({ agent }) => agent !== stable).toSorted((one, other) => other.percent - one.percent);

/** Without a resource of the rollout, no run has succeeded, so callers had nothing of what the file says. */
const zeroIfNeverApplied = (one: AgentCalls | undefined, { unread }: KnownState): AgentCalls | undefined =>
  one && { ...one, ...(unread === undefined && { percent: 0 }) };

/** Of the agents that callers have before a return, the one with the most calls; as the file says, if the state says nothing. */
function takenBackByReturn(
  stable: string,
  value: NamedRollout,
  resources: readonly RolloutResource[],
  state: KnownState,
): AgentCalls | undefined {
  const had = resources.flatMap(({ saved }) => possibleCalls(saved)).flatMap(Object.entries<number>);
  const inState = had.map(([agent, percent]) => ({ agent, percent }));
  const inFile = present([value.stable, value.candidate]).map((agent) => ({
    agent,
    percent: percentOfAgent(agent, value),
  }));
  const recorded = callsOnRecord(value);
  return inState.length > 0
    ? besides(stable, [...recorded, ...inState])[0]
    : zeroIfNeverApplied(besides(stable, [...recorded, ...inFile])[0], state);
}

/**
 * The agent that an abort takes back, and what callers had of it: as the resources of this rollout and the steps of a stopped run say, else as
 * the file says. A second abort takes back the same one. A candidate that got all calls is the stable agent of the next rollout, and is not
 * taken back with it.
 */
function takenBackByAbort(
  stable: string,
  name: string,
  value: NamedRollout,
  resources: readonly RolloutResource[],
  state: KnownState,
): AgentCalls | undefined {
  const pending = state.pending.flatMap(({ inputs }) => rolloutIn(inputs.rollout) ?? []);
  const ofName = pending.filter((one) => one.name === name);
  const all = [...callsOnRecord(value), ...resources.flatMap(callsInState), ...ofName.flatMap(wantedCalls)];
  const known = besides(stable, all).filter(({ percent }) => percent > 0);
  const [inFile] = wantedCalls(value);
  return known.find(({ agent }) => agent === inFile?.agent) ?? known[0] ?? zeroIfNeverApplied(inFile, state);
}

const possibleCalls = ({ outputs }: RolloutResource["saved"]) => possibleSplits(stateIn(outputs)).map(percentages);

/** What callers of a resource can have had. Its rollout is what was wanted last, which no number may have got; encrypted, it is not known. */
const callsInState = ({ rollout, callers }: RolloutResource): AgentCalls[] =>
  wantedCalls(rollout).map(({ agent, percent }) => ({
    agent,
    percent: Math.max(0, ...percentsOf(agent, callers).map((had) => had ?? percent)),
  }));

/** The candidate of a rollout, or the one that was aborted. */
const wantedCalls = (rollout: Rollout): AgentCalls[] =>
  rollout.candidate === undefined
    ? callsOnRecord(rollout)
    : [{ agent: rollout.candidate, percent: percentOf(rollout) }];

const callsOnRecord = ({ aborted }: Rollout): AgentCalls[] =>
  aborted === undefined ? [] : [{ agent: aborted.agent, percent: aborted.percent }];

// --- what is said

/** Only an approved agent is returned to, and not the candidate: the guards refuse any other one. */
function refuseReturn(to: string, rollout: StackRollout, state: KnownState): void {
  const { name, value } = rollout;
  const resources = rolloutResources(state).filter((one) => one.rollout.name === name);
  const { approvedAgents = [] } = guardsIn(valuesOf(rollout.config), false).settings.guards;
  if ([value, ...resources.map((resource) => resource.rollout)].some(({ candidate }) => candidate === to)) {
    throw new UsageError(`${to} is the candidate of ${name}. Promote it: ${rolloutCommand("promote", rollout)}`);
  }
  if (!approvedAgents.includes(to)) {
    throw new UsageError(
      `${to} is not in approvedAgents, so the guards would refuse it. To go there all the same, write \`stable: ${to}\` without a candidate, and run ${BYPASS_ENV}="<reason>" ${pulumiCommand(rollout, "up")}`,
    );
  }
}

function nothingToAbort(rollout: StackRollout, state: KnownState, isUp: boolean): Result {
  const { name, stack, file, value } = rollout;
  const { stable, aborted } = value;
  const notApplied = notAppliedIn(rollout, state);
  const said =
    aborted === undefined
      ? `${file.shown} gives ${stable} all calls, and no resource of stack ${stack} has another agent in the rollout ${name}.`
      : `${aborted.agent} was aborted at ${timeText(new Date(aborted.at))}`;
  const apply = isUp ? "" : `\n${applyText(rollout)}`;
  const end =
    notApplied.length === 0
      ? `, and every number of ${name} has the stable split.`
      : `. Not every number of ${name} has the stable split yet: ${notApplied.join("; ")}.${apply}`;
  return {
    code: 3,
    text: `Nothing to abort: ${said}${aborted === undefined ? "" : end}`,
    outcome: "nothing to abort",
    ...rolloutJson(rollout),
    isApplied: notApplied.length === 0,
  };
}

function abortResult(
  rollout: StackRollout,
  next: AbortedRollout,
  notes: readonly (string | undefined)[],
  isDry: boolean,
  isUp: boolean,
): Result {
  const { agent, percent } = next.aborted;
  const move = percent === 0 ? `${agent} had no calls` : `${agent} from ${percentText(percent)} to 0 %`;
  const apply = `Written to ${rollout.file.shown}.${isUp ? "" : ` ${applyText(rollout)}`}`;
  const head = `${rollout.name} in ${rollout.stack}: ${move}; ${next.stable} gets all calls`;
  return {
    code: 0,
    text: [head, "", ...present(notes), isDry ? NOT_WRITTEN : apply].join("\n"),
    outcome: isDry ? "not written" : "written",
    ...rolloutJson(rollout, next),
  };
}

/** What an operator has to know before `pulumi up`. */
function notesOf({ stack, name, value }: StackRollout, { stable, aborted }: AbortedRollout, state: KnownState) {
  if (state.unread !== undefined) {
    return [`Stack ${stack} could not be read, so ${stable} was not compared with its state: ${state.unread}`];
  }
  const { resources, isStopped, numbers } = stackRollout(name, value, { ...state, stack });
  const count = resources.length === 0 && !isStopped ? undefined : numbers.length;
  const sent = `It sends the stable split to ${counted(count ?? 0, "number")}, whatever the state says of ${count === 1 ? "it" : "them"}.`;
  return present([
    stable !== value.stable &&
      aborted.to === undefined &&
      `${value.stable} was never applied as the stable agent; ${stable} was.`,
    count === undefined
      ? `No resource of stack ${stack} has the rollout ${name}: make sure that ${stable} is to get all calls.`
      : sent,
  ]);
}
