import { isNear, nearest } from "../base/spelling";

/** The names of the settings. The program's process reads them, so this file loads no schema. */

/** The namespace of all settings in the stack's config: `agent-platform:baseUrl`. */
export const NAMESPACE = "agent-platform";

const CLIENT = [
  "baseUrl",
  "accessToken",
  "workspaceId",
  "rollouts",
  "clearWith",
  "onMismatch",
  "requestTimeout",
  "voiceHeaders",
] as const;

const GUARDS = [
  "weightTotal",
  "maxShift",
  "steps",
  "requireVersions",
  "approvedAgents",
  "maxUnapproved",
  "maxRemove",
  "freeze",
] as const;

export type ClientKey = (typeof CLIENT)[number];

export type GuardKey = (typeof GUARDS)[number];

export type SettingKey = ClientKey | GuardKey;

export const CLIENT_KEYS: readonly string[] = CLIENT;

export const GUARD_KEYS: readonly string[] = GUARDS;

/** Those that may not be secret, because a reviewer reads them. */
export const PUBLIC_KEYS: readonly SettingKey[] = ["workspaceId", "rollouts"];

const KNOWN: readonly string[] = [...CLIENT, ...GUARDS];

/** A key of the config that no setting has. A misspelt guard would guard nothing, and no one would notice. */
export interface UnknownSetting {
  /** With its namespace. */
  readonly key: string;
  /** The key that was probably meant, with its namespace. */
  readonly meant: string | undefined;
}

/**
 * The keys that are meant as settings and are none: in our namespace, or in one that is a slip away from it.
 * @param keys of a stack's config, with their namespaces
 * @param project the namespace of the program's own keys, if it is known
 */
export const unknownSettings = (keys: readonly string[], project?: string): UnknownSetting[] =>
  [...keys].sort().flatMap((key) => {
    const [, namespace = "", name = ""] = /^(.*?):(.*)$/.exec(key) ?? [];
    const isOurs = namespace === NAMESPACE;
    if (isOurs ? KNOWN.includes(name) : namespace === project || !isNear(namespace, NAMESPACE)) {
      return [];
    }
    const meant = nearest(name, KNOWN);
    return isOurs || meant !== undefined ? [{ key, meant: meant && `${NAMESPACE}:${meant}` }] : [];
  });
