import { type EdgeSession, type Machine, newSession, thisMachine } from "../../provider/engine/world";
import { cannotThrow } from "../../provider/run/errors";
import { readSettings, type Settings } from "../../provider/stack/settings";
import { render } from "../../provider/words/message";

export const WITHOUT_ENGINE = { address: undefined, hasMarkingProgram: false };

type Tried = Partial<Pick<Machine, "attempts" | "concurrency">>;

/**
 * What a lifecycle needs of a provider process, without the engine: each is a run of its own. Warnings are kept, not printed.
 * @param more settings, how often one operation is sent at most, and how many at a time
 */
export function newRun(
  baseUrl: string,
  accessToken: string,
  { attempts, concurrency = thisMachine.concurrency, ...more }: Readonly<Record<string, unknown>> & Tried = {},
): EdgeSession & { warnings: string[] } {
  const settings = settingsOf({ baseUrl, accessToken, ...more });
  const warnings: string[] = [];
  const machine = { ...thisMachine, attempts, concurrency };
  const session = newSession(settings, WITHOUT_ENGINE, () => {}, machine);
  return {
    ...session,
    expectsProgramMark: false,
    warnings,
    warn: cannotThrow((message) => void warnings.push(render(message))),
  };
}

/** The settings of a stack, without any world. */
export function settingsOf(config: Readonly<Record<string, unknown>>): Settings {
  const read = readSettings({ get: (key) => config[key], env: {} });
  if ("problems" in read) {
    throw new Error(read.problems.map(({ text }) => text).join("\n"));
  }
  return read.settings;
}
