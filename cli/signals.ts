const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Aborts the work on SIGINT or SIGTERM, with the signal as the reason, or when `outer` aborts. Further signals have no
 * effect.
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
