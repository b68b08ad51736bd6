const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Calls back once: at the first SIGINT or SIGTERM, or where `outer` aborts. A second signal ends the process as usual.
 * The result stops listening.
 */
export function onFirstStop(outer: AbortSignal | undefined, callback: () => void): () => void {
  const stopListening = () => {
    for (const signal of SIGNALS) {
      process.off(signal, onStop);
    }
    outer?.removeEventListener("abort", onStop);
  };
  const onStop = () => {
    stopListening();
    callback();
  };
  for (const signal of SIGNALS) {
    process.on(signal, onStop);
  }
  outer?.addEventListener("abort", onStop);
  if (outer?.aborted) {
    onStop();
  }
  return stopListening;
}

/** Aborts work at SIGINT or SIGTERM, which is the reason then, and takes further ones for the same; leaves no listener behind. */
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
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of SIGNALS) {
      process.off(signal, stop);
    }
    outer?.removeEventListener("abort", stop);
  }
}
