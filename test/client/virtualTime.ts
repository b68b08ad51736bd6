import { setImmediate as turn } from "node:timers/promises";
import type { ClientRuntime } from "../../provider/client/options";

export interface VirtualTime extends ClientRuntime {
  /** Lets time pass until the work is done; nothing sleeps. */
  run<T>(work: Promise<T>): Promise<T>;
  /** Every wait that was asked for, in order. */
  readonly waits: readonly number[];
}

interface Timer {
  readonly at: number;
  readonly order: number;
  wake(): void;
}

/** A clock that jumps from one wait to the next. `chance` is what random() says. */
export function virtualTime(chance: () => number = () => 0.5, wallClockAtStart = 0): VirtualTime {
  let now = 0;
  let order = 0;
  let timers: Timer[] = [];
  const waits: number[] = [];

  function next(): Timer | undefined {
    const first = timers.reduce<Timer | undefined>(
      (best, timer) => (best === undefined || timer.at < best.at ? timer : best),
      undefined,
    );
    timers = timers.filter((timer) => timer !== first);
    return first;
  }

  return {
    waits,
    now: () => now,
    wallClock: () => wallClockAtStart + now,
    random: chance,
    delay: (milliseconds) => {
      waits.push(milliseconds);
      return new Promise((wake) => timers.push({ at: now + milliseconds, order: order++, wake }));
    },
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
