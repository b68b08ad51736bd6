import { existsSync, readdirSync } from "node:fs";
import { relative, resolve } from "node:path";
import { NAMESPACE } from "../../provider/core/config/settings";
import { isAgentKey, meantAgent } from "../../provider/core/routing/split";
import { CALLED } from "../command";
import { UsageError } from "../errors";
import { type Io, readExactly, shellText } from "../io";
import { type ProjectFile, stackFileOf } from "../pulumi/projectFile";
import { stackAlone } from "../pulumi/stackExport";
import { readConfig } from "../pulumi/stacks";
import { ROLLOUTS, stepsIn } from "../stack/rollout";
import { configIn, findRollout, type ReadConfig, type TextFile, type WrittenRollout } from "./file";

export const CONFIG_FILE_OPTION = {
  type: "string",
  value: "<file>",
  help: "the file that `pulumi up --config-file` gets; default the stack's own",
} as const;

/** Refuses a text that is no agent. */
export function judgeTo(to: string | undefined): void {
  if (to !== undefined && !isAgentKey(to)) {
    const meant = meantAgent(to);
    const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
    throw new UsageError(`--to takes an agent, such as agent_front@14; found ${JSON.stringify(to)}.${hint}`);
  }
}

/** Where a command looks for the rollouts of stacks. */
export interface Workspace {
  readonly project: ProjectFile;
  readonly io: Io;
  /** The file that `--config-file` names, in place of the stack's own. */
  readonly configFile?: string | undefined;
  /** Is the command not to wait for the Pulumi CLI for long, and to do without it? */
  readonly isUrgent?: boolean;
}

/** The one file that Pulumi reads for the stack. */
export interface StackFile extends ReadConfig {
  readonly workspace: Workspace;
  readonly stack: string;
}

export type StackRollout = StackFile & WrittenRollout;

const configFileArgs = ({ configFile }: Workspace): string[] =>
  configFile === undefined ? [] : ["--config-file", configFile];

/** The arguments of the Pulumi CLI for a command about this stack. */
export const stackArgs = ({ stack, workspace }: StackFile, ...args: string[]): string[] =>
  args.concat("--stack", stack, configFileArgs(workspace));

/** The same as a command to copy. */
export const pulumiCommand = (read: StackFile, ...args: string[]): string =>
  ["pulumi", ...stackArgs(read, ...args)].map(shellText).join(" ");

/** A command about the rollout, to copy. */
export const rolloutCommand = (verb: "promote" | "abort", read: StackRollout): string =>
  [CALLED, ...stackArgs(read, verb, read.name).map(shellText)].join(" ");

export const pathOf = ({ project, io, configFile }: Workspace, stack: string): string =>
  configFile === undefined ? stackFileOf(project, stackAlone(stack)) : resolve(io.cwd, configFile);

/** Of a file that is not there the text is empty: then the project's file may have the stack's rollouts. */
export function readFileAt(path: string, io: Io): TextFile {
  const shown = relative(io.cwd, path);
  return { shown, text: existsSync(path) ? readExactly(shown, io) : "" };
}

/**
 * What the engine will use is what Pulumi says: it resolves aliases and merge keys, and adds the config of the project. If the CLI fails and
 * it is urgent, the files are read.
 */
export async function readStackFile(workspace: Workspace, stack: string): Promise<StackFile> {
  const { project, io, isUrgent } = workspace;
  const path = pathOf(workspace, stack);
  const isThere = existsSync(path);
  const file = readFileAt(path, io);
  const config = await readConfig(stack, io, configFileArgs(workspace)).catch((error: unknown) => {
    // What is no YAML is told with its line.
    const ofFiles = configIn(file, project.config);
    if (error instanceof UsageError && (isUrgent || !isThere)) {
      return ofFiles;
    }
    throw error;
  });
  if (!isThere && !(ROLLOUTS in config)) {
    const there = stackFilesIn(project).join(", ") || "none";
    throw new UsageError(`${file.shown} is not there. Stacks have these files: ${there}.`);
  }
  return { workspace, stack, file, config };
}

export const readRollout = async (workspace: Workspace, stack: string, name?: string): Promise<StackRollout> =>
  findRollout(await readStackFile(workspace, stack), name);

/** The names of the config files of the project's stacks. */
export function stackFilesIn({ configFolder }: ProjectFile): string[] {
  const all = existsSync(configFolder) ? readdirSync(configFolder) : [];
  return all.filter((name) => /^Pulumi\..+\.ya?ml$/.test(name)).sort();
}

export function stepsOf(read: StackFile): readonly number[] {
  const { data, error } = stepsIn(read.config) ?? {};
  if (error) {
    throw new UsageError(`${NAMESPACE}:steps ${error.issues[0]?.message}.`);
  }
  if (data === undefined) {
    const set = pulumiCommand(read, "config", "set", `${NAMESPACE}:steps`, "[1, 10, 50, 100]");
    throw new UsageError(`Stack ${read.stack} has no steps, so the next percentage is not known. Set them: ${set}`);
  }
  return data;
}
