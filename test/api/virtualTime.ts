import { setImmediate as turn } from "node:timers/promises";
import type { Clock } from "../../provider/base/world";

export interface VirtualTime extends Clock {
  /** Lets time pass until the work is done; nothing sleeps. */
  run<T>(work: Promise<T>): Promise<T>;
}

interface Timer {
  readonly at: number;
  wake(): void;
}

/** A clock that jumps from one wait to the next. `chance` is what random() says. */
export function virtualTime(chance: () => number = () => 0.5): VirtualTime {
  let now = 0;
  let timers: Timer[] = [];

  function next(): Timer | undefined {
    const first = timers.reduce<Timer | undefined>(
      (best, timer) => (best === undefined || timer.at < best.at ? timer : best),
      undefined,
    );
    timers = timers.filter((timer) => timer !== first);
    return first;
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
        const timer = next();
        if (timer === undefined) {
          throw new Error("The work waits for something that is no timer.");
        }
        now = timer.at;
        timer.wake();
      }
    },
  };
}
