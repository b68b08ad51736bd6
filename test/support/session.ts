import type { World } from "../../provider/base/world";
import { readSettings, type Settings } from "../../provider/config/settings";
import { systemWorld } from "../../provider/engine/world";
import { Run } from "../../provider/run/run";

/**
 * The run of a provider process, without the engine. Warnings are kept, not printed.
 * @param more settings, how often one operation is sent at most, and how many at a time
 * @param world what a test has in place of the real one
 */
export function newRun(
  baseUrl: string,
  accessToken: string,
  { attempts = systemWorld.attempts, ...more }: Readonly<Record<string, unknown>> & { attempts?: number } = {},
  world: Partial<World> = {},
): Run & { readonly warnings: string[] } {
  const warnings: string[] = [];
  const print = (line: string) => void warnings.push(line);
  const run = new Run(settingsOf({ baseUrl, accessToken, ...more }), { ...systemWorld, attempts, print, ...world });
  return Object.assign(run, { warnings });
}

/** The settings of a stack, without any world. */
export function settingsOf(config: Readonly<Record<string, unknown>>): Settings {
  const read = readSettings({ get: (key) => config[key], env: {} });
  if ("problems" in read) {
    throw new Error(read.problems.map(({ text }) => text).join("\n"));
  }
  return read.settings;
}
