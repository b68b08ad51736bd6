import { readFileSync } from "node:fs";
import type { dynamic } from "@pulumi/pulumi";
import { readSettings, type SettingsRead } from "../core/readSettings";
import { NAMESPACE } from "../core/settings";

/**
 * The settings of this provider process: its stack's config, or what an explicit provider was given, and the environment.
 * Problems are kept, never thrown: after a throw in configure the engine would go on with a provider that has no settings.
 */
export function settingsOf(config: dynamic.ConfigureRequest["config"] | undefined): SettingsRead {
  return readSettings({
    get: (key) => config?.get(`${NAMESPACE}:${key}`),
    env: process.env,
    // Relative to the directory of the program, where the process runs.
    readApproved: (path) => readFileSync(path, "utf8"),
  });
}
