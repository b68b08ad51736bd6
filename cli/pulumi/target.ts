import { BYPASS_ENV } from "../../provider/config/settings";
import { CLI } from "../command";
import { shellText } from "../shell";

/** The stack that one of this package's commands works on, and the shell commands that messages suggest for it. */

export interface Target {
  readonly stack: string;
}

/** Adds the `--stack` option to the arguments of a command. */
export const stackArgs = ({ stack }: Target, ...args: readonly string[]): string[] => [...args, "--stack", stack];

/** Returns a `pulumi` command for this stack, ready to copy. */
export const pulumiCommand = (target: Target, ...args: readonly string[]): string =>
  ["pulumi", ...stackArgs(target, ...args)].map(shellText).join(" ");

/** Returns one of this package's commands, ready to copy, with this stack filled in. */
export const ownCommand = (target: Target, ...args: readonly string[]): string =>
  [CLI, ...stackArgs(target, ...args).map(shellText)].join(" ");

/** Prefixes a command with the environment variable that bypasses the guards, ready to copy. */
export const withBypass = (command: string): string => `${BYPASS_ENV}="<reason>" ${command}`;

/** Returns a phrase for the stack's config, such as `the config of stack prod`. */
export const configName = ({ stack }: Target): string => `the config of stack ${stack}`;
