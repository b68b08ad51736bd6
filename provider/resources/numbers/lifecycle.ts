import { judgeRunRemoval } from "../../core/change/guards";
import { judgeDelete, numbersSent, planNumbers } from "../../core/change/plan";
import {
  heldBy,
  isTouched,
  lastKnownOf,
  type NumbersState,
  previousSplit,
  SAVED_NUMBERS,
  type Unapplied,
  type UnappliedNumbers,
  unappliedFor,
  withMaybeLists,
  withSince,
} from "../../core/change/state";
import { defined, same } from "../../core/common/equality";
import * as messages from "../../core/messages";
import { isSingle, membersOf, type NumbersInputs } from "../../core/routing/group";
import { toText } from "../../core/routing/numberList";
import { clearedByMove, isNothingCleared, routingOf } from "../../core/routing/routing";
import {
  type Lifecycle,
  ResourceError,
  readSaved,
  refuse,
  refuseFrozen,
  refuseOtherEndpoint,
  SavedError,
  type Session,
} from "../lifecycle";
import type { Continued, Replacement } from "../run/memory";
import { checkNumbers, eitherRolloutOrSplit, type NumbersSchema } from "./check";
import { bindAll, clearAll, nothingSent, planReleases, type Sent } from "./sendMany";
import type { NumbersWords } from "./words";

/** The lifecycle of numbers. A single number is a group of one, and this is what differs between the two kinds. */
export interface NumbersKind extends NumbersSchema {
  readonly argument: "number" | "numbers";
  newId(inputs: NumbersInputs, session: Session): string;
  /** Does a replacement go on under the id of its original, and from its state? */
  readonly goesOn: boolean;
  /** What the outputs have of the responses. */
  outputs?(inputs: NumbersInputs, olds: NumbersState | undefined, sent: Sent): Pick<NumbersState, "platformIds">;
  readonly words: NumbersWords;
}

export function numbersLifecycle(own: NumbersKind): Lifecycle<NumbersInputs, NumbersState> {
  const { kind, goesOn, words } = own;
  const label = (inputs: NumbersInputs): string => messages.resourceLabel(kind, inputs);

  /** Create and update send the same PUTs. */
  async function apply(
    id: string,
    inputs: NumbersInputs,
    olds: NumbersState | undefined,
    session: Session,
  ): Promise<NumbersState> {
    const numbers = numbersSent(olds, inputs);
    const isSent = numbers.length > 0;
    const who = label(inputs);
    if (isSent) {
      refuseFrozen(who, session);
    }
    const sent = isSent ? await bindAll(numbers, { who, inputs, olds, session }) : nothingSent();
    const state: NumbersState = defined({
      ...inputs,
      previousInboundAgents: olds && previousSplit(olds, inputs),
      ...own.outputs?.(inputs, olds, sent),
      unapplied: unappliedParts(inputs, olds, sent),
    });
    if (sent.failed.length === 0) {
      return withSince(olds, state, isSent && !sent.isSilent ? session.time() : undefined);
    }
    // If it is certain that no number has changed, nothing is saved: the engine keeps the state that it has.
    const isSaved =
      sent.done > 0 ||
      sent.failed.some(({ reason }) => reason === "unknown" || reason === "different") ||
      isOrderSaved(sent);
    const message = words.notApplied({ inputs, olds, isSaved }, sent, session);
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
    run.lost = all;
    if (goesOn && !isReplaced) {
      session.warn(messages.groupDeleted(who, lost));
    }
  }

  /** Clears the numbers that no resource of the running program declares. */
  async function clear(id: string, state: NumbersState, session: Session): Promise<void> {
    const who = label(state);
    refuseOtherEndpoint(who, state, session);
    const newHolder = goesOn ? session.run.continuedAs(id) : undefined;
    if (newHolder === undefined && typeof state.onDelete === "object") {
      throw new ResourceError(messages.fallbackSaved(who));
    }
    const releases = planReleases(numbersLeft(state, newHolder), state, session);
    // If nothing is sent, as after a rename, a freeze does not block it.
    if ([...releases.values()].some(({ task }) => task !== undefined)) {
      refuseFrozen(who, session);
    }
    const lost = [...releases].flatMap(([number, { does }]) => (does === "clear" ? [number] : []));
    const isReplaced = newHolder !== undefined;
    if (lost.length > 0) {
      judgeLost(state, lost, isReplaced, session);
    }
    const sent = await clearAll(releases, { who, session });
    if (sent.failed.length > 0) {
      throw new ResourceError(words.notCleared(state, sent, isReplaced, session));
    }
  }

  return {
    kind,
    schema: eitherRolloutOrSplit(own.schema),
    numbersArgument: own.argument,
    readState: (saved, id) => withMaybeLists(readSaved<NumbersState>(kind, saved, id, SAVED_NUMBERS)),
    check: (olds, news, settings, wasChecked) => checkNumbers(own, olds, news, settings, wasChecked),
    diff: (_id, olds, news, settings) => planNumbers(olds, news, settings),
    explain: (_id, _olds, news, { reasons }) =>
      reasons.filter(messages.isTold).map((reason) => messages.reasonMessage(label(news), reason, isSingle(news))),
    async create(inputs, session, replaced?: Replacement<NumbersState>) {
      const original = goesOn ? replaced : undefined;
      const id = original?.id ?? own.newId(inputs, session);
      return { id, state: await apply(id, inputs, original?.olds, session) };
    },
    update: (id, olds, news, session) => apply(id, news, olds, session),
    delete: clear,
  };
}

