import { readFileSync } from "node:fs";
import { readSettings, type SettingsRead } from "../core/config/readSettings";

/**
 * The settings of this process. It returns problems and does not throw: after an error the engine goes on with a provider without settings.
 * @param get a setting by its key without the namespace
 * @param isSecret is the setting secret in the stack's config? The engine tells plugins alone; a program tells it of a dynamic provider
 */
export function settingsOf(get: (key: string) => unknown, isSecret?: (key: string) => boolean): SettingsRead {
  return readSettings({
    get,
    isSecret,
    env: process.env,
    // Relative to the folder of the program, in which this process runs.
    readApproved: (path) => readFileSync(path, "utf8"),
  });
}

/** A freeze in a config; undefined if it is left out, or empty. */
export const freezeText = (value: unknown): string | undefined =>
  value === undefined || value === null || value === "" ? undefined : String(value);
