import type { NamedRollout } from "../../../provider/core/routing/rollouts";
import { agentKey, parseAgentKey } from "../../../provider/core/routing/split";
import { CALLED } from "../../command";
import { UsageError } from "../../errors";
import { shellText } from "../../io";
import type { Standing } from "../../rollout/standing";
import { durationText, timeText, writtenDuration } from "../../rollout/time";
import { percentOf, percentOfAgent, percentText, type Rollout, subjectOf } from "../../rollout/value";
import type { Target } from "./target";

/** What promote may do next. Pure: it uses no file, no clock and no process. */

interface Wish {
  /** The candidate to start with: from `--to`, or from the stack that is to be first. */
  readonly to?: string | undefined;
  /** Was it named with `--to`? */
  readonly isNamed: boolean;
  readonly steps: readonly number[];
}

/** How old the present split must be. */
interface Soak {
  readonly text?: string | undefined;
  /** The option or the field of the file that asks for it. */
  readonly asks: string;
  /** In milliseconds. */
  readonly length: number;
  readonly now: Date;
}

/** Do both agents get calls? */
const isUnderWay = (rollout: Rollout): boolean => percentOf(rollout) > 0 && percentOf(rollout) < 100;

/** The stable agent of the next rollout: the candidate, if it has all calls. */
const nextStable = (now: Rollout): string => (percentOf(now) === 100 ? (now.candidate ?? now.stable) : now.stable);

/** The next value, or undefined if there is nothing to promote. */
export function nextValue(now: NamedRollout, { to, isNamed, steps }: Wish): NamedRollout | undefined {
  const percent = percentOf(now);
  const isRunning = isUnderWay(now);
  if (isRunning && isNamed) {
    const rule = "Promote it to 100 %, or abort it, before another one starts.";
    throw new UsageError(`${now.candidate} has ${percentText(percent)} of the calls. ${rule}`);
  }
  if (isNamed && to === now.stable && percent < 100) {
    throw new UsageError(`${to} is the stable agent. --to takes another one.`);
  }
  const candidate = isRunning ? now.candidate : (to ?? (percent === 0 ? now.candidate : undefined));
  const stable = nextStable(now);
  // A candidate that was aborted starts again only if it is named.
  const isAgain = !isNamed && candidate === now.aborted?.agent;
  if (candidate === undefined || candidate === stable || isAgain) {
    return undefined;
  }
  const next = steps.find((step) => step > (percent === 100 ? 0 : percent)) ?? 100;
  const { aborted: _, ...rest } = now;
  return { ...rest, stable, candidate, percent: next };
}

/** Why a promotion has to wait; empty if it need not. */
export function heldBecause({ stack, file, found }: Target, standing: Standing | undefined, soak?: Soak): string[] {
  if (standing === undefined) {
    return [`no resource of stack ${stack} has the rollout ${found.name}. Apply ${file.shown} first.`];
  }
  if (standing.lags.length > 0) {
    return standing.lags.map((lag) => `${lag}. Run \`pulumi up\` until it succeeds.`);
  }
  return soak?.text === undefined || soak.length === 0 ? [] : tooYoung(found.value, standing.since, soak.text, soak);
}

function tooYoung(rollout: Rollout, since: Date | undefined, wanted: string, { length, now, asks }: Soak): string[] {
  const agent = subjectOf(rollout);
  const what = `${agent} is at ${percentText(percentOfAgent(agent, rollout))}`;
  if (since === undefined) {
    const how = "To count from now on, change `triggers`, which sends it again. To go on this once: --min-soak 0s.";
    return [`${what}, and the state does not say since when; ${asks} asks for ${writtenDuration(wanted)}. ${how}`];
  }
  const passed = now.getTime() - since.getTime();
  if (passed >= length) {
    return [];
  }
  // The next whole minute, because the text has no seconds.
  const ready = timeText(new Date(Math.ceil((since.getTime() + length) / 60_000) * 60_000));
  const age = durationText(passed);
  return [`${what} for ${age}; ${asks} asks for ${asked(wanted, age)}. Ready at ${ready}.`];
}

/** The time that is asked for. If the age has the same unit, it is left out: `for 3 hours; --min-soak asks for 24`. */
function asked(soak: string, age: string): string {
  const text = writtenDuration(soak);
  const [count, unit = ""] = text.split(" ");
  const ageWords = age.split(" ");
  return ageWords.length === 2 && ageWords[1]?.replace(/s$/, "") === unit.replace(/s$/, "") ? `${count}` : text;
}

/** Does the stack that is to be first give the agent less than all its calls? @param asks `--after canary`, or `promote.after: canary` */
export function heldByAfter(agent: string, stack: string, rollout: Rollout, asks: string): string | undefined {
  const percent = percentOfAgent(agent, rollout);
  return percent === 100 ? undefined : `stack ${stack} gives ${agent} ${percentText(percent)}; ${asks} asks for 100 %.`;
}

/** The next version of an agent, as an example for `--to`. */
function example(agent: string): string {
  const { agentId, agentVersion } = parseAgentKey(agent);
  return agentVersion === undefined ? "<agent>" : agentKey({ agentId, agentVersion: agentVersion + 1 });
}

/** A stack in which a rollout starts, with the path to the folder of its project: empty for this one. */
export type Start = Pick<Target, "stack" | "found"> & { readonly folder: string };

/**
 * What to do if there is nothing to promote.
 * @param first where a version starts that this stack is to get later; undefined if it waits for no other stack
 */
export function nothingText({ found, stack }: Target, { since }: Standing, first?: Start, before?: Rollout): string {
  const { aborted } = found.value;
  const agent = nextStable(found.value);
  const has = `${agent} has all calls${since === undefined ? "" : ` since ${timeText(since)}`}`;
  if (aborted === undefined) {
    const how = startText(first ?? { stack, found, folder: "" }, example(agent));
    return `Nothing to promote: ${has}. Start the next${first === undefined ? "" : ` in stack ${first.stack}`}: ${how}`;
  }
  const was = `${aborted.agent} was aborted at ${timeText(new Date(aborted.at))}`;
  // The stack before it may not have the agent any more.
  const isFirst = first !== undefined && before !== undefined && percentOfAgent(aborted.agent, before) < 100;
  const how = startText(isFirst ? first : { stack, found, folder: "" }, aborted.agent);
  return `Nothing to promote: ${was}, and ${has}. To start it again${isFirst ? `, begin with stack ${first.stack}` : ""}: ${how}`;
}

function startText({ folder, stack, found }: Start, agent: string): string {
  const there = folder === "" ? "" : `cd ${shellText(folder)} && `;
  return `${there}${CALLED} promote ${found.name} --stack ${stack} --to ${agent}`;
}
