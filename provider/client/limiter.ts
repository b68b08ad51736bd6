import { setTimeout as sleep } from "node:timers/promises";
import { isMeasured, type Limit, rateAfter, SECOND_MS } from "./rate";

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

/** The last 429 that told something new. */
interface DatedLimit extends Limit {
  /** When its request was sent. */
  readonly sentAt: number;
  readonly cameAt: number;
}

/** How far sending may fall behind its own schedule and still catch up: timers are late by a millisecond or two. */
const CATCH_UP_MS = 50;
/** No pause lasts longer than this, even if the platform asks for more: then one request finds out whether the platform still returns 429. */
const LONGEST_MEMORY_MS = 3_600_000;
const LONG_AGO = Number.NEGATIVE_INFINITY;
/** As many as are under way at once anyway: a token that is no good costs hardly more than that. */
const MOST_IN_A_ROW = 16;
/** For so long it is remembered when requests were sent. */
const KEPT_MS = 4 * SECOND_MS;

export function createLimiter(concurrency: number, longestPauseMs: number, clock: Clock): Limiter {
  let limit: DatedLimit | undefined;
  /** When the requests of the last seconds were sent that were accepted. */
  let accepted: number[] = [];
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
    await clock.delay(Math.max(0, time - clock.now()), alarm.signal).catch(() => undefined);
    alarm = undefined;
    // If the timer fired a little early, this waits for the rest.
    pump();
  }

  /** Requests per second. */
  const rateAt = (time: number): number =>
    limit === undefined ? Number.POSITIVE_INFINITY : rateAfter(limit, time - pausedUntil);

  function start({ sender, resolve }: Waiter, now: number): void {
    queue.shift();
    freeSlots -= sender.hasSlot ? 0 : 1;
    sender.hasSlot = true;
    sender.sentAt = now;
    nextPermitAt = Math.max(nextPermitAt, now - CATCH_UP_MS) + SECOND_MS / rateAt(now);
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
    const blockedForMs = pausedUntil - clock.now();
    const isTooLong = blockedForMs > longestPauseMs;
    return (isTokenRejected && "rejected token") || (isTooLong ? { blockedForMs } : undefined);
  }

  function pump(): void {
    const blocked = blockedNow();
    if (blocked !== undefined) {
      refuseAll(blocked);
    }
    for (let next = nextWaiter(); next !== undefined && alarm === undefined; next = nextWaiter()) {
      const now = clock.now();
      const readyAt = Math.max(pausedUntil, nextPermitAt);
      if (readyAt > now) {
        void sleepUntil(readyAt);
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

  /** Nothing new if its request was sent before the last 429, or if nothing was accepted since then: the pause was too short. */
  function isNews(sentAt: number): boolean {
    const last = limit?.cameAt ?? LONG_AGO;
    return limit === undefined || (sentAt > last && accepted.some((time) => time > last));
  }

  function pauseAll(sentAt: number, pauseMs: number): void {
    const now = clock.now();
    if (isNews(sentAt)) {
      const inSecond = accepted.filter((time) => time > sentAt - SECOND_MS).length;
      const measured = { accepted: inSecond, rateBefore: rateAt(sentAt), ranForMs: sentAt - pausedUntil };
      limit = { ...measured, isMeasured: isMeasured(measured, concurrency), sentAt, cameAt: now };
    }
    pausedUntil = Math.max(pausedUntil, now + Math.min(pauseMs, LONGEST_MEMORY_MS));
  }

  function noteAccepted(sentAt: number): void {
    if ((accepted[0] ?? sentAt) < sentAt - 2 * KEPT_MS) {
      accepted = accepted.filter((time) => time > sentAt - KEPT_MS);
    }
    accepted.push(sentAt);
    if (limit !== undefined && sentAt <= limit.cameAt && sentAt >= limit.sentAt - SECOND_MS) {
      // It was sent before the 429, and its response came after it.
      limit = { ...limit, accepted: limit.accepted + 1 };
    }
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
      pauseAll(sentAt, result.pauseMs);
    } else if (result === "unauthenticated") {
      isTokenRejected ||= noteSuspect(target);
    } else if (result === "accepted") {
      suspects.clear();
    }
    if (typeof result !== "object" && result !== "no response") {
      noteAccepted(sentAt);
    }
    pump();
    return isPause;
  }

  return {
    enter: (target) => {
      const arrival = arrivals++;
      const sender: Sender = { arrival, target: target ?? `#${arrival}`, hasSlot: false, sentAt: LONG_AGO };
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
