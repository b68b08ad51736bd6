import { series } from "../../provider/base/text";
import { NUMBER_KINDS } from "../../provider/config/kinds";
import { ABORT_ENV, bypassIn } from "../../provider/config/settings";
import { isAborted, type RolloutEntry, splitOf } from "../../provider/routing/rollout";
import { round } from "../../provider/routing/split";
import type { Aborted } from "../../provider/routing/types";
import { counted } from "../../provider/words/message";
import { CLI } from "../command";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { present } from "../lists";
import { findRollout, guardsIn, readConfig, setRollout, valuesOf } from "../pulumi/config";
import { abortMessage } from "../pulumi/history";
import { readState, type StackState } from "../pulumi/state";
import { configName, type Target, withBypass } from "../pulumi/target";
import { agentsReached, hasSplit, percentagesOf } from "../state/callers";
import { openOperations } from "../state/resources";
import {
  commandToAbort,
  percentOfAgent,
  percentText,
  type StackRollout,
  stackRollout,
  whyBypassNeeded,
} from "../state/stackRollout";
import { timeText } from "../state/time";
import {
  type ActionResult,
  type ActionValues,
  applyText,
  lookFirst,
  NOT_WRITTEN,
  othersNote,
  type ReadRollout,
  type Result,
  rolloutCommand,
  rolloutJson,
  type ToApply,
  type UpRun,
  unreachedNote,
} from "./apply";

/**
 * The saved state. If it couldn't be read, it is empty, and `unread` says why. An abort can be written to the config
 * even then.
 */
type KnownState = StackState & { readonly unread?: string };

type AbortedEntry = RolloutEntry & { readonly aborted: Aborted };

/**
 * Writes an abort to the config. Once it is applied, all calls go back to the rollout's stable agent.
 * @param values `to` is the agent that gets all calls instead of the stable agent
 */
export async function abort(
  target: Target,
  name: string | undefined,
  { to, up = false, yes = false, "dry-run": isDry }: ActionValues,
  io: Io,
): Promise<ActionResult> {
  const { stack } = target;
  const reading: Promise<KnownState> = readState(target, io).catch((error: unknown) => {
    if (error instanceof UsageError) {
      return { target, stack, project: undefined, resources: [], pending: [], unread: error.message };
    }
    throw error;
  });
  const [config, state] = await Promise.all([readConfig(target, io), reading]);
  const found = findRollout(config, name, target);
  const read = { target, config, rollout: stackRollout(found.name, found.entry, state) };
  if (to !== undefined && to !== knownStable(read.rollout)) {
    refuseReturn(to, read, io);
  }
  const next = abortedEntry(read.rollout, to, state.unread === undefined, io.now());
  const toApply: ToApply = {
    ...read,
    rollout: { ...read.rollout, entry: next ?? found.entry },
    command: commandToAbort(read.rollout.name, target),
    up: upOfAbort(read.rollout, state, yes),
    stopped: openOperations(state),
    afterwards: commitText(target),
  };
  if (next === undefined && state.unread !== undefined) {
    return { result: nothingKnown(read, state.unread) };
  }
  if (next === undefined) {
    const result = nothingToAbort(read, state, up);
    return { result, toApply: result.outcome === "written before" ? toApply : undefined };
  }
  if (!isDry) {
    await setRollout(target, found.name, next, config, io);
  }
  const written = up
    ? `Written to ${configName(target)}.`
    : `The abort has been written to ${configName(target)}, but nothing has been sent yet. ${sendText(toApply)}`;
  const text = [
    isDry ? NOT_WRITTEN : written,
    "",
    moveText(read.rollout, next, state),
    ...notesOf(read.rollout, next, state, up),
    // With `--up`, this line is printed later, after the result of `pulumi up`.
    ...(isDry || up ? [] : [commitText(target)]),
    ...othersNote(toApply.rollout, state),
  ].join("\n");
  const outcome = isDry ? "not written" : "written";
  return { result: { code: 0, text, outcome, ...rolloutJson(read.rollout, next) }, toApply };
}

