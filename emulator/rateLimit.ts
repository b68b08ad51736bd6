import type { Clock } from "./platform";

/** A token bucket over the monotonic clock: takes one of `perSecond`, or says that none is left. */
export function createRateLimit(clock: Pick<Clock, "monotonic">): (perSecond: number) => boolean {
  let left: number | undefined;
  let since = clock.monotonic();
  return (perSecond) => {
    const now = clock.monotonic();
    left = Math.min(perSecond, (left ?? perSecond) + ((now - since) * perSecond) / 1000);
    since = now;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
