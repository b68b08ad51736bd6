import { type JavaScriptValue, Struct } from "google-protobuf/google/protobuf/struct_pb";
import { UNKNOWN } from "../core/schemas";
import type { Props } from "../edge/handler";

/**
 * Properties on the wire. A secret is a value wrapped in an object with a signature; one that is unknown at preview is a text
 * that stands for its type. What the lifecycles get are plain values: which of them are secret is kept beside, by the name of the
 * property, since a list of agents becomes a map and paths into it would not survive.
 */
export interface Received {
  readonly values: Props;
  readonly secrets: ReadonlySet<string>;
}

const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";

/** The engine has a text of its own for each type of an unknown value, and takes any of them back. */
const UNKNOWNS: ReadonlySet<unknown> = new Set([
  UNKNOWN,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

export function received(struct: Struct | undefined): Received {
  const secrets = new Set<string>();
  const values = Object.entries(struct?.toJavaScript() ?? {}).map(([name, value]) => [
    name,
    plain(value, () => secrets.add(name)),
  ]);
  return { values: Object.fromEntries(values), secrets };
}

function plain(value: unknown, onSecret: () => void): unknown {
  if (typeof value !== "object" || value === null) {
    return UNKNOWNS.has(value) ? UNKNOWN : value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => plain(item, onSecret));
  }
  const entries = value as Record<string, unknown>;
  if (entries[SIGNATURE] === SECRET) {
    onSecret();
    return plain(entries.value, onSecret);
  }
  return Object.fromEntries(Object.entries(entries).map(([key, item]) => [key, plain(item, onSecret)]));
}

/** Each property that is secret is so as a whole. */
export function toWire(values: object, isSecret: (name: string) => boolean): Struct {
  const wrapped = Object.entries(values).map(([name, value]) => [
    name,
    isSecret(name) && value !== undefined ? { [SIGNATURE]: SECRET, value } : value,
  ]);
  return Struct.fromJavaScript(defined(Object.fromEntries(wrapped)) as Record<string, JavaScriptValue>);
}

/** The wire knows no undefined. */
function defined(value: unknown): unknown {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map(defined);
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[key, defined(item)]])),
  );
}
