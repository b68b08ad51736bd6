import { readSettings } from "../../provider/core/config/readSettings";
import { BASE_URL_ENV, GUARD_KEYS, NAMESPACE, type Settings } from "../../provider/core/config/settings";
import type { StackConfig } from "./stacks";
import { isHidden, type Properties } from "./values";

/** The guards in the settings of a stack, as a command reads them: it does not have the token, and some settings are hidden. */

export type StackGuards = ReturnType<typeof guardsIn>;

const FREEZE = `${NAMESPACE}:freeze`;

/** Why the stack is frozen; undefined if it is not. */
export const freezeIn = ({ [FREEZE]: entry }: StackConfig): string | undefined => entry?.value || undefined;

/** The address is needed to read the settings. A command that sends nothing does not ask for it. */
export const UNREAD_ADDRESS = { [BASE_URL_ENV]: "https://not-read.invalid" };

const NO_GUARDS = { guards: { requireVersions: false, maxUnapproved: 0 } } as unknown as Settings;

/** Reads the guards as the provider does. Those that are hidden are left out. */
export function guardsIn(config: Properties, areBypassed: boolean) {
  const settingIn = (key: string) => config[`${NAMESPACE}:${key}`];
  const isRead = (key: string) => GUARD_KEYS.includes(key) && !isHidden(settingIn(key));
  const read = readSettings({ get: (key) => (isRead(key) ? settingIn(key) : undefined), env: UNREAD_ADDRESS });
  return {
    settings: "settings" in read ? read.settings : NO_GUARDS,
    /** Is every guard bypassed for this run? */
    areBypassed,
    isConfigured: GUARD_KEYS.some((key) => settingIn(key) !== undefined),
  };
}
