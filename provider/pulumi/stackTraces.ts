/**
 * Of each of the four promises behind an output the SDK writes down the stack, to name those that a program leaves open; mapped to
 * sources that is 0.1 ms each, and of a thousand numbers the largest part of what a program does. Where a resource was declared is
 * found otherwise and stays. Who looks for open promises gets the stacks.
 */
export function pauseStackTraces(called: new (...args: never[]) => object): {
  /** The error of a constructor, which must say where it was called. */
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
