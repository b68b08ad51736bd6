import { isObject } from "./decision";

/** Objects merge field by field, `undefined` takes a field away, everything else replaces what was there. */
export function mergePatch(base: unknown, patch: unknown): unknown {
  if (!isObject(base) || !isObject(patch)) return patch;
  const merged = Object.entries(patch).map(([name, value]) => [name, mergePatch(base[name], value)]);
  return Object.fromEntries(
    Object.entries({ ...base, ...Object.fromEntries(merged) }).filter(([, value]) => value !== undefined),
  );
}
