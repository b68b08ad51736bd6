import type { Split } from "../../provider/review";
import { present } from "../lists";
import { type Bars, newBars } from "../page/bars";
import { type Html, html } from "../page/html";
import { pageText } from "../page/page";
import { type AgentTable, affectedText, type Card, type FieldRow } from "./card";
import type { Alert } from "./diagnostics";
import {
  type AgentLine,
  agentLines,
  type Extra,
  footLines,
  headlineWithStack,
  isAllNew,
  isPartText,
  NO_EXTRA,
} from "./lines";
import type { Model } from "./model";
import { counted, joined, plain, say, styled, type Text } from "./text";

/** The report as a page of one file, for a chat or a change ticket: the same look as the page of stacks, and no request either. */

export function toHtml(model: Model, extra: Extra = NO_EXTRA): string {
  const bars = newBars();
  const body = reportBody(model, bars, extra);
  return pageText({ title: plain(headlineWithStack(model)), body, style: `${STYLE}${bars.style()}` });
}

const STYLE = `
.card h2 { margin: 0 0 8px; font-size: 15px; }
/* Columns of one width, so that bars before and after can be compared. */
.card table { table-layout: fixed; }
.card .bar { height: 9px; margin: 6px 0 0; }
.card ul { margin: 6px 0; padding-left: 20px; }
`;

export const reportBody = (model: Model, bars: Bars, extra: Extra = NO_EXTRA): Html => html`<main>
${model.title !== undefined && html`<p class="soft">${model.title}</p>`}
<h1>${model.hasFailed && "❌ "}${inline(headlineWithStack(model))}</h1>
${[...extra.alerts, ...model.alerts].map(alertCard)}${isPartText(model) && html`<p>${isPartText(model)}</p>`}
${model.cards.map((one) => cardOf(one, model.cards.length === 1 && !model.hasFailed, bars))}
${footLines(model, extra.lines).map(
  (line) => html`<p>${inline(line)}</p>
`,
)}
${model.warnings.map(
  (warning) => html`<p class="held">The provider warns: ${warning}</p>
`,
)}
</main>`;

/** A text of a report, with its names as code. */
const inline = (text: Text): readonly Html[] =>
  text.map((part) => {
    const { text: words, kind } = styled(part);
    if (kind === "") {
      return html`${words}`;
    }
    return kind === "mono" ? html`<code>${words}</code>` : html`<strong>${words}</strong>`;
  });

const alertCard = ({ tone, title, quote }: Alert): Html => html`<div class="card ${tone}">
<p><strong>${inline(title)}</strong></p>
${quote.map(
  (line) => html`<p><code>${line}</code></p>
`,
)}</div>
`;

/** The title of an only card is the headline already. */
function cardOf(one: Card, isAlone: boolean, bars: Bars): Html {
  const { tone, title, affected, agents, fields, notes, listed } = one;
  const where = affected.length > 1 && list("Where", affected.map(affectedText));
  return html`<article class="card ${tone}">
${!isAlone && html`<h2>${inline(title)}</h2>`}
${present([
  agents && agentsTable(agents, bars),
  fields.length > 0 && fieldsTable(fields),
  notes.length > 0 &&
    html`<ul>${notes.map((note) => html`<li>${inline(note)}</li>`)}</ul>
`,
  where,
  ...listed.map(({ title: what, items }) => items.length > 0 && list(what, items)),
])}</article>
`;
}

/** A long list is folded. */
const list = (title: string, items: readonly Text[]): Html =>
  html`<details${items.length <= MOST_OPEN && html` open="open"`}><summary>${title} (${items.length.toLocaleString("en")})</summary><ul>${items.map((item) => html`<li>${inline(item)}</li>`)}</ul></details>
`;

const MOST_OPEN = 6;

const headRow = (heads: readonly string[]): Html =>
  html`<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>`;

function agentsTable(table: AgentTable, bars: Bars): Html {
  const { heads, rows, more } = agentLines(table);
  const lines = rows.map(
    ({ agent, cells, isChanged }) =>
      html`<tr><th scope="row"><code>${agent}</code></th>${cells.map((cell) => agentCell(cell, isChanged, bars))}</tr>
`,
  );
  return html`<div class="wide"><table>${headRow(heads)}<tbody>
${lines}</tbody></table></div>
${
  more > 0 &&
  html`<p>… and ${counted(more, "more agent")}</p>
`
}`;
}

function agentCell({ text, share, side }: AgentLine["cells"][number], isChanged: boolean, bars: Bars): Html {
  const name = share === undefined ? undefined : bars.classOf(...parted(share, side));
  const words = isChanged ? html`<strong>${text}</strong>` : html`${text}`;
  return html`<td>${words}${name !== undefined && html`<span class="bar ${name}"></span>`}</td>`;
}

/** The split that the bar of one agent shows: what the other agents get has no colour. */
const parted = (share: number, side: "old" | "new"): [Split, { stable?: string; candidate?: string; rest: string }] => [
  { agent: share, "": 100 - share },
  { ...(side === "old" ? { stable: "agent" } : { candidate: "agent" }), rest: "" },
];

function fieldsTable(fields: readonly FieldRow[]): Html {
  if (isAllNew(fields)) {
    const all = fields.map(({ field, after }) => say`${field} ${after}`);
    return html`<p>With ${inline(joined(all, " · "))}</p>
`;
  }
  const rows = fields.map(
    ({ field, before, after }) =>
      html`<tr><th scope="row">${field}</th><td>${inline(before)}</td><td>${inline(after)}</td></tr>
`,
  );
  return html`<div class="wide"><table>${headRow(["field", "before", "after"])}<tbody>
${rows}</tbody></table></div>
`;
}
