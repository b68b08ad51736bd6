import { isObject } from "../../provider/core/equality";
import { isOfNumbers } from "../../provider/core/kinds";
import { counted } from "../../provider/core/messages";
import { numberOf, stateIn } from "../pulumi/coreState";
import { numbersHeld } from "../pulumi/numbersHeld";
import type { Saved, StackState } from "../pulumi/stackExport";
import type { Properties } from "../pulumi/values";
import { percentOf, type Rollout, sameRollout } from "./value";

/** What a stack's state says about a rollout. */
export interface Standing {
  readonly numbers: readonly string[];
  /** Why not all numbers have it; undefined if they do. */
  readonly unapplied?: string | undefined;
  /** When the last of its resources got this split; undefined if the state does not say. */
  readonly since?: Date | undefined;
  /** Has the candidate had calls and lost all of them? */
  readonly isAborted: boolean;
}

/** Undefined if no resource has this value. */
export function standingOf(rollout: Rollout, state: StackState): Standing | undefined {
  const parts = state.resources
    .filter(({ kind, isLeftover }) => isOfNumbers(kind) && !isLeftover)
    .flatMap((saved) => {
      const part = partOf(rollout, saved);
      return part === undefined ? [] : [{ ...part, saved }];
    });
  if (parts.length === 0) {
    return undefined;
  }
  const numbers = parts.flatMap((part) => part.numbers);
  const unapplied = parts.reduce((sum, part) => sum + part.unapplied, 0);
  const stopped = state.pending.find(({ urn }) => parts.some(({ saved }) => saved.urn === urn));
  const times = parts.flatMap(({ saved }) => timeOf(saved.outputs.since));
  return {
    numbers,
    isAborted: parts.some(({ saved }) => wasAborted(rollout, saved)),
    unapplied: stopped === undefined ? unappliedText(unapplied, numbers.length) : stoppedText(stopped),
    since: times.length < parts.length ? undefined : times.sort((one, other) => other.getTime() - one.getTime())[0],
  };
}

const unappliedText = (count: number, all: number): string | undefined =>
  count === 0
    ? undefined
    : `${count} of ${counted(all, "number")} ${count === 1 ? "does" : "do"} not have this split yet`;

const stoppedText = ({ operation, kind, name }: StackState["pending"][number]): string =>
  `a run was stopped while it was ${operation} ${kind} "${name}"`;

/** The rollouts that resources of a stack have. */
export const savedRollouts = ({ resources }: Pick<StackState, "resources">): Rollout[] =>
  resources.filter(({ isLeftover }) => !isLeftover).flatMap(({ outputs }) => rolloutOf(outputs) ?? []);

/** The numbers of a resource with this rollout, and how many of them may not have its split. */
function partOf(rollout: Rollout, saved: Saved): { numbers: readonly string[]; unapplied: number } | undefined {
  const { outputs } = saved;
  const own = rolloutOf(outputs);
  if (own === undefined || !sameRollout(own, rollout)) {
    return undefined;
  }
  const [numbers, state] = [numbersHeld(saved), stateIn(saved.kind, outputs)];
  return { numbers, unapplied: numbers.filter((number) => numberOf(number, state).unapplied !== undefined).length };
}

const wasAborted = (rollout: Rollout, { outputs: { previousInboundAgents: before } }: Saved): boolean =>
  percentOf(rollout) === 0 &&
  rollout.candidate !== undefined &&
  isObject(before) &&
  Object.hasOwn(before, rollout.candidate);

export const rolloutOf = ({ rollout }: Properties): Rollout | undefined =>
  isObject(rollout) && typeof rollout.stable === "string" ? (rollout as unknown as Rollout) : undefined;

/** The time of an output `since`; empty if there is none. */
export function timeOf(value: unknown): Date[] {
  const time = new Date(typeof value === "string" ? value : Number.NaN);
  return Number.isNaN(time.getTime()) ? [] : [time];
}
