import { join } from "node:path";
import { reportCommand } from "../../cli/commands/report";
import { runWith } from "./terminal";

/** The command on a stored preview. */

export const folder = join(__dirname, "testdata", "report");
export const stored = (name: string): string => join(folder, `${name}.preview.json`);

export const run = (args: readonly string[], stdin = "", cwd = folder) =>
  runWith(reportCommand.run, args, { stdin, cwd });
