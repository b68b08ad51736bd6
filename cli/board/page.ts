import { splitOf } from "../../provider/routing/rollout";
import { isEmpty } from "../../provider/routing/split";
import type { Rollout } from "../../provider/routing/types";
import { counted } from "../../provider/words/message";
import { CLI } from "../command";
import { groupBy } from "../lists";
import type { KnownStack } from "../pulumi/stacks";
import { ownCommand, withBypass } from "../pulumi/target";
import { knownSplit, percentagesIn, percentagesText } from "../pulumi/values";
import type { Finding } from "../state/findings";
import { listed, NOT_UNASSIGNED, type SavedNumber, savedNumbers } from "../state/numbers";
import { openOperations, resourceTitle } from "../state/resources";
import {
  applyCommand,
  commandToAbort,
  configRollouts,
  percentOf,
  percentText,
  rolloutResources,
  stackRollout,
  whyBypassNeeded,
} from "../state/stackRollout";
import { durationText, timeText } from "../state/time";
import { type Html, html, messageHtml, type Piece } from "./html";
import { COLOUR_COUNT, STYLE, STYLE_HASH } from "./style";

/**
 * What all sections of the page share: the time at which it was made, and the colours, so that an agent has the same
 * colour everywhere.
 */
interface Page {
  readonly madeAt: Date;
  readonly colourOf: (agent: string) => number;
}

/**
 * Returns the board as one HTML file. Its content security policy forbids scripts, requests and any style other than
 * `STYLE`.
 */
