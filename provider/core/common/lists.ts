/** The entry of a list with one entry. */
export const only = <T>(list: readonly T[]): T | undefined => (list.length === 1 ? list[0] : undefined);

/** The texts among the values, without empty ones. */
export const texts = (values: readonly (string | null | undefined)[]): string[] =>
  values.filter((value): value is string => typeof value === "string" && value !== "");
