/** Markers that the engine and the resource classes add to a resource's properties. */

/**
 * The engine wraps each secret and each output in an object that has this key. The value under the key says whether the
 * object is a secret or an output.
 */
export const SIGNATURE = "4dabf18193072939515e22adb298388d";

export const OUTPUT_SIGNATURE = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

declare const unknownValue: unique symbol;

/**
 * A value that is unknown in a preview. It is a string at run time, but has the type bigint, so that code that expects
 * a string, a number or a map doesn't compile.
 */
export type Unknown = bigint & { readonly [unknownValue]: true };

/** A resource's values at preview, when any of them may still be unknown. */
export type Previewed<Values> = { readonly [Name in keyof Values]: Values[Name] | Unknown };

/** The engine sends this string in place of a value that is unknown at preview, at any depth. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9" as unknown as Unknown;

/**
 * The strings that the engine uses for unknown values. There is one for each type of value, such as a string or a list,
 * and the engine accepts any of them.
 */
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

/** Returns true if none of the values is unknown. */
export const areKnown = <Values extends object>(values: Previewed<Values>): values is Values =>
  !Object.values(values).some(isUnknown);

export const ifKnown = <Value>(value: Value | Unknown): Value | undefined => (isUnknown(value) ? undefined : value);

/** Returns true if the value, or any value nested in it, is unknown. */
export function containsUnknown(value: unknown): boolean {
  if (isUnknown(value)) {
    return true;
  }
  if (Array.isArray(value)) {
    return value.some(containsUnknown);
  }
  return typeof value === "object" && value !== null && Object.values(value).some(containsUnknown);
}

/**
 * Our resource classes replace an undefined value in a list or map with this marker, so that check refuses it.
 * Otherwise, the SDK would silently drop a map's key.
 */
export const MISSING = "b1c9d5f0-3a6e-4c8e-9d57-6f2f5d0c7a11";

/**
 * Our resource classes put this marker in place of a Date, a Map or a function, so that check refuses it. Otherwise,
 * the SDK would turn such a value into `{}`.
 */
export const NOT_JSON = "5e0b6f7c-92d4-4b1a-8c36-1f7a9e2d4b08";

/**
 * A hidden input with the resource's URN, which the engine doesn't tell dynamic providers. The engine never displays
 * properties that start with two underscores.
 */
export const URN = "__urn";

/** Inputs that our resource classes add to those that the program sets. */
export interface HiddenInputs {
  readonly [URN]?: string | undefined;
  /**
   * The names of secret arguments. Our resource classes add them to the inputs, because the engine doesn't tell dynamic
   * providers which values are secret.
   */
  readonly secretArguments?: readonly string[] | undefined;
}

/**
 * A URN is `urn:pulumi:<stack>::<project>::<types of parents$…><type>::<name>`. The name may contain `::`. The type
 * ends with the kind.
 */
export function parseUrn(urn: string) {
  const [stack = "", project = "", types = "", ...name] = urn.replace(/^urn:pulumi:/, "").split("::");
  const type = types.slice(types.lastIndexOf("$") + 1);
  return { stack, project, type, kind: type.slice(type.lastIndexOf(":") + 1), name: name.join("::") };
}

/**
 * A hidden input that tells the provider that a run is a preview, because the engine doesn't. Only voices and chats
 * have it, and check removes it.
 */
export const PREVIEW = "__preview";

export const nameOf = (urn: string): string => parseUrn(urn).name;
