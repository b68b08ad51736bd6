import { defined, same } from "../../core/common/equality";
import * as messages from "../../core/messages";
import { judgeRunRemoval } from "../../core/numbers/guards";
import { judgeDelete, planNumbers } from "../../core/numbers/plan";
import {
  goesBack,
  heldBy,
  isTouched,
  lastKnownOf,
  NEW,
  type NumbersState,
  previousSplit,
  SAVED_NUMBERS,
  type Unapplied,
  type UnappliedNumbers,
  unappliedOf,
  withSince,
} from "../../core/numbers/state";
import type { NumbersKind } from "../../core/platform/kinds";
import { isSingle, membersOf, type NumbersInputs, toText } from "../../core/routing/group";
import { clearedByMove, isNothingCleared, routingOf, type Task } from "../../core/routing/routing";
import {
  type Lifecycle,
  ResourceError,
  readSaved,
  refuse,
  refuseFrozen,
  refuseOtherEndpoint,
  SavedError,
  type Session,
  targetOfDelete,
} from "../lifecycle";
import type { Known } from "../run/memory";
import { type Release, release } from "../run/release";
import { isGone, unappliedAfter } from "./assign";
import { checkNumbers, type NumbersArgument, schemasOf } from "./check";
import { type Failed, type Sent, sendAll } from "./sendMany";

/** The lifecycle of numbers. A single number is a group of one, and this is what differs between the two kinds. */
export interface NumbersOwn extends NumbersArgument {
  readonly kind: NumbersKind;
  newId(inputs: NumbersInputs, session: Session): string;
  /** Does a replacement go on under the id of its original, and from its state? */
  readonly goesOn: boolean;
  /** What the outputs have of the responses. */
  outputs?(inputs: NumbersInputs, olds: NumbersState, sent: Sent): Pick<NumbersState, "platformIds">;
}

export function numbersLifecycle(own: NumbersOwn): Lifecycle<NumbersInputs, NumbersState> {
  const { kind, goesOn } = own;
  const schemas = schemasOf(own);
  const label = (inputs: NumbersInputs): string => messages.resourceLabel(kind, inputs);

  /** Create and update send the same PUTs. */
  async function apply(id: string, inputs: NumbersInputs, olds: NumbersState, session: Session): Promise<NumbersState> {
    const { puts = [] } = planNumbers(olds, inputs, session.settings);
    const tasks = tasksOf(puts, inputs, olds);
    const isSent = tasks.length > 0;
    const who = label(inputs);
    if (isSent) {
      refuseFrozen(who, session);
    }
    const sent = await sendAll(tasks, { who, session, isBack: goesBack(olds, inputs) });
    const state: NumbersState = defined({
      ...inputs,
      previousInboundAgents: previousSplit(olds, inputs),
      ...own.outputs?.(inputs, olds, sent),
      unapplied: unappliedParts(inputs, olds, sent.failed),
    });
    if (sent.failed.length === 0) {
      const isOfAll = tasks.length === membersOf(inputs).size;
      return withSince(olds, state, isSent ? { at: session.time(), isOfAll } : undefined);
    }
    // If it is certain that no number has changed, nothing is saved: the engine keeps the state that it has.
    const isSaved =
      sent.done > 0 ||
      sent.failed.some(({ reason }) => reason === "unknown" || reason === "different") ||
      isOrderSaved(sent);
    const message = failure(who, inputs, sent, isSaved ? "saved" : "untouched", session.settings);
    throw isSaved ? new SavedError(message, id, withSince(olds, state)) : new ResourceError(message);
  }

  /** Throws if the delete, or all deletes of this run together, would clear more numbers than maxRemove allows. */
  function judgeLost(state: NumbersState, lost: readonly string[], isReplaced: boolean, session: Session): void {
    const { run, settings } = session;
    const who = label(state);
    if (!isReplaced) {
      refuse(who, judgeDelete(state, lost, settings), session);
    }
    // A destroy checks no resource, and is meant to clear.
    if (!run.isDeclaring()) {
      return;
    }
    const all = new Set([...run.lost, ...lost]);
    refuse(who, judgeRunRemoval(lost, all.size - lost.length, settings), session);
    // Before the requests: a delete that then fails counts as well.
    run.lost = all;
    if (goesOn && !isReplaced) {
      session.warn(messages.groupDeleted(who, lost));
    }
  }

  /** Clears the numbers that no resource of the running program declares. */
  async function clear(id: string, state: NumbersState, session: Session): Promise<void> {
    const who = label(state);
    refuseOtherEndpoint(who, state, session.settings);
    const goesOnAs = goesOn ? session.run.continuedAs(id) : undefined;
    const releases = release(
      session.run,
      numbersLeft(state, goesOnAs).map((number) => ({ number, ...heldIn(number, state) })),
    );
    const tasks = [...releases.values()].flatMap(({ task }) => task ?? []);
    // If nothing is sent, as after a rename, a freeze does not block it.
    if (tasks.length > 0) {
      refuseFrozen(who, session);
    }
    const lost = [...releases].flatMap(([number, { does }]) => (does === "clear" ? [number] : []));
    const isReplaced = goesOnAs !== undefined;
    if (lost.length > 0) {
      judgeLost(state, lost, isReplaced, session);
    }
    const sent = await sendAll(tasks, { who, session, isBack: true });
    // Of a number that another resource declares, a 404 is an error: that resource has just assigned the number, so it exists.
    const isLeft = ({ number, request }: Failed) => releases.get(number)?.does !== "clear" || !isGone(request);
    const failed = [...sent.failed.filter(isLeft), ...waiting(releases)];
    const missed = new Set(failed.map(({ number }) => number));
    const kept = [...releases].flatMap(([number, { does }]) =>
      does === "keep" && !missed.has(number) ? [number] : [],
    );
    const gone = sent.failed.flatMap((one) => (isLeft(one) ? [] : [one.number]));
    if (kept.length > 0) {
      session.warn(messages.declaredElsewhere(who, kept));
    }
    if (gone.length > 0) {
      session.warn(messages.notKnown(who, gone));
    }
    if (failed.length > 0) {
      const done = releases.size - failed.length;
      const savedAs = isReplaced ? "left" : "stays";
      throw new ResourceError(failure(who, state, { done, failed }, savedAs, targetOfDelete(session)));
    }
  }

  return {
    kind,
    schema: schemas.written,
    readState: (saved, id) => readSaved<NumbersState>(kind, saved, id, own.argument, SAVED_NUMBERS),
    check: (olds, news, settings) => checkNumbers(schemas, olds, news, settings),
    diff: (_id, olds, news, settings) => planNumbers(olds, news, settings),
    async create(inputs, session, replaced?: Known<NumbersState>) {
      const original = goesOn ? replaced : undefined;
      const id = original?.id ?? own.newId(inputs, session);
      return { id, state: await apply(id, inputs, original?.olds ?? NEW, session) };
    },
    update: (id, olds, news, session) => apply(id, news, olds, session),
    delete: clear,
  };
}

