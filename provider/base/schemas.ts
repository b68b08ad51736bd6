import * as z from "zod";
import { NOT_JSON } from "./engine";
import { isPlain } from "./json";
import { faultOf, INTERNATIONAL, isPhoneNumber, quotesHint } from "./phone";
import { nearest } from "./spelling";
import { CONTROLS, INVISIBLE, isDotSegment, parseUrl } from "./text";

/** The forms of single values, and of what is made of them. */

/** Our own limits (the interface specifies none, section 8): generous for a person, small for a faulty loop. */
export const CAPS = { text: 256, url: 2048, agents: 100, json: 65_536, numbers: 10_000, weight: 1e9 } as const;

const text = (cap: number = CAPS.text, invisible = INVISIBLE) =>
  z
    // In YAML a phone number without quotes is an integer.
    .string({ error: ({ input }) => (typeof input === "number" ? "must be text: write it in quotes" : "must be text") })
    .min(1, { error: "must not be empty" })
    .max(cap, { error: `must be at most ${cap} characters`, abort: true })
    .refine((value) => !invisible.test(value), { error: "must hold no control or invisible characters" });

export const plainText = text();

export const nameText = text(CAPS.text, CONTROLS).refine((value) => /[^\p{C}\p{Z}]/u.test(value), {
  error: "must have a character that a reader sees",
});

/** One segment of a path. `.` and `..` would lead to another path. */
const segment = () => text().refine((value) => !isDotSegment(value), { error: "must not be `.` or `..`", abort: true });

/** An id that a path names, as the end of a chat names the chat (interface 4.4). */
export const pathId = segment();

export const numberId = segment()
  // A copied table cell may have a space at its end. With it the number would be an extension, which is another number.
  .refine((value) => !/^\p{Zs}|\p{Zs}$/u.test(value), { error: "must not begin or end with white space", abort: true })
  .superRefine((value, context) => {
    const message = faultOf(value);
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
      error: `must start with \`${prefix}\` and name an agent`,
    })
    .refine((value) => !/\p{Z}/u.test(value), { error: "must hold no white space", abort: true })
    .refine((value) => !/@(0|[1-9]\d*)$/.test(value), {
      error: "must hold no `@`: the version goes into its own field",
      abort: true,
    })
    .refine((value) => !value.includes("@"), { error: "must have an integer from 0 behind its `@`" });

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
  { error: "must be an http or https URL without user name and password" },
);

/** An object with these fields and no others. @param error what is said of a value that is no object */
export const objectOf = <Shape extends z.ZodRawShape>(shape: Shape, error?: string) =>
  z.strictObject(shape, {
    error: ({ code, keys }) => (code === "unrecognized_keys" ? hasNo(keys as string[], Object.keys(shape)) : error),
  });

/** The name of an unknown argument is shown only if it looks like a name: another text may be a secret in the wrong place. */
function hasNo(keys: readonly string[], known: readonly string[]): string {
  const names = keys
    .filter((key) => /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(key))
    .map((name) => ({ name, meant: nearest(name, known) }))
    .map(({ name, meant }) => `\`${name}\`${meant === undefined ? "" : ` (did you mean \`${meant}\`?)`}`);
  const text = `has no argument ${names.length > 0 ? names.join(", ") : "of that name"}`;
  return text.endsWith("?)") ? text : `${text}: remove it`;
}

export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `must be one of ${values.map((value) => `"${value}"`).join(", ")}` });

const MUST_BE_JSON = "must be JSON: texts, numbers, lists and maps; write a Date as text, with toISOString()";

/** The classes mark what is no JSON. JSON writes NaN and Infinity as null, which may clear a field. */
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
 * A field of a response. The interface does not specify which fields are always present (2.4), so it may be absent or null. A value of a
 * wrong type counts as absent, and is never converted.
 */
export const wire = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);
