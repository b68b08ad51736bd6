import * as z from "zod";
import { parseJson } from "../../provider/core/common/equality";
import { UsageError } from "../errors";
import type { Io } from "../io";
import { runPulumi } from "./cli";

/** Reads what `pulumi stack history --json` prints: every run of a stack that the backend has recorded. */

const entry = z.object({ value: z.string().nullish(), objectValue: z.unknown().optional() });

/** One run. */
const run = z.object({
  kind: z.string(),
  startTime: z.coerce.date(),
  message: z.string().nullish(),
  config: z
    .record(z.string(), entry)
    .nullish()
    .transform((values) => values ?? {}),
  /** `succeeded`, `failed` or `in-progress`. */
  result: z.string().nullish(),
  /** How many resources of all packages were created, deleted and so on. */
  resourceChanges: z.record(z.string(), z.number()).nullish(),
});

export type Run = z.infer<typeof run>;

/**
 * All runs, the first one first. The backend of files and Pulumi Cloud print the same form, the last run first; a page size of 0 is all of
 * them. Their times are in seconds, so they do not tell the order of two short runs.
 */
export async function readHistory(stack: string, io: Io): Promise<Run[]> {
  const args = ["stack", "history", "--json", "--page-size", "0", "--stack", stack];
  const read = z.array(run).safeParse(parseJson(await runPulumi(args, io)));
  if (!read.success) {
    throw new UsageError(`\`pulumi stack history\` of ${stack} is not the JSON of Pulumi 3.`);
  }
  return read.data.toReversed();
}

/**
 * The value of a config key in the run, as a text or as the object that the text is of; undefined if it had none, or if it was encrypted.
 */
export const configOf = ({ config }: Run, key: string): unknown => config[key]?.objectValue ?? config[key]?.value;
