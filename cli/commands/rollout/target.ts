import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { readSettings } from "../../../provider/core/config/readSettings";
import { NAMESPACE } from "../../../provider/core/config/settings";
import type { NamedRollout } from "../../../provider/core/routing/rollouts";
import { stackFileOf } from "../../../provider/pulumi/projectFile";
import { UsageError } from "../../errors";
import { coloured, type Io, jsonText, readExactly } from "../../io";
import { readConfig, type StackConfig } from "../../pulumi/config";
import { type ProjectFile, programFolder } from "../../pulumi/projectFile";
import { readState } from "../../pulumi/stackExport";
import { stackAlone } from "../../rollout/after";
import { type FoundRollout, findRollout, type Names, type TextFile } from "./rolloutFile";

/** A rollout in the config file of a stack. */
export interface Target {
  readonly stack: string;
  readonly file: TextFile;
  readonly found: FoundRollout;
}

/** The one file that Pulumi reads for the stack. */
export function readStackFile(project: ProjectFile, stack: string, io: Io): TextFile {
  const shown = relative(io.cwd, stackFileOf(project, stackAlone(stack)));
  return { shown, text: readExactly(shown, io) };
}

export function readTarget(project: ProjectFile, stack: string, names: Names, io: Io): Target {
  const file = readStackFile(project, stack, io);
  return { stack, file, found: findRollout(file, names) };
}

export async function readStack(stack: string, io: Io) {
  const config = await readConfig(stack, io);
  return { state: await readState(stack, io), config };
}

const valueIn = (config: StackConfig, key: string): string | undefined => config[`${NAMESPACE}:${key}`]?.value;

/** The guards of a stack that say which percentages there are, and who may have them. */
const ASKED = ["steps", "approvedAgents", "maxUnapproved"];

/** No setting is read without a platform, and a promotion needs none. */
const NEEDED: Readonly<Record<string, string>> = { baseUrl: "https://platform.invalid" };

export function guardsOf(config: StackConfig, stack: string, { cwd }: Io) {
  const read = readSettings({
    get: (key) => (ASKED.includes(key) ? valueIn(config, key) : NEEDED[key]),
    env: {},
    readApproved: (path) => readFileSync(resolve(programFolder(cwd), path), "utf8"),
  });
  if ("problems" in read) {
    throw new UsageError(read.problems.map(({ text }) => text).join("\n"));
  }
  const { steps, approvedAgents, maxUnapproved } = read.settings.guards;
  if (steps === undefined) {
    const set = `pulumi config set ${NAMESPACE}:steps '[1, 10, 50, 100]' --stack ${stack}`;
    throw new UsageError(`Stack ${stack} has no steps, so the next percentage is not known. Set them: ${set}`);
  }
  const list = valueIn(config, "approvedAgents") ?? "";
  return { steps, approvedAgents, maxUnapproved, list: /^\s*\[/.test(list) ? `${NAMESPACE}:approvedAgents` : list };
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
