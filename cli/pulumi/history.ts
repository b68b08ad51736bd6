import * as z from "zod";
import { parseJson } from "../../provider/base/json";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { runPulumi } from "./cli";

/** Parses the most recent runs in the output of `pulumi stack history --json`. */

const run = z.object({
  kind: z.string(),
  /** When the run started. Pulumi prints this time in whole seconds. */
  startTime: z.coerce.date(),
  /** `succeeded`, `failed` or `in-progress`. */
  result: z.string().nullish(),
  message: z.string().nullish(),
  config: z
    .record(z.string(), z.object({ value: z.string().nullish(), objectValue: z.unknown().optional() }))
    .nullish(),
});

export type LastRun = z.infer<typeof run>;

/** The start of the update message that `abort --up` gives its run. */
export const ABORT_MESSAGE = "Abort of the rollout ";

export const isAbort = ({ message }: LastRun): boolean => message?.startsWith(ABORT_MESSAGE) === true;

/** Returns the stack's last run, or undefined if there was none. Ignores refreshes, which apply nothing. */
export async function readLastRun(stack: string, io: Io): Promise<LastRun | undefined> {
  const args = ["stack", "history", "--json", "--page-size", "10", "--stack", stack];
  const read = z.array(run).safeParse(parseJson(await runPulumi(args, io)));
  if (!read.success) {
    throw new UsageError(`\`pulumi stack history\` of ${stack} did not print the JSON of Pulumi 3.`);
  }
  // Pulumi prints the newest run first, in the same format for file backends and Pulumi Cloud.
  const runs = read.data.filter(({ kind }) => kind !== "refresh");
  // If aborts followed a failed destroy, return the destroy, because it still has to be finished.
  const beforeAborts = runs.find((past) => !isAbort(past));
  return isFailedDestroy(beforeAborts) ? beforeAborts : runs[0];
}

/** Whether the stack's last run was a `pulumi destroy` that failed, so that part of the stack is already deleted. */
export const isFailedDestroy = (last: LastRun | undefined): boolean =>
  last?.result === "failed" && last.kind === "destroy";

/** Whether the last run deleted the whole stack. */
export const isDestroyed = (last: LastRun | undefined): boolean =>
  last?.result === "succeeded" && last.kind === "destroy";

/**
 * Returns the value that a config key had in the given run. Undefined if the key was unset or its value was encrypted.
 */
export const configOf = ({ config }: LastRun, key: string): unknown =>
  config?.[key]?.objectValue ?? config?.[key]?.value;
