import * as messages from "../../core/messages";
import { judgeDelete, judgeRunRemoval } from "../../core/numbers/guards";
import { lossKey } from "../../core/numbers/ledger";
import { type Release, release, type Successor } from "../../core/numbers/release";
import { type NumbersState, placeInState } from "../../core/numbers/state";
import { isSingle } from "../../core/routing/group";
import { ResourceError, refuse, refuseFrozen, refuseOtherEndpoint, type Session, targetOfDelete } from "../lifecycle";
import type { NumbersVariant } from "./apply";
import { isGone } from "./assign";
import { type Failed, sendAll } from "./sendMany";

/** The delete of numbers: it clears those that no resource of the running program declares. */

interface Deleted {
  readonly id: string;
  readonly state: NumbersState;
}

export async function clear(
  { kind, keepsId }: Pick<NumbersVariant, "kind" | "keepsId">,
  { id, state }: Deleted,
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
  const lost = numbersThat("clear", releases);
  judgeLost({ who, state, lost, isReplaced: successor !== undefined }, session);
  if (lost.length > 0 && run.isDeclaring() && keepsId && successor === undefined) {
    session.warn(messages.groupDeleted(who, lost));
  }
  const sent = await sendAll(tasks, { who, session, isBack: true });
  // Of a number that another resource declares, a 404 is an error: that resource has just assigned the number, so it exists.
  const isUnknown = ({ number, request }: Failed) => releases.get(number)?.what === "clear" && isGone(request);
  const failed = [...sent.failed.filter((one) => !isUnknown(one)), ...waiting(releases)];
  const missed = new Set(failed.map(({ number }) => number));
  const kept = numbersThat("keep", releases).filter((number) => !missed.has(number));
  const unknown = sent.failed.filter(isUnknown).map(({ number }) => number);
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

interface Lost {
  readonly who: string;
  readonly state: NumbersState;
  readonly lost: readonly string[];
  /** Then diff has judged those that leave. */
  readonly isReplaced: boolean;
}

/** Throws if the delete, or all deletes of this run together, would clear more numbers than maxRemove allows. */
function judgeLost({ who, state, lost, isReplaced }: Lost, session: Session): void {
  const { run, settings } = session;
  if (!isReplaced) {
    refuse(who, judgeDelete(lost, state, settings), session);
  }
  // A destroy checks no resource, and is meant to clear.
  if (run.isDeclaring()) {
    const { ledger } = run;
    const all = new Set([...ledger.lost, ...lost.map((number) => lossKey(number, placeInState(number, state)))]);
    refuse(who, judgeRunRemoval(lost, all.size - lost.length, settings), session);
    // Before the requests: a delete that then fails counts as well.
    ledger.lost = all;
  }
}

const numbersThat = (what: Release["what"], releases: ReadonlyMap<string, Release>): string[] =>
  [...releases].filter(([, one]) => one.what === what).map(([number]) => number);

const CAUSES = { failed: messages.RUN_FAILED, unconfirmed: messages.UNCONFIRMED } as const;

/** The numbers whose delete waits, and why. */
const waiting = (releases: ReadonlyMap<string, Release>): Failed[] =>
  [...releases].flatMap(([number, { why }]) =>
    why === undefined ? [] : [{ number, reason: "not sent", cause: CAUSES[why], code: "AGP-074" }],
  );
