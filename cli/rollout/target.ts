import { existsSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { defined } from "../../provider/core/common/equality";
import { NAMESPACE } from "../../provider/core/config/settings";
import type { NamedRollout } from "../../provider/core/routing/rollouts";
import { isAgentKey } from "../../provider/core/routing/split";
import { stackFileOf } from "../../provider/edge/projectFile";
import { UsageError } from "../errors";
import { coloured, type Io, jsonText, readExactly, writeText } from "../io";
import { runPulumi } from "../pulumi/cli";
import type { ProjectFile } from "../pulumi/projectFile";
import { stackAlone } from "../pulumi/stackExport";
import { readConfig, type StackConfig } from "../pulumi/stacks";
import { ROLLOUTS, stepsIn } from "../stack/rollout";
import { configIn, type FoundRollout, findRollout, type TextFile } from "./file";

export const CONFIG_FILE_OPTION = {
  type: "string",
  value: "<file>",
  help: "the file that `pulumi up --config-file` gets; default the stack's own",
} as const;

/** Refuses a text that is no agent. */
export function agentOption(to: string | undefined): void {
  if (to !== undefined && !isAgentKey(to)) {
    throw new UsageError(`--to takes an agent, such as agent_front@14; found ${JSON.stringify(to)}.`);
  }
}

/** Where a command looks for a stack's rollouts. */
export interface Place {
  readonly project: ProjectFile;
  readonly io: Io;
  /** The file that `--config-file` names, in place of the stack's own. */
  readonly configFile?: string | undefined;
  /** Is the command not to wait for the Pulumi CLI for long, and to do without it? */
  readonly isUrgent?: boolean;
}

/** The one file that Pulumi reads for the stack, and the config that the engine will use. */
export interface StackFile {
  readonly place: Place;
  readonly stack: string;
  readonly file: TextFile;
  readonly config: StackConfig;
}

/** A rollout of a stack. */
export interface Target extends StackFile {
  readonly found: FoundRollout;
}

const pathIn = ({ project, io, configFile }: Place, stack: string): string =>
  configFile === undefined ? stackFileOf(project, stackAlone(stack)) : resolve(io.cwd, configFile);

/** Of a file that is not there the text is empty: then the project's file may have the stack's rollouts. */
function readFileAt(path: string, io: Io): TextFile {
  const shown = relative(io.cwd, path);
  return { shown, text: existsSync(path) ? readExactly(shown, io) : "" };
}

/**
 * What the engine will use is what Pulumi says: it resolves aliases and merge keys, and adds the config of the project. If the CLI fails and
 * it is urgent, the files are read.
 */
export async function readStackFile(place: Place, stack: string): Promise<StackFile> {
  const { project, io, configFile, isUrgent } = place;
  const path = pathIn(place, stack);
  const file = readFileAt(path, io);
  const config = await readConfig(stack, io, argsOf(configFile)).catch((error: unknown) => {
    // What is no YAML is told with its line.
    const ofFiles = configIn(file, project.config);
    if (error instanceof UsageError && (isUrgent || !existsSync(path))) {
      return ofFiles;
    }
    throw error;
  });
  if (!existsSync(path) && !(ROLLOUTS in config)) {
    const all = existsSync(dirname(path)) ? readdirSync(dirname(path)) : [];
    const there = all.filter((name) => /^Pulumi\..+\.ya?ml$/.test(name)).sort();
    throw new UsageError(`${file.shown} is not there. Stacks have these files: ${there.join(", ") || "none"}.`);
  }
  return { place, stack, file, config };
}

export const argsOf = (configFile: string | undefined): string[] =>
  configFile === undefined ? [] : ["--config-file", configFile];

export async function readTarget(place: Place, stack: string, name: string | undefined): Promise<Target> {
  const read = await readStackFile(place, stack);
  return { ...read, found: findRollout(read.file, read.config, name) };
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

// --- the edit of a file that others may edit, too

const TRIES = 5;

/** A new value of a rollout, and what an operator has to know of the edit. */
export interface Rewritten<Next> {
  readonly target: Target;
  readonly next: Next;
  /** Undefined if the edit was made in place. */
  readonly note: string | undefined;
}

/**
 * Writes what `decide` wants into the file. If another process has changed the file since it was read, it is read and decided again, so that
 * neither edit is lost. Undefined if nothing is wanted any more.
 * @param isDry then nothing is written
 */
export async function rewrite<Next extends NamedRollout>(
  first: Target,
  decide: (target: Target) => Next | undefined,
  isDry: boolean,
): Promise<Rewritten<Next> | undefined> {
  const { place, stack, found, file } = first;
  let target = first;
  for (let tries = 0; tries < TRIES; tries++) {
    const next = decide(target);
    if (next === undefined) {
      return undefined;
    }
    const text = target.found.edited(next);
    if (isDry || (await isWritten(target, next, text))) {
      return { target, next, note: text === undefined ? byPulumi(target) : undefined };
    }
    target = await readTarget(place, stack, found.name);
  }
  throw new UsageError(
    `${file.shown} was changed ${TRIES} times while this command ran. Nothing was written. Run it again.`,
  );
}

const byPulumi = ({ file, found }: Target): string =>
  `Pulumi writes all rollouts of the stack into ${file.shown}, because ${found.name} cannot be edited in place there.`;

/** False if the file is no longer as it was read. @param text of the file; if it is undefined, Pulumi writes the file */
const isWritten = ({ place, stack, file, found }: Target, next: NamedRollout, text: string | undefined) =>
  alone(pathIn(place, stack), async (path) => {
    const { io, configFile } = place;
    if (readFileAt(path, io).text !== file.text) {
      return false;
    }
    if (text === undefined) {
      const objectValue = { ...found.all, [found.name]: defined(next) };
      const value = JSON.stringify(objectValue);
      // As a text first: if a map replaces a map, Pulumi leaves comments between the lines that break the file.
      const json = JSON.stringify({ [ROLLOUTS]: { value, objectValue, secret: false } });
      for (const what of [
        ["set", ROLLOUTS, value],
        ["set-all", "--json", json],
      ]) {
        await runPulumi(["config", ...what, "--stack", stack, ...argsOf(configFile)], io);
      }
    } else {
      writeText(text, file.shown, io);
    }
    return true;
  });

const PATIENCE = 5000;

/**
 * Only one process of this machine at a time does this with the file. One that has not ended after five seconds was killed: nobody waits for it
 * any longer. Without a folder for the lock there is none.
 */
async function alone<Result>(path: string, work: (path: string) => Promise<Result>): Promise<Result> {
  const lock = join(tmpdir(), `agent-platform-${Buffer.from(path).toString("base64url").slice(-120)}.lock`);
  for (let waited = 0; waited < PATIENCE && !isMade(lock); waited += 10) {
    await setTimeout(10);
  }
  try {
    return await work(path);
  } finally {
    try {
      rmdirSync(lock);
    } catch {
      // Nobody has made it, or another process took it for left over.
    }
  }
}

/** False if another process has it. */
function isMade(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EEXIST";
  }
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

export const NOT_WRITTEN = "Not written (--dry-run).";

export function print({ code, ...result }: Result, { json }: { readonly json?: boolean | undefined }, io: Io): number {
  const text = result.text.replaceAll(/^ *Held:/gm, (word) => coloured("red", word, io.stdout, io));
  io.stdout.write(json ? jsonText(result) : `${text}\n`);
  return code;
}
