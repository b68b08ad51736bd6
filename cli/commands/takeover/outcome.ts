import { relative, resolve } from "node:path";
import { type Io, printable } from "../../io";
import { nextCommands, pathText } from "../init/next";
import type { Holder } from "./grouped";

export const IMPORT_FILE = "import.json";

const IMPORT = `To record the numbers as the table has them, without a request:

  pulumi import --file ${IMPORT_FILE} --generate-code=false --protect=false

Nobody reads the platform for it: what the table says is what is written down. Compare it before, for the next change of a number
starts from there.

`;

export interface Written {
  readonly file: string;
  readonly folder: string;
  readonly stack: string;
  readonly baseUrl: string;
  readonly program: string;
  /** Was the project written too? */
  readonly isNew: boolean;
  /** Was the file for `pulumi import` written? */
  readonly isImported: boolean;
  readonly paths: readonly string[];
  readonly holders: readonly Holder[];
}

/** What was written, and what to do with it. */
export function outcomeText(written: Written, io: Io): string {
  const { file, folder, program, isNew, isImported, paths, holders } = written;
  // A reader of the commands has entered the folder by then.
  const fromFolder = relative(folder, resolve(io.cwd, file));
  const imported = `Import it where your program begins: import "./${program.replace(/\.ts$/, "")}";\n`;
  return `${summary(holders)}
Written to ${printable(relative(io.cwd, folder) || ".")}: ${paths.join(", ")}.
${isNew || program === "index.ts" ? "" : imported}The names of resources are kept for good: change them now, or later with \`aliases\`.

${isNew ? `${nextCommands({ ...written, hasPipelines: true }, io)}\n` : ""}Then compare it with the dashboard, in one table:

  pulumi preview --json > preview.json
  npx pulumi-agent-platform takeover ${printable(pathText(fromFolder))} --preview preview.json
${isImported ? `\n${IMPORT}` : ""}`;
}

function summary(holders: readonly Holder[]): string {
  const groups = holders.filter(({ kind }) => kind === "NumberGroup");
  const inGroups = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  const single = holders.length - groups.length;
  return [
    `${counted(inGroups + single, "number")}:`,
    `${inGroups} in ${counted(groups.length, "group")} of equal routings,`,
    `${single} with ${single === 1 ? "a routing of its own" : "routings of their own"}.`,
  ].join(" ");
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
