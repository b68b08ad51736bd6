import { defined, same } from "../base/json";
import type { NumbersKind } from "../config/kinds";
import { isSingle, type NumbersInputs, type PreviewedNumbers, sameEndpoint } from "../routing/group";
import { routingOf } from "../routing/routing";
import { notInAbort, RUN_FAILED } from "../run/messages";
import { type Lifecycle, readSaved, refuseFrozen, refuseOtherEndpoint, refuseViolations } from "../run/resource";
import type { KnownResource, Run } from "../run/run";
import { ResourceError, resourceLabel, SavedError } from "../words/message";
import { checkNumbers, NUMBERS_SCHEMAS } from "./check";
import { judgeLosses } from "./guards";
import { declaredElsewhere, notKnown, numbersFailed, unconfirmed } from "./messages";
import { judgedPlan, planMembers } from "./plan";
import { type Release, release } from "./release";
import { type FailedNumber, hasErrorResponse, isFailed, isTried, mayHaveChanged, type NumberResult } from "./result";
import { sendAll } from "./send";
import {
  isNew,
  isRollback,
  mayHaveOf,
  NEW,
  type NumbersState,
  nextState,
  placeInState,
  SAVED_NUMBERS,
  unappliedOf,
} from "./state";

/** The differences between NumberAssignment and NumberGroup. */
interface NumbersVariant {
  readonly kind: NumbersKind;
  newId(inputs: NumbersInputs, run: Run): string;
  /** Whether a replacement keeps the original's ID and continues from the original's saved state. */
  readonly keepsId: boolean;
  /** Returns the outputs taken from the platform's responses. A NumberGroup has none. */
  outputs?(
    inputs: NumbersInputs,
    olds: NumbersState,
    results: readonly NumberResult[],
  ): Pick<NumbersState, "platformIds">;
}

/** Builds the lifecycle that NumberAssignment and NumberGroup share. */
function numbersLifecycle(variant: NumbersVariant): Lifecycle<NumbersInputs, NumbersState, PreviewedNumbers> {
  const { kind, keepsId } = variant;
  const { argument, schema } = NUMBERS_SCHEMAS[kind];
  return {
    kind,
    schema,
    readState: (saved, id) => readSaved<NumbersState>(kind, saved, id, argument, SAVED_NUMBERS),
    check: (olds, news, settings) => checkNumbers(kind, olds, news, settings),
    diff(_id, olds, news, settings) {
      const plan = judgedPlan(olds, news, settings.guards);
      if (plan.replaces.length > 0) {
        // When the original is deleted, the numbers that the program dropped are cleared. That is possible only on the
        // platform where they were assigned.
        refuseOtherEndpoint(resourceLabel(kind, news), olds, news);
      }
      return plan;
    },
    async create(inputs, run, original) {
      const { aborts } = run.settings;
      // A run of `abort --up` creates no resource outside the rollout. Refuse one here, not in check: an error in check
      // would end the program before the rollout's own resources are aborted.
      if (aborts !== undefined && inputs.rollout?.name !== aborts) {
        throw new ResourceError(notInAbort(resourceLabel(kind, inputs), "create"));
      }
      const { id = variant.newId(inputs, run), olds = NEW } = (keepsId ? original : undefined) ?? {};
      return { id, state: await assignNumbers(variant, id, olds, inputs, run) };
    },
    update: (id, olds, news, run) => assignNumbers(variant, id, olds, news, run),
    delete: (id, state, run) => clearNumbers(variant, id, state, run),
  };
}

/** Sends the PUTs of a create or an update and returns the new state. */
async function assignNumbers(
  { kind, outputs }: NumbersVariant,
  id: string,
  olds: NumbersState,
  news: NumbersInputs,
  run: Run,
): Promise<NumbersState> {
  const { assigns } = planMembers(olds, news, news);
  const label = resourceLabel(kind, news);
  const missed = unappliedOf(olds);
  const hasFailed = (number: string) => (missed.get(number)?.reason ?? "not sent") !== "not sent";
  // Put numbers that failed in an earlier run last. A run stops after several failures, so at the front they could
  // block the other numbers in every run.
  const ordered = [...assigns.filter((number) => !hasFailed(number)), ...assigns.filter(hasFailed)];
  const routing = routingOf(news);
  const assignments = ordered.map((number) => ({ number, routing, mayHave: mayHaveOf(number, olds, news) }));
  const results = await sendAll(assignments, { label, run, isRollback: isRollback(olds, news) });
  const state = { ...nextState(olds, news, results, run.time()), ...outputs?.(news, olds, results) };
  const failed = results.filter(isFailed);
  if (failed.length === 0) {
    return state;
  }
  // If an earlier run failed to apply the same routing to the same numbers, always save the state. Otherwise, a changed
  // resource option, such as `retainOnDelete`, would never be saved while the platform rejects the requests.
  const isSame = missed.size > 0 && same(routingOf(olds), routing) && same(olds.numbers, news.numbers);
  // In all other cases, save the state if a number may have changed. Also save it if the run stopped early after error
  // responses, so that the next run starts with the numbers that got no request.
  const isSaved = isSame || results.some(mayHaveChanged) || (results.some(hasErrorResponse) && !results.every(isTried));
  const unsaved = isNew(olds) ? "nothing" : "untouched";
  const summary = { count: results.length, savedAs: isSaved ? "saved" : unsaved, isSingle: isSingle(news) } as const;
  const message = numbersFailed(label, failed, summary);
  throw isSaved ? new SavedError(message, id, state) : new ResourceError(message);
}

