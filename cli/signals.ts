const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Runs `work` with a signal that aborts when `outer` aborts, or on SIGINT or SIGTERM, with that name as the reason.
 * Repeated signals have no effect, so that `work` can clean up.
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
