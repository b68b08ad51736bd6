import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../../provider/base/world";

export interface VirtualTime extends Clock {
  /** Moves the time forward from delay to delay until the work is done, without sleeping. */
  run<T>(work: Promise<T>): Promise<T>;
}

interface Timer {
  readonly at: number;
  wake(): void;
}

/**
 * Creates a clock that never sleeps: `run` moves its time straight to the end of the next delay. `chance` supplies the
 * values for `random()`.
 */
export function virtualTime(chance: () => number = () => 0.5): VirtualTime {
  let now = 0;
  let timers: Timer[] = [];

  function takeNext(): Timer | undefined {
    const earliest = timers.reduce<Timer | undefined>(
      (best, timer) => (best === undefined || timer.at < best.at ? timer : best),
      undefined,
    );
    timers = timers.filter((timer) => timer !== earliest);
    return earliest;
  }

  return {
    now: () => now,
    wallClock: () => now,
    random: chance,
    delay: (milliseconds) => new Promise((wake) => timers.push({ at: now + milliseconds, wake })),
    async run(work) {
      let isDone = false;
      const done = () => {
        isDone = true;
      };
      work.then(done, done);
      for (;;) {
        await turn();
        if (isDone) {
          return work;
        }
        const timer = takeNext();
        if (timer === undefined) {
          throw new Error("The work is waiting for something other than a delay.");
        }
        now = timer.at;
        timer.wake();
      }
    },
  };
}
