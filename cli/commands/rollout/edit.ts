import { isNode, isScalar, type Pair, stringify, type YAMLMap } from "yaml";
import { same } from "../../../provider/core/common/equality";
import type { NamedRollout } from "../../../provider/core/routing/rollouts";

/** `promote` and `abort` change these fields of a rollout, and no byte of the file besides. */
const FIELDS = ["stable", "candidate", "percent", "aborted"] as const;
type Field = (typeof FIELDS)[number];

/** The text of the file in which the map of a rollout has another value. */
export function edited(map: YAMLMap, source: string, value: NamedRollout, next: NamedRollout): string {
  // A field without a value goes as well, because the value that is wanted does not have it.
  const isChanged = (field: Field) =>
    !same(value[field], next[field]) || (next[field] === undefined && pairOf(map, field) !== undefined);
  const change = { map, source, next, changed: FIELDS.filter(isChanged) };
  const isJoinedAgain = map.flow && change.changed.some((field) => !isReplaced(change, field));
  return isJoinedAgain ? inOneLine(change) : onLines(change);
}

interface Change {
  readonly map: YAMLMap;
  readonly source: string;
  readonly next: NamedRollout;
  readonly changed: readonly Field[];
}

const pairOf = (map: YAMLMap, field: string): Pair | undefined =>
  map.items.find(({ key }) => isScalar(key) && key.value === field);

/** Is there one value, and will there be one? */
function isReplaced({ map, next }: Change, field: Field): boolean {
  const { value } = pairOf(map, field) ?? {};
  return isScalar(value) && value.value !== null && next[field] !== undefined && field !== "aborted";
}

/** The field behind which a new one comes: the last one before it that stays. */
function before(field: Field, stays: (one: Field) => boolean): Field {
  return FIELDS.slice(0, FIELDS.indexOf(field)).filter(stays).at(-1) ?? "stable";
}

/** Writes a map in one line anew, because a new field moves the commas. Pulumi reads YAML 1.1, which needs quotes around a time. */
function inOneLine({ map, source, next }: Change): string {
  const [start, end] = rangeOf(map, source);
  const text = stringify(next, { collectionStyle: "flow", lineWidth: 0, version: "1.1" });
  return source.slice(0, start) + text.trim() + source.slice(end);
}

/** Replaces the text from `start` to `end`. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function onLines(change: Change): string {
  const { map, source, changed } = change;
  const edits = changed.flatMap((field) => editOf(change, field));
  // From the end of the text, so that the places of earlier edits stay right; what is added comes before what goes.
  const sorted = edits.sort((one, other) => one.start - other.start || one.end - other.end);
  const text = sorted.reduceRight((all, edit) => all.slice(0, edit.start) + edit.text + all.slice(edit.end), source);
  return map.items.length > 0 && source.endsWith("\n") ? text : text.replace(/\r?\n$/, "");
}

function editOf(change: Change, field: Field): Edit[] {
  const { map, source, next, changed } = change;
  const pair = pairOf(map, field);
  if (isReplaced(change, field)) {
    const [start, end] = rangeOf(pair?.value, source);
    const quote = /^["']/.exec(source.slice(start, end))?.[0] ?? "";
    return [{ start, end, text: quote + next[field] + quote }];
  }
  const removed = pair === undefined ? [] : [lineOf(pair, source)];
  if (next[field] === undefined) {
    return removed;
  }
  const { key, value } =
    pairOf(
      map,
      before(field, (one) => pairOf(map, one) !== undefined && !changed.includes(one)),
    ) ?? {};
  const [keyStart] = rangeOf(key, source);
  const indent = source.slice(source.lastIndexOf("\n", keyStart - 1) + 1, keyStart);
  const lineEnd = /\r?\n/.exec(source)?.[0] ?? "\n";
  const [, valueEnd] = rangeOf(value, source);
  const at = valueEnd + (/^[^\r\n]*/.exec(source.slice(valueEnd))?.[0] ?? "").length;
  return [...removed, { start: at, end: at, text: `${lineEnd}${indent}${fieldText(field, next)}` }];
}

/** The whole line: a comment behind the value goes along, because it is about the value. */
function lineOf({ key, value }: Pair, source: string): Edit {
  const [start] = rangeOf(key, source);
  const [, end] = rangeOf(isNode(value) ? value : key, source);
  const from = source.lastIndexOf("\n", start - 1) + 1;
  return { start: from, end: end + (/^[^\r\n]*(?:\r?\n)?/.exec(source.slice(end))?.[0] ?? "").length, text: "" };
}

function fieldText(field: Field, next: NamedRollout): string {
  const { aborted } = next;
  // Without quotes the time would be a date, which Pulumi writes in another form.
  return field === "aborted" && aborted !== undefined
    ? `aborted: { agent: ${aborted.agent}, percent: ${aborted.percent}, at: "${aborted.at}" }`
    : `${field}: ${next[field]}`;
}

/** The first character of a node in the text, and the one after its last. */
function rangeOf(node: unknown, source: string): [number, number] {
  const [start, end] = (isNode(node) ? node.range : undefined) ?? [0, 0];
  return [start, start + source.slice(start, end).trimEnd().length];
}
