import type { World } from "../../provider/base/world";
import { readSettings, type Settings } from "../../provider/config/settings";
import { systemWorld } from "../../provider/engine/world";
import { Run } from "../../provider/run/run";

/**
 * Returns a run like the one in a provider process, but without an engine. It collects warnings instead of printing
 * them.
 * @param options other settings, and the maximum number of attempts per operation
 * @param overrides parts of the world that the test replaces
 */
export function newRun(
  baseUrl: string,
  accessToken: string,
  options: Readonly<Record<string, unknown>> & { attempts?: number } = {},
  overrides: Partial<World> = {},
): Run & { readonly warnings: string[] } {
  const { attempts = systemWorld.attempts, ...settings } = options;
  const warnings: string[] = [];
  const print = (line: string) => void warnings.push(line);
  const world = { ...systemWorld, attempts, print, ...overrides };
  const run = new Run(settingsOf({ baseUrl, accessToken, ...settings }), world);
  return Object.assign(run, { warnings });
}

/** Reads settings from a stack's config, without any environment variables. Throws if a setting is invalid. */
export function settingsOf(config: Readonly<Record<string, unknown>>): Settings {
  const read = readSettings({ get: (key) => config[key], env: {} });
  if ("problems" in read) {
    throw new Error(read.problems.map(({ text }) => text).join("\n"));
  }
  return read.settings;
}
