import { existsSync, readdirSync } from "node:fs";
import { dirname, relative } from "node:path";
import { NAMESPACE } from "../../provider/core/config/settings";
import type { NamedRollout } from "../../provider/core/routing/rollouts";
import { stackFileOf } from "../../provider/edge/projectFile";
import { UsageError } from "../errors";
import { coloured, type Io, jsonText, readExactly } from "../io";
import type { ProjectFile } from "../pulumi/projectFile";
import { stackAlone } from "../pulumi/stackExport";
import type { StackConfig } from "../pulumi/stacks";
import { stepsIn } from "../stack/rollout";
import { type FoundRollout, findRollout, type TextFile } from "./file";

/** A rollout in the config file of a stack. */
export interface Target {
  readonly stack: string;
  readonly file: TextFile;
  readonly found: FoundRollout;
}

/** The one file that Pulumi reads for the stack. */
export function readStackFile(project: ProjectFile, stack: string, io: Io): TextFile {
  const file = stackFileOf(project, stackAlone(stack));
  const shown = relative(io.cwd, file);
  if (!existsSync(file)) {
    const all = existsSync(dirname(file)) ? readdirSync(dirname(file)) : [];
    const there = all.filter((name) => /^Pulumi\..+\.ya?ml$/.test(name)).sort();
    throw new UsageError(`${shown} is not there. Stacks have these files: ${there.join(", ") || "none"}.`);
  }
  return { shown, text: readExactly(shown, io) };
}

export function readTarget(project: ProjectFile, stack: string, name: string | undefined, io: Io): Target {
  const file = readStackFile(project, stack, io);
  return { stack, file, found: findRollout(file, name) };
}

export function stepsOf(config: StackConfig, stack: string): readonly number[] {
  const { data, error } = stepsIn(config) ?? {};
  if (error) {
    throw new UsageError(`${NAMESPACE}:steps ${error.issues[0]?.message}.`);
  }
  if (data === undefined) {
    const set = `pulumi config set ${NAMESPACE}:steps '[1, 10, 50, 100]' --stack ${stack}`;
    throw new UsageError(`Stack ${stack} has no steps, so the next percentage is not known. Set them: ${set}`);
  }
  return data;
}

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
  const text = result.text.replaceAll(/^ *Held:/gm, (held) => coloured("red", held, io.stdout, io));
  io.stdout.write(json ? jsonText(result) : `${text}\n`);
  return code;
}
