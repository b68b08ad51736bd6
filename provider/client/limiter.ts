import type { ClientRuntime } from "./options";
import { afterAccepted, afterLimit, type RateEstimate, rateAt, UNLIMITED } from "./rate";

/**
 * Which operation may send, and when. There is one queue, in the order of arrival, and one pause, which follows a 429. An operation has a
 * slot from its first attempt to its last; there are `concurrency` slots. Before each attempt it takes a permit, which waits for a slot,
 * then for the pause, and then keeps the rate that the limiter has measured.
 */
export interface Limiter {
  enter(): Slot;
}

/** "go"; or how long the platform asks for no requests, if that is longer than an operation may wait: then nothing is sent. */
type Permit = "go" | { blockedForMs: number };

export interface Slot {
  permit(): Promise<Permit>;
  /** Must follow every "go". */
  settle(result: Settlement): void;
  release(): void;
}

type Settlement = "responded" | "failed" | { pauseMs: number };

interface Operation {
  readonly order: number;
  /** Has it a slot? */
  isUnderWay: boolean;
  sentAt: number;
}

interface Waiter {
  readonly operation: Operation;
  resolve(permit: Permit): void;
}

/** How far sending may fall behind its own schedule and still catch up: timers are late by a millisecond or two. */
const CATCH_UP_MS = 50;
/** No pause lasts longer than this, even if the platform asks for more: then one request finds out whether the platform still returns 429. */
const LONGEST_MEMORY_MS = 3_600_000;
const LONG_AGO = Number.NEGATIVE_INFINITY;

export function createLimiter(concurrency: number, longestPauseMs: number, runtime: ClientRuntime): Limiter {
  let estimate: RateEstimate = UNLIMITED;
  let pausedUntil = LONG_AGO;
  let nextPermitAt = LONG_AGO;
  let alarm: AbortController | undefined;
  let freeSlots = concurrency;
  let arrivals = 0;
  const queue: Waiter[] = [];

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

  function refuseAll(blockedForMs: number): void {
    for (const waiter of queue.splice(0)) {
      waiter.resolve({ blockedForMs });
    }
    // A timer that nothing waits for would keep the process alive.
    alarm?.abort();
  }

  /** The first in the queue may begin if a slot is free. An operation under way has come before all that have no slot yet. */
  function firstInLine(): Waiter | undefined {
    const [first] = queue;
    return first?.operation.isUnderWay || freeSlots > 0 ? first : undefined;
  }

  function pump(): void {
    const blockedForMs = pausedUntil - runtime.now();
    if (blockedForMs > longestPauseMs) {
      refuseAll(blockedForMs);
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

  function settle(sentAt: number, result: Settlement): void {
    const now = runtime.now();
    if (typeof result === "object") {
      pausedUntil = Math.max(pausedUntil, now + Math.min(result.pauseMs, LONGEST_MEMORY_MS));
      estimate = afterLimit(estimate, sentAt, now, pausedUntil, concurrency);
    } else if (result === "responded") {
      estimate = afterAccepted(estimate, sentAt);
    }
    pump();
  }

  return {
    enter: () => {
      const operation: Operation = { order: arrivals++, isUnderWay: false, sentAt: LONG_AGO };
      return {
        permit: () =>
          new Promise((resolve) => {
            const index = queue.findIndex((waiter) => waiter.operation.order > operation.order);
            queue.splice(index === -1 ? queue.length : index, 0, { operation, resolve });
            pump();
          }),
        settle: (result) => settle(operation.sentAt, result),
        release: () => {
          freeSlots += operation.isUnderWay ? 1 : 0;
          pump();
        },
      };
    },
  };
}
