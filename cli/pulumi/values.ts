import * as z from "zod";
import { wholeOrUnknown } from "../../provider/base/arguments";
import { isUnknown, OUTPUT_SIGNATURE, SIGNATURE, UNKNOWN } from "../../provider/base/engine";
import { isObject } from "../../provider/base/json";
import { dynamicType, KINDS, type ResourceKind } from "../../provider/config/kinds";
import { type Members, membersOf } from "../../provider/routing/group";
import { inboundAgents } from "../../provider/routing/inboundAgents";
import { numbers } from "../../provider/routing/numbers";
import { isEmpty, percentages, round, type Split } from "../../provider/routing/split";

/** Reads values from a preview or a saved state. Some values are secret or not known yet. */

/** More levels than any real value has, but few enough for recursive functions. */
const MAX_DEPTH = 500;

/**
 * Returns why Pulumi's output can't be read, if a value is nested too deeply. Walks level by level, so no depth can
 * overflow the stack.
 */
export function depthProblem(document: unknown): string | undefined {
  let level: unknown[] = [document];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) {
      return `A value is nested more than ${MAX_DEPTH} levels deep`;
    }
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
  return undefined;
}

export type Properties = Readonly<Record<string, unknown>>;

/** Returns the kind of resource for a type, or undefined for other packages. */
export const resourceKind = (type: string): ResourceKind | undefined =>
  KINDS.find((kind) => type === dynamicType(kind));

/** The text that replaces every secret. The engine uses the same text in its previews. */
export const SECRET = "[secret]";

/** A value that may be secret, unknown or undeclared. */
export type MaybeHidden<T> = T | typeof SECRET | typeof UNKNOWN | undefined;

/** Masks all secrets, encrypted or not, and replaces unknown values with one constant. */
function masked(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(masked);
  }
  if (!isObject(value)) {
    return value;
  }
  if (!Object.hasOwn(value, SIGNATURE)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, masked(item)]));
  }
  if (value[SIGNATURE] !== OUTPUT_SIGNATURE || value.secret === true) {
    return SECRET;
  }
  return "value" in value ? masked(value.value) : UNKNOWN;
}

/** Parses the inputs or outputs of a resource. Secrets and unknown values are masked. */
export const properties = z
  .unknown()
  .optional()
  .transform((values): Properties => {
    const properties = masked(values);
    return isObject(properties) ? properties : {};
  });

export const isHidden = (value: unknown): value is typeof SECRET | typeof UNKNOWN =>
  value === SECRET || isUnknown(value);

/** A webhook URL's query string may contain a key, so it is never shown. */
export const withoutQuery = (text: string): string => (/^https?:/i.test(text) ? text.replace(/[?#].*$/s, "?…") : text);

export const holdsMasked = (value: unknown): boolean =>
  value === SECRET || (typeof value === "object" && value !== null && Object.values(value).some(holdsMasked));

const splitArgument = wholeOrUnknown(inboundAgents);

const numbersArgument = wholeOrUnknown(numbers);

/**
 * Returns the split in inputs or outputs. If the engine skipped check because the provider's config is unknown, the
 * split is still in the list form that the program wrote.
 */
export function splitIn(value: unknown): MaybeHidden<Split> {
  if (value === undefined || value === null) {
    return undefined;
  }
  if (isHidden(value)) {
    return value;
  }
  if (isObject(value) && Object.values(value).every(Number.isFinite)) {
    return value as Split;
  }
  const parsed = splitArgument.safeParse(value);
  return parsed.success ? parsed.data : UNKNOWN;
}

/** Returns the split if it is declared and known. */
export const knownSplit = (split: MaybeHidden<Split>): Split | undefined =>
  typeof split === "object" ? split : undefined;

/** Each agent's percentage in a split. */
export const percentagesIn = (split: MaybeHidden<Split>): MaybeHidden<Split> =>
  typeof split === "object"
    ? Object.fromEntries(Object.entries(percentages(split)).map(([agent, percent]) => [agent, Number(round(percent))]))
    : split;

/** The percentages as text. @param fallback the text if there is no split */
export function percentagesText(percents: MaybeHidden<Split>, fallback = "none declared"): string {
  if (typeof percents !== "object") {
    return isUnknown(percents) ? "known after apply" : (percents ?? fallback);
  }
  return isEmpty(percents)
    ? "no agents (the API does not specify what callers hear)"
    : Object.entries(percents)
        .map(([agent, percent]) => `${agent} ${percent}%`)
        .join(", ");
}

/**
 * The numbers a resource declares, with their labels; undefined if unknown. The `number` of a single assignment has no
 * label.
 */
export function membersIn({ number, numbers: written }: Properties): Members | undefined {
  if (isHidden(number) || isHidden(written)) {
    return undefined;
  }
  if (typeof number === "string") {
    return new Map([[number, ""]]);
  }
  if (typeof written === "string") {
    return membersOf({ numbers: written });
  }
  // The numbers are still a list or a map if the engine hasn't called check.
  const parsed = numbersArgument.safeParse(written);
  return parsed.success && !isUnknown(parsed.data) ? membersOf({ numbers: parsed.data }) : undefined;
}

export const numbersIn = (values: Properties): string[] => [...(membersIn(values)?.keys() ?? [])];
