import { nearest } from "./nearest";
import { SETTINGS, TOKEN_ENV_KEY } from "./settings";

/** A key that nothing reads. A guard that is misspelt would guard nothing, and say nothing. */
export interface UnknownSetting {
  readonly key: string;
  /** The setting that was meant, where only a letter or two are wrong. */
  readonly meant: string | undefined;
}

const KNOWN = [...Object.keys(SETTINGS), TOKEN_ENV_KEY];

/** @param keys without the namespace */
export const unknownSettings = (keys: readonly string[]): UnknownSetting[] =>
  keys
    .filter((key) => !KNOWN.includes(key))
    .sort()
    .map((key) => ({ key, meant: nearest(key, KNOWN) }));
