import { createHash } from "node:crypto";
import { printable } from "../../provider/base/text";
import { isEmpty } from "../../provider/routing/split";
import type { Rollout } from "../../provider/routing/types";
import { counted } from "../../provider/words/message";
import { CALLED } from "../command";
import { ROLLOUTS, valuesOf } from "../pulumi/config";
import type { KnownStack } from "../pulumi/stacks";
import { ownCommand, pulumiCommand } from "../pulumi/target";
import { knownSplit, percentagesText } from "../pulumi/values";
import type { Finding } from "../state/findings";
import { listed, NOT_UNASSIGNED, type SavedNumber, savedNumbers } from "../state/numbers";
import { percentOf, percentText, rolloutResources, rolloutsIn, stackRollout } from "../state/stackRollout";
import { durationText, timeText } from "../state/time";

/**
 * One HTML file about stacks: findings, rollouts, numbers. It has no script, and its policy forbids every request and every style that
 * was not written here.
 */
export function boardPage(
  title: string,
  stacks: readonly KnownStack[],
  findings: readonly Finding[],
  madeAt: Date,
): string {
  const rollouts = stacks.flatMap(rolloutRows).sort((one, other) => (one.name < other.name ? -1 : 1));
  const numbers = stacks.flatMap(({ state }) => listed(savedNumbers(state)));
  const links: readonly (readonly [id: string, text: string])[] = [
    ["attention", `Needs attention (${findings.length})`],
    ["rollouts", `Rollouts (${rollouts.length})`],
    ["numbers", `Numbers (${numbers.length})`],
  ];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>${title}: which agents take the calls</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<main>
<h1>${title}: which agents take the calls</h1>
<p class="soft">${counted(stacks.length, "stack")}, ${counted(numbers.length, "number")}, as Pulumi’s saved state had them on ${timeHtml(madeAt)}. Nothing can be read from the platform, so a change made in its web application is not here.</p>
<nav aria-label="Sections">${links.map(([id, text]) => html`<a href="#${id}">${text}</a> `)}</nav>
<section aria-labelledby="attention">
<h2 id="attention">Needs attention: ${findings.length === 0 ? "nothing" : findings.length}</h2>
${findings.map(findingHtml)}</section>
<section aria-labelledby="rollouts">
<h2 id="rollouts">Rollouts</h2>
${tableOf("Rollouts", ["rollout", "stack", "numbers", "wanted", "callers", "since (UTC)"], rollouts.map(rolloutCells(madeAt)))}
</section>
<section aria-labelledby="numbers">
<h2 id="numbers">Numbers</h2>
${tableOf("Numbers", ["number", "label", "stack", "inbound calls", "outbound", "since (UTC)"], numbers.map(numberCells(madeAt)))}
</section>
</main>
</body>
</html>
`.html;
}

const findingHtml = ({ code, what, todo, help }: Finding): Html => html`<div class="card bad">
<p>${code !== undefined && html`<code>${code}</code> `}<strong>${messageHtml(what)}</strong></p>
<p>What to do: ${messageHtml(todo)}${help !== undefined && html` More: <code>${CALLED} help ${help}</code>`}</p>
</div>
`;

// --- rollouts

/** The rollouts of a stack: those of its config, and those that only its numbers still have. */
function rolloutRows({ state, config }: KnownStack) {
  const inConfig = rolloutsIn(valuesOf(config)[ROLLOUTS]);
  const saved = Object.fromEntries(rolloutResources(state).map(({ rollout }) => [rollout.name ?? "", rollout]));
  return Object.entries<Rollout>({ ...saved, ...inConfig }).map(([name, rollout]) => ({
    ...stackRollout(name, rollout, state),
    target: state.target,
    isInConfig: Object.hasOwn(inConfig, name),
  }));
}

const rolloutCells =
  (madeAt: Date) =>
  (row: ReturnType<typeof rolloutRows>[number]): readonly Piece[] => {
    const { name, stack, target, entry, isInConfig, numbers, notApplied, since } = row;
    // `abort` refuses a rollout that the config does not have.
    const hasWayBack = isInConfig && percentOf(entry) > 0;
    return [
      name,
      stack,
      numbers.length,
      html`${wantedHtml(entry)}${hasWayBack && html`<br/><span class="soft">To go back: <code>${ownCommand(target, "abort", name)} --up</code></span>`}`,
      notApplied.length === 0
        ? html`<span class="good">have it</span>`
        : html`<span class="bad">${notApplied.map((one) => html`${one}.<br/>`)}</span>Run <code>${pulumiCommand(target, "up")}</code>.`,
      sinceHtml(since, madeAt),
    ];
  };

function wantedHtml({ stable, candidate, aborted, ...rollout }: Rollout): Html {
  const percent = percentOf({ stable, candidate, ...rollout });
  const agents = [agentHtml(stable, 100 - percent), percent > 0 && html`<br/>${agentHtml(candidate ?? "", percent)}`];
  return percent === 0 && aborted !== undefined
    ? html`${agents}<br/><span class="bad">${aborted.agent} was aborted at ${percentText(aborted.percent)}</span>`
    : html`${agents}`;
}

// --- numbers

const numberCells =
  (madeAt: Date) =>
  (row: SavedNumber): readonly Piece[] => [
    html`<code>${row.number}</code>`,
    row.label,
    row.stack,
    inboundHtml(row),
    row.outboundAgent === undefined ? "–" : html`<code>${row.outboundAgent}</code>`,
    sinceHtml(row.since, madeAt),
  ];

function inboundHtml({ have, wanted, rollout, isReplaced }: SavedNumber): Html {
  const named = rollout?.name !== undefined && html`<span class="soft">${rollout.name}:</span> `;
  const splits = have.map((split, index) => html`${index > 0 && " or "}${splitHtml(split)}`);
  if (isReplaced) {
    return html`<span class="bad">${splits}, ${NOT_UNASSIGNED}</span>`;
  }
  if (wanted === undefined) {
    return html`${named}${splits}`;
  }
  const verb = have.length > 1 ? "may have " : "has ";
  return html`${named}<span class="bad">${verb}${splits}, wanted: ${splitHtml(wanted)}</span>`;
}

function splitHtml(split: SavedNumber["split"]): Html {
  const percents = knownSplit(split);
  if (percents === undefined || isEmpty(percents)) {
    return html`${percentagesText(split, "nothing of this resource")}`;
  }
  const agents = Object.entries(percents).map(
    ([agent, percent], index) => html`${index > 0 && ", "}${agentHtml(agent, percent)}`,
  );
  return html`${agents}`;
}

// --- what sections have in common

const agentHtml = (agent: string, percent: number): Html => html`<code>${agent}</code> ${percentText(percent)}`;

const timeHtml = (at: Date): Html => html`<time datetime="${at.toISOString()}">${timeText(at)}</time>`;

const sinceHtml = (since: Date | undefined, madeAt: Date): Piece =>
  since === undefined
    ? "–"
    : html`<time datetime="${since.toISOString()}">${timeText(since).replace(" UTC", "")}</time> <span class="soft">${durationText(madeAt.getTime() - since.getTime())}</span>`;

/** A table may be wider than a small screen: then a keyboard can scroll it. */
function tableOf(label: string, heads: readonly string[], rows: readonly (readonly Piece[])[]): Html {
  if (rows.length === 0) {
    return html`<p>None.</p>`;
  }
  const bodyRow = ([first, ...cells]: readonly Piece[]) =>
    html`<tr><th scope="row">${first}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
`;
  return html`<div class="card wide" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>
${rows.map(bodyRow)}</tbody>
</table></div>`;
}

// --- HTML in which every text of a stack stays text

/** Text that is HTML already. */
interface Html {
  readonly html: string;
}

type Piece = Html | string | number | undefined | false | readonly Piece[];

/** html`<td>${label}</td>`: a text is escaped, HTML and lists of HTML are taken as they are, and what is not there is left out. */
const html = (strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html => ({
  html: strings.map((text, index) => text + pieceText(pieces[index])).join(""),
});

function pieceText(piece: Piece): string {
  if (piece === undefined || piece === false) {
    return "";
  }
  if (typeof piece === "object") {
    return "html" in piece ? piece.html : piece.map(pieceText).join("");
  }
  return escapeHtml(String(piece));
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Characters that control a text's direction are written as escapes: `\u{202e}`. */
const escapeHtml = (text: string): string => printable(text).replace(/[&<>"']/g, (one) => ENTITIES[one] ?? one);

/** A message of a command, with its lines, and with what it has in backticks as code. */
const messageHtml = (text: string): Html =>
  html`${text.split("\n").map((line, index) => html`${index > 0 && html`<br/>`}${withCode(line.trim())}`)}`;

const withCode = (line: string): readonly Piece[] =>
  line.split(/(`[^`]+`)/).map((piece) => (/^`.+`$/.test(piece) ? html`<code>${piece.slice(1, -1)}</code>` : piece));

