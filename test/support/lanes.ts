import { createProviders, type Providers } from "./miniEngineProviders";

/**
 * Does the work on each item, so many at a time, each with a provider process of its own: most of a life under faults is waiting.
 * With `warm`, all processes are before the first item: what starts beside it takes the time that it has for a request.
 */
export async function inLanes<T>(
  items: readonly T[],
  count: number,
  work: (item: T, providers: Providers) => Promise<void>,
  { warm, attempts }: { readonly warm?: (providers: Providers) => Promise<void>; readonly attempts?: number } = {},
): Promise<void> {
  const waiting = [...items];
  const all = Array.from({ length: count }, () => createProviders(undefined, attempts));
  const lane = async (providers: Providers) => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await work(next, providers);
    }
  };
  try {
    await Promise.all(all.map((providers) => warm?.(providers)));
    await Promise.all(all.map(lane));
  } finally {
    await Promise.all(all.map((providers) => providers.close()));
  }
}
