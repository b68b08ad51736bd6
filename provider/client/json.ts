import { InvalidRequestError } from "./errors";

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A list as it was said: absent, null, or each of its elements. */
export function each<A, B>(list: readonly A[] | null | undefined, convert: (element: A) => B): B[] | null | undefined {
  return list ? list.map(convert) : (list as null | undefined);
}

/** JSON has no NaN and no Infinity and would say null, which clears a field. */
function finiteOnly(key: string, value: unknown): unknown {
  if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value))) {
    throw new InvalidRequestError(`${key} is ${value}, which JSON cannot carry: nothing was sent.`);
  }
  return value;
}

/** What JSON cannot carry is refused before anything is sent: a number that is none, a circle, a depth that no parser takes. */
export function toJson(fields: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(fields, finiteOnly);
  } catch (error) {
    if (error instanceof InvalidRequestError) {
      throw error;
    }
    throw new InvalidRequestError("The request cannot be written as JSON: nothing was sent.");
  }
}
