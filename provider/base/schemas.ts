import * as z from "zod";
import { holdsUnknown, isUnknown, MISSING, NOT_JSON, UNKNOWN, type Unknown } from "./engine";
import { isObject, isPlain } from "./json";
import { nearest } from "./spelling";
import { CONTROLS, cut, INVISIBLE, isDotSegment, parseUrl, spelledOut } from "./text";

const INTERNATIONAL = "in international format: `+`, the country code, 7 to 15 digits, nothing else";

/** A number of +1 or +7 has 11 digits, and no number has fewer than 7 (E.164). Which ranges a country uses changes, so none is asked for. */
const isPhoneNumber = (text: string): boolean => /^\+(?:[17]\d{10}|[2-689]\d{6,14})$/.test(text);

/**
 * Why the text can be neither a phone number nor an extension, as the rest of a sentence about it. What is like a phone number is one or is
 * refused: as an extension it would be assigned beside the number that is meant.
 */
export function faultOf(text: string): string | undefined {
  // An extension may be behind a full number, as in `+15551234567#12`.
  if (isPhoneNumber(text.replace(/#[^#]{1,32}$/, ""))) {
    return undefined;
  }
  const [, code, others = ""] = /^\+([17])(\d*)$/.exec(text) ?? [];
  if (code !== undefined) {
    return `must have 11 digits, as every number of +${code}, and has ${1 + others.length}`;
  }
  if (text.startsWith("+")) {
    return `starts with \`+\`, so it must be ${INTERNATIONAL}`;
  }
  // Digits of whatever script. An id with letters, such as a UUID, may name an extension, but none with a plus.
  const isAlike = (text.match(/\p{Nd}/gu) ?? []).length >= 7 && (!/\p{L}/u.test(text) || /[+＋]/.test(text));
  return isAlike
    ? `has seven digits or more, so it must be a phone number ${INTERNATIONAL}${quotesHint(text)}`
    : undefined;
}

/** YAML reads +15551234567 as an integer unless it's quoted, so what arrives is digits alone. */
const quotesHint = (text: string): string =>
  /^\d{7,15}$/.test(text)
    ? " (in YAML, write it in quotes; in a spreadsheet, format the column as text: otherwise its `+` is lost)"
    : "";

/** What is wrong with an input. It has no value of an argument that may be secret. */
export interface Problem {
  /** Property path and value, such as `inboundAgents[1].weight (-1)`; empty for the resource as a whole. */
  readonly path: string;
  readonly rule: string;
  /** The code of its message, if that is not AGP-001. */
  readonly code?: "AGP-002" | undefined;
}

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

const NO_JSON = "must be JSON: texts, numbers, lists and maps; write a Date as text, with toISOString()";

/** The classes mark what is no JSON. JSON writes NaN and Infinity as null, which may clear a field. */
const isJson = (value: unknown): boolean =>
  Array.isArray(value) || isPlain(value)
    ? Object.values(value).every(isJson)
    : value !== NOT_JSON &&
      (value === null || Number.isFinite(value) || ["string", "boolean", "undefined"].includes(typeof value));

export const anyJson = z.unknown().refine(isJson, { error: NO_JSON, abort: true });

export const jsonObject = z
  .record(z.string(), z.unknown(), { error: "must be an object" })
  .refine(isJson, { error: NO_JSON, abort: true })
  .refine((value) => JSON.stringify(value).length <= CAPS.json, {
    error: `must be at most ${CAPS.json} characters of JSON`,
  });

/** Where a program has undefined in a map, at any depth. */
function missingIn(value: unknown, path: PropertyKey[] = []): PropertyKey[][] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => missingIn(item, [...path, index]));
  }
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, item]) => missingIn(item, [...path, key]));
  }
  return value === MISSING ? [path] : [];
}

export const noneMissing = z.unknown().superRefine((value, context) => {
  for (const path of missingIn(value)) {
    context.addIssue({ code: "custom", path, message: "is undefined: write its value, or remove its key" });
  }
});

/** A field that may be left out. The engine sends null for a value that a program set to null: the same as left out. */
export const optional = <Output>(schema: z.ZodType<Output>): z.ZodType<Output | undefined> =>
  z.preprocess((value) => value ?? undefined, schema.optional()).optional();

export const required = <Output>(schema: z.ZodType<Output>): z.ZodType<Output> =>
  z
    .unknown()
    .refine((value): boolean => value !== undefined && value !== null, { error: "must be given" })
    .pipe(schema);

