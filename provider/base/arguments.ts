import * as z from "zod";
import { containsUnknown, isUnknown, MISSING, NOT_JSON, UNKNOWN, type Unknown } from "./engine";
import { isObject } from "./json";
import { escapeInvisible, truncate } from "./text";

/** Validates resource arguments. Each schema states whether an argument may be missing, unknown or secret. */

/** Why an input is not valid. Never contains the value of an argument that may be secret. */
export interface Problem {
  /**
   * Property path and value, such as `inboundAgents[1].weight (-1)`. Empty if the problem concerns the whole resource.
   */
  readonly path: string;
  readonly rule: string;
}

/**
 * Makes a field optional. null counts as missing, because a program may set an argument to null and the engine passes
 * it on.
 */
export const optional = <Output>(schema: z.ZodType<Output>): z.ZodType<Output | undefined> =>
  z.preprocess((value) => value ?? undefined, schema.optional()).optional();

export const required = <Output>(schema: z.ZodType<Output>): z.ZodType<Output> =>
  z
    .unknown()
    .refine((value): boolean => value !== undefined && value !== null, { error: "is required" })
    .pipe(schema);

/**
 * Returns the schema of an optional argument, which may be unknown at preview.
 * @param seen whether the argument may be a secret, and whether messages may quote it
 */
export const optionalArgument = <Output>(seen: Visibility, schema: z.ZodType<Output>) =>
  withVisibility(seen, optional(orUnknown(schema)));

/**
 * Returns the schema of a required argument, which may be unknown at preview.
 * @param seen whether the argument may be a secret, and whether messages may quote it
 */
export const requiredArgument = <Output>(seen: Visibility, schema: z.ZodType<Output>) =>
  withVisibility(seen, required(orUnknown(schema)));

/** Applies the schema, except to a value that is still unknown at preview. */
export const orUnknown = <Output>(schema: z.ZodType<Output>): z.ZodType<Output | Unknown> =>
  z.unknown().transform((value, context) => (isUnknown(value) ? value : parsed(schema, value, context)));

/**
 * Like `orUnknown`, but a list or map with an unknown part is unknown as a whole. Refuses undefined entries, because a
 * number or an agent would silently disappear.
 */
export const wholeOrUnknown = <Output>(schema: z.ZodType<Output>): z.ZodType<Output | Unknown> =>
  noneMissing.transform((value, context) => (containsUnknown(value) ? UNKNOWN : parsed(schema, value, context)));

function parsed<Output>(schema: z.ZodType<Output>, value: unknown, context: z.core.$RefinementCtx): Output {
  const { data, error } = schema.safeParse(value);
  context.issues.push(...(error?.issues ?? []).map(asCustomIssue));
  return error === undefined ? (data as Output) : z.NEVER;
}

/** Returns the paths of undefined values in a list or map from the user's program, at any depth. */
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
    context.addIssue({ code: "custom", path, message: "is undefined: set a value, or remove the key" });
  }
});

/**
 * Whether an argument may be a Pulumi secret. A `secret` argument may be one; `public` and `plain` arguments may not.
 * Messages quote only the values of `public` arguments.
 */
export type Visibility = "public" | "plain" | "secret";

const visibilities = z.registry<{ readonly seen: Visibility }>();

/** Sets the visibility of an argument. The default is `secret`, because any string could be a password. */
export function withVisibility<Schema extends z.ZodType>(seen: Visibility, schema: Schema): Schema {
  visibilities.add(schema, { seen });
  return schema;
}

/**
 * Returns the visibility of one of a resource's arguments.
 * @param schema the schema of the whole resource
 */
function visibilityOf(schema: z.ZodType, argument: PropertyKey): Visibility {
  const ownSchema = schema instanceof z.ZodObject ? valueIn(schema.shape, argument) : undefined;
  return (ownSchema instanceof z.ZodType && visibilities.get(ownSchema)?.seen) || "secret";
}

/**
 * Returns the names of arguments that the program made secret but that must not be secret.
 * @param secret the names of all secret arguments
 */
export const secretsRefused = (schema: z.ZodType, secret: unknown): string[] =>
  (Array.isArray(secret) ? secret.map(String) : []).filter((name) => visibilityOf(schema, name) !== "secret");

export const asCustomIssue = (issue: z.core.$ZodIssue) => ({
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
    return { path: value === undefined ? path : `${path} (${value})`, rule: issue.message };
  });
  return { problems };
}

/**
 * Returns the item at this index of a list, or the value under this key of a map. Returns undefined if there is none.
 */
const valueIn = (value: unknown, key: PropertyKey): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;

/**
 * Formats a value for quoting in a message. Returns undefined for a value that messages don't quote: a list, a map, an
 * empty string or an unknown value.
 */
function valueText(value: unknown): string | undefined {
  if (typeof value === "string") {
    return value === "" || value === MISSING || value === NOT_JSON || isUnknown(value) ? undefined : inQuotes(value);
  }
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

const inQuotes = (text: string): string => `"${escapeInvisible(truncate(text, 60))}"`;
