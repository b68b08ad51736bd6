import { CALLED } from "../../command";
import { present } from "../../lists";
import type { Gate } from "../gates";
import { gateLines, gateText } from "../gates";
import { digestLine } from "../lines";
import { bodyOf, html, LIMIT, listBlock, markdown, marker, tableOf, titleOf } from "../markdown";
import { requestsText } from "../model";
import { id, joined, plain, say, type Text } from "../text";
import type { Crossing } from "./crossing";
import { moreCrossings, type Review, type StackReview } from "./review";

/** The comment over several stacks: a table, what concerns two stacks, and a section for each stack that changes. */

/** Room for the lines around the sections. */
const RESERVED = 500;
/** A section has at least its headline and its digest. */
const LEAST_ROOM = 1500;
const MOST_WHOLE = 5;
const MOST_TITLES = 15;

export function reviewToMarkdown(review: Review, gates: readonly Gate[]): string {
  const { title, project, headline, crossings, notes, stacks } = review;
  const changed = stacks.filter(({ model }) => !model.isUnchanged);
  const unchanged = stacks.filter(({ model }) => model.isUnchanged);
  const head = present([
    marker(project),
    ...titleOf(title),
    `### ${markdown(headline)}`,
    ...crossingBlocks(crossings),
    changed.length > 0 && tableOf(["stack", "what changes", "on merge", "guards"], changed.map(rowOf)),
    linesOf(unchanged, notes) || false,
    ...unchanged.map(({ stack, model }) => digestComment(stack, model.digest)),
  ]).join("\n\n");
  return `${[head, ...sections(changed, gates, LIMIT - RESERVED - head.length)].join("\n\n")}\n`;
}

/** Some with what to do, some by their title alone, and how many more there are. */
function crossingBlocks(crossings: readonly Crossing[]): string[] {
  const brief = crossings.slice(MOST_WHOLE, MOST_WHOLE + MOST_TITLES).map((one) => `- ${titleLine(one)}`);
  const more = crossings.length - MOST_WHOLE - brief.length;
  return present([
    ...crossings.slice(0, MOST_WHOLE).map((one) => crossingBlock(one, crossings.length > 1)),
    brief.length > 0 && brief.join("\n"),
    more > 0 && `… and ${moreCrossings(more)}: \`${CALLED} report --json\` has them all.`,
  ]);
}

const titleLine = ({ title, isBlocking }: Crossing): string => `${isBlocking ? "❌" : "⚠"} ${markdown(title)}`;

function crossingBlock(crossing: Crossing, hasTitle: boolean): string {
  const { notes, numbers } = crossing;
  const list =
    numbers.length > 1 &&
    listBlock(
      "The numbers",
      "On ",
      numbers.map((number) => [id(number)]),
    );
  return present([
    hasTitle && `#### ${titleLine(crossing)}`,
    notes.map((note) => `- ${markdown(note)}`).join("\n"),
    list,
  ]).join("\n\n");
}

function rowOf(one: StackReview): string[] {
  const { stack, model } = one;
  const { headline, hasFailed, requests } = model;
  return [
    markdown([id(stack)]),
    `${hasFailed ? "❌ " : ""}${markdown(headline)}`,
    hasFailed ? "nothing, while the preview fails" : requestsText(requests),
    guardsWord(one),
  ];
}

function guardsWord({ model, blocking, hasGuards }: StackReview): string {
  if (model.hasFailed) {
    return "❌";
  }
  if (blocking.length > 0) {
    return `⛔ ${markdown([blocking.map(({ gate }) => gateText(gate)).join(", ")])}`;
  }
  if (model.areBypassed) {
    return "⚠ bypassed";
  }
  return hasGuards ? "ok" : "none set";
}

/** The stacks without a change in one line, and below it the notes. */
function linesOf(unchanged: readonly StackReview[], notes: readonly Text[]): string {
  const names = unchanged.map(({ stack }) => [id(stack)]);
  const quiet: Text[] = names.length === 0 ? [] : [say`No change: ${joined(names, ", ")}.`];
  return [...quiet, ...notes].map(markdown).join("<br>\n");
}

/** A merge job also compares the digest of a stack that does not change. No reader needs it, so it is in a comment of the Markdown. */
const digestComment = (stack: string, digest: string | undefined): string | false =>
  digest !== undefined && `<!-- reviewed-digest \`${stack.replace(/[^\w.-]/g, "_")}\` \`${digest}\` -->`;

/** Each section gets the room that the sections before it leave. */
function sections(changed: readonly StackReview[], gates: readonly Gate[], room: number): string[] {
  let left = room;
  return changed.map((one, index) => {
    const share = Math.floor(left / (changed.length - index));
    const text = share < LEAST_ROOM ? shortSection(one) : section(one, gates, share);
    left -= text.length + 2;
    return text;
  });
}

/** There is no room for more: the table above has what changes. */
const shortSection = ({ stack, model: { digest } }: StackReview): string =>
  digest === undefined ? markdown(say`${id(stack)}: left out`) : markdown(digestLine(stack, digest));

function section({ stack, model, blocking }: StackReview, gates: readonly Gate[], room: number): string {
  const isUrgent = model.tone !== "plain" || blocking.length > 0;
  const summary = `<b>${html(stack)}</b>: ${model.hasFailed ? "❌ " : ""}${html(plain(model.headline))}`;
  const open = `<details${isUrgent ? " open" : ""}><summary>${summary}</summary>`;
  const extra = { alerts: [], lines: gateLines(gates, blocking, model) };
  return `${open}\n\n${bodyOf(model, extra, room - open.length, stack)}\n\n</details>`;
}
