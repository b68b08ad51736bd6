import { styleText } from "node:util";
import type { Io, Stream } from "./io";
import { fitted } from "./layout";
import { present } from "./lists";

/** What all commands print in the same way. */

/** The form of all JSON that commands print and write. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** What blocks is red and what warns is yellow, on a terminal whose user has not set NO_COLOR. */
export const coloured = (
  colour: "red" | "yellow",
  text: string,
  { isTTY }: Stream,
  { env }: Pick<Io, "env">,
): string => (isTTY && !env.NO_COLOR ? styleText(colour, text, { validateStream: false }) : text);

/** Says why a command does not do what it was asked to. @param command undefined if it is not known */
export function sayRefusal(
  command: string | undefined,
  why: string,
  { stderr, ...io }: Pick<Io, "stderr" | "env">,
): void {
  const name = present(["pulumi-agent-platform", command]).join(" ");
  const text = fitted(`${name}: ${why}\n`, stderr);
  stderr.write(text.replace(`${name}:`, (title) => coloured("red", title, stderr, io)));
}
