import { styleText } from "node:util";
import type { Io, Stream } from "./io";
import { present } from "./lists";

/** What all commands print in the same way. */

/** The form of all JSON that commands print and write. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * A text in which no line is a command to the runner of GitHub: it obeys `::error::` at the beginning of a line, also behind blanks, and `##[error]`
 * anywhere.
 */
export const escapeRunnerCommands = (text: string): string =>
  text.replace(/^(\s*):(?=:)/gm, "$1\\u{3a}").replaceAll("##[", "#\\u{23}[");

/** What blocks is red and what warns is yellow, on a terminal whose user has not set NO_COLOR. */
export const coloured = (
  colour: "red" | "yellow",
  text: string,
  { isTTY }: Stream,
  { env }: Pick<Io, "env">,
): string => (isTTY && !env.NO_COLOR ? styleText(colour, text, { validateStream: false }) : text);

/** Says why a command does not do what it was asked to. @param command undefined if it is not known */
export function printError(
  command: string | undefined,
  message: string,
  { stderr, ...io }: Pick<Io, "stderr" | "env">,
): void {
  const name = present(["pulumi-agent-platform", command]).join(" ");
  const text = escapeRunnerCommands(`${name}: ${message}\n`);
  stderr.write(text.replace(`${name}:`, (title) => coloured("red", title, stderr, io)));
}
