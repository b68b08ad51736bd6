import { lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type Io, UsageError } from "../../io";
import { PIPELINES_README } from "./pipelines";
import { EMULATOR_TOKEN, EMULATOR_URL } from "./projectFiles";

/** Path below the folder, with slashes, to text. */
export type Files = Readonly<Record<string, string>>;

/** Writes all of them or none: what is there already is somebody's work, and stays as it is. */
export function writeNew(folder: string, files: Files, advice = "choose another folder"): void {
  const there = Object.keys(files).filter((path) => exists(join(folder, path)));
  if (there.length > 0) {
    const verb = there.length === 1 ? "exists" : "exist";
    throw new UsageError(`${there.join(", ")} ${verb} already. Nothing was written; ${advice}.`);
  }
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { flag: "wx" });
  }
}

export const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

interface NewProject {
  readonly folder: string;
  readonly stack: string;
  readonly baseUrl: string;
  readonly hasPipelines: boolean;
}

/** What to type next, in a project that was just written. */
export function nextCommands({ folder, stack, baseUrl, hasPipelines }: NewProject, io: Io): string {
  const path = relative(io.cwd, folder);
  return `Next:

  ${path === "" ? "" : `cd ${pathText(path)} && `}npm install
  pulumi stack init ${stack}
  pulumi preview

A preview sends nothing. Without an account for state, \`pulumi login --local\` keeps it on this machine.
${baseUrl === EMULATOR_URL ? APPLY_ON_EMULATOR : ""}${hasPipelines ? SET_UP_PIPELINES : ""}`;
}

const APPLY_ON_EMULATOR = `To apply it, run \`npm run emulator\` in a second terminal, then \`AGENT_PLATFORM_ACCESS_TOKEN=${EMULATOR_TOKEN} pulumi up\`.
`;

const SET_UP_PIPELINES = `What the pipelines need from you: ${PIPELINES_README}.
`;

/** As a shell takes it. */
export const pathText = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
