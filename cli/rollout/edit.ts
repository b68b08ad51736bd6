import { isNode, isScalar, type Pair, stringify, type YAMLMap } from "yaml";
import { same } from "../../provider/core/common/equality";
import type { NamedRollout } from "../../provider/core/routing/rollouts";
import { present } from "../lists";

/** `promote` and `abort` change these fields of a rollout, and no byte of the file besides. */
const EDITED = ["stable", "candidate", "percent", "aborted"] as const;
type EditedField = (typeof EDITED)[number];

/** Replaces the text from `start` to `end`. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text of the file in which the map of a rollout has another value. */
export function editInPlace(map: YAMLMap, source: string, value: NamedRollout, next: NamedRollout): string {
  // A field without a value goes as well, because the value that is wanted does not have it.
  const changed = EDITED.filter(
    (field) => !same(value[field], next[field]) || (next[field] === undefined && pairOf(map, field) !== undefined),
  );
  const moved = changed.filter((field) => !isReplaced(map, field, next));
  if (map.flow && moved.length > 0) {
    // A new field moves the commas.
    return withEdits(source, [{ ...rangeOf(map, source), text: inLine(next) }]);
  }
  const lineEnd = /\r?\n/.exec(source)?.[0] ?? "\n";
  const text = source.endsWith("\n") ? source : source + lineEnd;
  const lines = moved.flatMap((field) =>
    next[field] === undefined ? [] : `${field}: ${inLine(next[field])}${lineEnd}`,
  );
  const edits = changed.flatMap((field) => {
    const edit = moved.includes(field) ? removal : replacement;
    return present([pairOf(map, field)]).map((pair) => edit(pair, text, next[field]));
  });
  const after = withEdits(text, [...edits, insertion(map, text, lines)]);
  return text === source ? after : after.slice(0, -lineEnd.length);
}

/** Pulumi reads YAML 1.1, in which a time needs quotes. */
export const inLine = (value: unknown): string =>
  stringify(value, { collectionStyle: "flow", lineWidth: 0, version: "1.1" }).trim();

/** From the end of the text, so that the places of earlier edits stay right; what is added comes before what goes. */
const withEdits = (source: string, edits: readonly Edit[]): string =>
  edits
    .toSorted((one, other) => one.start - other.start || one.end - other.end)
    .reduceRight((all, { start, end, text }) => all.slice(0, start) + text + all.slice(end), source);

const pairOf = (map: YAMLMap, field: string): Pair | undefined =>
  map.items.find(({ key }) => isScalar(key) && key.value === field);

/** Is there one value, and will there be one? */
function isReplaced(map: YAMLMap, field: EditedField, next: NamedRollout): boolean {
  const { value } = pairOf(map, field) ?? {};
  return isScalar(value) && value.value !== null && next[field] !== undefined && field !== "aborted";
}

/** In the quotes that the value has. */
function replacement({ value }: Pair, source: string, next: unknown): Edit {
  const range = rangeOf(value, source);
  const quote = /^["']?/.exec(source.slice(range.start))?.[0] ?? "";
  return { ...range, text: `${quote}${next}${quote}` };
}

/** The whole lines: a comment behind the value goes along, because it is about the value. */
function removal({ key, value }: Pair, source: string): Edit {
  const { start } = rangeOf(key, source);
  const { end } = rangeOf(isNode(value) ? value : key, source);
  return { start: lineStart(start, source), end: nextLine(end, source), text: "" };
}

/** Behind `stable`, which every rollout has. */
function insertion(map: YAMLMap, source: string, lines: readonly string[]): Edit {
  const { key, value } = pairOf(map, "stable") ?? {};
  const { start } = rangeOf(key, source);
  const at = nextLine(rangeOf(value, source).end, source);
  const indent = source.slice(lineStart(start, source), start);
  return { start: at, end: at, text: lines.map((line) => indent + line).join("") };
}

/** The first character of a node in the text, and the one after its last. */
function rangeOf(node: unknown, source: string): Omit<Edit, "text"> {
  const [start, end] = (isNode(node) ? node.range : undefined) ?? [0, 0];
  return { start, end: start + source.slice(start, end).trimEnd().length };
}

const lineStart = (at: number, text: string): number => text.lastIndexOf("\n", at - 1) + 1;
const nextLine = (at: number, text: string): number => text.indexOf("\n", at) + 1;
