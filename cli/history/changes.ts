import { same } from "../../provider/core/common/equality";
import { configOf, type Run } from "../pulumi/history";
import { percentOf, percentOfAgent, ROLLOUTS, type Rollout, rolloutsIn } from "../rollout/value";
import { type Origin, originOf } from "./origin";

/** When a rollout changed, from what to what, who changed it, and what became of it: from the config of every recorded run. */

export interface RolloutChange {
  readonly stack: string;
  readonly rollout: string;
  readonly at: Date;
  /** Undefined if the rollout is new. */
  readonly from: Rollout | undefined;
  /** Undefined if the rollout is no longer in the config. */
  readonly to: Rollout | undefined;
  readonly origin: Origin;
  readonly outcome: Aftermath;
}

interface Aftermath {
  readonly what: "applied" | "failed" | "stopped" | "running" | "destroyed";
  /** When a later run applied what this one did not. */
  readonly appliedAt?: Date | undefined;
  /** Was the run restricted to some resources, with `--target`? */
  readonly isPartial?: boolean;
  /** Did the next change come before this one was applied? */
  readonly isSuperseded?: boolean;
}

/** The rollouts of a run by name, without their gates. */
const rolloutsOf = (run: Run): ReadonlyMap<string, Rollout> =>
  new Map(
    Object.entries(rolloutsIn(configOf(run, ROLLOUTS))).map(([name, { promote: _, ...rollout }]) => [name, rollout]),
  );

/** The changes of all rollouts of a stack, the newest first. @param all the first one first */
export function changesOf(stack: string, all: readonly Run[]): RolloutChange[] {
  const runs = all.filter(({ kind }) => kind === "update" || kind === "destroy");
  const changes: RolloutChange[] = [];
  let last: ReadonlyMap<string, Rollout> = new Map();
  for (const [index, run] of runs.entries()) {
    const now: ReadonlyMap<string, Rollout> = run.kind === "destroy" && !isPartial(run) ? new Map() : rolloutsOf(run);
    for (const rollout of new Set([...last.keys(), ...now.keys()])) {
      const [from, to] = [last.get(rollout), now.get(rollout)];
      if (!same(from, to)) {
        const outcome = outcomeOf(rollout, to, runs.slice(index));
        changes.push({ stack, rollout, at: run.startTime, from, to, origin: originOf(run), outcome });
      }
    }
    last = now;
  }
  return changes.reverse();
}

const isPartial = ({ environment }: Run): boolean =>
  ["target", "exclude"].some((flag) => environment[`pulumi.flag.${flag}`] !== undefined);

/** @param runs the run of the change, and those after it */
function outcomeOf(rollout: string, to: Rollout | undefined, [run, ...later]: readonly Run[]): Aftermath {
  if (run?.result === "succeeded") {
    return run.kind === "destroy"
      ? { what: "destroyed" }
      : { what: "applied", ...(isPartial(run) && { isPartial: true }) };
  }
  // A run without an end is under way if no other came after it: a stack has one run at a time.
  const unfinished = later.length > 0 ? "stopped" : "running";
  const what = run?.result === "failed" ? "failed" : unfinished;
  if (run?.kind === "destroy") {
    return { what };
  }
  const end = later.findIndex((one) => one.kind === "destroy" || !same(rolloutsOf(one).get(rollout), to));
  const again = (end < 0 ? later : later.slice(0, end)).find(({ result }) => result === "succeeded");
  return {
    what,
    ...(again && { appliedAt: again.startTime }),
    ...(again === undefined && end >= 0 && { isSuperseded: true }),
  };
}

/** The percentages of the calls before and after, of the agent that the change is about. */
export interface PercentMove {
  readonly kind: "new" | "moved" | "aborted" | "removed" | "same";
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** The agents that lose and get calls; one if all calls stay with it. */
  readonly agents: readonly string[];
}

export function moveOf({ from, to }: Pick<RolloutChange, "from" | "to">): PercentMove {
  if (to === undefined) {
    return { kind: "removed", from: from && percentOf(from), to: undefined, agents: from ? agentsIn(from) : [] };
  }
  if (to.aborted !== undefined && !same(to.aborted, from?.aborted)) {
    return { kind: "aborted", from: to.aborted.percent, to: 0, agents: [to.aborted.agent, to.stable] };
  }
  const agent = to.candidate ?? to.stable;
  const move = {
    from: from && percentOfAgent(agent, from),
    to: percentOfAgent(agent, to),
    agents: agentsIn(to),
  };
  return { kind: kindOfMove(move), ...move };
}

function kindOfMove({ from, to }: Pick<PercentMove, "from" | "to">): PercentMove["kind"] {
  if (from === undefined) {
    return "new";
  }
  return from === to ? "same" : "moved";
}

const agentsIn = ({ stable, candidate }: Rollout): string[] =>
  candidate === undefined ? [stable] : [stable, candidate];
