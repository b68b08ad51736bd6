import { counted, shortList } from "../../provider/core/messages";
import { capped } from "../lists";
import type { Pending, SavedResource, StackState } from "../pulumi/stackExport";
import { declaredNumbers } from "../pulumi/values";
import { numbersNotApplied, openSteps, pendingText, resourcesOfNumbers, resourceTitle } from "./resources";
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
  const resources = resourcesOf(name, state);
  const pending = openSteps(state).filter((one) => isOf(name, one, resources));
  if (resources.length === 0 && pending.length === 0) {
    return undefined;
  }
  return {
    numbers: resources.flatMap(({ saved }) => declaredNumbers(saved.outputs)),
    numbersNotApplied: resources.flatMap(({ saved, rollout: own }) =>
      sameRollout(own, rollout) ? numbersNotApplied(saved) : declaredNumbers(saved.outputs),
    ),
    /** Why not all of its numbers certainly have it, in sentences without an end; empty if they do. */
    notApplied: capped(
      [
        ...pending.map((step) => pendingText(step, resourceTitle(step))),
        ...resources.flatMap((resource) => notAppliedOf(rollout, resource)),
      ],
      MOST_NOT_APPLIED,
      (more) => `${counted(more, "more resource")} of it ${more === 1 ? "is" : "are"} not as the file says`,
    ),
    /** Was a run stopped? */
    isStopped: pending.length > 0,
    /** Was it, or did numbers of a resource that has the rollout fail? Then it may not be known what they have. */
    isUncertain: pending.length > 0 || resources.some(({ saved }) => saved.outputs.unapplied !== undefined),
    since: sinceOf(resources),
  };
}

const MOST_NOT_APPLIED = 5;

/** A resource that a run was about to create is not in the state, and has inputs alone. */
const isOf = (name: string, { urn, inputs }: Pending, resources: readonly RolloutResource[]): boolean =>
  resources.some(({ saved }) => saved.urn === urn) || rolloutIn(inputs.rollout)?.name === name;

function notAppliedOf(rollout: Rollout, { saved, rollout: own }: RolloutResource): string[] {
  const who = resourceTitle(saved);
  if (!sameRollout(own, rollout)) {
    return [`${who} ${differenceText(own, rollout)}`];
  }
  const numbers = numbersNotApplied(saved);
  const verb = numbers.length === 1 ? "does" : "do";
  const of = `${numbers.length} of ${counted(declaredNumbers(saved.outputs).length, "number")} of ${who}`;
  return numbers.length === 0 ? [] : [`${of} ${verb} not have this split yet: ${shortList(numbers)}`];
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
function sinceOf(resources: readonly RolloutResource[]): Date | undefined {
  const times = resources.flatMap(({ saved }) => timeOf(saved.outputs.since));
  return times.length < resources.length ? undefined : times.sort((one, other) => other.getTime() - one.getTime())[0];
}

/** The time of an output `since`; empty if there is none. */
export function timeOf(value: unknown): Date[] {
  const time = new Date(typeof value === "string" ? value : Number.NaN);
  return Number.isNaN(time.getTime()) ? [] : [time];
}
