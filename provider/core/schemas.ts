import * as z from "zod";

/** What is wrong with an input: where, and which rule. Never the value, which may be a secret that the provider cannot know. */
export interface Problem {
  /** Property path, such as `inboundAgents[1].weight`; empty for the resource as a whole. */
  readonly path: string;
  readonly rule: string;
}

/** Our own caps (the interface shows none, section 8): generous for people, small for a slip of a loop. */
export const CAPS = { text: 256, url: 2048, agents: 100, json: 65_536, depth: 32, numbers: 100_000 } as const;

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
export const E164 = /^\+[1-9][0-9]{1,14}$/;
/** An extension behind a full number, as in `+15551234567#12`. */
const E164_WITH_EXTENSION = /^\+[1-9][0-9]{1,14}#[^#]{1,32}$/;

const text = (cap: number = CAPS.text) =>
  z
    // In YAML a phone number without quotes is an integer.
    .string({ error: ({ input }) => (typeof input === "number" ? "must be text: write it in quotes" : "must be text") })
    .min(1, { error: "must not be empty" })
    .max(cap, { error: `must be at most ${cap} characters`, abort: true })
    .refine((value) => !UNPRINTABLE.test(value), { error: "must hold no control or invisible characters" })
    .refine((value) => value.isWellFormed(), { error: "must be well-formed text (it holds half a character)" });

export const plainText = text();

/** One segment of a path: `.` and `..` would name another resource. */
const segment = () => text().refine((value) => value !== "." && value !== "..", { error: "must not be `.` or `..`" });

/** The id of a chat, by which it is ended (interface 4.4). */
export const chatId = segment();

/** A phone number or extension (interface 4.1). */
export const numberId = segment()
  // A cell of a table brings it along: with it, the number would pass for an extension and be another number than without it.
  .refine((value) => !/^\p{Zs}|\p{Zs}$/u.test(value), { error: "must not begin or end with white space", abort: true })
  .refine((value) => !value.startsWith("+") || E164.test(value) || E164_WITH_EXTENSION.test(value), {
    error:
      "starts with `+`, so it must be in international format: `+`, the country code, at most 15 digits, nothing else",
  });

export const phoneNumber = text().refine((value) => E164.test(value), {
  error: "must be a phone number in international format: `+`, the country code, at most 15 digits, nothing else",
});

const prefixed = (prefix: string) =>
  text()
    .refine((value) => value.startsWith(prefix) && value.length > prefix.length, {
      error: `must start with \`${prefix}\` and name an agent`,
    })
    .refine((value) => !value.includes("@"), {
      error: "must hold no `@`: the version goes into its own field",
    });

export const agentId = prefixed("agent_");
export const chatAgentId = prefixed("chat_agent_");

export const integer = z
  .number({ error: "must be an integer" })
  .refine((value) => Number.isSafeInteger(value), { error: "must be an integer" });

/** A count, or a version. */
export const natural = integer.refine((value) => value >= 0, { error: "must not be negative" });

const finite = z.number({ error: "must be a finite number" });
export const weight = finite.refine((value) => value >= 0, { error: "must not be negative" });
export const positive = finite.positive({ error: "must be above 0" });
export const percent = finite.refine((value) => value >= 0 && value <= 100, { error: "must be from 0 to 100" });

export const flag = z.boolean({ error: "must be true or false" });

export const webhookUrl = text(CAPS.url).refine(isWebUrl, {
  error: "must be an http or https URL without user name and password",
});

function isWebUrl(value: string): boolean {
  if (/\s/u.test(value) || !URL.canParse(value)) {
    return false;
  }
  const url = new URL(value);
  return (url.protocol === "https:" || url.protocol === "http:") && url.username === "" && url.password === "";
}

export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `must be one of ${values.map((value) => `"${value}"`).join(", ")}` });

/** Names of arguments that a program marks as secret: told by the edge, since the engine hides it from a dynamic provider. */
export const secretArguments = z.array(z.string(), { error: "must be a list of names" }).readonly();

/** Free-form JSON, as metadata is (interface 4.2). */
export const jsonObject = z
  .record(z.string(), z.unknown(), { error: "must be an object" })
  .refine((value) => isWithin(value, CAPS.depth), { error: `must be at most ${CAPS.depth} levels deep`, abort: true })
  .refine((value) => JSON.stringify(value).length <= CAPS.json, {
    error: `must be at most ${CAPS.json} characters of JSON`,
  });

function isWithin(value: unknown, levels: number): boolean {
  if (levels === 0 || typeof value !== "object" || value === null) {
    return levels > 0;
  }
  return Object.values(value).every((item) => isWithin(item, levels - 1));
}

/** The same rule, stepping round a value that the engine does not know yet. */
export const orUnknown = <Output>(schema: z.ZodType<Output>) => stepping(schema);

/** An argument that may be left out. */
export const optional = <Output>(schema: z.ZodType<Output>): z.ZodType<Output | undefined> =>
  stepping<Output | undefined>(schema, () => undefined).optional();

export const required = <Output>(schema: z.ZodType<Output>): z.ZodType<Output> =>
  stepping(schema, (refuse) => refuse("must be given"));

/** The engine sends null for a value that a program set to null: as good as left out. */
function stepping<Output>(
  schema: z.ZodType<Output>,
  leftOut?: (refuse: (rule: string) => never) => Output,
): z.ZodType<Output> {
  return z.unknown().transform((value, context): Output => {
    const refuse = (message: string, path: PropertyKey[] = []): never => {
      context.issues.push({ code: "custom", message, path, input: undefined });
      return z.NEVER;
    };
    if (isUnknown(value)) {
      return UNKNOWN as Output;
    }
    if (leftOut !== undefined && (value === undefined || value === null)) {
      return leftOut(refuse);
    }
    const parsed = schema.safeParse(value);
    if (parsed.success) {
      return parsed.data;
    }
    for (const issue of parsed.error.issues) {
      refuse(ruleOf(issue), [...issue.path]);
    }
    return z.NEVER;
  });
}

/** `["inboundAgents", 1, "weight"]` as a reader would write it. A key that is no plain name is quoted. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number") {
      return `${text}[${key}]`;
    }
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(String(key))) {
      return text === "" ? String(key) : `${text}.${String(key)}`;
    }
    return `${text}[…]`;
  }, "");

/** Every rule that the inputs break, at once. */
export function validate<Output>(schema: z.ZodType<Output>, inputs: unknown): { value?: Output; problems: Problem[] } {
  const parsed = schema.safeParse(inputs);
  if (parsed.success) {
    return { value: parsed.data, problems: [] };
  }
  return { problems: parsed.error.issues.map((issue) => ({ path: pathText(issue.path), rule: ruleOf(issue) })) };
}

/** A name that is no argument is told if it is one; anything else may be a secret in the wrong place. */
function ruleOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== "unrecognized_keys") {
    return issue.message;
  }
  const names = issue.keys.filter((key) => /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(key)).map((name) => `\`${name}\``);
  return `has no argument ${names.length > 0 ? names.join(", ") : "of that name"}`;
}

/** What the engine sends in place of a value that is not known at preview, whatever the value's type, at any depth. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export const isUnknown = (value: unknown): boolean => value === UNKNOWN;

/** Is any part of the value unknown? */
export function holdsUnknown(value: unknown): boolean {
  if (isUnknown(value)) {
    return true;
  }
  if (Array.isArray(value)) {
    return value.some(holdsUnknown);
  }
  return typeof value === "object" && value !== null && Object.values(value).some(holdsUnknown);
}
