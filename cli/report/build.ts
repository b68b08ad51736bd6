import { readSaid, type Said } from "./alerts";
import { type Sorted, sortSteps } from "./changes";
import { digestOf } from "./digest";
import { guardsIn, settingChanges } from "./guards";
import { headlineOf } from "./headline";
import { type Card, type Contribution, card, type Model, type Requests, sum } from "./model";
import { numberContributions } from "./numbers";
import { postContributions } from "./posts";
import { type Preview, partsOf, type Step } from "./preview";
import { counted, id, joined, plain, say, some, type Text } from "./text";
import { shown } from "./values";

/** From a preview to what a report says. */
export function buildModel(preview: Preview, title: string | undefined): Model {
  const sorted = sortSteps(preview);
  const said = readSaid(preview);
  const contributions = inOrder(
    [...numberContributions(sorted.ours, guardsIn(preview), said.isOpen), ...postContributions(sorted.ours)],
    (one) => one.card,
  );
  const cards = inOrder([...contributions.map((one) => one.card), ...sorted.accounts.map(accountCard)], (one) => one);
  const requests = sum(contributions.map((one) => one.requests));
  return {
    title,
    project: sorted.project,
    stack: sorted.stack,
    headline: said.failure ?? headlineOf(cards),
    tone: said.hasFailed ? "danger" : (cards[0]?.tone ?? "plain"),
    hasFailed: said.hasFailed,
    alerts: said.alerts,
    cards,
    facts: contributions.flatMap(({ facts }) => facts),
    requests,
    onMerge: onMerge(requests, said),
    undo: undoOf(contributions),
    rest: restOf(sorted, said),
    warnings: said.warnings,
    digest: said.hasFailed ? undefined : digestOf(sorted.ours),
  };
}

/** The most important first, and then by name: the engine's own order differs from run to run. */
function inOrder<T>(all: readonly T[], cardOf: (one: T) => Card): T[] {
  return all
    .map((one) => ({ one, rank: cardOf(one).rank, name: plain(cardOf(one).title) }))
    .sort((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ one }) => one);
}

/** An explicit provider: another account, with guards of its own. */
function accountCard({ urn, op, old, new: next }: Step): Card {
  const name = id(partsOf(urn).name);
  const changes = settingChanges(old?.inputs ?? {}, next?.inputs ?? {});
  const titles: Record<string, Text> = {
    create: say`New account ${name}: ${shown(next?.inputs["agent-platform:baseUrl"])}`,
    delete: say`Account ${name} is removed`,
  };
  return card({
    tone: op === "create" ? "plain" : "warning",
    rank: op === "create" ? 7 : 4,
    family: "account",
    title: titles[op] ?? say`Settings of account ${name} change`,
    fields: changes.map(({ key, before, after }) => ({
      field: plain([id(key)]),
      before: op === "create" ? [] : shown(before),
      after: shown(after),
    })),
  });
}

function onMerge(requests: Requests, { hasFailed }: Said): Text {
  if (hasFailed) return ["On merge: nothing, while the preview fails. Sent so far: 0."];
  const { puts, clears, isAtLeast } = requests;
  const posts = postParts(requests);
  const parts = [...(puts > 0 || posts.length === 0 ? [counted(puts, "PUT")] : []), ...posts];
  // "At least 0" says nothing.
  if (isAtLeast && puts === 0 && posts.length === 0)
    return ["On merge: how many PUTs is known after apply alone. Sent so far: 0."];
  const more = clears > 0 ? ` (${clears} to unbind something, in up to 3 attempts each)` : "";
  return [`On merge: ${isAtLeast ? "at least " : ""}${parts.join(", ")}${more}. Sent so far: 0.`];
}

function postParts({ voices, messages, ends }: Requests): string[] {
  const posts = (count: number, one: string, many: string) =>
    count === 0 ? [] : [`${counted(count, "POST")} that ${count === 1 ? one : many}`];
  return [
    ...posts(voices, "adds a voice", "add voices"),
    ...posts(messages, "sends an SMS", "send an SMS each"),
    ...posts(ends, "ends a chat", "end a chat each"),
  ];
}

const REVERT = "revert this pull request";

/** What a revert does and does not bring back, each said once. */
function undoOf(contributions: readonly Contribution[]): Text[] {
  const all = contributions.flatMap(({ undo }) => (undo === undefined ? [] : [undo]));
  const texts = new Map(all.map((text) => [plain(text), text]));
  // It says nothing beside "revert this pull request (back to 90/10, …)".
  if ([...texts.keys()].some((words) => words.startsWith(`${REVERT} `))) texts.delete(REVERT);
  return [...texts.values()];
}

function restOf({ others, unchanged }: Sorted, { hasFailed }: Said): Text[] {
  const ops = tally(others.map(({ op }) => op));
  const types = tally(others.map(({ type }) => type));
  return [
    ...(others.length === 0
      ? []
      : [
          say`Other resources of this stack: ${joined(
            ops.map(([op, count]) => say`${count} ${PAST[op] ?? op}`),
            ", ",
          )} (${some(
            types.map(([type, count]) => say`${id(type)} ${count}`),
            5,
          )}).`,
        ]),
    ...(unchanged === 0 || hasFailed ? [] : [[`Unchanged: ${counted(unchanged, "resource")}.`]]),
  ];
}

const PAST: Readonly<Record<string, string>> = {
  create: "created",
  update: "updated",
  delete: "deleted",
  replace: "replaced",
  "create-replacement": "created anew",
  "delete-replaced": "deleted after replacement",
  read: "read",
  import: "imported",
};

function tally(values: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}
