import { createHash } from "node:crypto";
import { counted } from "../../provider/core/messages";
import { CALLED } from "../command";
import { maybeRenamed } from "../history/changes";
import type { ToldChange } from "../history/words";
import { type Html, html, messageHtml, type Piece } from "./html";
import { numberSection } from "./numberTable";
import { cellTime, scrolled, timeHtml, why } from "./parts";
import type { Board } from "./read";
import { rolloutSection } from "./rolloutCards";
import { STYLE } from "./style";

/** One file without a script. Its policy forbids every request, and every style that was not written here. */

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

export const boardPage = (board: Board): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="referrer" content="no-referrer"/>
<title>${pageTitle(board)}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
${mainOf(board)}
</body>
</html>
`.html;

const pageTitle = ({ project }: Board): string => `${project}: which agents take the calls`;

/** The page without its frame. */
const mainOf = (board: Board): Html => html`<main>
${header(board)}
${attentionSection(board.attention)}
${rolloutSection(board)}
${historySection(board)}
${numberSection(board)}
</main>`;

function header(board: Board): Html {
  const { stacks, attention, rollouts, numbers, madeAt } = board;
  const links: readonly (readonly [string, string])[] = [
    ["attention", `Needs attention (${attention.length.toLocaleString("en")})`],
    ["rollouts", `Rollouts (${rollouts.length})`],
    ["history", "What happened"],
    ["numbers", `Numbers (${numbers.length.toLocaleString("en")})`],
  ];
  const said = `${counted(stacks.length, "stack")}, ${counted(numbers.length, "number")}, as Pulumi’s saved state had them on `;
  return html`<header>
<h1>${pageTitle(board)}</h1>
<p class="soft">${said}${timeHtml(madeAt)}. The API has no read endpoint, so a change made in the platform’s web application is not here.</p>
<nav aria-label="Sections"><ul class="sections">${links.map(([id, text]) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></nav>
</header>`;
}

// --- what needs attention

const attentionSection = (attention: Board["attention"]): Html => html`<section aria-labelledby="attention">
<h2 id="attention">Needs attention: ${attention.length === 0 ? "nothing" : attention.length.toLocaleString("en")}</h2>
${attention.map(finding)}
</section>`;

const finding = ({ code, what, todo, help }: Board["attention"][number]): Html => html`<div class="card bad">
<p>${code !== undefined && html`<code>${code}</code> `}<strong>${messageHtml(what)}</strong></p>
<p>What to do: ${messageHtml(todo)}${help !== undefined && html` More: <code>${CALLED} help ${help}</code>`}</p>
</div>
`;

// --- what happened

const CHANGE_HEADS = ["when (UTC)", "stack", "change", "agents", "who", "why", "result"];

const historySection = ({ changes }: Board): Html => html`<section aria-labelledby="history">
<h2 id="history">What happened</h2>
${changes.length === 0 ? html`<p>No recorded run has changed a rollout.</p>` : scrolled("Recorded changes", changeTable(changes))}
${changes.some(({ removed }) => removed && !maybeRenamed(removed)) && html`<p class="soft">Numbers of a deleted or replaced resource lost their agents, unless another resource has them. Pulumi’s record counts the resources and does not name their numbers.</p>`}
</section>`;

const changeTable = (changes: readonly ToldChange[]): Html =>
  html`<table class="changes"><thead><tr>${CHANGE_HEADS.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead><tbody>
${changes.map(changeRow)}</tbody></table>`;

function changeRow(change: ToldChange): Html {
  const { at, stack, rollout, move, agents, origin, outcome, outcomeWords } = change;
  const isDone = outcome.what === "applied" || outcome.appliedAt !== undefined;
  const cells: readonly Piece[] = [
    cellTime(at),
    stack,
    html`${rollout && `${rollout}: `}<strong>${move}</strong>`,
    agents === undefined ? "–" : html`<code>${agents}</code>`,
    origin.who ?? "–",
    why(origin),
    html`<span class="${isDone ? "good" : "bad"}">${outcomeWords}</span>`,
  ];
  return html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
`;
}
