import { counted, shortList } from "../../provider/core/messages";
import { capped } from "../lists";
import type { Pending, SavedResource, StackState } from "../pulumi/stackExport";
import { declaredNumbers } from "../pulumi/values";
import { brokenOffText, numbersNotApplied, resourcesOfNumbers, resourceTitle } from "./resources";
import { percentOf, percentText, type Rollout, rolloutIn, sameRollout } from "./rollout";

/** What a stack's state says about the rollout of a name. */
export type Standing = NonNullable<ReturnType<typeof standingOf>>;

/** A resource that has a rollout, with what is saved of it. */
export interface RolloutResource {
  readonly saved: SavedResource;
  readonly rollout: Rollout;
}

export const rolloutResources = (state: Pick<StackState, "resources">): RolloutResource[] =>
  resourcesOfNumbers(state).flatMap((saved) => {
    const rollout = rolloutIn(saved.outputs.rollout);
    return rollout?.name === undefined ? [] : [{ saved, rollout }];
  });

/** The resources that have the rollout of this name. */
export const resourcesOf = (name: string, state: Pick<StackState, "resources">): RolloutResource[] =>
  rolloutResources(state).filter(({ rollout }) => rollout.name === name);

/** Undefined if no resource has the name. @param rollout what the file says of it */
export function standingOf(name: string, rollout: Rollout, state: Pick<StackState, "resources" | "pending">) {
  const parts = resourcesOf(name, state);
  const stopped = state.pending.filter((one) => isOf(name, one, parts));
  if (parts.length === 0 && stopped.length === 0) {
    return undefined;
  }
  return {
    numbers: parts.flatMap(({ saved }) => declaredNumbers(saved.outputs)),
    missed: parts.flatMap(({ saved, rollout: own }) =>
      sameRollout(own, rollout) ? numbersNotApplied(saved) : declaredNumbers(saved.outputs),
    ),
    /** Why not all of its numbers certainly have it, in sentences without an end; empty if they do. */
    lags: capped(
      [
        ...stopped.map((step) => brokenOffText(step, resourceTitle(step))),
        ...parts.flatMap((part) => lagOf(rollout, part)),
      ],
      MOST_LAGS,
      (more) => `${counted(more, "more resource")} of it ${more === 1 ? "is" : "are"} not as the file says`,
    ),
    /** Was a run stopped, or did numbers of a resource that has it fail? Then it may not be known what they have. */
    isBroken: stopped.length > 0 || parts.some(({ saved }) => saved.outputs.unapplied !== undefined),
    since: sinceOf(parts),
  };
}

const MOST_LAGS = 5;

/** A resource that a run was about to create is not in the state, and has inputs alone. */
const isOf = (name: string, { urn, inputs }: Pending, parts: readonly RolloutResource[]): boolean =>
  parts.some(({ saved }) => saved.urn === urn) || rolloutIn(inputs.rollout)?.name === name;

function lagOf(rollout: Rollout, { saved, rollout: own }: RolloutResource): string[] {
  const who = resourceTitle(saved);
  if (!sameRollout(own, rollout)) {
    return [`${who} ${differenceText(own, rollout)}`];
  }
  const missed = numbersNotApplied(saved);
  const verb = missed.length === 1 ? "does" : "do";
  const of = `${missed.length} of ${counted(declaredNumbers(saved.outputs).length, "number")} of ${who}`;
  return missed.length === 0 ? [] : [`${of} ${verb} not have this split yet: ${shortList(missed)}`];
}

/** What a resource has in place of the rollout that is asked for. */
function differenceText(own: Rollout, { aborted }: Rollout): string {
  if (aborted !== undefined && own.aborted?.at !== aborted.at && percentOf(own) === 0) {
    return "does not have this abort yet";
  }
  const { stable, candidate } = own;
  return candidate === undefined
    ? `gives ${stable} all calls`
    : `has ${candidate} at ${percentText(percentOf(own))}, beside ${stable}`;
}

/** When the last of the resources got its split; undefined if one of them does not say. */
function sinceOf(parts: readonly RolloutResource[]): Date | undefined {
  const times = parts.flatMap(({ saved }) => timeOf(saved.outputs.since));
  return times.length < parts.length ? undefined : times.sort((one, other) => other.getTime() - one.getTime())[0];
}

/** The time of an output `since`; empty if there is none. */
export function timeOf(value: unknown): Date[] {
  const time = new Date(typeof value === "string" ? value : Number.NaN);
  return Number.isNaN(time.getTime()) ? [] : [time];
}
