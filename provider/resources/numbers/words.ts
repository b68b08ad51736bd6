import { lastKnownOf, type NumbersState } from "../../core/change/state";
import * as messages from "../../core/messages";
import { membersOf, type NumbersInputs } from "../../core/routing/group";
import type { Routing } from "../../core/routing/routing";
import { describe } from "../../core/routing/split";
import { contextOf, type Session } from "../lifecycle";
import type { FailedRequest } from "./assign";
import type { Sent } from "./sendMany";

/** What the kinds say about requests that failed: of one number everything, of many numbers how many there are of each cause. */
export interface NumbersWords {
  /** A create or an update did not assign all numbers. */
  notApplied(of: NotApplied, sent: Sent, session: Session): messages.Message;
  /** A delete did not clear all numbers. @param goesOn is there a resource that goes on with other numbers? */
  notCleared(state: NumbersState, sent: Sent, goesOn: boolean, session: Session): messages.Message;
}

interface NotApplied {
  readonly inputs: NumbersInputs;
  readonly olds: NumbersState | undefined;
  readonly isSaved: boolean;
}

// --- one number

export const ONE: NumbersWords = {
  notApplied({ inputs, olds, isSaved }, sent, session) {
    const who = messages.resourceLabel("NumberAssignment", inputs);
    const request = sent.failed[0]?.request;
    if (request === undefined) {
      return countedFailures(who, inputs, sent, isSaved ? "saved" : "untouched", session);
    }
    if (request.result === "different") {
      return differs("change", who, request);
    }
    const [number = ""] = membersOf(inputs).keys();
    const { applied, maybe } = lastKnownOf(number, olds, inputs);
    // If an earlier request may have left something, it is not known what the number had before this one.
    const [was, now] = [maybe === undefined ? applied : undefined, inputs].map(splitToShow);
    const context = { ...contextOf(inputs, session), who, action: olds === undefined ? "create" : "update" };
    return request.result === "rejected"
      ? messages.rejected(request.failure, {
          ...context,
          truth: olds === undefined ? "Nothing is saved." : messages.numberKept(was),
        })
      : messages.unknownOutcome(messages.failureCode("unknown", request.failure), request.failure, {
          ...context,
          truth: messages.numberUnknownOutcome(was, now),
          remedy: "Saved as not applied. The next `pulumi up` sends it again: sending the same PUT twice does no harm.",
        });
  },
  notCleared(state, sent, _goesOn, session) {
    const who = messages.resourceLabel("NumberAssignment", state);
    const [failed] = sent.failed;
    if (failed?.code === "AGP-074") {
      return messages.postponed(who, failed.cause);
    }
    const request = failed?.request;
    if (request === undefined) {
      return countedFailures(who, state, sent, "stays", session);
    }
    return request.result === "different"
      ? differs("delete", who, request)
      : messages.deleteFailed(
          request.result,
          request.failure,
          { ...contextOf(state, session), who },
          {
            code: messages.failureCode("unknown", request.failure),
            truth: "The number may or may not have been cleared.",
            remedy: messages.CLEAR_AGAIN,
          },
        );
  },
};

/** A response may contradict what is assigned, or show what is cleared. */
function differs(
  by: "change" | "delete",
  who: string,
  { verdict: { left, mismatches }, tried }: Extract<FailedRequest, { result: "different" }>,
): messages.Message {
  const remedy = by === "change" ? messages.MISMATCH_REMEDY : messages.DELETE_DIFFERS;
  return left.length > 0 ? messages.notCleared(by, who, left, tried) : messages.mismatched(who, mismatches, remedy);
}

const splitToShow = (routing: Routing | undefined): string | undefined =>
  routing?.inboundAgents && describe(routing.inboundAgents);

// --- many numbers

export const MANY: NumbersWords = {
  notApplied({ inputs, olds, isSaved }, sent, session) {
    const before = olds === undefined ? "forgotten" : "untouched";
    return countedFailures(
      messages.resourceLabel("NumberGroup", inputs),
      inputs,
      sent,
      isSaved ? "saved" : before,
      session,
    );
  },
  notCleared: (state, sent, goesOn, session) =>
    countedFailures(messages.resourceLabel("NumberGroup", state), state, sent, goesOn ? "left" : "stays", session),
};

const countedFailures = (
  who: string,
  inputs: NumbersInputs,
  { done, failed }: Sent,
  savedAs: messages.SavedAs,
  session: Session,
): messages.Message =>
  messages.groupFailed(who, failed, {
    ...contextOf(inputs, session),
    all: done + failed.length,
    savedAs,
  });
