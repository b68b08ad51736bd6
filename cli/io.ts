import { closeSync, lstatSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { styleText } from "node:util";
import type { Environment } from "../provider/config/settings";
import { UsageError } from "./errors";
import { present } from "./lists";

interface Stream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** What a command may use of the world. Tests have their own. */
export interface Io {
  readonly stdin: AsyncIterable<string | Uint8Array> & { readonly isTTY?: boolean };
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly env: Environment;
  readonly cwd: string;
  /** Stops a command early, as a first Ctrl-C does. */
  readonly signal?: AbortSignal;
  readonly now: () => Date;
}

export const processIo = (): Io => ({
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  now: () => new Date(),
});

/** A file's text; `-` is standard input. */
export async function readText(file: string, io: Io): Promise<string> {
  if (file === "-") {
    return decoded(await buffer(io.stdin), false);
  }
  try {
    return decoded(readFileSync(resolve(io.cwd, file)), true);
  } catch (error) {
    if (systemCode(error) === "ERR_ENCODING_INVALID_ENCODED_DATA") {
      throw new UsageError(`${file} is no text in UTF-8. Save it as one: a spreadsheet as CSV in UTF-8.`);
    }
    const isThere = systemCode(error) !== "ENOENT";
    throw new UsageError(isThere ? `${file} cannot be read (${systemCode(error)}).` : `${file} is not there.`);
  }
}

/** Why the system refused: `ENOENT`. */
const systemCode = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "unknown error";

/** The text in UTF-8, or in UTF-16 with a byte order mark, as PowerShell's `>` writes it. The decoder drops the mark. */
function decoded(bytes: Uint8Array, isStrict: boolean): string {
  const [first, second] = bytes;
  const encoding = first === 0xff && second === 0xfe ? "utf-16le" : "utf-8";
  return new TextDecoder(encoding, { fatal: isStrict }).decode(bytes);
}

/** Writes to the file, or to standard output if no file is named. */
export function writeText(text: string, file: string | undefined, io: Io): void {
  if (file === undefined) {
    io.stdout.write(text);
    return;
  }
  try {
    writeFileSync(resolve(io.cwd, file), text);
  } catch (error) {
    throw new UsageError(`${file} cannot be written (${systemCode(error)}).`);
  }
}

/** Texts of files, by their paths below a folder, with slashes. */
export type Files = Readonly<Record<string, string>>;

/** Writes all files, or none if one of them exists or cannot be written. */
export function writeNew(folder: string, files: Files, advice = "choose another folder"): void {
  const there = Object.keys(files).filter((path) => isTaken(join(folder, path)));
  if (there.length > 0) {
    const verb = there.length === 1 ? "exists" : "exist";
    throw new UsageError(`${there.join(", ")} ${verb} already. Nothing was written; ${advice}.`);
  }
  /** What this call has made. */
  const made: string[] = [];
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    try {
      made.push(...present([mkdirSync(dirname(file), { recursive: true })]));
      // A script with a `#!` line is made executable.
      closeSync(openSync(file, "wx", text.startsWith("#!") ? 0o777 : 0o666));
      made.push(file);
      writeFileSync(file, text);
    } catch (error) {
      for (const own of made) {
        rmSync(own, { recursive: true, force: true });
      }
      throw new UsageError(`${path} cannot be written (${systemCode(error)}). Nothing was written.`);
    }
  }
}

/** A link counts, even if it leads nowhere. */
function isTaken(path: string): boolean {
  try {
    return lstatSync(path) !== undefined;
  } catch {
    return false;
  }
}

/** The text as one word of a shell command, in quotes if it needs them. */
export const shellText = (text: string): string =>
  /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

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

/** Two columns, indented. */
export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`.trimEnd()).join("\n");
}

/** A terminal is at least so wide. */
export const WIDTH = 80;

/** A paragraph in lines that fit a terminal. A word that is longer, such as an address, has a line of its own. */
export const wrapped = (text: string): string => wordLines(text, WIDTH).join("\n");

/** A command in backquotes counts as one word, so that a reader can copy it. */
const WORD = /(?:`[^`]*`|\S)+/g;

/** The words in lines of at most this width. */
export function wordLines(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.match(WORD) ?? []) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && last.length + 1 + word.length > width) {
      lines.push(word);
    } else {
      lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
    }
  }
  return lines;
}

/** A command to copy, at the end of a sentence. */
const COMMAND = /(?<=: )(?:npx |pulumi |AGENT_PLATFORM_BYPASS=).*/;

/** On a terminal, the lines that are too wide are wrapped, and a command in them gets a line of its own. */
export const fitted = (text: string, { isTTY }: Stream): string =>
  isTTY ? text.split("\n").flatMap(fittedLine).join("\n") : text;

function fittedLine(line: string): string[] {
  const command = COMMAND.exec(line)?.[0];
  const [, indent = "", words = ""] =
    /^( *)(.*)$/.exec(command === undefined ? line : line.slice(0, -command.length)) ?? [];
  const isWide = line.length > WIDTH && words !== "";
  return isWide
    ? [...wordLines(words, WIDTH - indent.length), ...present([command])].map((one) => indent + one)
    : [line];
}

/** Two columns, indented, of which the second is wrapped. */
export function wrappedColumns(rows: readonly (readonly [string, string])[]): string {
  const left = Math.max(...rows.map(([name]) => name.length));
  return columns(
    rows.flatMap(([name, text]) =>
      wordLines(text, WIDTH - left - 4).map((line, at) => [at === 0 ? name : "", line] as const),
    ),
  );
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Aborts the work at SIGINT or SIGTERM, with the signal as the reason, or when `outer` aborts. Further signals have no other effect. */
export async function untilSignalled<Result>(
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const stop = (reason: unknown) => controller.abort(reason);
  for (const signal of SIGNALS) {
    process.on(signal, stop);
  }
  try {
    return await work(outer === undefined ? controller.signal : AbortSignal.any([outer, controller.signal]));
  } finally {
    for (const signal of SIGNALS) {
      process.off(signal, stop);
    }
  }
}
