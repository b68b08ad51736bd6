import * as z from "zod";
import { isNumberSent, planNumber } from "../core/change/plan";
import {
  beforeOf,
  heldBy,
  type NumberInputs,
  type NumberState,
  revertTargets,
  SAVED_NUMBER,
  withSince,
} from "../core/change/state";
import { stillShown } from "../core/change/verify";
import { defined } from "../core/common/equality";
import { isUnknown, numberId, required } from "../core/common/schemas";
import * as messages from "../core/messages";
import { resourceLabel } from "../core/messages";
import { sameEndpoint } from "../core/platform/endpoint";
import { isVersionAlone, type Routing, routingOf, VERSION_NEEDS_AGENT } from "../core/routing/routing";
import { describe } from "../core/routing/split";
import { bind, carryOut, type FailedRequest, fallbackOf, isGone, platformIds, unappliedAfter } from "./assign";
import {
  contextOf,
  deleteFailed,
  type Lifecycle,
  ResourceError,
  readSaved,
  refuseFrozen,
  refuseOtherEndpoint,
  refuseRemovals,
  SavedError,
  type Sending,
  type Session,
} from "./lifecycle";
import { checkNumbers, eitherRolloutOrSplit, numbersShape } from "./numbers";
import type { Release, Task } from "./run/release";

const KIND = "NumberAssignment";

const schema = z
  .strictObject({ number: required(numberId), ...numbersShape })
  .refine((args) => !isVersionAlone(args), VERSION_NEEDS_AGENT);

const label = (inputs: NumberInputs): string => resourceLabel(KIND, inputs);

/** Create and update are the same PUT. */
async function apply(
  id: string,
  inputs: NumberInputs,
  olds: NumberState | undefined,
  session: Sending,
  replaced?: NumberState,
): Promise<NumberState> {
  if (!isNumberSent(olds, inputs)) {
    return withSince(olds, stateOf(inputs, olds, undefined));
  }
  const { number } = inputs;
  refuseFrozen(label(inputs), session);
  session.run.keepSecret([number], olds?.secretArguments);
  session.run.keepSecret([number], inputs.secretArguments);
  // If the endpoint changes, nothing is cleared: the other platform has nothing of what this resource set here.
  const task = { number, routing: routingOf(inputs), held: heldBy(number, olds, inputs) };
  const assigned = await session.inTurn(number, () => bind(task, label(inputs), session));
  const ids = "verdict" in assigned ? platformIds(number, assigned.verdict.record) : undefined;
  const state = { ...stateOf(inputs, olds, ids), ...stableOf(replaced, inputs) };
  if (assigned.result === "applied") {
    return withSince(olds, state, session.time());
  }
  throw applyFailed(id, task, assigned, state, olds, session);
}

/** If this number replaces another one, an abort goes back to the stable agents of that one. */
function stableOf(replaced: NumberState | undefined, inputs: NumberInputs): Pick<NumberState, "previous"> {
  const stable = revertTargets(replaced, inputs).previous?.stable;
  return stable === undefined ? {} : { previous: { stable } };
}

function stateOf(inputs: NumberInputs, olds: NumberState | undefined, ids: NumberState["platformIds"]): NumberState {
  const known = olds !== undefined && sameEndpoint(olds, inputs) ? olds.platformIds : undefined;
  return defined({ ...inputs, ...revertTargets(olds, inputs), platformIds: ids ?? known });
}

function applyFailed(
  id: string,
  task: Task,
  failed: FailedRequest,
  wanted: NumberState,
  olds: NumberState | undefined,
  session: Sending,
): ResourceError {
  const action = olds === undefined ? "create" : "update";
  const details = { ...contextOf(wanted.workspaceId, session), who: label(wanted), action };
  const before = beforeOf(wanted.number, olds, wanted);
  const [was, now] = [before.applied, task.routing].map((routing) => splitToShow(routing, [olds, wanted]));
  if (failed.result === "rejected") {
    const truth = olds === undefined ? "Nothing is saved." : messages.numberKept(was);
    return new ResourceError(messages.rejected(failed.failure, { ...details, truth }));
  }
  const state = withSince(olds, { ...wanted, unapplied: unappliedAfter(task, before, failed) });
  if (failed.result !== "different") {
    const message = messages.unknownOutcome("AGP-040", failed.failure, {
      ...details,
      truth: messages.numberUnknownOutcome(was, now),
      remedy: "Saved as not applied. The next `pulumi up` sends it again: sending the same PUT twice does no harm.",
    });
    return new SavedError(message, id, state);
  }
  const { verdict, cleared, tried } = failed;
  const left = stillShown(verdict, cleared);
  const message =
    left.length > 0
      ? messages.notCleared("change", details.who, left, tried)
      : messages.mismatched(details.who, verdict.mismatches, messages.MISMATCH_REMEDY);
  return new SavedError(message, id, state);
}

