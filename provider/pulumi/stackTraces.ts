/**
 * The SDK takes a stack trace for each of the four promises behind an output, to name promises that a program leaves open. With source
 * maps a trace costs 0.1 ms, which is the largest part of a program with a thousand numbers. The SDK finds the line of a resource in
 * another way, so that is not lost. With PULUMI_DEBUG_PROMISE_LEAKS the traces are taken.
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
