import * as z from "zod";
import { compare, isObject } from "../base/json";
import { CAPS, nameText, numberId } from "../base/schemas";
import { type Members, membersOf, type NumbersText, numbersText } from "./group";

const MAX_PROBLEMS = 10;

/** The schema for a group's numbers: a list, a map from number to label, or the single string that the state holds. */
export const numbers = z.unknown().transform((value, context): NumbersText => {
  const members = new Map<string, string>();
  const problems = problemsIn(entriesOf(value), members);
  const more = `contains ${problems.length - MAX_PROBLEMS} more invalid entries that are not shown`;
  const shown = [
    ...problems.slice(0, MAX_PROBLEMS),
    ...(problems.length > MAX_PROBLEMS ? [{ path: [], message: more }] : []),
  ];
  context.issues.push(...shown.map((problem) => ({ ...problem, code: "custom" as const, input: undefined })));
  return numbersText(members);
});

interface WrittenNumber {
  /** The number's index in a list, or the number itself in a map. Messages use it to point to the invalid entry. */
  readonly key: PropertyKey;
  readonly number: unknown;
  readonly label: unknown;
}

function entriesOf(value: unknown): WrittenNumber[] | undefined {
  if (Array.isArray(value)) {
    return value.map((number, key) => ({ key, number, label: "" }));
  }
  const isText = typeof value === "string" && value.endsWith("\n");
  const map: unknown = isText ? Object.fromEntries(membersOf({ numbers: value })) : value;
  if (!isObject(map)) {
    return undefined;
  }
  // Sort the numbers, because the engine doesn't preserve the order of a map's keys, and messages need a stable order.
  return Object.keys(map)
    .sort(compare)
    .map((number) => ({ key: number, number, label: map[number] }));
}

function problemsIn(entries: readonly WrittenNumber[] | undefined, members: Map<string, string>) {
  if (entries === undefined) {
    return [{ path: [], message: "must be a list of numbers, or a map from number to label" }];
  }
  if (entries.length === 0) {
    return [{ path: [], message: "must not be empty; to remove a group, remove its resource" }];
  }
  if (entries.length > CAPS.numbers) {
    return [
      { path: [], message: `must not contain more than ${CAPS.numbers} numbers: split them into several groups` },
    ];
  }
  const problems: { path: PropertyKey[]; message: string }[] = [];
  for (const { key, number, label } of entries) {
    const message = ruleBroken(number, label, members);
    if (message === undefined) {
      members.set(number as string, label as string);
    } else {
      problems.push({ path: [key], message });
    }
  }
  return problems;
}

function ruleBroken(number: unknown, label: unknown, seen: Members): string | undefined {
  const rule = numberId.safeParse(number).error?.issues[0]?.message;
  if (rule !== undefined) {
    return rule;
  }
  if (seen.has(number as string)) {
    return "names the same number as an earlier entry: remove one of the two";
  }
  if (label === "" || nameText.safeParse(label).success) {
    return undefined;
  }
  // In YAML, a label such as `4001` or `true` is a number or a boolean unless it is in quotes.
  return typeof label === "number" || typeof label === "boolean"
    ? "must be a string, because it is a label: write it in quotes"
    : `must be a string of at most ${CAPS.text} characters without control characters, because it is the number's label`;
}
