import { isNear, nearest } from "../base/spelling";

/**
 * This file lists the names of the settings. Don't import the schemas here, because the user's program loads this file
 * and must not load zod.
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
 * A key in the stack's config that looks like a setting but isn't. A run with such a key is refused, because a
 * misspelled guard would silently be off.
 */
export interface UnknownSetting {
  /** The key as written in the config, with its namespace, such as the misspelled `agent-platform:maxShfit`. */
  readonly key: string;
  /** The setting that was probably meant, with its namespace, such as `agent-platform:maxShift`. */
  readonly meant: string | undefined;
}

/**
 * Returns the unknown names in our namespace, and names that resemble a setting in a namespace that looks like a typo
 * of ours.
 * @param keys the keys in a stack's config, with their namespaces
 * @param project the project's name. Keys in the namespace of that name are the program's own and are never a typo.
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
