const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Calls back at each of the signals, and when `outer` aborts. Returns a function that stops listening. */
function listen(outer: AbortSignal | undefined, onStop: (reason: unknown) => void): () => void {
  for (const signal of SIGNALS) {
    process.on(signal, onStop);
  }
  outer?.addEventListener("abort", onStop, { once: true });
  return () => {
    for (const signal of SIGNALS) {
      process.off(signal, onStop);
    }
    outer?.removeEventListener("abort", onStop);
  };
}

/**
 * Calls back once: at the first signal, or when `outer` aborts. A second signal ends the process as usual. Returns a function that stops
 * listening.
 */
export function onFirstStop(outer: AbortSignal | undefined, callback: () => void): () => void {
  const onStop = () => {
    stopListening();
    callback();
  };
  const stopListening = listen(outer, onStop);
  if (outer?.aborted) {
    onStop();
  }
  return stopListening;
}

/** Aborts the work at SIGINT or SIGTERM, with the signal as the reason, or when `outer` aborts. Further signals have no other effect. */
export async function untilSignalled<Result>(
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const stopListening = listen(outer, (reason) => controller.abort(reason));
  if (outer?.aborted) {
    controller.abort(outer.reason);
  }
  try {
    return await work(controller.signal);
  } finally {
    stopListening();
  }
}
