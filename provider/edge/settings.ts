import { readFileSync } from "node:fs";
import { readSettings, type SettingsRead } from "../core/config/readSettings";
import { type Message, tokenNotNamed } from "../core/messages";

/**
 * The settings of this process: its stack's config, or the arguments of an explicit provider, and the environment. It returns problems and
 * does not throw, because after an error in configure the engine goes on with a provider that has no settings.
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

/** An explicit provider must name one source of its token, also in a preview, which needs no token. */
export function tokenRule(
  name: string,
  args: { readonly accessToken?: unknown; readonly accessTokenEnv?: unknown },
): Message | undefined {
  return isGiven(args.accessToken) === isGiven(args.accessTokenEnv) ? tokenNotNamed(name) : undefined;
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
