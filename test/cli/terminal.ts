import { Readable } from "node:stream";
import type { Io } from "../../cli/io";

export interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export type World = Partial<Pick<Io, "env" | "cwd" | "signal" | "now">> & {
  readonly stdin?: string | Uint8Array;
  /** A person types this on a terminal. */
  readonly typed?: string;
  /** What is printed is for a terminal's eyes: with colours. */
  readonly isTerminal?: boolean;
  readonly onPrinted?: (text: string) => void;
};

/** What a command prints that did its work. */
export const done = (stdout: string): Printed => ({ code: 0, stdout, stderr: "" });

/** Runs a command in this process with a terminal and an environment of its own. */
export async function runWith(
  run: (argv: readonly string[], io: Io) => Promise<number>,
  argv: readonly string[],
  { onPrinted, typed, isTerminal = false, ...world }: World = {},
): Promise<Printed> {
  const printed = { stdout: "", stderr: "" };
  const into = (name: keyof typeof printed) => ({
    isTTY: isTerminal,
    write(text: string) {
      printed[name] += text;
      onPrinted?.(text);
    },
  });
  const given = typed ?? world.stdin;
  const stdin = Readable.from(given === undefined ? [] : [given]);
  const ran = run(argv, {
    env: {},
    cwd: "/",
    now: () => new Date(),
    ...world,
    stdin: Object.assign(stdin, { isTTY: typed !== undefined }),
    stdout: into("stdout"),
    stderr: into("stderr"),
  });
  // What the command had printed by then tells why it failed.
  const code = await ran.catch((error: Error) => {
    error.stack += `\n${printed.stdout}`;
    throw error;
  });
  return { code, ...printed };
}
