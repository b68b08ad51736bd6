import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** What is installed if no supported CLI is found: the version that the Go modules beside this file build. */
export const engineVersion = "3.276.0";

/** What running a program with dynamic resources takes. */
export const executables = {
  cli: "pulumi",
  languageHost: "pulumi-language-nodejs",
  providerScript: "pulumi-resource-pulumi-nodejs",
} as const;

/** Are the two programs there? The script comes with the SDK, and is placed beside them. */
export function hasCli(directory: string): boolean {
  return [executables.cli, executables.languageHost].every((name) => existsSync(join(directory, name)));
}

/**
 * Pulumi's own distribution has this script beside the CLI, the Go modules have not. From its place in node_modules the
 * engine would find it through PATH only, and warn of that at every run.
 */
export function placeProviderScript(directory: string): void {
  const script = join(directory, executables.providerScript);
  if (existsSync(script)) {
    return;
  }
  const source = join(dirname(require.resolve("@pulumi/pulumi/package.json")), executables.providerScript);
  const copy = `${script}.${process.pid}`;
  try {
    copyFileSync(source, copy);
    renameSync(copy, script);
  } finally {
    rmSync(copy, { force: true });
  }
}

export function executableOnPath(name: string, path: string): string | undefined {
  const candidates = path.split(delimiter).filter(Boolean);
  return candidates.map((directory) => join(directory, name)).find(existsSync);
}
