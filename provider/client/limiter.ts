import type { ClientRuntime } from "./options";
import { afterAccepted, afterLimit, type RateEstimate, rateAt, UNLIMITED } from "./rate";

/**
 * Which operation may send, and when. There is one queue, in the order of arrival, and one pause, which follows a 429. An operation has a
 * slot from its first attempt to its last; there are `concurrency` slots. Before each attempt it takes a permit, which waits for a slot,
 * then for the pause, and then keeps the rate that the limiter has measured.
 *
 * A 401, and a 429 that asks for a longer wait than an operation has, may concern every request or one number alone. So each fails its own
 * operation, and only if MOST_IN_A_ROW different numbers get one, and none is accepted between them, nothing more is sent.
 */
export interface Limiter {
  /** @param target the number that the operation is about; without it, the operation is like no other */
  enter(target?: string): Slot;
}

/** Why nothing is sent: every request gets a 401, or the platform asks for no requests for longer than an operation may wait. */
export type Blocked = "rejected token" | { readonly blockedForMs: number };

export interface Slot {
  permit(): Promise<"go" | Blocked>;
  /** Must follow every "go". Returns true if the next permit waits as long as a 429 asks; else who got the 429 waits by itself. */
  finish(result: Finish): boolean;
  release(): void;
}

/** What became of an attempt. A 401 and a 429 are no "other response". */
export type Finish = "accepted" | "other response" | "no response" | "unauthenticated" | { readonly pauseMs: number };

interface Operation {
  readonly order: number;
  readonly target: string;
  /** Has it a slot? */
  isUnderWay: boolean;
  sentAt: number;
}

interface Waiter {
  readonly operation: Operation;
  resolve(permit: "go" | Blocked): void;
}

/** How far sending may fall behind its own schedule and still catch up: timers are late by a millisecond or two. */
const CATCH_UP_MS = 50;
/** No pause lasts longer than this, even if the platform asks for more: then one request finds out whether the platform still returns 429. */
const LONGEST_MEMORY_MS = 3_600_000;
const LONG_AGO = Number.NEGATIVE_INFINITY;
/** As many as are under way at once anyway: a token that is no good costs hardly more than that. */
const MOST_IN_A_ROW = 16;

export function createLimiter(concurrency: number, longestPauseMs: number, runtime: ClientRuntime): Limiter {
  let estimate: RateEstimate = UNLIMITED;
  let pausedUntil = LONG_AGO;
  let nextPermitAt = LONG_AGO;
  let alarm: AbortController | undefined;
  let freeSlots = concurrency;
  let arrivals = 0;
  const queue: Waiter[] = [];
  /** The targets whose response may concern every request, since one was accepted. */
  const suspects = new Set<string>();
  let isTokenRejected = false;
  let lastLimited: string | undefined;

  async function sleepUntil(time: number): Promise<void> {
    alarm = new AbortController();
    await runtime.delay(Math.max(0, time - runtime.now()), alarm.signal).catch(() => undefined);
    alarm = undefined;
    // If the timer fired a little early, this waits for the rest.
    pump();
  }

  function start({ operation, resolve }: Waiter, now: number): void {
    queue.shift();
    freeSlots -= operation.isUnderWay ? 0 : 1;
    operation.isUnderWay = true;
    operation.sentAt = now;
    nextPermitAt = Math.max(nextPermitAt, now - CATCH_UP_MS) + 1000 / rateAt(estimate, now);
    resolve("go");
  }

  function refuseAll(blocked: Blocked): void {
    for (const waiter of queue.splice(0)) {
      waiter.resolve(blocked);
    }
    // A timer that nothing waits for would keep the process alive.
    alarm?.abort();
  }

  /** Requests that are under way may get the same response as the suspects, so no more than this begin until one is accepted. */
  const mayBegin = (): boolean =>
    freeSlots > 0 && (suspects.size === 0 || suspects.size + concurrency - freeSlots <= MOST_IN_A_ROW);

  /** The first in the queue may begin if a slot is free. An operation under way has come before all that have no slot yet. */
  function firstInLine(): Waiter | undefined {
    const [first] = queue;
    return first?.operation.isUnderWay || mayBegin() ? first : undefined;
  }

  function blockedNow(): Blocked | undefined {
    const blockedForMs = pausedUntil - runtime.now();
    const isTooLong = blockedForMs > longestPauseMs;
    return (isTokenRejected && "rejected token") || (isTooLong ? { blockedForMs } : undefined);
  }

  function pump(): void {
    const blocked = blockedNow();
    if (blocked !== undefined) {
      refuseAll(blocked);
    }
    for (let first = firstInLine(); first !== undefined && alarm === undefined; first = firstInLine()) {
      const now = runtime.now();
      const readyAt = Math.max(pausedUntil, nextPermitAt);
      if (readyAt > now) {
        void sleepUntil(readyAt);
      } else {
        start(first, now);
      }
    }
  }

  /** Do so many different targets have such a response that it concerns every request? */
  function concernsAll(target: string): boolean {
    suspects.add(target);
    const isOfAll = suspects.size >= MOST_IN_A_ROW;
    if (isOfAll) {
      suspects.clear();
    }
    return isOfAll;
  }

  function pauseAll(sentAt: number, pauseMs: number): void {
    const now = runtime.now();
    pausedUntil = Math.max(pausedUntil, now + Math.min(pauseMs, LONGEST_MEMORY_MS));
    estimate = afterLimit(estimate, sentAt, now, pausedUntil, concurrency);
  }

  /** Does this 429 concern all? If one target gets 429 twice in a row, and no other one does, it is of that target alone. */
  function isPauseOfAll(target: string, pauseMs: number): boolean {
    const isAgain = lastLimited === target;
    lastLimited = target;
    return pauseMs > longestPauseMs ? concernsAll(target) : !isAgain;
  }

  function finish({ target, sentAt }: Operation, result: Finish): boolean {
    const isPause = typeof result === "object" && isPauseOfAll(target, result.pauseMs);
    if (isPause) {
      pauseAll(sentAt, result.pauseMs);
    } else if (result === "unauthenticated") {
      isTokenRejected ||= concernsAll(target);
    } else if (result === "accepted") {
      suspects.clear();
    }
    if (typeof result !== "object" && result !== "no response") {
      estimate = afterAccepted(estimate, sentAt);
    }
    pump();
    return isPause;
  }

  return {
    enter: (target) => {
      const order = arrivals++;
      const operation: Operation = { order, target: target ?? `#${order}`, isUnderWay: false, sentAt: LONG_AGO };
      return {
        permit: () =>
          new Promise((resolve) => {
            const index = queue.findIndex((waiter) => waiter.operation.order > operation.order);
            queue.splice(index === -1 ? queue.length : index, 0, { operation, resolve });
            pump();
          }),
        finish: (result) => finish(operation, result),
        release: () => {
          freeSlots += operation.isUnderWay ? 1 : 0;
          pump();
        },
      };
    },
  };
}
