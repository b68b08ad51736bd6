import { same } from "../../provider/core/common/equality";
import { configOf, isPartial, type Run } from "../pulumi/history";
import { ROLLOUTS, type Rollout, rolloutsIn } from "../stack/rollout";
import { type Origin, originOf } from "./origin";

/**
 * When a rollout changed, from what to what, who changed it, and what became of it: from the config of every recorded run. And which runs have
 * deleted resources: their numbers lost their agents, unless another resource has them.
 */

export interface RecordedChange {
  readonly stack: string;
  /** Undefined if the run has deleted or replaced resources. */
  readonly rollout?: string;
  readonly at: Date;
  /** Undefined if the rollout is new. */
  readonly from?: Rollout | undefined;
  /** Undefined if the rollout is no longer in the config. */
  readonly to?: Rollout | undefined;
  readonly origin: Origin;
  readonly outcome: Aftermath;
  /** How many resources the run has deleted and replaced. Pulumi's record does not name them. */
  readonly removed?: Removed;
}

/** Pulumi's record counts alone: a rename without an alias is a delete and a create. */
export interface Removed {
  readonly deleted: number;
  readonly replaced: number;
  readonly created: number;
}

/** Had each deleted resource a new one beside it, which may have its numbers? */
export const maybeRenamed = ({ deleted, replaced, created }: Removed): boolean => replaced === 0 && created >= deleted;

interface Aftermath {
  readonly what: "applied" | "failed" | "stopped" | "running" | "destroyed";
  /** When a later run applied what this one did not. */
  readonly appliedAt?: Date;
  /** Was the run restricted to some resources, with `--target`? */
  readonly isPartial?: boolean;
}

/** The rollouts of a run by name, without their gates. */
const rolloutsOf = (run: Run): Readonly<Record<string, Rollout>> =>
  Object.fromEntries(
    Object.entries(rolloutsIn(configOf(run, ROLLOUTS))).map(([name, { promote: _, ...rollout }]) => [name, rollout]),
  );

/** The changes of a stack, the newest first. @param all the first one first */
export function changesOf(stack: string, all: readonly Run[]): RecordedChange[] {
  const runs = all.filter(({ kind }) => kind === "update" || kind === "destroy");
  const inRun = (run: Run) => (run.kind === "destroy" && !isPartial(run) ? {} : rolloutsOf(run));
  const changes = runs.flatMap((run, index): RecordedChange[] => {
    const [last, now] = [index === 0 ? {} : inRun(runs[index - 1] ?? run), inRun(run)];
    const later = runs.slice(index + 1);
    const said = { stack, at: run.startTime, origin: originOf(run) };
    const { delete: deleted = 0, replace: replaced = 0, create: created = 0 } = run.resourceChanges ?? {};
    const removed = { ...said, outcome: { what: whatBecame(run, later) }, removed: { deleted, replaced, created } };
    const changed = Object.keys({ ...last, ...now }).filter((rollout) => !same(last[rollout], now[rollout]));
    return [
      ...(deleted + replaced > 0 ? [removed] : []),
      ...changed.map((rollout) => {
        const [from, to] = [last[rollout], now[rollout]];
        return { ...said, rollout, from, to, outcome: becameOf(rollout, to, run, later) };
      }),
    ];
  });
  return changes.reverse();
}

function whatBecame({ kind, result }: Run, later: readonly Run[]): Aftermath["what"] {
  if (result === "succeeded") {
    return kind === "destroy" ? "destroyed" : "applied";
  }
  // A run without an end is under way if no other came after it: a stack has one run at a time.
  const unfinished = later.length > 0 ? "stopped" : "running";
  return result === "failed" ? "failed" : unfinished;
}

function becameOf(rollout: string, to: Rollout | undefined, run: Run, later: readonly Run[]): Aftermath {
  const what = whatBecame(run, later);
  if (what === "applied") {
    return { what, ...(isPartial(run) && { isPartial: true }) };
  }
  if (run.kind === "destroy") {
    return { what };
  }
  const end = later.findIndex((one) => one.kind === "destroy" || !same(rolloutsOf(one)[rollout], to));
  const again = (end < 0 ? later : later.slice(0, end)).find(({ result }) => result === "succeeded");
  return { what, ...(again && { appliedAt: again.startTime }) };
}
