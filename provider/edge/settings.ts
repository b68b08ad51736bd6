import { readFileSync } from "node:fs";
import { type Message, tokenNotNamed } from "../core/messages";
import { readSettings, type SettingsRead } from "../core/readSettings";

/**
 * The settings of this provider process: its stack's config, or what an explicit provider was given, and the environment.
 * Problems are kept, never thrown: after a throw in configure the engine would go on with a provider that has no settings.
 * @param get a setting by its key without the namespace
 */
export function settingsOf(get: (key: string) => unknown): SettingsRead {
  return readSettings({
    get,
    env: process.env,
    // Relative to the directory of the program: this process runs in it.
    readApproved: (path) => readFileSync(path, "utf8"),
  });
}

/** An explicit provider must name the source of its token, also at a preview, which needs no token. */
export function tokenRule(
  name: string,
  args: { readonly accessToken?: unknown; readonly accessTokenEnv?: unknown },
): Message | undefined {
  return isGiven(args.accessToken) === isGiven(args.accessTokenEnv) ? tokenNotNamed(name) : undefined;
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
