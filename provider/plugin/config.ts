import { holdsUnknown } from "../core/common/engine";
import { isObject, parseJson } from "../core/common/equality";
import { nameOf } from "../core/common/urn";
import type { SettingsRead } from "../core/config/readSettings";
import { unknownSettings } from "../core/config/settings";
import {
  explicitProviderRefused,
  leftOut as leftOutMessage,
  noSuchSettings,
  render,
  settingRefused,
} from "../core/messages";
import { freezeText, settingsOf } from "../edge/session";
import { type StackNow, stackNow, withFile } from "../edge/stackNow";
import type { Received } from "./properties";

/** Keys that the engine adds to the inputs of a provider. */
const ENGINE_KEYS: readonly string[] = ["version", "pluginDownloadURL", "pluginChecksums", "__internal"];

/** The name of an explicit provider; undefined for the engine's own provider, which is `default` or `default_<version>`. */
function explicitProvider(urn: string): string | undefined {
  const name = nameOf(urn);
  return name === "" || /^default(?:_|$)/.test(name) ? undefined : name;
}

/** Checks the settings of the provider once, before any resource: why they are refused. */
export function refusedConfig(urn: string, { values, secrets }: Received): readonly string[] {
  const explicit = explicitProvider(urn);
  if (explicit !== undefined) {
    return [render(explicitProviderRefused(explicit))];
  }
  const unknown = unknownSettings(Object.keys(values).filter((key) => !ENGINE_KEYS.includes(key)));
  if (unknown.length > 0) {
    return [render(noSuchSettings(unknown))];
  }
  const { leftOut = [] } = stackNow(urn);
  if (leftOut.length > 0) {
    return [render(leftOutMessage(undefined, leftOut))];
  }
  if (Object.values(values).some(holdsUnknown)) {
    return [];
  }
  const read = settingsIn({ values, secrets });
  return "problems" in read
    ? read.problems.map((problem) => render(settingRefused({ ...problem, text: withFile(problem, urn) })))
    : [];
}

export const settingsIn = ({ values, secrets }: Received): SettingsRead =>
  settingsOf(
    (key) => values[key],
    (key) => secrets.has(key),
  );

/** The engine gives a plugin the stack's config of this run in its environment, also for a delete, whose provider has the settings of the last run. */
export function stackInRun(urn: string): StackNow {
  const config = parseJson(process.env.PULUMI_CONFIG ?? "");
  return { ...stackNow(urn), freeze: isObject(config) ? freezeText(config.freeze) : undefined };
}