/** An argument that may be left out. @param seen who may see it */
export const optionalArgument = <Output>(seen: Visibility, schema: z.ZodType<Output>) =>
  seenAs(seen, optional(orUnknown(schema)));

/** @param seen who may see it */
export const requiredArgument = <Output>(seen: Visibility, schema: z.ZodType<Output>) =>
  seenAs(seen, required(orUnknown(schema)));

/** The same rule, but a value that is unknown at preview passes. */
export const orUnknown = <Output>(schema: z.ZodType<Output>): z.ZodType<Output | Unknown> =>
  z.unknown().transform((value, context) => (isUnknown(value) ? value : parsed(schema, value, context)));

/**
 * The same rule for a list or a map that says who answers. No entry may be missing: a lookup that finds nothing must not take a number or an
 * agent out. If any part of it is unknown, so is the whole.
 */
export const wholeOrUnknown = <Output>(schema: z.ZodType<Output>): z.ZodType<Output | Unknown> =>
  noneMissing.transform((value, context) => (holdsUnknown(value) ? UNKNOWN : parsed(schema, value, context)));

function parsed<Output>(schema: z.ZodType<Output>, value: unknown, context: z.core.$RefinementCtx): Output {
  const { data, error } = schema.safeParse(value);
  context.issues.push(...(error?.issues ?? []).map(passedOn));
  return error === undefined ? (data as Output) : z.NEVER;
}

/**
 * A field of a response. The interface does not specify which fields are always present (2.4), so it may be absent or null. A value of a
 * wrong type counts as absent, and is never converted.
 */
export const wire = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);

/** Who may see an argument. `public`: it may not be secret, and messages show its texts. `plain`: it may not be secret. `secret`: it may be. */
export type Visibility = "public" | "plain" | "secret";

const visibilities = z.registry<{ readonly seen: Visibility }>();

/** The schema of an argument, with who may see it. Without that it may be secret: a text of it may be a password. */
export function seenAs<Schema extends z.ZodType>(seen: Visibility, schema: Schema): Schema {
  visibilities.add(schema, { seen });
  return schema;
}

/** @param schema of a resource */
function visibilityOf(schema: z.ZodType, argument: PropertyKey): Visibility {
  const own = schema instanceof z.ZodObject ? valueIn(schema.shape, argument) : undefined;
  return (own instanceof z.ZodType && visibilities.get(own)?.seen) || "secret";
}

/** The secret arguments of a resource that have to be plain. @param secret the names of all that are secret */
export const secretsRefused = (schema: z.ZodType, secret: unknown): string[] =>
  (Array.isArray(secret) ? secret.map(String) : []).filter((name) => visibilityOf(schema, name) !== "secret");

export const passedOn = (issue: z.core.$ZodIssue) => ({
  code: "custom" as const,
  message: issue.message,
  path: [...issue.path],
  input: undefined,
});

export const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number") {
      return `${text}[${key}]`;
    }
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(String(key))) {
      return text === "" ? String(key) : `${text}.${String(key)}`;
    }
    return `${text}[${inQuotes(String(key))}]`;
  }, "");

export function validate<Output>(schema: z.ZodType<Output>, inputs: unknown): { value?: Output; problems: Problem[] } {
  const parsed = schema.safeParse(inputs);
  if (parsed.success) {
    return { value: parsed.data, problems: [] };
  }
  const problems = parsed.error.issues.map((issue): Problem => {
    const path = pathText(issue.path);
    const isPublic = visibilityOf(schema, issue.path[0] ?? "") === "public";
    const value = isPublic ? valueText(issue.path.reduce<unknown>(valueIn, inputs)) : undefined;
    const code = issue.code === "custom" && issue.params?.code === "AGP-002" ? { code: issue.params.code } : {};
    return { path: value === undefined ? path : `${path} (${value})`, rule: issue.message, ...code };
  });
  return { problems };
}

/** A value inside of a value, by its key; undefined if there is none. */
const valueIn = (value: unknown, key: PropertyKey): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;

/** The value, if a sentence can hold it: no list, no map, no empty text. */
function valueText(value: unknown): string | undefined {
  if (typeof value === "string") {
    return value === "" || value === MISSING || isUnknown(value) ? undefined : inQuotes(value);
  }
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

const inQuotes = (text: string): string => `"${spelledOut(cut(text, 60))}"`;
