import type { Environment } from "../provider/config/settings";

export interface Stream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** The parts of the process that a command uses, such as streams and environment variables. Tests replace them. */
export interface Io {
  readonly stdin: AsyncIterable<string | Uint8Array> & { readonly isTTY?: boolean };
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly env: Environment;
  readonly cwd: string;
  /** Aborting this signal stops the command early, like the first Ctrl-C. */
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
