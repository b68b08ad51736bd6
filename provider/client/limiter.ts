import { accepted, type Pace, rateAt, refused, unlimited } from "./pace";
import type { ClientRuntime } from "./runtime";

/**
 * Who may send, and when. Two doors, both first come, first served:
 * a place (as many operations at once as `concurrency`), held from an operation's first attempt to its last, and before
 * each attempt a turn, which waits for the pause that a 429 began and then keeps the pace that it taught.
 */
export interface Limiter {
  enter(): Promise<Place>;
}

/** "go", or how much longer the platform wants silence, where that is more than an operation may wait: then nothing is to be sent. */
export type Turn = "go" | { silenceMs: number };

export interface Place {
  turn(): Promise<Turn>;
  /** Must follow every "go". */
  settled(result: Settlement): void;
  leave(): void;
}

type Settlement = "answered" | "failed" | { pauseMs: number };
type Grant = { sentAt: number; isProbe: boolean } | { silenceMs: number };

interface Waiter {
  order: number;
  resolve(grant: Grant): void;
}

/** After a pause one request goes ahead; the others follow when it was not refused. */
type Probe = "none" | "due" | "out";

/** How far the pace may fall behind its own schedule and still catch up: timers are late by a millisecond or two. */
const CATCH_UP_MS = 50;
/** A pause is remembered for no longer than this, whatever was asked: a client that lives on looks again. */
const LONGEST_MEMORY_MS = 3_600_000;
const LONG_AGO = Number.NEGATIVE_INFINITY;

/** The second door. */
function createTurnstile(concurrency: number, longestPauseMs: number, runtime: ClientRuntime) {
  let pace: Pace = unlimited;
  let pausedUntil = LONG_AGO;
  let nextTurnAt = LONG_AGO;
  let probe: Probe = "none";
  let alarm: AbortController | undefined;
  const waiters: Waiter[] = [];

  async function sleepUntil(time: number): Promise<void> {
    alarm = new AbortController();
    const { signal } = alarm;
    await runtime.delay(Math.max(0, time - runtime.now()), signal).catch(() => undefined);
    alarm = undefined;
    if (!signal.aborted) {
      // What was waited for is over, even where a timer fired a little early.
      pausedUntil = pausedUntil <= time ? LONG_AGO : pausedUntil;
      nextTurnAt = nextTurnAt <= time ? Math.min(nextTurnAt, runtime.now()) : nextTurnAt;
    }
    pump();
  }

  function releaseFirst(now: number): void {
    nextTurnAt = Math.max(nextTurnAt, now - CATCH_UP_MS) + 1000 / rateAt(pace, now);
    probe = probe === "due" ? "out" : probe;
    waiters.shift()?.resolve({ sentAt: now, isProbe: probe === "out" });
  }

  function refuseAll(silenceMs: number): void {
    for (const waiter of waiters.splice(0)) {
      waiter.resolve({ silenceMs });
    }
    // Nobody waits any more, so no timer may keep the process alive.
    alarm?.abort();
  }

  function pump(): void {
    const silenceMs = pausedUntil - runtime.now();
    if (silenceMs > longestPauseMs) {
      refuseAll(silenceMs);
    }
    while (waiters.length > 0 && alarm === undefined && probe !== "out") {
      const now = runtime.now();
      const readyAt = Math.max(pausedUntil, nextTurnAt);
      if (readyAt > now) {
        void sleepUntil(readyAt);
      } else {
        releaseFirst(now);
      }
    }
  }

  return {
    wait: (order: number): Promise<Grant> =>
      new Promise((resolve) => {
        const index = waiters.findIndex((waiter) => waiter.order > order);
        waiters.splice(index === -1 ? waiters.length : index, 0, { order, resolve });
        pump();
      }),
    settle: (sentAt: number, wasProbe: boolean, result: Settlement): void => {
      const now = runtime.now();
      probe = wasProbe ? "none" : probe;
      if (typeof result === "object") {
        pausedUntil = Math.max(pausedUntil, now + Math.min(result.pauseMs, LONGEST_MEMORY_MS));
        pace = refused(pace, sentAt, now, pausedUntil, concurrency);
        probe = probe === "out" ? "out" : "due";
      } else if (result === "answered") {
        pace = accepted(pace, sentAt);
      }
      pump();
    },
  };
}

export function createLimiter(concurrency: number, longestPauseMs: number, runtime: ClientRuntime): Limiter {
  const turnstile = createTurnstile(concurrency, longestPauseMs, runtime);
  const outside: (() => void)[] = [];
  let freePlaces = concurrency;
  let arrivals = 0;

  function createPlace(): Place {
    const order = arrivals++;
    let sent = { sentAt: 0, isProbe: false };
    return {
      turn: async () => {
        const grant = await turnstile.wait(order);
        if ("silenceMs" in grant) {
          return grant;
        }
        sent = grant;
        return "go";
      },
      settled: (result) => turnstile.settle(sent.sentAt, sent.isProbe, result),
      leave: () => {
        const next = outside.shift();
        if (next) {
          next();
        } else {
          freePlaces += 1;
        }
      },
    };
  }

  return {
    enter: async () => {
      if (freePlaces > 0) {
        freePlaces -= 1;
      } else {
        await new Promise<void>((resolve) => outside.push(resolve));
      }
      return createPlace();
    },
  };
}