/** Clears the number, or assigns the fallback, unless a resource of the running program declares the number. */
async function clear(state: NumberState, session: Session): Promise<void> {
  const who = label(state);
  const { number } = state;
  session.run.keepSecret([number], state.secretArguments);
  const release = session.run.release(number, heldBy(number, state, state), fallbackOf(state, state));
  if (release.does === "postpone") {
    throw new ResourceError(messages.postponed(who, release.why));
  }
  // The freeze comes first: a delete that it stops counts for no limit of the run.
  if (release.task !== undefined) {
    refuseFrozen(who, session);
  }
  if (release.does === "clear") {
    refuseRemovals(who, [number], session, state.secretArguments);
  }
  const failed = await carryOut(release, who, session);
  if (failed !== undefined) {
    throwUnlessGone(state, failed, release, session);
  } else if (release.does === "keep") {
    session.warn(messages.stillDeclared(who));
  } else if (release.does === "leave") {
    session.warn(messages.movedAway(who, state, release.stays));
  }
}

function throwUnlessGone(state: NumberState, failed: FailedRequest, release: Release, session: Session): void {
  const who = label(state);
  if (failed.result === "different") {
    const { verdict, cleared, tried } = failed;
    // The response may contradict a field that the fallback of onDelete assigns, and not one that the delete clears.
    throw new ResourceError(
      stillShown(verdict, cleared).length > 0
        ? messages.notCleared("delete", who, verdict.mismatches, tried)
        : messages.mismatched(who, verdict.mismatches, messages.FALLBACK_DIFFERS),
    );
  }
  // Of a number that another resource declares, a 404 is an error: that resource has just assigned the number, so it exists.
  if (release.does === "clear" && isGone(failed)) {
    session.warn(messages.numberGone(who));
    return;
  }
  throw deleteFailed(
    failed.result,
    failed.failure,
    { ...contextOf(state.workspaceId, session), who },
    {
      code: "AGP-040",
      truth: "The number may or may not have been cleared.",
      remedy: messages.CLEAR_AGAIN,
    },
  );
}

/** Undefined if there is no split, or if one of these states or inputs keeps it secret. */
const splitToShow = (
  routing: Routing | undefined,
  holders: readonly (NumberInputs | undefined)[],
): string | undefined =>
  routing?.inboundAgents === undefined || holders.some((one) => one?.secretArguments?.includes("inboundAgents"))
    ? undefined
    : describe(routing.inboundAgents);

export const numberAssignment: Lifecycle<NumberInputs, NumberState> = {
  kind: KIND,
  schema: eitherRolloutOrSplit(schema),
  numbersArgument: "number",
  readState: (saved, id) => readSaved<NumberState>(KIND, saved, id, SAVED_NUMBER),
  check(olds, news, settings, wasChecked) {
    const declares = typeof news.number === "string" && !isUnknown(news.number) ? [news.number] : [];
    return checkNumbers<NumberInputs>({ kind: KIND, schema, declares }, olds, news, settings, wasChecked);
  },
  diff: (_id, olds, news, settings) => planNumber(olds, news, settings),
  explain: (_id, _olds, news, { reasons }) =>
    reasons.filter(messages.isTold).map((reason) => messages.reasonMessage(label(news), reason, true)),
  async create(inputs, session, replaced) {
    // The engine shows and saves every id in clear.
    const id = inputs.secretArguments?.includes("number") ? session.newId("number") : inputs.number;
    return { id, state: await apply(id, inputs, undefined, session, replaced?.olds) };
  },
  update: (id, olds, news, session) => apply(id, news, olds, session),
  async delete(_id, state, session) {
    refuseOtherEndpoint(label(state), state, session);
    await session.inTurn(state.number, () => clear(state, session));
  },
};
