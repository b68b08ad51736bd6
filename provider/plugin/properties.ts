import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { SECRET_SIGNATURE, SIGNATURE, UNKNOWN, UNKNOWNS } from "../core/common/engine";
import { PROVIDER } from "../core/platform/kinds";
import type { Props } from "../edge/handler";

/**
 * Properties that the engine sent. A secret arrives wrapped in an object with a signature, and an unknown value as a text for its type. A
 * lifecycle gets plain values. Secrets are noted by the name of the property and not by a path, because check makes a map of a list of agents.
 */
export interface Received {
  readonly values: Props;
  readonly secrets: ReadonlySet<string>;
}

export function received(struct: Struct | undefined): Received {
  const secrets = new Set<string>();
  const values = Object.entries(struct?.toJavaScript() ?? {}).map(([name, value]) => [
    name,
    unwrapped(value, () => secrets.add(name)),
  ]);
  return { values: Object.fromEntries(values), secrets };
}

function unwrapped(value: unknown, onSecret: () => void): unknown {
  if (typeof value !== "object" || value === null) {
    return UNKNOWNS.has(value) ? UNKNOWN : value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => unwrapped(item, onSecret));
  }
  const entries = value as Record<string, unknown>;
  if (entries[SIGNATURE] === SECRET_SIGNATURE) {
    onSecret();
    return unwrapped(entries.value, onSecret);
  }
  return Object.fromEntries(Object.entries(entries).map(([key, item]) => [key, unwrapped(item, onSecret)]));
}

/** A secret property is secret as a whole. Hidden inputs, such as the URN, are not sent. */
export function toWire(values: object, isSecret: (name: string) => boolean): Struct {
  const own = Object.entries(values).filter(([name]) => !name.startsWith("__") || name === PROVIDER);
  const wrapped = own.map(([name, value]) => [
    name,
    isSecret(name) && value !== undefined ? { [SIGNATURE]: SECRET_SIGNATURE, value } : value,
  ]);
  // Like JSON, the wire has no undefined.
  return Struct.fromJavaScript(JSON.parse(JSON.stringify(Object.fromEntries(wrapped))));
}
