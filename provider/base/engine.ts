/** What the engine and the classes write among the properties of a resource. */

/** The engine wraps secrets and outputs in an object with this key, whose value says which of them it is. */
export const SIGNATURE = "4dabf18193072939515e22adb298388d";

export const OUTPUT_SIGNATURE = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

declare const unknownValue: unique symbol;

/**
 * A value that a preview can't know yet. It arrives as a string, but as a branded bigint, which no argument is, the compiler lets nobody
 * use it as text, as a number or as a map.
 */
export type Unknown = bigint & { readonly [unknownValue]: true };

/** The values of a preview: each may be unknown. */
export type Previewed<Values> = { readonly [Name in keyof Values]: Values[Name] | Unknown };

/** The engine sends this string in place of a value that is unknown at preview, at any depth. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9" as unknown as Unknown;

/** The engine has one text for each type of an unknown value, and accepts any of them. */
export const UNKNOWNS: ReadonlySet<unknown> = new Set([
  UNKNOWN,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

export const isUnknown = (value: unknown): value is Unknown => value === UNKNOWN;

/** Is every value known? At `pulumi up`, all are. */
export const areKnown = <Values extends object>(values: Previewed<Values>): values is Values =>
  !Object.values(values).some(isUnknown);

export const ifKnown = <Value>(value: Value | Unknown): Value | undefined => (isUnknown(value) ? undefined : value);

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

/**
 * The classes write this text in place of an undefined value of a map, and check refuses it. The SDK would leave the key out, and nobody
 * would see that a number or an agent is missing.
 */
export const MISSING = "b1c9d5f0-3a6e-4c8e-9d57-6f2f5d0c7a11";

/** The same in place of a Date, a Map or a function, of which the SDK would make `{}`. */
export const NOT_JSON = "5e0b6f7c-92d4-4b1a-8c36-1f7a9e2d4b08";

/**
 * The hidden input that holds the URN of its resource. The engine tells a dynamic provider no URN, but it hands this input on to check,
 * diff and create, and it shows no property whose name begins with two underscores.
 */
export const URN = "__urn";

/** Inputs of every resource that no program writes. */
export interface HiddenInputs {
  readonly [URN]?: string | undefined;
  /** The names of secret arguments. The program's class sends them, because the engine does not tell a dynamic provider what is secret. */
  readonly secretArguments?: readonly string[] | undefined;
}

/** A URN is `urn:pulumi:<stack>::<project>::<types of parents$…><type>::<name>`, and a name may have `::` in it. The kind is the end of the type. */
export function partsOf(urn: string) {
  const [stack = "", project = "", types = "", ...name] = urn.replace(/^urn:pulumi:/, "").split("::");
  const type = types.slice(types.lastIndexOf("$") + 1);
  return { stack, project, type, kind: type.slice(type.lastIndexOf(":") + 1), name: name.join("::") };
}

/** A hidden input of voices and chats: is this a preview? The engine does not tell a dynamic provider. check takes it out, so no state has it. */
export const PREVIEW = "__preview";

export const nameOf = (urn: string): string => partsOf(urn).name;