/**
 * The maximum length, in characters, of the resource names on a command line. Operating systems limit command lines:
 * Windows, for example, allows 32,767 characters.
 */
const LONGEST = process.platform === "win32" ? 20_000 : 500_000;

/** Returns the arguments of the `pulumi up` that applies an abort, or undefined if no resource uses the rollout. */
function upOfAbort(
  { name, resources, stopped }: StackRollout,
  { unread }: KnownState,
  yes: boolean,
): UpRun | undefined {
  const urns = [...new Set([...resources.map(({ saved }) => saved.urn), ...stopped.map(({ urn }) => urn)])];
  if (urns.length === 0 && unread === undefined) {
    return undefined;
  }
  // If the resources are unknown, or too many for a command line, target all number resources. The provider then
  // changes only those of the aborted rollout.
  const isNamed = unread === undefined && urns.join(" ").length <= LONGEST;
  const targets = isNamed ? urns : NUMBER_KINDS.map((kind) => `urn:pulumi:**:${kind}::**`);
  const args = [
    "--message",
    abortMessage(name),
    "--continue-on-error",
    // With `--yes`, nobody would read the preview, and it could fail.
    ...(yes ? ["--skip-preview"] : []),
    ...targets.flatMap((urn) => ["--target", urn]),
  ];
  return { args, env: { [ABORT_ENV]: name } };
}

/**
 * Throws unless the abort may return to the agent `to`. Most guards let an abort pass, so without this check, an abort
 * could be used to promote an agent.
 */
function refuseReturn(to: string, read: ReadRollout, io: Io): void {
  const { name, entry, resources } = read.rollout;
  const { approvedAgents = [] } = guardsIn(valuesOf(read.config));
  if ([entry, ...resources.map(({ rollout }) => rollout)].some(({ candidate }) => candidate === to)) {
    // Suggest `promote --to` even if a rollout is under way. It then fails, but its error says what to do instead.
    const start = `${rolloutCommand("promote", read)} --to ${to}`;
    throw new UsageError(
      `${to} is the candidate of the rollout "${name}", so an abort cannot return to it. To send calls to a candidate, run ${start}`,
    );
  }
  if (!approvedAgents.includes(to) && bypassIn(io.env) === undefined) {
    const again = withBypass(`${rolloutCommand("abort", read)} --to ${to} --up`);
    throw new UsageError(
      `${to} is not approved, so the guards do not allow a return to it. Add the agent to agent-platform:approvedAgents, or bypass the guards: ${again}`,
    );
  }
}

// --- the rollout after the abort

/**
 * Returns the rollout to write to the config, or undefined in these two cases:
 * - The stable agent is the rollout's only agent in the config and in the numbers' splits.
 * - The config already contains this abort, and the saved state shows that it needs no new time (see `isUncertain`).
 */
function abortedEntry(
  rollout: StackRollout,
  to: string | undefined,
  isRead: boolean,
  now: Date,
): AbortedEntry | undefined {
  const { entry } = rollout;
  const former = knownStable(rollout);
  const stable = to ?? former;
  const last = isAborted(entry) && entry.stable === stable ? entry.aborted : undefined;
  const agent = last?.agent ?? takenBack(rollout, stable);
  if (agent === undefined || (last !== undefined && isRead && !isUncertain(rollout))) {
    return undefined;
  }
  // If the abort is repeated, the agent may already have lost its calls, so keep the higher of the two percentages.
  const had = agentsReached(rollout.callers).find((one) => one.agent === agent)?.percent ?? 0;
  const percent = Number(round(Math.max(last?.percent ?? 0, isRead ? had : percentOfAgent(agent, entry))));
  // If an earlier abort set `aborted.to`, overwrite that key, because writing a rollout never removes a key.
  const returned = stable !== former || entry.aborted?.to !== undefined ? stable : undefined;
  // Keep the milliseconds. If two aborts had the same time, the provider would see no new abort and send nothing.
  const aborted: Aborted = { agent, percent, ...(returned !== undefined && { to: returned }), at: now.toISOString() };
  const candidate = entry.candidate === undefined || entry.candidate === stable ? agent : entry.candidate;
  return { ...entry, stable, candidate, percent: 0, aborted };
}

