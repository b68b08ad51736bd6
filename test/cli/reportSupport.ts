import { join } from "node:path";
import { reportCommand } from "../../cli/commands/report";
import { runWith } from "./terminal";

/** The command on a stored preview. */

export const folder = join(__dirname, "testdata", "report");
export const stored = (name: string): string => join(folder, `${name}.preview.json`);

export interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function run(args: readonly string[], stdin = "", cwd = folder): Promise<Ran> {
  const { code, stdout, stderr } = await runWith(reportCommand.run, args, { stdin, cwd });
  return { exitCode: code, stdout, stderr };
}
