import { BYPASS_ENV } from "../../provider/config/settings";
import { CLI } from "../command";
import { shellText } from "../shell";

/** The stack that a command is about, and commands about it to copy. */

export interface Target {
  readonly stack: string;
}

/** The arguments of a command about this stack. */
export const stackArgs = ({ stack }: Target, ...args: readonly string[]): string[] => [...args, "--stack", stack];

/** The same as a command to copy. */
export const pulumiCommand = (target: Target, ...args: readonly string[]): string =>
  ["pulumi", ...stackArgs(target, ...args)].map(shellText).join(" ");

/** A command of this package about the stack, to copy. */
export const ownCommand = (target: Target, ...args: readonly string[]): string =>
  [CLI, ...stackArgs(target, ...args).map(shellText)].join(" ");

/** A command that passes the guards, to copy. */
export const withBypass = (command: string): string => `${BYPASS_ENV}="<reason>" ${command}`;

/** As sentences name it. */
export const configName = ({ stack }: Target): string => `the config of stack ${stack}`;
