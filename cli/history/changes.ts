import { same } from "../../provider/core/common/equality";
import { configOf, isPartial, type Run } from "../pulumi/history";
import { ROLLOUTS, type Rollout, rolloutsIn } from "../stack/rollout";
import { type Origin, originOf } from "./origin";

/**
 * When a rollout changed, from what to what, who changed it, and what became of it: from the config of every recorded run. And which runs have
 * deleted resources: their numbers lost their agents, unless another resource has them.
 */

export interface Change {
  readonly stack: string;
  /** Undefined if the run has deleted or replaced resources. */
  readonly rollout: string | undefined;
  readonly at: Date;
  /** Undefined if the rollout is new. */
  readonly from: Rollout | undefined;
  /** Undefined if the rollout is no longer in the config. */
  readonly to: Rollout | undefined;
  readonly origin: Origin;
  readonly outcome: Aftermath;
  /** How many resources the run has deleted and replaced. Pulumi's record does not name them. */
  readonly gone?: Gone | undefined;
}

/** Pulumi's record counts alone: a rename without an alias is a delete and a create. */
export interface Gone {
  readonly deleted: number;
  readonly replaced: number;
  readonly created: number;
}

/** Had each deleted resource a new one beside it, which may have its numbers? */
export const maybeRenamed = ({ deleted, replaced, created }: Gone): boolean => replaced === 0 && created >= deleted;

interface Aftermath {
  readonly what: "applied" | "failed" | "stopped" | "running" | "destroyed";
  /** When a later run applied what this one did not. */
  readonly appliedAt?: Date | undefined;
  /** Was the run restricted to some resources, with `--target`? */
  readonly isPartial?: boolean;
}

/** The rollouts of a run by name, without their gates. */
const rolloutsOf = (run: Run): ReadonlyMap<string, Rollout> =>
  new Map(
    Object.entries(rolloutsIn(configOf(run, ROLLOUTS))).map(([name, { promote: _, ...rollout }]) => [name, rollout]),
  );

/** The changes of a stack, the newest first. @param all the first one first */
export function changesOf(stack: string, all: readonly Run[]): Change[] {
  const runs = all.filter(({ kind }) => kind === "update" || kind === "destroy");
  const changes: Change[] = [];
  let last: ReadonlyMap<string, Rollout> = new Map();
  for (const [index, run] of runs.entries()) {
    const now: ReadonlyMap<string, Rollout> = run.kind === "destroy" && !isPartial(run) ? new Map() : rolloutsOf(run);
    const said = { stack, at: run.startTime, origin: originOf(run) };
    const gone = goneIn(run);
    if (gone !== undefined) {
      const what = whatBecame(run, runs.slice(index + 1));
      changes.push({ ...said, rollout: undefined, from: undefined, to: undefined, outcome: { what }, gone });
    }
    for (const rollout of new Set([...last.keys(), ...now.keys()])) {
      const [from, to] = [last.get(rollout), now.get(rollout)];
      if (!same(from, to)) {
        const outcome = outcomeOf(rollout, to, run, runs.slice(index + 1));
        changes.push({ ...said, rollout, from, to, outcome });
      }
    }
    last = now;
  }
  return changes.reverse();
}

function goneIn({ resourceChanges }: Run): Gone | undefined {
  const { delete: deleted = 0, replace: replaced = 0, create: created = 0 } = resourceChanges ?? {};
  return deleted + replaced > 0 ? { deleted, replaced, created } : undefined;
}

function whatBecame({ kind, result }: Run, later: readonly Run[]): Aftermath["what"] {
  if (result === "succeeded") {
    return kind === "destroy" ? "destroyed" : "applied";
  }
  // A run without an end is under way if no other came after it: a stack has one run at a time.
  const unfinished = later.length > 0 ? "stopped" : "running";
  return result === "failed" ? "failed" : unfinished;
}

function outcomeOf(rollout: string, to: Rollout | undefined, run: Run, later: readonly Run[]): Aftermath {
  const what = whatBecame(run, later);
  if (what === "applied") {
    return { what, ...(isPartial(run) && { isPartial: true }) };
  }
  if (run.kind === "destroy") {
    return { what };
  }
  const end = later.findIndex((one) => one.kind === "destroy" || !same(rolloutsOf(one).get(rollout), to));
  const again = (end < 0 ? later : later.slice(0, end)).find(({ result }) => result === "succeeded");
  return { what, ...(again && { appliedAt: again.startTime }) };
}