/** If some numbers refused a change, and it stopped, the state has to tell the next run which ones: it begins with the others. */
const isOrderSaved = ({ stopped, failed }: Sent): boolean =>
  stopped !== undefined && failed.some(({ failure }) => failure?.exchange.status !== undefined);

/** Numbers with the same reason and the same routings are one part: what they have is saved once. Undefined if none failed. */
function unappliedParts(inputs: NumbersInputs, olds: NumbersState | undefined, { failed, unapplied }: Sent) {
  const parts = new Map<string, { saved: Unapplied; numbers: Map<string, string> }>();
  for (const { number, reason } of failed) {
    // A number has no entry in `unapplied` if it got no request, or if its request threw an error.
    const saved = unapplied.get(number) ?? unappliedFor(reason, routingOf(inputs), lastKnownOf(number, olds, inputs));
    const key = JSON.stringify(saved);
    const part = parts.get(key) ?? { saved, numbers: new Map() };
    parts.set(key, part);
    part.numbers.set(number, "");
  }
  return parts.size === 0
    ? undefined
    : [...parts.values()].map(({ saved, numbers }): UnappliedNumbers => ({ ...saved, numbers: toText(numbers) }));
}

/**
 * The numbers that a delete has to look at. The resource that goes on under the same id has assigned its numbers on the basis of this
 * state, so nothing of them is left to clear. But this original may be left over from a run that failed. If a number has left the resource
 * and joined again since then, the resource does not know all that the number may have.
 */
function numbersLeft(state: NumbersState, newHolder: Continued | undefined): string[] {
  const touched = [...membersOf(state).keys()].filter((number) => isTouched(number, state));
  if (newHolder === undefined) {
    return touched;
  }
  const before = newHolder.stateBefore as NumbersState | undefined;
  const declared = membersOf(newHolder.inputs as NumbersInputs);
  if (before === undefined || same(before, state)) {
    return touched.filter((number) => !declared.has(number));
  }
  const had = membersOf(before);
  const isMore = (number: string) =>
    !isNothingCleared(clearedByMove(heldBy(number, state, state), heldBy(number, before, before)));
  return touched.filter((number) => !declared.has(number) || !had.has(number) || isMore(number));
}