/** What is said of numbers that were not applied, or not cleared. */
const failure = (
  who: string,
  inputs: NumbersInputs,
  { done, failed }: Pick<Sent, "done" | "failed">,
  savedAs: messages.SavedAs,
  target: messages.Target,
): messages.Message =>
  messages.numbersFailed(who, failed, { all: done + failed.length, savedAs, isSingle: isSingle(inputs) }, target);

/** The requests of a create or an update. If the endpoint changes, nothing is cleared: the other platform has nothing of this resource. */
function tasksOf(numbers: readonly string[], inputs: NumbersInputs, olds: NumbersState): Task[] {
  const missed = unappliedOf(olds);
  const hasFailed = (number: string) => (missed.get(number)?.reason ?? "not sent") !== "not sent";
  // Numbers that failed come after the others. Otherwise each run would begin with them, and might never reach the others.
  const ordered = [...numbers.filter((number) => !hasFailed(number)), ...numbers.filter(hasFailed)];
  const routing = routingOf(inputs);
  return ordered.map((number) => ({ number, routing, held: heldBy(number, olds, inputs) }));
}

/** If some numbers refused a change, and others were not sent, the state has to tell the next run which ones: it begins with the others. */
const isOrderSaved = ({ failed }: Sent): boolean =>
  failed.some((one) => !messages.isTried(one)) && failed.some(({ failure }) => failure?.exchange.status !== undefined);

/** Numbers with the same reason and the same routings are one part: what they have is saved once. Undefined if none failed. */
function unappliedParts(inputs: NumbersInputs, olds: NumbersState, failed: readonly Failed[]) {
  const routing = routingOf(inputs);
  const parts = new Map<string, { saved: Unapplied; numbers: Map<string, string> }>();
  for (const { number, ...became } of failed) {
    const before = lastKnownOf(number, olds, inputs);
    const saved = unappliedAfter(became, routing, heldBy(number, olds, inputs), before);
    const key = JSON.stringify(saved);
    const part = parts.get(key) ?? { saved, numbers: new Map() };
    parts.set(key, part);
    part.numbers.set(number, "");
  }
  return parts.size === 0
    ? undefined
    : [...parts.values()].map(({ saved, numbers }): UnappliedNumbers => ({ ...saved, numbers: toText(numbers) }));
}

/** What the platform may have for a number, and where it was assigned, also if the last change was not applied. */
function heldIn(number: string, state: NumbersState) {
  const { accountSid, workspaceId } = unappliedOf(state).get(number)?.applied ?? state;
  return { held: heldBy(number, state, state), scope: defined({ accountSid, workspaceId }) };
}

/** The numbers whose delete waits, and why. */
const waiting = (releases: ReadonlyMap<string, Release>): Failed[] =>
  [...releases].flatMap(([number, { why: cause }]) =>
    cause === undefined ? [] : [{ number, reason: "not sent", cause, code: "AGP-074" }],
  );

/**
 * The numbers that a delete has to look at. The resource that goes on under the same id has assigned its numbers on the basis of this
 * state, so nothing of them is left to clear. But this original may be left over from a run that failed. If a number has left the resource
 * and joined again since then, the resource does not know all that the number may have.
 */
function numbersLeft(state: NumbersState, goesOnAs: Known | undefined): string[] {
  const touched = [...membersOf(state).keys()].filter((number) => isTouched(number, state));
  if (goesOnAs === undefined) {
    return touched;
  }
  const continued = goesOnAs.olds as NumbersState | undefined;
  const declared = membersOf(goesOnAs.news as NumbersInputs);
  // Mostly the resource goes on from this very state.
  if (continued === undefined || same(continued, state)) {
    return touched.filter((number) => !declared.has(number));
  }
  const had = membersOf(continued);
  const isMore = (number: string) =>
    !isNothingCleared(clearedByMove(heldBy(number, state, state), heldBy(number, continued, continued)));
  return touched.filter((number) => !declared.has(number) || !had.has(number) || isMore(number));
}
