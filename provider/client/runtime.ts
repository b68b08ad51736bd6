import { setTimeout as sleep } from "node:timers/promises";

/** Time and chance as the client sees them; tests bring their own, so that nothing sleeps. */
export interface ClientRuntime {
  /** Milliseconds that never run backwards: every duration is measured by it. */
  now(): number;
  /** Milliseconds since 1970, for HTTP dates alone (a clock may jump). */
  wallClock(): number;
  /** From 0 up to, but without, 1. */
  random(): number;
  delay(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemRuntime: ClientRuntime = {
  now: () => performance.now(),
  wallClock: () => Date.now(),
  random: () => Math.random(),
  delay: async (milliseconds, signal) => {
    await sleep(milliseconds, undefined, signal ? { signal } : {});
  },
};
