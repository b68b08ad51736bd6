import { relative } from "node:path";
import { fileURLToPath } from "node:url";

/** A place at which the program calls something. Its text is made only when it is read, for a mistake. */
export interface CallSite {
  readonly stack?: string;
}

/** @param callee what the program has called: the trace begins at its caller */
export function callSiteOf(callee: (new (...args: never[]) => object) | ((...args: never[]) => unknown)): CallSite {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 1;
  const site: CallSite = {};
  Error.captureStackTrace(site, callee);
  Error.stackTraceLimit = limit;
  return site;
}

/** `index.ts:12`, from the folder of the program; undefined if the trace has no file. */
export function lineOf({ stack = "" }: CallSite): string | undefined {
  const [, at = "", line] = /^ +at (?:.*\()?(.+):(\d+):\d+\)?$/m.exec(stack) ?? [];
  if (line === undefined) {
    return undefined;
  }
  const file = at.startsWith("file:") ? fileURLToPath(at) : at;
  return `${relative(process.cwd(), file)}:${line}`;
}
