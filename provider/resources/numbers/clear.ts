import * as messages from "../../core/messages";
import { judgeLosses } from "../../core/numbers/guards";
import { type Release, release, type Successor } from "../../core/numbers/release";
import { type NumbersState, placeInState } from "../../core/numbers/state";
import type { NumbersKind } from "../../core/platform/kinds";
import { isSingle } from "../../core/routing/group";
import { ResourceError } from "../errors";
import { refuseFrozen, refuseOtherEndpoint, refuseViolations, type Session, targetOfDelete } from "../lifecycle";
import { isUnknownNumber } from "./assign";
import { sendAll } from "./sendMany";

/** The delete of numbers: it clears those that no resource of the running program declares. */
export async function clear(
  { kind, keepsId }: { readonly kind: NumbersKind; readonly keepsId: boolean },
  id: string,
  state: NumbersState,
  session: Session,
): Promise<void> {
  const { run, settings } = session;
  const who = messages.resourceLabel(kind, state);
  refuseOtherEndpoint(who, state, settings);
  const successor = keepsId ? (run.continuedAs(id) as Successor | undefined) : undefined;
  const releases = release(state, successor, run.ledger, run.isUncertain);
  const tasks = [...releases.values()].flatMap(({ task }) => task ?? []);
  // If nothing is sent, as after a rename, a freeze does not block it.
  if (tasks.length > 0) {
    refuseFrozen(who, session);
  }
  await refuseLosses(who, state, numbersThat("clear", releases), session);
  const pass = await sendAll(tasks, { who, session, isBack: true });
  // Of a number that another resource declares, a 404 is an error: that resource has just assigned the number, so it exists.
  const isUnknown = (failed: messages.FailedNumber) =>
    releases.get(failed.number)?.what === "clear" && isUnknownNumber(failed);
  const failed = [...pass.failed.filter((one) => !isUnknown(one)), ...waitingNumbers(releases)];
  const missed = new Set(failed.map(({ number }) => number));
  const kept = numbersThat("keep", releases).filter((number) => !missed.has(number));
  const unknown = pass.failed.filter(isUnknown).map(({ number }) => number);
  if (kept.length > 0) {
    session.warn(messages.declaredElsewhere(who, kept));
  }
  if (unknown.length > 0) {
    session.warn(messages.notKnown(who, unknown));
  }
  if (failed.length > 0) {
    const savedAs = successor === undefined ? "stays" : "leftover";
    const of = { all: releases.size, savedAs, isSingle: isSingle(state) } as const;
    throw new ResourceError(messages.numbersFailed(who, failed, of, targetOfDelete(session)));
  }
}

/** Throws if this run loses more numbers than maxRemove allows. A destroy declares nothing, and is meant to clear. */
async function refuseLosses(who: string, state: NumbersState, lost: readonly string[], session: Session) {
  const { run, settings } = session;
  if (!run.isDeclaring()) {
    return;
  }
  run.noteLost(lost.map((number) => ({ number, place: placeInState(number, state) })));
  // The engine deletes several resources at once. Each of these is noted before the first one is judged.
  await session.wait(0);
  refuseViolations(who, judgeLosses({ lost, inRun: run.countLosses() }, run.ledger.size, settings), session);
}

const numbersThat = (what: Release["what"], releases: ReadonlyMap<string, Release>): string[] =>
  [...releases].filter(([, one]) => one.what === what).map(([number]) => number);

/** The numbers whose delete waits, and why. */
const waitingNumbers = (releases: ReadonlyMap<string, Release>): messages.FailedNumber[] =>
  [...releases].flatMap(([number, one]) => {
    if (one.what !== "wait") {
      return [];
    }
    const cause = one.why === "failed" ? messages.RUN_FAILED : messages.unconfirmed(one.owner);
    return [{ number, reason: "not sent", cause, code: "AGP-074" }];
  });
