import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildYamlHost } from "./build";
import { executableOnPath, parts } from "./cli";
import type { Engine } from "./engine";
import { untilSignalled } from "./install";
import { lock } from "./lock";

/**
 * What runs programs in YAML. Pulumi's own distribution has it beside the CLI; a CLI that was built with Go gets it there, once a
 * machine, when a program in YAML is run for the first time.
 */
export async function needYamlHost({ directory }: Engine, say: (line: string) => void): Promise<void> {
  const file = join(directory, parts.yamlHost);
  if (existsSync(file) || executableOnPath(parts.yamlHost, process.env.PATH ?? "") !== undefined) {
    return;
  }
  const unlock = await lock(join(directory, ".yaml-lock"), say);
  try {
    if (!existsSync(file)) {
      await untilSignalled((signal) => build(directory, file, signal, say), unlock);
    }
  } finally {
    unlock();
  }
}

/** Renamed into place when it is whole. */
async function build(directory: string, file: string, signal: AbortSignal, say: (line: string) => void): Promise<void> {
  const stage = mkdtempSync(join(directory, ".yaml-"));
  try {
    await buildYamlHost(stage, signal, say);
    renameSync(join(stage, "bin", parts.yamlHost), file);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}
