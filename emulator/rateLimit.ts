/** A token bucket over a clock that only goes forward, in milliseconds: takes one of `perSecond`, or says that none is left. */
export function createRateLimit(now: () => number): (perSecond: number) => boolean {
  let left: number | undefined;
  let since = now();
  return (perSecond) => {
    const at = now();
    left = Math.min(perSecond, (left ?? perSecond) + ((at - since) * perSecond) / 1000);
    since = at;
    if (left < 1) {
      return false;
    }
    left -= 1;
    return true;
  };
}
