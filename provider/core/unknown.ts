/** What the engine sends in place of a value that is not known at preview, whatever the value's type, at any depth. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export const isUnknown = (value: unknown): boolean => value === UNKNOWN;

/** Is any part of the value unknown? */
export function holdsUnknown(value: unknown): boolean {
  if (isUnknown(value)) return true;
  if (Array.isArray(value)) return value.some(holdsUnknown);
  return typeof value === "object" && value !== null && Object.values(value).some(holdsUnknown);
}
