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

/** Returns the update message that `abort --up` gives its run. */
export const abortMessage = (name: string): string => `Abort of the rollout "${name}"`;

/** Recognizes an abort by its whole message, because Pulumi uses a commit's title as the message of other runs. */
export const isAbort = ({ message }: LastRun): boolean => /^Abort of the rollout "[^"]+"$/.test(message ?? "");

/**
 * Returns the stack's last run, or undefined if there was none. Ignores refreshes, which apply nothing, and aborts that
 * followed a failed run: what that run left unfinished is still unfinished.
 */
export async function readLastRun(stack: string, io: Io): Promise<LastRun | undefined> {
  const args = ["stack", "history", "--json", "--page-size", "10", "--stack", stack];
  const read = z.array(run).safeParse(parseJson(await runPulumi(args, io)));
  if (!read.success) {
    throw new UsageError(`\`pulumi stack history\` of ${stack} did not print the JSON of Pulumi 3.`);
  }
  // Pulumi prints the newest run first, in the same format for file backends and Pulumi Cloud.
  const runs = read.data.filter(({ kind }) => kind !== "refresh");
  const beforeAborts = runs.find((past) => !isAbort(past));
  return beforeAborts?.result === "failed" ? beforeAborts : runs[0];
}

/** Returns a phrase such as `the last deployment`. It isn't always the last run, because an abort may have followed. */
export function runTitle(run: LastRun): string {
  const deployment = run.kind === "destroy" ? "destroy" : "deployment";
  return `the last ${isAbort(run) ? "abort" : deployment}`;
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
