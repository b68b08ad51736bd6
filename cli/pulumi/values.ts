import * as z from "zod";
import { wholeOrUnknown } from "../../provider/base/arguments";
import { isUnknown, OUTPUT_SIGNATURE, SIGNATURE, UNKNOWN } from "../../provider/base/engine";
import { isObject } from "../../provider/base/json";
import { dynamicType, KINDS, type ResourceKind } from "../../provider/config/kinds";
import { type Members, membersOf } from "../../provider/routing/group";
import { inboundAgents } from "../../provider/routing/inboundAgents";
import { numbers } from "../../provider/routing/numbers";
import { isEmpty, percentages, round, type Split } from "../../provider/routing/split";

/**
 * Reads the inputs and outputs of resources in a preview or a saved state. Masks secrets, and replaces values that
 * aren't known before the run with a placeholder.
 */

/**
 * The maximum depth of nested values. No actual program nests values this deeply, and recursion to this depth can't
 * overflow the call stack.
 */
const MAX_DEPTH = 500;

/** Returns an error phrase if a value in Pulumi's output is nested too deeply to be read. */
export function depthProblem(document: unknown): string | undefined {
  // Visit the values level by level, because recursion could overflow the call stack.
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

/** Returns the kind of resource that has this Pulumi type, or undefined if the type belongs to another package. */
export const resourceKind = (type: string): ResourceKind | undefined =>
  KINDS.find((kind) => type === dynamicType(kind));

/** The text that replaces every secret. The engine uses the same text in its previews. */
export const SECRET = "[secret]";

/** A value that may be secret, unknown or undeclared. */
export type MaybeHidden<T> = T | typeof SECRET | typeof UNKNOWN | undefined;

/** Replaces each secret, encrypted or not, with `[secret]`, and each unknown value with the constant UNKNOWN. */
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

/** Hides a URL's query string, because the query string of a webhook URL may contain a key. */
export const withoutQuery = (text: string): string => (/^https?:/i.test(text) ? text.replace(/[?#].*$/s, "?…") : text);

export const holdsMasked = (value: unknown): boolean =>
  value === SECRET || (typeof value === "object" && value !== null && Object.values(value).some(holdsMasked));

const splitArgument = wholeOrUnknown(inboundAgents);

const numbersArgument = wholeOrUnknown(numbers);

/** Returns the split in a resource's inputs or outputs. */
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
  // `check` turns the program's list of agents into a map. If the engine skipped `check`, because the provider's config
  // is unknown, parse the list here.
  const parsed = splitArgument.safeParse(value);
  return parsed.success ? parsed.data : UNKNOWN;
}

/** Returns the split, or undefined if it is undeclared, secret or unknown. */
export const knownSplit = (split: MaybeHidden<Split>): Split | undefined =>
  typeof split === "object" ? split : undefined;

/** Converts the weights in a split to percentages. */
export const percentagesIn = (split: MaybeHidden<Split>): MaybeHidden<Split> =>
  typeof split === "object"
    ? Object.fromEntries(Object.entries(percentages(split)).map(([agent, percent]) => [agent, Number(round(percent))]))
    : split;

/**
 * Returns the percentages as text, such as `agent_front@12 90%, agent_front@13 10%`.
 * @param fallback the text to return if no split is declared
 */
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
 * Returns the numbers that a resource declares, with their labels, or undefined if the numbers are secret or unknown.
 * The `number` of a NumberAssignment has no label.
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
  // `check` turns the program's list or map of numbers into a string. If the engine skipped `check`, parse the list or
  // map here.
  const parsed = numbersArgument.safeParse(written);
  return parsed.success && !isUnknown(parsed.data) ? membersOf({ numbers: parsed.data }) : undefined;
}

export const numbersIn = (values: Properties): string[] => [...(membersIn(values)?.keys() ?? [])];