/**
 * Whether a stopped or failed run may have missed some numbers. The abort then needs a new time, so that the next
 * `pulumi up` sends it to every number.
 */
const isUncertain = ({ resources, stopped }: StackRollout): boolean =>
  stopped.length > 0 || resources.some(({ saved }) => saved.outputs.unapplied !== undefined);

/**
 * Returns the agent to which an abort returns all calls. If the config's stable agent was never applied, it may never
 * have had calls, so this is the stable agent in the saved state.
 */
function knownStable({ entry, resources }: StackRollout): string {
  const { stable } = entry;
  const isKnown = resources.some(({ rollout }) => rollout.stable === stable || percentOfAgent(stable, rollout) === 100);
  // An `abort --to` may name an agent that the numbers don't have yet. Once it is applied, a later rollout may have
  // replaced that agent, although the config of a clone that lacks its commit still names it.
  const isTarget =
    isAborted(entry) &&
    entry.aborted.to === stable &&
    resources.every(({ rollout }) => (rollout.aborted?.at ?? "") < entry.aborted.at);
  return isKnown || isTarget ? stable : (resources[0]?.rollout.stable ?? stable);
}

/**
 * Returns the agent to record as aborted, which is always one of the rollout's own agents. Those that may receive calls
 * come first: the candidate, and then the others, highest percentage first.
 * @param stable the agent that receives all calls after the abort, for example the one given by `--to`
 */
function takenBack({ entry, callers, agents }: StackRollout, stable: string): string | undefined {
  const had = agentsReached(callers).flatMap(({ agent }) => (agents.has(agent) ? [agent] : []));
  // Don't prefer the candidate if the config's stable agent loses its calls too, as with `--to`. That agent may have
  // had more calls.
  const first = had.filter((agent) => agent === entry.candidate && stable === entry.stable);
  return present([...first, ...had, entry.candidate, entry.stable]).find((agent) => agent !== stable);
}

// --- messages about an abort

const commitText = (target: Target): string =>
  `Commit the change to ${configName(target)} now. Otherwise, the next deployment undoes the abort.`;

const sendText = ({ target, config, rollout }: ReadRollout): string =>
  applyText(whyBypassNeeded(rollout, config), commandToAbort(rollout.name, target), "it");

/**
 * Returns a line such as `Rollout "front" in stack prod: once the abort is applied, agent_front@13 goes from 50% to 0%
 * of calls, and agent_front@12 receives all calls.`
 */
function moveText({ name, stack, entry, callers }: StackRollout, next: AbortedEntry, { unread }: KnownState): string {
  const { stable, aborted } = next;
  const { agent } = aborted;
  const had = unread === undefined ? percentagesOf(agent, callers) : [percentOfAgent(agent, entry)];
  const isWithout = had.every((percent) => percent === 0);
  const texts = had.map((percent) => (percent === undefined ? "an unknown percentage" : percentText(percent)));
  // There are several percentages if the numbers have different splits, or if the outcome of a request is unknown.
  const from = `${series(texts, "or")}${texts.length > 1 ? " (whichever a number received last)" : ""}`;
  const move = isWithout ? `${agent} receives no calls` : `${agent} goes from ${from} to 0% of calls`;
  return `Rollout "${name}" in stack ${stack}: once the abort is applied, ${move}, and ${stable} receives all calls.`;
}

/**
 * Returns notes to print with the abort. They say how many numbers the abort is sent to, and raise any doubts about the
 * agent that will receive all calls.
 * @param isUp whether this command also applies the abort
 */
