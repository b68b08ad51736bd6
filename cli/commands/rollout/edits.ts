import { isNode, isScalar, type Pair, type YAMLMap } from "yaml";
import { same } from "../../../provider/core/common/equality";
import type { NamedRollout } from "../../../provider/core/routing/rollouts";

/** The edits that make one value of a rollout of another one, in the text of its file. */

/** Replaces the text from `start` to `end`. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** `promote` and `abort` change no other field. */
const FIELDS = ["stable", "candidate", "percent", "aborted"] as const;
type Field = (typeof FIELDS)[number];

/** In the order of the text. An insertion comes before a removal at the same place. */
export function editsOf(map: YAMLMap, source: string, value: NamedRollout, next: NamedRollout): Edit[] {
  // A field without a value goes as well, because the value that is wanted does not have it.
  const isEmpty = (field: Field) => next[field] === undefined && pairOf(map, field) !== undefined;
  const changed = FIELDS.filter((field) => !same(value[field], next[field]) || isEmpty(field));
  const replaced = changed.filter((field) => isReplaced(map, field, next));
  const others = changed.filter((field) => !replaced.includes(field));
  const removed = others.filter((field) => pairOf(map, field) !== undefined);
  const added = others.filter((field) => next[field] !== undefined);
  return [
    ...replaced.map((field) => replacement(map, source, field, next)),
    ...insertions(map, source, added, removed, next),
    ...removals(map, source, removed),
  ].sort((one, other) => one.start - other.start || one.end - other.end);
}

const pairOf = (map: YAMLMap, field: Field): Pair | undefined =>
  map.items.find(({ key }) => isScalar(key) && key.value === field);

/** Is there a text or a number, and will there be one? */
function isReplaced(map: YAMLMap, field: Field, next: NamedRollout): boolean {
  const node = pairOf(map, field)?.value;
  return isScalar(node) && node.value !== null && next[field] !== undefined && field !== "aborted";
}

function replacement(map: YAMLMap, source: string, field: Field, next: NamedRollout): Edit {
  const [start, end] = rangeOf(pairOf(map, field)?.value, source);
  const quote = /^["']/.exec(source.slice(start, end))?.[0] ?? "";
  return { start, end, text: `${quote}${next[field]}${quote}` };
}

/** New fields come after the last field before them that stays; stable always stays. */
function insertions(
  map: YAMLMap,
  source: string,
  added: readonly Field[],
  removed: readonly Field[],
  next: NamedRollout,
): Edit[] {
  const stays = (field: Field) => pairOf(map, field) !== undefined && !removed.includes(field);
  const texts = new Map<Field, string[]>();
  for (const field of added) {
    const before = FIELDS.slice(0, FIELDS.indexOf(field)).filter(stays).at(-1) ?? "stable";
    texts.set(before, [...(texts.get(before) ?? []), fieldText(map, source, field, next)]);
  }
  return [...texts].map(([before, lines]) => {
    const [, end] = rangeOf(pairOf(map, before)?.value, source);
    if (map.flow) {
      return { start: end, end, text: lines.map((text) => `, ${text}`).join("") };
    }
    const [keyStart] = rangeOf(pairOf(map, before)?.key, source);
    const indent = source.slice(source.lastIndexOf("\n", keyStart - 1) + 1, keyStart);
    const lineEnd = /\r?\n/.exec(source)?.[0] ?? "\n";
    const at = end + (/^[^\r\n]*/.exec(source.slice(end))?.[0] ?? "").length;
    return { start: at, end: at, text: lines.map((text) => lineEnd + indent + text).join("") };
  });
}

/** A file that is written as JSON stays JSON. */
function fieldText(map: YAMLMap, source: string, field: Field, next: NamedRollout): string {
  const [start] = rangeOf(pairOf(map, "stable")?.key, source);
  if (source[start] === '"') {
    return `"${field}": ${JSON.stringify(next[field])}`;
  }
  const { aborted } = next;
  // Without quotes the time would be a date, which Pulumi writes in another form.
  return field === "aborted" && aborted !== undefined
    ? `aborted: { agent: ${aborted.agent}, percent: ${aborted.percent}, at: "${aborted.at}" }`
    : `${field}: ${next[field]}`;
}

function removals(map: YAMLMap, source: string, removed: readonly Field[]): Edit[] {
  const pairs = removed.flatMap((field) => pairOf(map, field) ?? []);
  return map.flow ? flowRemovals(map, source, pairs) : pairs.map((pair) => lineRemoval(source, pair));
}

/** The comment behind the value goes along, because it is about the value. */
function lineRemoval(source: string, { key, value }: Pair): Edit {
  const [start] = rangeOf(key, source);
  const [, end] = rangeOf(isNode(value) ? value : key, source);
  const from = source.lastIndexOf("\n", start - 1) + 1;
  return { start: from, end: end + (/^[^\r\n]*(?:\r?\n)?/.exec(source.slice(end))?.[0] ?? "").length, text: "" };
}

function flowRemovals({ items }: YAMLMap, source: string, pairs: readonly Pair[]): Edit[] {
  const firstKept = items.findIndex((pair) => !pairs.includes(pair));
  const isLeading = pairs.some((pair) => items.indexOf(pair) < firstKept);
  const leading = {
    start: rangeOf(items[0]?.key, source)[0],
    end: rangeOf(items[firstKept]?.key, source)[0],
    text: "",
  };
  const others = pairs.flatMap((pair) => {
    const index = items.indexOf(pair);
    return index < firstKept
      ? []
      : [{ start: rangeOf(items[index - 1]?.value, source)[1], end: rangeOf(pair.value, source)[1], text: "" }];
  });
  return isLeading ? [leading, ...others] : others;
}

/**
 * The place of a node in the text: its first character, and the one after its last. A text of several lines has its last line end beyond
 * that.
 */
function rangeOf(node: unknown, source: string): readonly [number, number] {
  const [start, end] = (isNode(node) ? node.range : undefined) ?? [0, 0];
  return [start, start + source.slice(start, end).trimEnd().length];
}
