import { CALLED } from "../command";
import { groupBy, present, uniqueBy } from "../lists";
import { hasGuards, settingsIn } from "../pulumi/config";
import { appliedIn, type Preview } from "../pulumi/preview";
import { byImportance, type Card, familyTitle, numbersText, onText, requestsText, sum, totalOf } from "./card";
import { type Changes, changesIn, digestOf } from "./changes";
import { type Alert, readDiagnostics } from "./diagnostics";
import { countOf, type Effect, numbersIn, type OtherStacks } from "./effects";
import { numberCards } from "./numberCards";
import { postCards } from "./postCards";
import { few, fewQuoted, joined, quoted, type Text, toPlain, words } from "./text";
import { guardCards } from "./wholeRun";

/** What a report says of one preview, before it is written as Markdown or JSON. */
export type Report = ReturnType<typeof reportOf>;

export const buildReport = (preview: Preview) => reportOf(readStack(preview));

/** A preview as it is read, before the stacks of a project are compared. */
export function readStack(preview: Preview) {
  const changes = changesIn(preview);
  const settings = settingsIn(preview.config);
  return { preview, changes, settings, outcome: readDiagnostics(preview), numbers: numbersIn(changes, settings) };
}

/** @param others what the other stacks of a project do */
export function reportOf(
  { preview, changes, settings, outcome: read }: ReturnType<typeof readStack>,
  others?: OtherStacks,
) {
  const { project, stack } = changes;
  const { failure, alerts, ...outcome } = read;
  const guards = { settings, areBypassed: outcome.areBypassed };
  const { effects, ...numbers } = numbersIn(changes, settings, others);
  const cards = [
    ...strandedCards(changes),
    ...guardCards(effects, { ...changes, ...numbers }, guards),
    ...numberCards(effects, { ...numbers, guards, stack }),
    ...postCards(changes),
    ...retainedCards(changes),
  ].sort(byImportance);
  const requests = sum(cards.map((card) => card.requests));
  const { hasFailed } = outcome;
  const merge = hasFailed ? "nothing, while the preview fails" : requestsText(requests);
  return {
    ...outcome,
    project,
    stack,
    headline: failure ?? headlineOf(cards),
    alerts: [...alerts, ...firstAlerts(effects)],
    cards,
    facts: cards.flatMap(({ facts = [] }) => facts),
    requests,
    /** Does the run change nothing at all, also nothing of other packages? */
    isUnchanged: cards.length + changes.others === 0 && !hasFailed,
    foot: present<Text>([
      [`On merge: ${merge}. This preview sent nothing.`],
      !hasFailed && undoOf(cards),
      effects.length > 0 && !hasGuards(preview.config) && ["Guards: this stack has none."],
      changes.others > 0 && [`Other resources of this stack: ${changes.others} change.`],
    ]),
    digest: hasFailed ? undefined : digestOf(changes),
    /** What concerns other stacks. */
    numbers,
  };
}

/** Said once, and not for each resource. */
function firstAlerts(effects: readonly Effect[]): Alert[] {
  const firsts = effects.filter(({ action }) => action === "assign");
  const count = totalOf(firsts.map((effect) => ({ count: countOf(effect) })));
  const title = `⚠ ${numbersText(count)} ${count === 1 ? "is" : "are"} assigned for the first time: this overwrites the present routing`;
  const note = words`It cannot be read back: write it down before you merge, or record it without a request by ${quoted(`${CALLED} takeover --import`)}. The API does not specify whether a PUT keeps or clears what the program does not declare.`;
  return firsts.length === 0 ? [] : [{ title: [title], quote: [], note }];
}

/** Deletes that the provider refuses, because they are of another platform. The run fails at its end. */
const strandedCards = ({ ours, endpoint }: Changes): Card[] =>
  groupBy(
    ours.filter(({ isStranded }) => isStranded),
    ({ old }) => String(appliedIn(old).endpoint),
  ).map((alike) => {
    const platform = quoted(appliedIn(alike[0].old).endpoint);
    const names = fewQuoted(alike.map(({ name }) => name));
    const title = words`⛔ ${quoted("pulumi up")} would fail (AGP-060): ${names} would be deleted, and ${alike.length === 1 ? "is" : "are"} at ${platform}`;
    return {
      family: "fails",
      title,
      notes: [
        words`The settings name ${quoted(endpoint)}, so no delete is sent to ${platform}. Numbers keep their agents there, and chats go on.`,
        words`Merge the removal first, while the base URL is ${platform}; change the base URL afterwards. To leave them as they are, set ${quoted("retainOnDelete: true")} and merge that first.`,
      ],
      facts: [{ condition: "fails", text: title }],
    };
  });

/** Nothing is sent, but what a later delete does depends on it. */
const retainedCards = ({ retained }: Changes): Card[] =>
  groupBy(retained, ({ new: next }) => String(next?.retainOnDelete)).map((alike) => {
    const isSet = alike[0].new?.retainOnDelete === true;
    const names = fewQuoted(alike.map(({ name }) => name));
    const then = isSet ? "sends nothing" : "clears numbers and ends chats";
    return {
      family: "quiet",
      title: words`${quoted("retainOnDelete")} is ${isSet ? "set on" : "taken away from"} ${names}: recorded, nothing is sent`,
      notes: [[`From the next run on, a delete of them ${then}.`]],
    };
  });

/** One line for the whole change: the titles of the cards, or how many there are of a family. An SMS is always named. */
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

/** What a revert cannot take back, and what goes back in its place: each sentence once. A revert takes back a removal, also beside these. */
function undoOf(cards: readonly Card[]): Text | false {
  const undone = cards.filter(({ isUndoNeeded = true }) => isUndoNeeded);
  const sentences = uniqueBy(present(undone.map(({ undo }) => undo)), toPlain);
  const removals = undone.filter(({ family, undo }) => family === "removal" && undo === undefined);
  const lost = removals.flatMap(({ subjects = [] }) => subjects);
  const whose = totalOf(lost) === 1 ? "its" : "their";
  const again = lost.length === 0 ? [] : [words`a revert of the removal gives ${onText(lost)} ${whose} agents again`];
  const ways: Text = sentences.length > 0 ? few([...sentences, ...again], 5, " · ") : ["revert this pull request"];
  return undone.length > 0 && words`Undo: ${ways}.`;
}
