import { isNear, nearest } from "../base/spelling";

/**
 * The names of the settings. Don't import the schemas here, because the program's own process loads this file as well.
 */

/** The namespace of every setting, such as `agent-platform:baseUrl`. */
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

/** Settings that must not be secret, because reviewers read them. */
export const PUBLIC_KEYS: readonly SettingKey[] = ["workspaceId", "rollouts"];

const KNOWN: readonly string[] = [...CLIENT, ...GUARDS];

/**
 * A key in the config that is not a setting. It is refused, because if a guard's name is misspelled, the guard would
 * silently be off.
 */
export interface UnknownSetting {
  /** The key with its namespace. */
  readonly key: string;
  /** A setting with a similar key, including its namespace. */
  readonly meant: string | undefined;
}

/**
 * Keys that look like settings but aren't: those in our namespace, or in a namespace that looks like a typo of ours.
 * @param keys the keys in a stack's config, with their namespaces
 * @param project the namespace of the program's own keys, if known
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
