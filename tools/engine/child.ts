import { runChild } from "../../cli/child";
import { Interrupted } from "../../cli/errors";

interface ToEndOptions {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Runs a command to its end. An error's message is what the command wrote. */
export async function runToEnd(command: string, args: readonly string[], options: ToEndOptions): Promise<void> {
  const { cwd, env = process.env, timeoutMs } = options;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutMs);
  const signal = AbortSignal.any([options.signal, late.signal]);
  let output = "";
  const onOutput = (text: string) => {
    output += text;
  };
  try {
    const exitCode = await runChild(command, args, { cwd, env, onOutput, signal });
    if (exitCode !== 0) {
      throw new Error(output.trim() || `${command} ended with exit code ${exitCode}`);
    }
  } catch (error) {
    throw error instanceof Interrupted && late.signal.aborted
      ? new Error(`not done after ${timeoutMs / 1000} s`)
      : error;
  } finally {
    clearTimeout(timer);
  }
}

/** A line at once and one every 15 seconds: silence of minutes looks like a hang. */
export async function withProgress(text: string, say: (line: string) => void, work: () => Promise<void>) {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  say(`${text} …`);
  const timer = setInterval(() => say(`${text} … ${seconds()} s`), 15_000);
  try {
    await work();
    say(`${text}: done after ${seconds()} s`);
  } catch (error) {
    say(`${text}: failed after ${seconds()} s`);
    throw error;
  } finally {
    clearInterval(timer);
  }
}