/** Deletes a resource by clearing the numbers that no resource in the running program declares. */
async function clearNumbers(
  { kind, keepsId }: NumbersVariant,
  id: string,
  state: NumbersState,
  run: Run,
): Promise<void> {
  const label = resourceLabel(kind, state);
  refuseOtherEndpoint(label, state, run.settings);
  const successor = keepsId ? (run.successorOf(id) as KnownResource<NumbersState> | undefined) : undefined;
  const releases = release(state, successor, run.ledger, () => run.hasFailed());
  const numbersThat = (action: Release["action"]) =>
    [...releases.keys()].filter((number) => releases.get(number)?.action === action);
  const assignments = [...releases.values()].flatMap(({ assignment }) => assignment ?? []);
  // `freeze` doesn't block a delete that sends nothing, for example because the resource was renamed and declares its
  // numbers under the new name.
  if (assignments.length > 0) {
    refuseFrozen(label, run);
  }
  await refuseLosses(label, state, numbersThat("clear"), run);
  const refused = (await sendAll(assignments, { label, run, isRollback: true })).filter(isFailed);
  // A 404 means that the number doesn't exist, so there is nothing to clear. It counts as a failure if it may come from
  // a proxy, or if another resource declares the number.
  const isGone = ({ number, cause: { failure } }: FailedNumber) =>
    releases.get(number)?.action === "clear" && failure?.cause === "notFound" && failure.isPlatformError;
  const failed = [...refused.filter((result) => !isGone(result)), ...waitingOf(releases)];
  const unfinished = new Set(failed.map(({ number }) => number));
  const kept = numbersThat("keep").filter((number) => !unfinished.has(number));
  if (kept.length > 0) {
    run.warn(declaredElsewhere(label, kept));
  }
  const gone = refused.filter(isGone).map(({ number }) => number);
  if (gone.length > 0) {
    run.warn(notKnown(label, gone));
  }
  if (failed.length > 0) {
    const savedAs = successor === undefined ? "stays" : "leftover";
    // The total in the message `3 of 8 numbers were cleared`. A number that another resource declares isn't cleared, so
    // it is included only if its request failed or was postponed.
    const count = new Set([...numbersThat("clear"), ...unfinished]).size;
    const summary = { count, savedAs, isSingle: isSingle(state) } as const;
    throw new ResourceError(numbersFailed(label, failed, summary));
  }
}

/** Returns the numbers that this delete leaves to a later run, each as a failed number whose request was not sent. */
const waitingOf = (releases: ReadonlyMap<string, Release>): FailedNumber[] =>
  [...releases].flatMap(([number, waiting]) => {
    if (waiting.action !== "wait") {
      return [];
    }
    const text = waiting.owner === undefined ? RUN_FAILED : unconfirmed(waiting.owner);
    return [{ number, became: "not sent", cause: { text, code: "AGP-074" } }];
  });

/**
 * Throws if this run exceeds `maxRemove`. A run that declares nothing isn't limited, because it is usually a destroy,
 * which clears numbers on purpose.
 */
async function refuseLosses(label: string, state: NumbersState, lost: readonly string[], run: Run) {
  const { settings } = run;
  if (!run.isDeclaring()) {
    return;
  }
  run.noteLost(lost.map((number) => ({ number, place: placeInState(number, state) })));
  // The engine deletes resources concurrently. Wait one tick, so that every concurrent delete has recorded its numbers
  // before the first one checks `maxRemove`.
  await run.world.clock.delay(0);
  refuseViolations(label, judgeLosses({ lost, inRun: run.noteLosses() }, run.ledger.size, settings.guards), run);
}

/** A single phone number. Changing the number replaces the resource, because the number is the resource's ID. */
export const numberAssignment = numbersLifecycle({
  kind: "NumberAssignment",
  newId: ({ number = "" }) => number,
  keepsId: false,
  outputs(inputs, olds, results) {
    const known = sameEndpoint(olds, inputs) ? olds.platformIds : undefined;
    return defined({ platformIds: results.at(-1)?.platformIds ?? known });
  },
});

/**
 * A group of numbers with the same routing. Removing assigned numbers replaces the group, but its ID stays the same,
 * and only numbers that change get a request.
 */
export const numberGroup = numbersLifecycle({
  kind: "NumberGroup",
  newId: (_inputs, run) => run.world.newId("group"),
  keepsId: true,
});
