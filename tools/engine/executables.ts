import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** The version to install if no supported CLI is found. Keep it in sync with the Go modules next to this file. */
export const engineVersion = "3.276.0";

/** The executables needed to run a program with dynamic resources. */
export const executables = {
  cli: "pulumi",
  languageHost: "pulumi-language-nodejs",
  providerScript: "pulumi-resource-pulumi-nodejs",
} as const;

/**
 * Whether the CLI and the language host are installed. The provider script isn't required, because it comes with the
 * SDK and is copied next to them.
 */
export function hasCli(directory: string): boolean {
  return [executables.cli, executables.languageHost].every((name) => existsSync(join(directory, name)));
}

/**
 * Copies the provider script next to the CLI. Pulumi's distribution includes it there, but a build with Go doesn't. If
 * it were only in node_modules, the engine would find it through PATH and warn in every run.
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
