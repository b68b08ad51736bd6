import { inboundAgents } from "../../provider/core/routing";
import type { Split } from "../../provider/core/traffic";
import { isUnknown, UNKNOWN } from "../../provider/core/unknown";
import { id, say, type Text } from "./text";

/** Values as a preview holds them: some are masked, some are not known yet. */

export type Properties = Readonly<Record<string, unknown>>;

/** What stands in place of every secret, here as in the engine's own document. */
export const SECRET = "[secret]";

/** A value, or that it is masked, or that it is known after apply alone. */
export type Seen<T> = T | typeof SECRET | typeof UNKNOWN | undefined;

/** The engine's marks of a value that is no plain one, in its events (and in the document with other versions). */
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const OUTPUT_VALUE = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
/** Other versions and languages write an unknown value as its type. */
const TYPED_UNKNOWN = /^output<[\w<>[\]., ]*>$/;
const DEEPEST = 64;

export const isMap = (value: unknown): value is Properties =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Masks what is secret, whether the text is at hand or not, and makes every unknown value the same one. */
export function normal(value: unknown, level = 0): unknown {
  if (typeof value === "string") return TYPED_UNKNOWN.test(value) ? UNKNOWN : value;
  if (typeof value !== "object" || value === null) return value;
  if (level > DEEPEST) return UNKNOWN;
  if (Array.isArray(value)) return value.map((item) => normal(item, level + 1));
  const map = value as Properties;
  if (Object.hasOwn(map, SIGNATURE)) return marked(map, level);
  return Object.fromEntries(Object.entries(map).map(([key, item]) => [key, normal(item, level + 1)]));
}

function marked(map: Properties, level: number): unknown {
  const isOpen = map[SIGNATURE] === OUTPUT_VALUE && map.secret !== true;
  if (!isOpen) return SECRET;
  return "value" in map ? normal(map.value, level + 1) : UNKNOWN;
}

export const isMasked = (value: unknown): value is typeof SECRET => value === SECRET;
export const isHidden = (value: unknown): value is typeof SECRET | typeof UNKNOWN =>
  isMasked(value) || isUnknown(value);

export function holdsMasked(value: unknown): boolean {
  if (isMasked(value)) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsMasked);
}

/** The split of a resource's inputs or outputs; a list where its provider was not asked because its own config is not known yet. */
export function splitIn(value: unknown): Seen<Split> {
  if (value === undefined || value === null) return undefined;
  if (isHidden(value)) return value;
  if (isMap(value) && Object.values(value).every(isWeight)) return value as Split;
  if (holdsMasked(value)) return SECRET;
  const parsed = inboundAgents.safeParse(value);
  return parsed.success ? (parsed.data as Seen<Split>) : UNKNOWN;
}

const isWeight = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

export const isSplit = (split: Seen<Split>): split is Split => typeof split === "object";

/** A value in a table: what is free-form or may hold a key is only named. */
export function shown(value: unknown): Text {
  if (value === undefined || value === null) return ["none"];
  if (isMasked(value)) return [SECRET];
  if (isUnknown(value)) return ["known after apply"];
  if (typeof value === "string") return [id(withoutQuery(value))];
  if (typeof value === "number" || typeof value === "boolean") return [id(value)];
  return shape(value);
}

/** The query of a webhook is where its key is: it is never shown. */
function withoutQuery(text: string): string {
  if (!/^https?:/i.test(text)) return text;
  const end = text.search(/[?#]/);
  return end < 0 ? text : `${text.slice(0, end)}?…`;
}

function shape(value: object): Text {
  const keys = Object.keys(value);
  if (keys.length === 0) return ["empty"];
  if (Array.isArray(value)) return say`${keys.length} ${keys.length === 1 ? "entry" : "entries"}`;
  const names = keys.slice(0, 5).flatMap((key, index) => (index === 0 ? [id(key)] : [", ", id(key)]));
  return say`keys ${names}${keys.length > 5 ? " …" : ""}`;
}
