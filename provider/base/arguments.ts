import * as z from "zod";
import { holdsUnknown, isUnknown, MISSING, UNKNOWN, type Unknown } from "./engine";
import { isObject } from "./json";
import { cut, spelledOut } from "./text";

/** How the arguments of a resource are read: what may be left out or unknown, who may see it, and what is wrong with it. */

/** What is wrong with an input. It has no value of an argument that may be secret. */
export interface Problem {
  /** Property path and value, such as `inboundAgents[1].weight (-1)`; empty for the resource as a whole. */
  readonly path: string;
  readonly rule: string;
  /** The code of its message, if that is not AGP-001. */
  readonly code?: "AGP-002" | undefined;
}

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
  context.issues.push(...(error?.issues ?? []).map(asCustomIssue));
  return error === undefined ? (data as Output) : z.NEVER;
}

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
  const ownSchema = schema instanceof z.ZodObject ? valueIn(schema.shape, argument) : undefined;
  return (ownSchema instanceof z.ZodType && visibilities.get(ownSchema)?.seen) || "secret";
}

/** The secret arguments of a resource that have to be plain. @param secret the names of all that are secret */
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
