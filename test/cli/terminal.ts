import { Readable } from "node:stream";
import type { Io } from "../../cli/io";

export interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type World = Partial<Pick<Io, "env" | "cwd" | "signal" | "now">> & {
  readonly stdin?: string | Uint8Array;
  /** What a user types. If set, standard input is a terminal, and the piped input in `stdin` is ignored. */
  readonly typed?: string;
  /** Whether stdout and stderr are terminals, which makes commands use colors. @default false */
  readonly isTerminal?: boolean;
  readonly onPrinted?: (text: string) => void;
};

/** The result of a command that succeeds and prints only this to stdout. */
export const done = (stdout: string): Printed => ({ code: 0, stdout, stderr: "" });

/** Runs a command in this process, with its own streams and environment, and returns its exit code and output. */
export async function runWith(
  run: (argv: readonly string[], io: Io) => Promise<number>,
  argv: readonly string[],
  { onPrinted, typed, isTerminal = false, ...world }: World = {},
): Promise<Printed> {
  const printed = { stdout: "", stderr: "" };
  const streamTo = (name: keyof typeof printed) => ({
    isTTY: isTerminal,
    write(text: string) {
      printed[name] += text;
      onPrinted?.(text);
    },
  });
  const input = typed ?? world.stdin;
  const stdin = Readable.from(input === undefined ? [] : [input]);
  const running = run(argv, {
    env: {},
    cwd: "/",
    now: () => new Date(),
    ...world,
    stdin: Object.assign(stdin, { isTTY: typed !== undefined }),
    stdout: streamTo("stdout"),
    stderr: streamTo("stderr"),
  });
  // Add the command's output to an unexpected error, because it may show why the command failed.
  const code = await running.catch((error: Error) => {
    error.stack += `\n${printed.stdout}`;
    throw error;
  });
  return { code, ...printed };
}
