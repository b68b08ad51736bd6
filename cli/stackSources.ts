import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Io, readAll, UsageError } from "./io";
import { requirePulumi, runPulumi } from "./pulumiCli";
import { parseState, type StackState } from "./stateFile";

/** Where states are read from: files (`-` is standard input), and stacks that the CLI exports. Nothing is sent to the platform. */
export async function readStates(files: readonly string[], stacks: readonly string[], io: Io): Promise<StackState[]> {
  const states: StackState[] = [];
  for (const file of files) states.push(parseState(await readText(file, io), file === "-" ? "standard input" : file));
  for (const stack of stacks) {
    states.push(parseState(await runPulumi(requirePulumi(io.env), ["stack", "export", "--stack", stack], io), stack));
  }
  return states;
}

async function readText(file: string, io: Io): Promise<string> {
  if (file === "-") return readAll(io.stdin);
  try {
    return readFileSync(resolve(io.cwd, file), "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new UsageError(`${file} cannot be read (${code ?? "unknown error"}).`);
  }
}
