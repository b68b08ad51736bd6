import { relative } from "node:path";
import type { Io } from "../io";
import { EMULATOR_TOKEN, EMULATOR_URL } from "./projectFiles";

export interface NewProject {
  readonly folder: string;
  readonly stack: string;
  readonly baseUrl: string;
}

/** What to type next, in a project that was just written. */
export function nextCommands({ folder, stack, baseUrl }: NewProject, io: Io): string {
  const path = relative(io.cwd, folder);
  return `Next:

  ${path === "" ? "" : `cd ${pathText(path)} && `}npm install
  pulumi stack init ${stack}
  pulumi preview

A preview sends nothing. Without an account for state, \`pulumi login --local\` keeps it on this machine.
${baseUrl === EMULATOR_URL ? APPLY_ON_EMULATOR : ""}`;
}

const APPLY_ON_EMULATOR = `To apply it, run \`npm run emulator\` in a second terminal, then \`AGENT_PLATFORM_ACCESS_TOKEN=${EMULATOR_TOKEN} pulumi up\`.
`;

/** As a shell takes it. */
export const pathText = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
