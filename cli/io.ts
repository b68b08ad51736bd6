import type { Environment } from "../provider/core/settings";

/** What a command has of the world. Tests hand over their own. */
export interface Io {
  readonly stdin: AsyncIterable<string | Uint8Array> & { readonly isTTY?: boolean };
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly env: Environment;
  readonly cwd: string;
  /** Ends a command early, as a first Ctrl-C does; the command says what it still does then. */
  readonly signal?: AbortSignal;
}

/** One command of `agent-platform`; it resolves with its exit code. */
export interface Command {
  readonly name: string;
  /** One line for `--help`. */
  readonly summary: string;
  run(argv: string[]): Promise<number>;
}

export const processIo = (): Io => ({
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
});

/** The arguments are wrong, or a file that they name: exit code 2, one sentence, nothing was done. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Runs a command's work; what is wrong with its arguments is said in one sentence. */
export async function withUsage(name: string, io: Io, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UsageError) && !isParseArgsError(error)) throw error;
    // Node adds advice on positional arguments to its own sentence.
    const message = error.message.replace(/\. To specify a positional argument.*$/s, ".");
    io.stderr.write(`agent-platform ${name}: ${printable(message)}\n`);
    return 2;
  }
}

/** `parseArgs` of Node throws a TypeError with a code of its own. */
const isParseArgsError = (error: unknown): error is Error =>
  error instanceof Error && String((error as { code?: unknown }).code).startsWith("ERR_PARSE_ARGS");

/** What others wrote must not drive the terminal. */
export const printable = (text: string): string =>
  text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** All of a stream, as text. */
export async function readAll(stream: Io["stdin"]): Promise<string> {
  let all = "";
  for await (const text of texts(stream)) all += text;
  return all;
}

/** The first line of a stream. Lets go of the stream then: a terminal that stays open keeps no process alive. */
export async function readLine(stream: Io["stdin"]): Promise<string> {
  let read = "";
  for await (const text of texts(stream)) {
    read += text;
    if (read.includes("\n")) break;
  }
  return read.split("\n")[0] ?? "";
}

async function* texts(stream: Io["stdin"]): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) yield typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

/** Two columns, the first as wide as its widest entry. */
export function columns(rows: readonly (readonly [string, string])[], indent = "  "): string {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${indent}${left.padEnd(width)}  ${right}`.trimEnd()).join("\n");
}
