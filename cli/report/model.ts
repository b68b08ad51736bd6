import { compare } from "../../provider/core/equality";
import { partsOf } from "../../provider/core/urn";
import { groupBy, present, uniqueBy } from "../lists";
import type { Preview, Step } from "../pulumi/preview";
import { type Card, card, type Fact, type Family, type Requests, sum, TOGETHER, type Tone, totalOf } from "./card";
import { postCards } from "./cards/posted";
import { type Changes, changesIn } from "./changes";
import { type Alert, readDiagnostics } from "./diagnostics";
import { digestOf } from "./digest";
import { guardsIn, settingChanges } from "./guards";
import { numberCards } from "./numbers";
import { counted, id, joined, plain, say, shown, some, type Text } from "./text";

/** What a report says, before it is written as Markdown, SVG or JSON. */
export interface Model {
  readonly title: string | undefined;
  readonly project: string;
  readonly stack: string;
  readonly headline: Text;
  readonly tone: Tone;
  /** Did the preview end with an error? Then it does not show everything. */
  readonly hasFailed: boolean;
  readonly alerts: readonly Alert[];
  readonly cards: readonly Card[];
  readonly facts: readonly Fact[];
  readonly requests: Requests;
  readonly onMerge: Text;
  readonly undo: readonly Text[];
  /** Resources of other providers, and what does not change. */
  readonly rest: readonly Text[];
  /** What the provider wrote as a warning. */
  readonly warnings: readonly string[];
  readonly digest: string | undefined;
}

export function buildModel(preview: Preview, title: string | undefined, now = new Date()): Model {
  const { config } = preview;
  const changes = changesIn(preview);
  const { project, stack, providers } = changes;
  const { failure, areBypassed, ...said } = readDiagnostics(preview);
  const cards = [
    ...numberCards(changes, guardsIn(config, providers, areBypassed), { config, project, stack, now }),
    ...postCards(changes),
    ...providers.map(providerCard),
  ].sort(byImportance);
  const requests = sum(cards.map((one) => one.requests));
  return {
    title,
    project,
    stack,
    headline: failure ?? headlineOf(cards),
    tone: said.hasFailed ? "danger" : (cards[0]?.tone ?? "plain"),
    ...said,
    cards,
    facts: cards.flatMap(({ facts }) => facts),
    requests,
    onMerge: onMerge(requests, said.hasFailed),
    undo: undoOf(cards),
    rest: restOf(changes, said.hasFailed),
    digest: said.hasFailed ? undefined : digestOf(changes),
  };
}

/** The most important first, and then by title, because the engine's order differs from run to run. */
const byImportance = (a: Card, b: Card): number => a.rank - b.rank || compare(plain(a.title), plain(b.title));

/** An explicit provider, with guards of its own. */
function providerCard({ urn, op, old, new: next }: Step): Card {
  const name = id(partsOf(urn).name);
  const changes = settingChanges(old?.inputs ?? {}, next?.inputs ?? {});
  const titles: Record<string, Text> = {
    create: say`New provider ${name}: ${shown(next?.inputs["agent-platform:baseUrl"])}`,
    delete: say`Provider ${name} is removed`,
  };
  const isNew = op === "create";
  return card({
    tone: isNew ? "plain" : "warning",
    rank: isNew ? 7 : 4,
    family: "provider",
    title: titles[op] ?? say`Settings of provider ${name} change`,
    fields: changes.map(({ key, before, after }) => ({
      field: plain([id(key)]),
      before: isNew ? [] : shown(before),
      after: shown(after),
    })),
  });
}

function onMerge(requests: Requests, hasFailed: boolean): Text {
  if (hasFailed) {
    return ["On merge: nothing, while the preview fails. This preview sent nothing."];
  }
  const { puts, clears, isAtLeast } = requests;
  const posts = POSTS.flatMap(([kind, one, many]) => {
    const count = requests[kind];
    return count === 0 ? [] : [`${counted(count, "POST")} that ${count === 1 ? one : many}`];
  });
  // "At least 0" says nothing.
  if (isAtLeast && puts === 0 && posts.length === 0) {
    return ["On merge: the number of PUTs is known only after apply. This preview sent nothing."];
  }
  const parts = puts > 0 || posts.length === 0 ? [counted(puts, "PUT"), ...posts] : posts;
  const more = clears > 0 ? ` (${clears} to clear something, with up to 3 requests each)` : "";
  return [`On merge: ${isAtLeast ? "at least " : ""}${parts.join(", ")}${more}. This preview sent nothing.`];
}

const POSTS = [
  ["voices", "adds a voice", "add voices"],
  ["messages", "sends an SMS", "send an SMS each"],
  ["ends", "ends a chat", "end a chat each"],
] as const;

/** What a revert does, each sentence once. */
function undoOf(cards: readonly Card[]): Text[] {
  const backs = distinct(cards.map(({ undo }) => undo?.back));
  const told = backs.filter((back) => back.length > 0);
  return [
    ...distinct(cards.map(({ undo }) => undo?.command)),
    ...(told.length > 0 ? told : backs).map((back) => say`revert this pull request${back}`),
    ...distinct(cards.map(({ undo }) => undo?.caveat)),
  ];
}

const distinct = (texts: readonly (Text | undefined)[]): Text[] => uniqueBy(present(texts), plain);

function restOf({ others, unchanged }: Changes, hasFailed: boolean): Text[] {
  const ops = tally(others.map(({ op }) => op)).map(([op, count]) => say`${count} ${PAST[op] ?? op}`);
  const types = tally(others.map(({ type }) => type)).map(([type, count]) => say`${id(type)} ${count}`);
  return present([
    others.length > 0 && say`Other resources of this stack: ${joined(ops, ", ")} (${some(types, 5)}).`,
    unchanged > 0 && !hasFailed && [`Unchanged: ${counted(unchanged, "resource")}.`],
  ]);
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

const tally = (values: readonly string[]): [string, number][] =>
  groupBy(values, (value) => value)
    .map((same): [string, number] => [same[0], same.length])
    .sort(([, a], [, b]) => b - a);

/** One line for the whole change: the titles of the cards, or how many there are of a family. */
function headlineOf(cards: readonly Card[]): Text {
  if (cards.length === 0) {
    return ["No change to agents, voices or chats"];
  }
  const titles = groupBy(cards, ({ family }) => family).flatMap((alike): Text[] => {
    const [{ family }] = alike;
    const isFew = alike.length <= (IN_TWOS.has(family) ? 2 : 1);
    return isFew ? alike.map(({ title }) => title) : [[together(family, alike)]];
  });
  const more = titles.length - MOST_TITLES;
  const shown = joined(titles.slice(0, MOST_TITLES), " · ");
  return more > 0 ? say`${shown} · and ${counted(more, "other kind")} of change` : shown;
}

const MOST_TITLES = 3;

/** The headline has the titles of two cards of these families, because what they do cannot be taken back. */
const IN_TWOS: ReadonlySet<Family> = new Set(["guard", "unresolved", "message", "replacement"]);

function together(family: Family, cards: readonly Card[]): string {
  const total = totalOf(cards.flatMap(({ affected }) => affected));
  const numbers = total === undefined ? "numbers, not all known yet" : counted(total, "number");
  return TOGETHER[family]({ count: cards.length.toLocaleString("en"), numbers });
}
