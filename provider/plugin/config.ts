import { isObject } from "../core/common/equality";
import { parseJson } from "../core/common/json";
import { holdsUnknown } from "../core/common/schemas";
import { explicitProvider, partsOf } from "../core/common/urn";
import type { SettingsRead } from "../core/config/readSettings";
import { ENGINE_KEYS, NAMESPACE, PROVIDER_NAME_KEY, unknownSettings } from "../core/config/settings";
import { noSuchArguments, noSuchSettings, render } from "../core/messages";
import type { Props } from "../edge/handler";
import { freezeText, settingsOf, tokenRule } from "../edge/settings";
import type { Received } from "./properties";

/**
 * Checks the settings of a provider once, before any resource. Its name is saved with them, because refresh and destroy configure the
 * provider from the state.
 */
export function checkConfig(urn: string, { values, secrets }: Received) {
  const providerName = explicitProvider(urn);
  const { [PROVIDER_NAME_KEY]: _, ...given } = values;
  const inputs = providerName === undefined ? given : { ...given, [PROVIDER_NAME_KEY]: providerName };
  return { inputs, reasons: reasonsAgainst(urn, inputs, secrets, providerName) };
}

function reasonsAgainst(
  urn: string,
  inputs: Props,
  secrets: ReadonlySet<string>,
  providerName: string | undefined,
): readonly string[] {
  const unnamed = providerName === undefined ? undefined : tokenRule(providerName, inputs);
  if (unnamed !== undefined) {
    return [render(unnamed)];
  }
  const unknown = unknownSettings(
    Object.keys(inputs).filter((key) => key !== PROVIDER_NAME_KEY && !ENGINE_KEYS.includes(key)),
  );
  // In a project with the name of our namespace, the program's own keys have that namespace as well.
  const isOurs = providerName !== undefined || partsOf(urn).project !== NAMESPACE;
  if (isOurs && unknown.length > 0) {
    return [render(providerName === undefined ? noSuchSettings(unknown) : noSuchArguments(providerName, unknown))];
  }
  if (Object.values(inputs).some(holdsUnknown)) {
    return [];
  }
  const read = settingsIn({ values: inputs, secrets });
  return "problems" in read ? read.problems.map(({ code, text }) => `${code} ${text}`) : [];
}

export const settingsIn = ({ values, secrets }: Received): SettingsRead =>
  settingsOf(
    (key) => values[key],
    (key) => secrets.has(key),
  );

/** The engine gives a plugin the stack's config of this run in its environment, also for a delete, whose provider has the settings of the last run. */
export function freezeInRun(): string | undefined {
  const config = parseJson(process.env.PULUMI_CONFIG ?? "");
  return isObject(config) ? freezeText(config.freeze) : undefined;
}
