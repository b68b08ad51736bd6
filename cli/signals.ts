const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Runs `work` with a signal that aborts on the first SIGINT or SIGTERM, whose name becomes the reason, or when `outer`
 * aborts. Further SIGINTs and SIGTERMs have no effect until `work` ends, so that it can clean up.
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
