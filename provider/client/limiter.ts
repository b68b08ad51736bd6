import { setTimeout as sleep } from "node:timers/promises";
import { createPace } from "./pace";

/** Time and chance as the client sees them; tests bring their own, so that nothing sleeps. */
export interface Clock {
  /** Milliseconds that never run backwards: every duration is measured by it. */
  now(): number;
  /** Milliseconds since 1970, for HTTP dates alone (a clock may jump). */
  wallClock(): number;
  /** From 0 up to, but without, 1. */
  random(): number;
  delay(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wallClock: () => Date.now(),
  random: () => Math.random(),
  delay: (milliseconds, signal) => sleep(milliseconds, undefined, signal ? { signal } : {}),
};

/**
 * Which operation may send, and when. There is one queue, in the order of arrival, and one pause, which follows a 429. An operation has a
 * slot from its first attempt to its last; there are `concurrency` slots. Before each attempt it takes a permit, which waits for a slot,
 * then for the pause, and then for its turn at the pace that the platform has accepted.
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

interface Sender {
  readonly arrival: number;
  readonly target: string;
  hasSlot: boolean;
  sentAt: number;
}

interface Waiter {
  readonly sender: Sender;
  resolve(permit: "go" | Blocked): void;
}

/** No pause lasts longer than this, even if the platform asks for more: then one request finds out whether the platform still returns 429. */
const LONGEST_MEMORY_MS = 3_600_000;
/** As many as are under way at once anyway: a token that is no good costs hardly more than that. */
const MOST_IN_A_ROW = 16;

export function createLimiter(concurrency: number, longestPauseMs: number, clock: Clock): Limiter {
  const pace = createPace();
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
    await clock.delay(Math.max(0, time - clock.now()), alarm.signal).catch(() => undefined);
    alarm = undefined;
    // If the timer fired a little early, this waits for the rest.
    pump();
  }

  function start({ sender, resolve }: Waiter, now: number): void {
    queue.shift();
    freeSlots -= sender.hasSlot ? 0 : 1;
    sender.hasSlot = true;
    sender.sentAt = now;
    pace.sent(now);
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

  /** The first in the queue may begin if a slot is free. One that has a slot has come before all that have none yet. */
  function nextWaiter(): Waiter | undefined {
    const [first] = queue;
    return first?.sender.hasSlot || mayBegin() ? first : undefined;
  }

  function blockedNow(): Blocked | undefined {
    const [now, until] = [clock.now(), pace.pausedUntil()];
    // Two sums are compared, because the difference of two fractions may be a little more than the pause was.
    const isTooLong = until > now + longestPauseMs;
    return (isTokenRejected && "rejected token") || (isTooLong ? { blockedForMs: until - now } : undefined);
  }

  function pump(): void {
    const blocked = blockedNow();
    if (blocked !== undefined) {
      refuseAll(blocked);
    }
    for (let next = nextWaiter(); next !== undefined && alarm === undefined; next = nextWaiter()) {
      const now = clock.now();
      if (pace.readyAt() > now) {
        void sleepUntil(pace.readyAt());
      } else {
        start(next, now);
      }
    }
  }

  /** Notes whose response may concern every request. Do so many different targets have one that it does? Then they are forgotten. */
  function noteSuspect(target: string): boolean {
    suspects.add(target);
    const isOfAll = suspects.size >= MOST_IN_A_ROW;
    if (isOfAll) {
      suspects.clear();
    }
    return isOfAll;
  }

  /** Notes whose 429 it is. Does it concern all? If one target gets 429 twice in a row, and no other one does, it is of that target alone. */
  function noteLimited(target: string, pauseMs: number): boolean {
    const isAgain = lastLimited === target;
    lastLimited = target;
    return pauseMs > longestPauseMs ? noteSuspect(target) : !isAgain;
  }

  function finish({ target, sentAt }: Sender, result: Finish): boolean {
    const isPause = typeof result === "object" && noteLimited(target, result.pauseMs);
    if (isPause) {
      pace.pause(sentAt, clock.now() + Math.min(result.pauseMs, LONGEST_MEMORY_MS));
    } else if (result === "unauthenticated") {
      isTokenRejected ||= noteSuspect(target);
    } else if (result === "accepted") {
      suspects.clear();
    }
    if (typeof result !== "object" && result !== "no response") {
      pace.accepted(sentAt);
    }
    pump();
    return isPause;
  }

  return {
    enter: (target) => {
      const arrival = arrivals++;
      const sender: Sender = { arrival, target: target ?? `#${arrival}`, hasSlot: false, sentAt: 0 };
      return {
        permit: () =>
          new Promise((resolve) => {
            const index = queue.findIndex((waiter) => waiter.sender.arrival > sender.arrival);
            queue.splice(index === -1 ? queue.length : index, 0, { sender, resolve });
            pump();
          }),
        finish: (result) => finish(sender, result),
        release: () => {
          freeSlots += sender.hasSlot ? 1 : 0;
          pump();
        },
      };
    },
  };
}
