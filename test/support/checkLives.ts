import * as fc from "fast-check";

export interface CheckOptions {
  readonly seed: number;
  readonly runs: number;
  /** Of a life that failed: lives it again. */
  readonly path?: string | undefined;
  readonly seconds?: number | undefined;
  /** Whether a failure is made smaller before it is told. */
  readonly shrinks?: boolean | undefined;
}

/** Lives random lives until one fails, and tells how to live that one again: `again` adds its command to the seed and the path. */
export async function checkLives<Life>(
  property: fc.IAsyncProperty<[Life]>,
  { seed, runs, path, seconds, shrinks = true }: CheckOptions,
  again: (seedAndPath: string, life: Life | undefined) => string[],
): Promise<string | undefined> {
  const details = await fc.check(property, {
    seed,
    numRuns: runs,
    endOnFailure: !shrinks,
    ...(path !== undefined && { path }),
    ...(seconds !== undefined && { interruptAfterTimeLimit: seconds * 1000 }),
  });
  if (!details.failed) {
    return undefined;
  }
  const cause = details.errorInstance instanceof Error ? details.errorInstance.stack : String(details.errorInstance);
  const seedAndPath = `--seed ${details.seed} --path "${details.counterexamplePath}"`;
  return [...again(seedAndPath, details.counterexample?.[0]), cause].join("\n");
}
