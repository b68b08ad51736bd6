const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Runs `work` with a signal that aborts when `outer` aborts, or on the first SIGINT or SIGTERM. In the second case, the
 * abort's reason is the name `SIGINT` or `SIGTERM`. Until `work` ends, further SIGINTs and SIGTERMs have no effect, so
 * that `work` can clean up.
 */
export async function untilSignalled<Result>(
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const stop = (reason: unknown) => controller.abort(reason);
  for (const signal of SIGNALS) {
    process.on(signal, stop);
  }
  try {
    return await work(outer === undefined ? controller.signal : AbortSignal.any([outer, controller.signal]));
  } finally {
    for (const signal of SIGNALS) {
      process.off(signal, stop);
    }
  }
}
