const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Aborts the work at SIGINT or SIGTERM, with the signal as the reason, or when `outer` aborts. Further signals have no other effect. */
export async function untilSignalled<Result>(
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const stop = (reason: unknown) => controller.abort(reason);
  for (const signal of SIGNALS) {
    process.on(signal, stop);
  }
  outer?.addEventListener("abort", stop, { once: true });
  if (outer?.aborted) {
    stop(outer.reason);
  }
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of SIGNALS) {
      process.off(signal, stop);
    }
    outer?.removeEventListener("abort", stop);
  }
}