// --- the look: light and dark, on a screen and on paper

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #57606a; --line: #d0d7de; --paper: #ffffff; --ground: #f6f8fa; --link: #0a5cb0; --bad: #b42318; --good: #1a7f37; }
@media (prefers-color-scheme: dark) {
:root { --ink: #e6edf3; --soft: #9aa7b5; --line: #3d444d; --paper: #161b22; --ground: #0d1117; --link: #6cb1ff; --bad: #ff7b72; --good: #57c06d; }
}
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 24px 20px 60px; }
h1 { font-size: 22px; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 34px 0 10px; }
a { color: var(--link); margin-right: 18px; }
code { font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
table { width: 100%; min-width: 760px; border-collapse: collapse; }
th { text-align: left; font-weight: 600; }
th, td { padding: 7px 12px 7px 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
tbody tr:last-child > * { border-bottom: 0; }
.card { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; padding: 4px 16px; margin: 10px 0; }
.card.bad { border-left: 4px solid var(--bad); color: inherit; }
.wide { overflow-x: auto; }
.soft, thead th { color: var(--soft); font-size: 13px; }
.bad { color: var(--bad); }
.good { color: var(--good); }
@media print {
:root { color-scheme: light; --ink: #000000; --soft: #444444; --line: #bbbbbb; --paper: #ffffff; --ground: #ffffff; --link: #000000; }
body { font-size: 11px; }
main { max-width: none; padding: 0; }
nav { display: none; }
.wide { overflow: visible; }
tr, .card.bad { break-inside: avoid; }
}
`;

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");
