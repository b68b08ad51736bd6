import { CLI } from "../command";
import { groupBy, present, uniqueBy } from "../lists";
import { guardsIn, hasGuards } from "../pulumi/config";
import { appliedIn, type Preview } from "../pulumi/preview";
import { byImportance, type Card, countText, familyTitle, onText, requestsText, sum, totalOf } from "./card";
import { type Changes, changesIn, digestOf } from "./changes";
import { type Alert, readDiagnostics } from "./diagnostics";
import { countOf, type Effect, effectsIn, type OtherStacks, sentNumbers } from "./effects";
import { numberCards } from "./numberCards";
import { postCards } from "./postCards";
import { few, fewQuoted, joined, quoted, type Text, toPlain, words } from "./text";
import { guardCards } from "./wholeRun";

/** The report on one preview, before it is rendered as Markdown or JSON. */
export type Report = ReturnType<typeof reportOf>;

/** Reads everything from a preview that doesn't depend on the project's other stacks. */
export function readStack(preview: Preview) {
  const changes = changesIn(preview);
  const guards = guardsIn(preview.config);
  return { preview, changes, guards, outcome: readDiagnostics(preview), numbers: effectsIn(changes, guards) };
}

/**
 * Builds the report on one stack.
 * @param others what the project's other stacks do with their numbers, if the report covers several stacks
 */
export function reportOf(
  { preview, changes, guards: set, outcome: read, numbers: alone }: ReturnType<typeof readStack>,
  others?: OtherStacks,
) {
  const { project, stack } = changes;
  const { failure, alerts, ...outcome } = read;
  const guards = { ...set, areBypassed: outcome.areBypassed };
  const { effects, ...numbers } = others === undefined ? alone : effectsIn(changes, guards, others);
  const cards = [
    ...strandedCards(changes),
    ...guardCards(effects, { ...changes, ...numbers }, guards),
    ...numberCards(effects, { ...numbers, guards, stack }),
    ...postCards(changes),
    ...retainedCards(changes),
  ].sort(byImportance);
  const requests = sum(cards.map((card) => card.requests));
  const { hasFailed } = outcome;
  const merge = hasFailed ? "nothing is sent until the preview succeeds" : requestsText(requests);
  return {
    ...outcome,
    project,
    stack,
    headline: failure ?? headlineOf(cards),
    alerts: [...alerts, ...firstAlerts(effects)],
    cards,
    facts: cards.flatMap(({ facts = [] }) => facts),
    requests,
    sentNumbers: sentNumbers(effects),
    /** Whether the run changes nothing, not even resources of other packages. */
    isUnchanged: cards.length + changes.others === 0 && !hasFailed,
    foot: present<Text>([
      [`On merge: ${merge}. This preview sent nothing.`],
      !hasFailed && undoOf(cards),
      effects.length > 0 && !hasGuards(preview.config) && ["Guards: none set for this stack."],
      changes.others > 0 && [`Other changed resources in this stack: ${changes.others.toLocaleString("en")}.`],
    ]),
    digest: hasFailed ? undefined : digestOf(changes),
    /** Input for comparing this stack with the project's other stacks. */
    numbers,
  };
}

/** Returns a single alert for all first assignments, which overwrite the current routing of their numbers. */
function firstAlerts(effects: readonly Effect[]): Alert[] {
  const firsts = effects.filter(({ action }) => action === "assign");
  const count = totalOf(firsts.map((effect) => ({ count: countOf(effect) })));
  const title = `⚠ ${countText(count)} ${count === 1 ? "is" : "are"} assigned for the first time, which overwrites the current routing`;
  const note = words`The API has no endpoint to read the current routing. Before you merge, copy it from the platform's web application. To keep it, record it with ${quoted(`${CLI} takeover --import`)}, which sends nothing. The API does not specify whether a PUT keeps or clears fields that the program does not declare.`;
  return firsts.length === 0 ? [] : [{ title: [title], quote: [], note }];
}

/**
 * Returns cards for deletes that the provider will refuse (see `isStranded`). The engine runs deletes last, so the run
 * would fail after all other changes were applied.
 */
const strandedCards = ({ ours, endpoint }: Changes): Card[] =>
  groupBy(
    ours.filter(({ isStranded }) => isStranded),
    ({ old }) => String(appliedIn(old).endpoint),
  ).map((alike) => {
    const platform = quoted(appliedIn(alike[0].old).endpoint);
    const names = fewQuoted(alike.map(({ name }) => name));
    const title = words`⛔ ${quoted("pulumi up")} would fail (AGP-060): it would delete ${names}, which ${alike.length === 1 ? "is" : "are"} at ${platform}`;
    return {
      family: "fails",
      title,
      notes: [
        words`The base URL is now ${quoted(endpoint)}, so no delete is sent to ${platform}. Numbers keep their agents there, and chats continue.`,
        words`Merge the removal first, while the base URL is still ${platform}, and change the base URL afterwards. To leave the resources as they are, set ${quoted("retainOnDelete: true")} on them and merge that first.`,
      ],
      facts: [{ condition: "fails", text: title }],
    };
  });

/**
 * Returns cards for changes to `retainOnDelete`. Nothing is sent now, but the option decides whether a later delete
 * sends anything.
 */
const retainedCards = ({ retained }: Changes): Card[] =>
  groupBy(retained, ({ new: next }) => String(next?.retainOnDelete)).map((alike) => {
    const isSet = alike[0].new?.retainOnDelete === true;
    const names = fewQuoted(alike.map(({ name }) => name));
    const then = isSet ? "sends nothing" : "clears numbers and ends chats";
    return {
      family: "quiet",
      title: words`${isSet ? "Sets" : "Removes"} ${quoted("retainOnDelete")} ${isSet ? "on" : "from"} ${names} (nothing is sent)`,
      notes: [[`After this run, a delete ${then}.`]],
    };
  });

/**
 * Returns one line for the whole change. It names up to three kinds of cards, including all that send an SMS, and
 * counts the rest.
 */
function headlineOf(cards: readonly Card[]): Text {
  const families = groupBy(cards, ({ family }) => family);
  if (families.length === 0) {
    return ["No change to agents, voices or chats"];
  }
  const sendsSms = (family: readonly Card[]) => family.some(({ requests }) => (requests?.messages ?? 0) > 0);
  const places = Math.max(0, 3 - families.filter(sendsSms).length);
  const firstOthers = families.filter((family) => !sendsSms(family)).slice(0, places);
  const named = families.filter((family) => sendsSms(family) || firstOthers.includes(family));
  const titles = joined(named.map(familyTitle), " · ");
  const others = families.length - named.length;
  return others === 0 ? titles : words`${titles} and ${others} more`;
}

/**
 * Describes what reverting the change undoes, such as removals, and what it can't undo, with the commands to use
 * instead.
 */
function undoOf(cards: readonly Card[]): Text | false {
  const undone = cards.filter(({ isUndoNeeded = true }) => isUndoNeeded);
  const sentences = uniqueBy(present(undone.map(({ undo }) => undo)), toPlain);
  const removals = undone.filter(({ family, undo }) => family === "removal" && undo === undefined);
  const lost = removals.flatMap(({ subjects = [] }) => subjects);
  const whose = totalOf(lost) === 1 ? "its" : "their";
  const again = lost.length === 0 ? [] : [words`reverting the removal gives ${onText(lost)} ${whose} agents again`];
  const ways: Text = sentences.length > 0 ? few([...sentences, ...again], 5, " · ") : ["revert this pull request"];
  return undone.length > 0 && words`Undo: ${ways}.`;
}