export function boardPage(
  title: string,
  stacks: readonly KnownStack[],
  findings: readonly Finding[],
  madeAt: Date,
): string {
  const rollouts = stacks.flatMap(rolloutRows).sort((a, b) => (a.name < b.name ? -1 : 1));
  const numbers = stacks.flatMap(({ state, config }) => listed(savedNumbers(state, config)));
  const problems = findings.filter(({ isNote }) => !isNote).length;
  const page: Page = { madeAt, colourOf: colours() };
  const links: readonly (readonly [id: string, text: string])[] = [
    ["attention", `Needs attention (${problems})`],
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
<p class="soft">${counted(stacks.length, "stack")}, ${counted(numbers.length, "number")}, as saved in Pulumi’s state on ${timeHtml(madeAt)}. The routing cannot be read from the platform, so this page does not show changes made in its web application.</p>
<nav aria-label="Sections">${links.map(([id, text]) => html`<a href="#${id}">${text}</a> `)}</nav>
<section aria-labelledby="attention">
<h2 id="attention">Needs attention: ${problems === 0 ? "nothing" : problems}</h2>
${findings.map(findingHtml)}</section>
<section aria-labelledby="rollouts">
<h2 id="rollouts">Rollouts</h2>
${cardOf(rollouts.map((row) => rolloutHtml(row, page)))}</section>
<section aria-labelledby="numbers">
<h2 id="numbers">Numbers</h2>
${cardOf(alike(numbers).map((group) => groupHtml(group, page)))}</section>
</main>
</body>
</html>
`.html;
}

const findingHtml = ({
  code,
  problem,
  details = [],
  remedy,
  help,
  isNote,
}: Finding): Html => html`<div class="card${!isNote && " alert"}">
<p>${isNote && "Note: "}${code !== undefined && html`<code>${code}</code> `}<strong>${messageHtml([problem])}</strong></p>
${
  details.length > 0 &&
  html`<p>${messageHtml(details)}</p>
`
}<p>What to do: ${messageHtml(remedy)}${help !== undefined && html` More: <code>${CLI} help ${help}</code>`}</p>
</div>
`;

// --- rollouts

/**
 * Returns the rollouts in the stack's config, and those that are saved with the stack's numbers but are not in the
 * config.
 */
function rolloutRows({ state, config }: KnownStack) {
  const inConfig = configRollouts(config);
  const saved = Object.fromEntries(rolloutResources(state).map(({ rollout }) => [rollout.name ?? "", rollout]));
  const isOpen = openOperations(state).length > 0;
  return Object.entries<Rollout>({ ...saved, ...inConfig }).map(([name, entry]) => {
    const rollout = stackRollout(name, entry, state);
    const refusal = whyBypassNeeded(rollout, config);
    return { ...rollout, target: state.target, isInConfig: Object.hasOwn(inConfig, name), isOpen, refusal };
  });
}

function rolloutHtml(row: ReturnType<typeof rolloutRows>[number], page: Page): Html {
  const { name, stack, target, entry, isInConfig, numbers, notApplied, since } = row;
  const { aborted } = entry;
  const percent = percentOf(entry);
  return html`<div class="row line">
<div><strong>${name}</strong> <span class="soft">${stack}</span><br/>${counted(numbers.length, "number")}</div>
<div>${splitHtml(percentagesIn(splitOf(entry)), page)}${
    percent === 0 &&
    aborted !== undefined &&
    html`<p class="bad">${aborted.agent} was aborted at ${percentText(aborted.percent)}.</p>`
  }${
    notApplied.length > 0 &&
    html`<p class="bad">${notApplied.map((reason) => html`${reason}.<br/>`)}</p>${applyHtml(row)}`
  }${
    // Suggest `abort` only for a rollout in the config, because `abort` refuses any other.
    isInConfig && percent > 0 && html`<p class="soft">To go back: <code>${commandToAbort(name, target)}</code></p>`
  }</div>
<div>${notApplied.length === 0 && html`<span class="good">Applied to every number</span> `}${sinceHtml(since, page)}</div>
</div>
`;
}

/** Suggests the command that applies the rollout to the remaining numbers. */
function applyHtml({ target, isOpen, refusal, ...rollout }: ReturnType<typeof rolloutRows>[number]): Html {
  // After a stopped run, `pulumi up` might send an SMS a second time.
  if (isOpen) {
    return html`<p>Run <code>${ownCommand(target, "doctor")}</code> first.</p>`;
  }
  const command = applyCommand(rollout, target);
  return refusal === undefined
    ? html`<p>Run <code>${command}</code>.</p>`
    : html`<p>Because ${refusal}, you must give a reason to apply it: <code>${withBypass(command)}</code></p>`;
}

// --- numbers

/**
 * Groups the numbers that differ only in phone number, label and previous split. Groups that need attention come first.
 */
const alike = (numbers: readonly SavedNumber[]): (readonly [SavedNumber, ...SavedNumber[]])[] => {
  const groups = groupBy(numbers, ({ number: _, label: __, splitBefore: ___, ...same }) => JSON.stringify(same));
  // The numbers of such a group may lack the split that they should have, or are still waiting to be unassigned.
  const isWrong = ([{ wanted, isReplaced }]: readonly [SavedNumber, ...SavedNumber[]]) =>
    wanted !== undefined || isReplaced;
  return [...groups.filter(isWrong), ...groups.filter((group) => !isWrong(group))];
};

/**
 * Renders a group of numbers as one row. Several numbers are listed in a collapsed `<details>` element, which the
 * browser's find-in-page can open.
 */
function groupHtml(group: readonly [SavedNumber, ...SavedNumber[]], page: Page): Html {
  const [first, ...others] = group;
  const { resource, stack, rollout, outboundAgent, since } = first;
  const origin = html`<br/><span class="soft">${resourceTitle(resource)}, ${stack}</span>`;
  const line = (subject: Html) => html`<div class="line">
<div>${subject}${origin}</div>
<div>${inboundHtml(first, page)}</div>
<div>${rollout?.name !== undefined && html`<span class="soft">rollout</span> ${rollout.name}<br/>`}${
    outboundAgent !== undefined && html`<span class="soft">outbound</span> <code>${outboundAgent}</code><br/>`
  }${sinceHtml(since, page)}</div>
</div>
`;
  return others.length === 0
    ? html`<div class="row">${line(html`${numberHtml(first)}`)}</div>
`
    : html`<details class="row"><summary>${line(html`<strong class="count">${counted(group.length, "number")}</strong>`)}</summary>
<ul class="members">${group.map((number) => html`<li>${numberHtml(number)}</li>`)}</ul></details>
`;
}

const numberHtml = ({ number, label }: SavedNumber): Html => html`<code>${number}</code>${label && html` ${label}`}`;

function inboundHtml({ current, wanted, isReplaced }: SavedNumber, page: Page): Html {
  const splits = current.map(
    (split, index) => html`${index > 0 && html`<p class="bad">or</p>`}${splitHtml(split, page)}`,
  );
  if (isReplaced) {
    return html`${splits}<p class="bad">${NOT_UNASSIGNED}</p>`;
  }
  return wanted === undefined
    ? html`${splits}`
    : html`<p class="bad">${current.length > 1 ? "Callers may have" : "Callers have"}</p>${splits}<p>Wanted</p>${splitHtml(wanted, page)}`;
}

// --- a split

/**
 * Draws a split as a bar above the agents' names. The bar is an SVG, because the page's content security policy blocks
 * `style` attributes.
 */
function splitHtml(split: SavedNumber["split"], page: Page): Html {
  const percents = knownSplit(split);
  if (percents === undefined || isEmpty(percents)) {
    return html`${percentagesText(split, "no split from this resource")}`;
  }
  const agents = Object.entries(percents);
  const starts = agents.map((_, index) => agents.slice(0, index).reduce((sum, [, percent]) => sum + percent, 0));
  return html`<div><svg class="bar" role="img" aria-label="${percentagesText(percents)}">${agents.map(
    ([agent, percent], index) =>
      html`<rect class="agent-${page.colourOf(agent)}" x="${starts[index]}%" width="${percent}%" height="100%"/>`,
  )}</svg>${agents.map(
    ([agent, percent]) =>
      html`<span class="agent"><svg class="dot" aria-hidden="true"><rect class="agent-${page.colourOf(agent)}" width="100%" height="100%"/></svg><code>${agent}</code> ${percentText(percent)}</span> `,
  )}</div>`;
}

/** Returns a function that gives each agent the next colour when it first appears, and the same colour from then on. */
function colours(): Page["colourOf"] {
  const known = new Map<string, number>();
  return (agent) => {
    const colour = known.get(agent) ?? known.size % COLOUR_COUNT;
    known.set(agent, colour);
    return colour;
  };
}

// --- helpers for all sections

const cardOf = (rows: readonly Html[]): Html =>
  rows.length === 0 ? html`<p>None.</p>\n` : html`<div class="card">\n${rows}</div>\n`;

const timeHtml = (at: Date): Html => html`<time datetime="${at.toISOString()}">${timeText(at)}</time>`;

const sinceHtml = (since: Date | undefined, { madeAt }: Page): Piece =>
  since !== undefined &&
  html`<span class="soft">for ${durationText(madeAt.getTime() - since.getTime())}, since ${timeHtml(since)}</span>`;
