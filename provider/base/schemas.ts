import * as z from "zod";
import { NOT_JSON } from "./engine";
import { isPlain } from "./json";
import { INTERNATIONAL, invalidNumberReason, isPhoneNumber, quotesHint } from "./phone";
import { nearest } from "./spelling";
import { CONTROLS, INVISIBLE, isDotSegment, parseUrl, series } from "./text";

/** Schemas for single values, shared by arguments, settings and responses. */

/**
 * The interface specifies no limits on sizes (docs/interface.md, section 8), so these are our own: generous, but low
 * enough to stop a runaway loop.
 */
export const CAPS = { text: 256, url: 2048, agents: 100, json: 65_536, numbers: 10_000, weight: 1e9 } as const;

const text = (cap: number = CAPS.text, invisible = INVISIBLE) =>
  z
    // YAML reads an unquoted phone number as an integer, so tell the user to add quotes.
    .string({
      error: ({ input }) => (typeof input === "number" ? "must be a string: write it in quotes" : "must be a string"),
    })
    .refine((value) => value !== NOT_JSON, { error: "must be a string", abort: true })
    .min(1, { error: "must not be empty" })
    .max(cap, { error: `must be at most ${cap} characters`, abort: true })
    .refine((value) => !invisible.test(value), { error: "must not contain control or invisible characters" });

export const plainText = text();

export const nameText = text(CAPS.text, CONTROLS).refine((value) => /[^\p{C}\p{Z}]/u.test(value), {
  error: "must contain at least one visible character",
});

/**
 * Accepts a string that can be one segment of a URL path. `.` and `..` can't, because they would lead to a different
 * path.
 */
const segment = () => text().refine((value) => !isDotSegment(value), { error: "must not be `.` or `..`", abort: true });

/** An ID that becomes part of a URL path, such as the ID of the chat to end. */
export const pathId = segment();

export const numberId = segment()
  // A number that was copied from a table may end with a space. With that space, a request would name a different
  // number.
  .refine((value) => !/^\p{Zs}|\p{Zs}$/u.test(value), { error: "must not start or end with whitespace", abort: true })
  .superRefine((value, context) => {
    const message = invalidNumberReason(value);
    if (message !== undefined) {
      context.addIssue({ code: "custom", message });
    }
  });

export const phoneNumber = text().refine(isPhoneNumber, {
  error: ({ input }) => `must be a phone number ${INTERNATIONAL}${quotesHint(String(input))}`,
});

const prefixed = (prefix: string) =>
  text()
    .refine((value) => value.startsWith(prefix) && value.length > prefix.length, {
      error: `must be an agent's ID that starts with \`${prefix}\`, such as \`${prefix}front\``,
    })
    .refine((value) => !/\p{Z}/u.test(value), { error: "must not contain whitespace", abort: true })
    .refine((value) => !/@(0|[1-9]\d*)$/.test(value), {
      error: "must not contain `@`, because the version is a separate field",
      abort: true,
    })
    .refine((value) => !value.includes("@"), {
      error: "must have a version after the `@`: a whole number of 0 or more",
    });

export const agentId = prefixed("agent_");

export const chatAgentId = prefixed("chat_agent_");

export const integer = z
  .number({ error: "must be an integer" })
  .refine((value) => Number.isSafeInteger(value), { error: "must be an integer" });

export const natural = integer.refine((value) => value >= 0, { error: "must not be negative" });

const sum = z.number({ error: "must be a number" }).max(CAPS.weight, { error: `must be at most ${CAPS.weight}` });

export const weight = sum.refine((value) => value >= 0, { error: "must not be negative" });

export const positive = sum.positive({ error: "must be a number above 0" });

const PERCENT = "must be a number from 0 to 100";

export const percent = z.number({ error: PERCENT }).refine((value) => value >= 0 && value <= 100, { error: PERCENT });

export const flag = z.boolean({ error: "must be true or false" });

export const webhookUrl = text(CAPS.url).refine(
  (value) => {
    const url = /\s/u.test(value) ? undefined : parseUrl(value);
    return url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  },
  { error: "must be an http or https URL without a user name or password" },
);

/**
 * Accepts an object that has no fields other than those in `shape`.
 * @param error the message for a value that isn't an object
 */
export const objectOf = <Shape extends z.ZodRawShape>(shape: Shape, error?: string) =>
  z.strictObject(shape, {
    error: ({ code, keys }) =>
      code === "unrecognized_keys" ? notAccepted(keys as string[], Object.keys(shape)) : error,
  });

/** Shows the name of an unknown argument only if it looks like a name; any other string may be a misplaced secret. */
function notAccepted(keys: readonly string[], known: readonly string[]): string {
  const unknown = keys
    .filter((key) => /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(key))
    .map((name) => ({ name, meant: nearest(name, known) }));
  const names = unknown.map(
    ({ name, meant }) => `\`${name}\`${meant === undefined ? "" : ` (did you mean \`${meant}\`?)`}`,
  );
  const text =
    names.length > 0
      ? `does not accept ${series(names, "or")}`
      : "contains an unknown field, whose name is hidden because it may be a secret";
  // Don't write `(did you mean …?): remove it`, because the advice would contradict the question.
  return unknown.at(-1)?.meant === undefined ? `${text}: remove it` : text;
}

export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `must be one of ${values.map((value) => `"${value}"`).join(", ")}` });

const MUST_BE_JSON =
  "must contain only JSON (strings, numbers, booleans, lists and maps): convert a Date with toISOString()";

/**
 * Returns true if JSON can represent the value. NaN and Infinity are refused, because JSON turns them into null, which
 * could clear a field.
 */
const isJson = (value: unknown): boolean =>
  Array.isArray(value) || isPlain(value)
    ? Object.values(value).every(isJson)
    : value !== NOT_JSON &&
      (value === null || Number.isFinite(value) || ["string", "boolean", "undefined"].includes(typeof value));

export const anyJson = z.unknown().refine(isJson, { error: MUST_BE_JSON, abort: true });

export const jsonObject = z
  .record(z.string(), z.unknown(), { error: "must be an object" })
  .refine(isJson, { error: MUST_BE_JSON, abort: true })
  .refine((value) => JSON.stringify(value).length <= CAPS.json, {
    error: `must be at most ${CAPS.json} characters of JSON`,
  });

/**
 * Parses a response field. Any field may be missing or null, because the interface doesn't say otherwise. A value of
 * the wrong type counts as missing.
 */
export const wire = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);
