/**
 * The SDK takes a stack trace for each of the four promises of an output, to name promises that never end. With source maps that takes most
 * of the time of a program with a thousand numbers. The SDK finds the line of a resource in another way, so it is not lost. With
 * PULUMI_DEBUG_PROMISE_LEAKS nothing is paused.
 */
export function pauseStackTraces(called: new (...args: never[]) => object): {
  /** The error of a constructor, with the stack of the call. */
  traced(error: unknown): unknown;
  resume(): void;
} {
  const limit = Error.stackTraceLimit;
  if (!process.env.PULUMI_DEBUG_PROMISE_LEAKS) {
    Error.stackTraceLimit = 0;
  }
  const resume = () => {
    Error.stackTraceLimit = limit;
  };
  return {
    traced(error) {
      resume();
      if (error instanceof Error) {
        Error.captureStackTrace(error, called);
      }
      return error;
    },
    resume,
  };
}