function notesOf(rollout: StackRollout, { stable }: AbortedEntry, { unread }: KnownState, isUp: boolean): string[] {
  const { stack, name, entry, numbers, resources, stopped } = rollout;
  if (unread !== undefined) {
    return [
      `It is not known whether ${stable} ever received calls, because the state of stack ${stack} could not be read: ${unread}`,
    ];
  }
  const isNowhere = resources.length === 0 && stopped.length === 0;
  return present([
    stable !== entry.stable &&
      stable === knownStable(rollout) &&
      `The config names ${entry.stable} as the stable agent, but no run has applied that, so the abort returns all calls to ${stable}, the stable agent in the saved state.`,
    isNowhere
      ? `No resource in the state of stack ${stack} uses the rollout "${name}", so it is not known whether ${stable} ever received calls. Make sure that ${stable} is the agent that should receive all calls.`
      : `${isUp ? "This run sends" : "`abort --up` sends"} the abort to ${counted(numbers.length, "number")}, even to those that already send all calls to ${stable} according to the saved state.`,
  ]);
}

/** Returns the result if the config names no agent to abort, and the saved state, which may show one, is unreadable. */
function nothingKnown({ target, rollout }: ReadRollout, unread: string): Result {
  const { name, stack, entry } = rollout;
  const text = `Not aborted: in ${configName(target)}, the rollout "${name}" has no candidate to abort and sends all calls to ${entry.stable}. Whether its numbers still send calls to another agent is not known, because the state of stack ${stack} could not be read: ${unread}`;
  return { code: 1, text, outcome: "not known", ...rolloutJson(rollout) };
}

/** What to do if the saved state is wrong, for example because somebody edited a number in the web application. */
const STILL_WRONG = `If callers still reach another agent, run \`${CLI} help wrong-agents\``;

/**
 * Returns the result if there is nothing to abort, or if the config already contains the abort. In the second case,
 * some numbers may still lack it.
 */
function nothingToAbort(read: ReadRollout, state: KnownState, isUp: boolean): Result {
  const { name, stack, entry, unreached } = read.rollout;
  const notApplied = [...read.rollout.notApplied, ...unreached];
  const where = configName(read.target);
  const json = rolloutJson(read.rollout);
  if (!isAborted(entry)) {
    const isApplied = read.rollout.callers.every((group) => hasSplit(group, splitOf(entry)));
    const numbers = isApplied
      ? ", and according to the saved state, none of its numbers sends calls to another agent."
      : ` and has no other agent. However, not every number has this split: ${notApplied.join("; ")}. ${lookFirst(read.target)}`;
    const text = `Nothing to abort: in ${where}, the rollout "${name}" sends all calls to ${entry.stable}${numbers}\n${STILL_WRONG}`;
    return { code: isApplied ? 3 : 1, text, outcome: "nothing to abort", ...json, isApplied };
  }
  const was = `${entry.aborted.agent} was aborted at ${timeText(new Date(entry.aborted.at))}`;
  const others = othersNote(read.rollout, state);
  if (notApplied.length === 0) {
    const text = `Nothing to abort: ${was}, and according to the saved state, every number of the rollout "${name}" in stack ${stack} sends 100% of calls to ${entry.stable}.`;
    return {
      code: 3,
      text: [text, STILL_WRONG, ...others].join("\n"),
      outcome: "nothing to abort",
      ...json,
      isApplied: true,
    };
  }
  const texts = present([
    `The abort has not reached every number of the rollout "${name}" in stack ${stack}: ${notApplied.join("; ")}.`,
    read.rollout.notApplied.length === 0
      ? `${was}. The abort has reached every number that its resources declare.`
      : `${was}. The abort is in ${where}, but it has not been applied.`,
    !isUp && read.rollout.notApplied.length > 0 && sendText(read),
    ...unreachedNote(read.rollout, read.target),
  ]);
  return { code: 0, text: [...texts, ...others].join("\n"), outcome: "written before", ...json, isApplied: false };
}
