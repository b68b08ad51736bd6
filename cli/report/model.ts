import {
  compare,
  isOfNumbers,
  POST_COUNTS,
  POSTED,
  POSTED_KINDS,
  partsOf,
  postedAs,
  postedNouns,
  type ResourceKind,
} from "../../provider/review";
import { groupBy, present, uniqueBy } from "../lists";
import type { Preview, Step } from "../pulumi/preview";
import { type Card, card, type Family, type Requests, sum, type Tone, together, totalOf } from "./card";
import { postCards } from "./cards/posted";
import { type Changes, changesIn } from "./changes";
import { readDiagnostics } from "./diagnostics";
import { digestOf } from "./digest";
import { guardsIn, type ReadApproved, settingChanges } from "./guards";
import { numberCards } from "./numbers";
import { counted, id, joined, plain, say, shown, some, someIds, type Text } from "./text";

/** What a report says, before it is written as Markdown, HTML or JSON. */
export type Model = ReturnType<typeof buildModel>;

/**
 * @param readApproved the text of the file that the setting approvedAgents names; undefined if it cannot be read
 */
export function buildModel(
  preview: Preview,
  title: string | undefined,
  now = new Date(),
  readApproved: ReadApproved = () => undefined,
) {
  const { config } = preview;
  const changes = changesIn(preview);
  const { project, stack, providers } = changes;
  const { failure, ...said } = readDiagnostics(preview);
  const guards = guardsIn(config, changes.allProviders, said.areBypassed, readApproved);
  const cards = [
    ...numberCards(changes, guards, { stack, now }),
    ...postCards(changes),
    ...retainedCards(changes),
    ...providers.map(providerCard),
  ].sort(byImportance);
  const requests = sum(cards.map((one) => one.requests));
  return {
    title,
    project,
    stack,
    headline: failure ?? headlineOf(cards),
    tone: said.hasFailed ? ("danger" satisfies Tone) : (cards[0]?.tone ?? "plain"),
    ...said,
    cards,
    facts: cards.flatMap(({ facts }) => facts),
    requests,
    onMerge: onMerge(requests, said.hasFailed),
    /** Does the run change nothing at all, also nothing of other providers? */
    isUnchanged: cards.length + changes.others.length === 0 && !said.hasFailed,
    undo: undoOf(cards),
    /** Resources of other providers. */
    rest: restOf(changes),
    digest: said.hasFailed ? undefined : digestOf(changes),
  };
}

/** The most important first, and then by title, because the engine's order differs from run to run. */
const byImportance = (a: Card, b: Card): number => a.rank - b.rank || compare(plain(a.title), plain(b.title));

/** Nothing is sent, but what a later delete does depends on it. */
const retainedCards = ({ retained }: Changes): Card[] =>
  groupBy(retained, ({ kind, new: next }) => `${next?.retainOnDelete} ${isOfNumbers(kind) || kind}`).map((all) => {
    const [{ kind, new: next }] = all;
    const names = someIds(all.map(({ name }) => name));
    const isSet = next?.retainOnDelete === true;
    return card({
      rank: 8,
      family: "quiet",
      title: say`${id("retainOnDelete")} is ${isSet ? "set on" : "taken away from"} ${names}: recorded, nothing is sent`,
      notes: [[`From the next run on, a delete ${whatDeleteDoes(kind, isSet)}.`]],
    });
  });

function whatDeleteDoes(kind: ResourceKind, isRetained: boolean): string {
  if (isOfNumbers(kind)) {
    return isRetained ? "keeps the agents" : "clears them";
  }
  const { noun, end } = postedAs(kind);
  return isRetained || end === undefined ? `leaves the ${noun} as it is` : `ends the ${noun}`;
}

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
  return [`On merge: ${requestsText(requests)}. This preview sent nothing.`];
}

/** `at least 3 PUTs, 1 of which clears something, in up to 3 requests; 1 POST that sends an SMS`. */
export function requestsText(requests: Requests): string {
  const { puts, clears, isAtLeast } = requests;
  const posts = POST_COUNTS.flatMap(({ count, method, one, many }) => {
    const times = requests[count];
    return times === 0 ? [] : [`${counted(times, method)} that ${times === 1 ? one : many}`];
  });
  // "At least 0" says nothing.
  if (isAtLeast && puts === 0 && posts.length === 0) {
    return "the number of PUTs is known only after apply";
  }
  const all = puts > 0 || posts.length === 0 ? [`${counted(puts, "PUT")}${clearsText(puts, clears)}`] : [];
  return `${isAtLeast ? "at least " : ""}${[...all, ...posts].join(clears > 0 ? "; " : ", ")}`;
}

/** The interface does not specify how a field is cleared, so the provider may have to try. */
function clearsText(puts: number, clears: number): string {
  if (clears === 0) {
    return "";
  }
  const which = clears === puts ? " that" : `, ${clears.toLocaleString("en")} of which`;
  return `${which} ${clears === 1 ? "clears something, in up to 3 requests" : "clear something, in up to 3 requests each"}`;
}

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

function restOf({ others }: Changes): Text[] {
  const ops = tally(others.map(({ op }) => op)).map(([op, count]) => say`${count} ${PAST[op] ?? op}`);
  const types = tally(others.map(({ type }) => type)).map(([type, count]) => say`${id(type)} ${count}`);
  return present([others.length > 0 && say`Other resources of this stack: ${joined(ops, ", ")} (${some(types, 5)}).`]);
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
    return [`No change to agents, ${postedNouns("or")}`];
  }
  const titles = groupBy(cards, ({ family }) => family).flatMap((alike): Text[] => {
    const [{ family }] = alike;
    const isFew = alike.length <= (IN_TWOS.has(family) ? 2 : 1);
    return isFew ? alike.map(({ title }) => title) : [[manyTogether(family, alike)]];
  });
  const more = titles.length - MOST_TITLES;
  const shown = joined(titles.slice(0, MOST_TITLES), " · ");
  return more > 0 ? say`${shown} · and ${counted(more, "other kind")} of change` : shown;
}

const MOST_TITLES = 3;

/** The headline has the titles of two cards of these families, because what they do cannot be taken back. */
const IN_TWOS: ReadonlySet<Family> = new Set([
  "guard",
  "unresolved",
  "unapproved",
  "replacement",
  ...POSTED_KINDS.flatMap((kind) => (POSTED[kind].sends.isLoud ? [POSTED[kind].sends.family] : [])),
]);

function manyTogether(family: Family, cards: readonly Card[]): string {
  const total = totalOf(cards.flatMap(({ affected }) => affected));
  const numbers = total === undefined ? "numbers, not all known yet" : counted(total, "number");
  return together(family, { count: cards.length.toLocaleString("en"), numbers });
}
