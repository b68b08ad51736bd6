import { NAMESPACE } from "../../../provider/core/config/settings";
import type { NamedRollout } from "../../../provider/core/routing/rollouts";
import { UsageError } from "../../errors";
import { type Io, jsonText } from "../../io";
import { readConfig, type StackConfig } from "../../pulumi/config";
import type { ProjectFile } from "../../pulumi/projectFile";
import { readState, requireForStack } from "../../pulumi/stackExport";
import { stepsIn } from "../../rollout/value";
import { type FoundRollout, findRollout, type Names } from "./rolloutYaml";
import { readStackFile, type TextFile } from "./stackFile";

/** A rollout in the config file of a stack. */
export interface Target {
  readonly stack: string;
  readonly file: TextFile;
  readonly found: FoundRollout;
}

export function readTarget(project: ProjectFile, stack: string, names: Names, io: Io): Target {
  const file = readStackFile(project, stack, io);
  return { stack, file, found: findRollout(file, project, names) };
}

export async function readStack(stack: string, io: Io) {
  const config = await readConfig(requireForStack(io), stack, io);
  return { state: await readState(stack, io), config };
}

/** The percentages of the setting, from the first to 100. */
export function stepsOf(config: StackConfig, stack: string): readonly number[] {
  const read = stepsIn(config);
  if (read === undefined) {
    const set = `pulumi config set ${NAMESPACE}:steps '[1, 10, 50, 100]' --stack ${stack}`;
    throw new UsageError(`Stack ${stack} has no steps, so the next percentage is not known. Set them: ${set}`);
  }
  if (!read.success) {
    throw new UsageError(`${NAMESPACE}:steps ${read.error.issues[0]?.message}.`);
  }
  return read.data;
}

export const freezeIn = (config: StackConfig): string | undefined => config[`${NAMESPACE}:freeze`]?.value || undefined;

/** The fields of a target in the JSON of `promote` and `abort`. */
export const targetJson = ({ stack, file, found }: Target, next?: NamedRollout) => ({
  name: found.name,
  stack,
  file: file.shown,
  from: found.value,
  ...(next && { to: next }),
});

/** What `promote` or `abort` has done. `--json` prints all of it but the exit code, with the fields of each outcome. */
export interface Result {
  readonly code: number;
  readonly text: string;
  readonly outcome: "written" | "not written" | "held" | "nothing to promote" | "nothing to abort";
  readonly [field: string]: unknown;
}

export function print({ code, ...result }: Result, { json }: { readonly json?: boolean | undefined }, io: Io): number {
  io.stdout.write(json ? jsonText(result) : `${result.text}\n`);
  return code;
}
