import { relative } from "node:path";
import type { Io } from "../io";

/** What to type next, in a project that was just written. */
export function nextCommands(folder: string, stack: string, io: Io): string {
  const path = relative(io.cwd, folder);
  return `Next:

  ${path === "" ? "" : `cd ${pathText(path)} && `}npm install
  pulumi stack init ${stack}
  pulumi preview

A preview sends nothing. Without an account for state, \`pulumi login --local\` keeps it on this machine.
`;
}

/** As a shell takes it. */
export const pathText = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
