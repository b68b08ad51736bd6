import { styleText } from "node:util";
import type { Io, Stream } from "./io";
import { present } from "./lists";

/** Output functions shared by all commands. */

/** Formats JSON the way all commands print and write it. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * Escapes text that GitHub's runner would obey in a job's log: `::error::` at the start of a line, even after spaces,
 * and `##[error]` anywhere.
 */
export const escapeRunnerCommands = (text: string): string =>
  text.replace(/^(\s*):(?=:)/gm, "$1\\u{3a}").replaceAll("##[", "#\\u{23}[");

/** Colors text on a terminal, unless the user has set NO_COLOR. Blocking problems are red, warnings yellow. */
export const coloured = (
  colour: "red" | "yellow",
  text: string,
  { isTTY }: Stream,
  { env }: Pick<Io, "env">,
): string => (isTTY && !env.NO_COLOR ? styleText(colour, text, { validateStream: false }) : text);

/**
 * Prints an error message to standard error, prefixed with the names of this package and the command.
 * @param command undefined if the user's command doesn't exist
 */
export function printError(
  command: string | undefined,
  message: string,
  { stderr, ...io }: Pick<Io, "stderr" | "env">,
): void {
  const name = present(["pulumi-agent-platform", command]).join(" ");
  const text = escapeRunnerCommands(`${name}: ${message}\n`);
  stderr.write(text.replace(`${name}:`, (title) => coloured("red", title, stderr, io)));
}
