import { UNAPPLIED } from "../../provider/core/messages";
import { isEmpty } from "../../provider/core/routing/split";
import { type Html, html } from "../page/html";
import { isSplit, percentsText } from "../pulumi/values";
import { counted } from "../report/text";
import { percentText } from "../rollout/value";
import { ageText, cellTime, scrolled } from "./parts";
import type { Board, NumberRow } from "./read";

/** Every number. Ten thousand of them are one table in parts: the browser lays out those that are seen. */

const PART = 200;

export function numberSection({ numbers, madeAt }: Board): Html {
  const parts = Array.from({ length: Math.ceil(numbers.length / PART) }, (_, index) =>
    numbers.slice(index * PART, (index + 1) * PART),
  );
  const tables = html`${parts.map((part, index) => numberTable(part, index * PART, madeAt))}`;
  return html`<section aria-labelledby="numbers">
<h2 id="numbers">Numbers</h2>
${numbers.length === 0 && html`<p>No stack has a number.</p>`}
<p id="filter" hidden="hidden"><label>Find <input id="find" type="search" placeholder="number, label, agent or stack" autocomplete="off" spellcheck="false"/></label> <output id="found" for="find">${counted(numbers.length, "number")}</output></p>
${numbers.length > 0 && scrolled("Numbers", tables)}
</section>`;
}

const HEADS = ["number", "label", "stack", "inbound calls", "outbound", "since (UTC)"];

/** Only the first part has a visible head. */
function numberTable(rows: readonly NumberRow[], before: number, madeAt: Date): Html {
  const [first, last] = [before + 1, before + rows.length].map((place) => place.toLocaleString("en"));
  const heads = HEADS.map(
    (head) => html`<th scope="col">${before === 0 ? head : html`<span class="unseen">${head}</span>`}</th>`,
  );
  return html`<div class="part"><table class="numbers"><caption class="unseen">Numbers ${first} to ${last}</caption><thead${before > 0 && html` class="again"`}><tr>${heads}</tr></thead><tbody>
${rows.map((row) => numberRow(row, madeAt))}</tbody></table></div>
`;
}

function numberRow(row: NumberRow, madeAt: Date): Html {
  const outbound = row.outboundAgent === undefined ? html`–` : html`<code>${row.outboundAgent}</code>`;
  const at = row.since;
  const since = at === undefined ? html`–` : html`${cellTime(at)} <span class="soft">${ageText(at, madeAt)}</span>`;
  const columns = [row.label, row.stack, inboundCell(row), outbound, since];
  return html`<tr><th scope="row"><code>${row.number}</code></th>${columns.map((cell) => html`<td>${cell}</td>`)}</tr>
`;
}

function inboundCell({ split, unapplied, rollout }: NumberRow): Html {
  const named = rollout?.name !== undefined && html`<span class="soft">${rollout.name}:</span> `;
  if (unapplied !== undefined) {
    const { reason, applied, maybe } = unapplied;
    const others = maybe.length === 0 ? "" : `, may have ${maybe.map((one) => percentsText(one)).join(" or ")}`;
    const last = `applied last: ${percentsText(applied, "nothing")}${others}`;
    return html`${named}<span class="bad">${UNAPPLIED[reason]}: wanted ${percentsText(split)}, ${last}</span>`;
  }
  if (!isSplit(split) || isEmpty(split)) {
    return html`${named}${percentsText(split)}`;
  }
  const agents = Object.entries(split).map(
    ([agent, percent], index) => html`${index > 0 && ", "}<code>${agent}</code>${besides(percentText(percent))}`,
  );
  return html`${named}${agents}`;
}

/** A percentage stays on the line of its agent. */
const besides = (text: string): string => ` ${text}`.replaceAll(" ", "\u00a0");
