import { createProviders, type Providers } from "./miniEngineProviders";

/** Does the work on each item, so many at a time, each with a provider process of its own: most of a life under faults is waiting. */
export async function inLanes<T>(
  items: readonly T[],
  count: number,
  work: (item: T, providers: Providers) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const lane = async () => {
    const providers = createProviders();
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next, providers);
    } finally {
      await providers.close();
    }
  };
  await Promise.all(Array.from({ length: count }, lane));
}
