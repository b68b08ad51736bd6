import { UNAPPLIED } from "../../provider/core/messages";
import { isEmpty } from "../../provider/core/routing/split";
import { knownSplit, percentsText } from "../pulumi/values";
import { percentText } from "../stack/rollout";
import { durationText } from "../stack/time";
import { type Html, html } from "./html";
import { cellTime, scrolled } from "./parts";
import type { Board, NumberRow } from "./read";

export const numberSection = ({ numbers, madeAt }: Board): Html => html`<section aria-labelledby="numbers">
<h2 id="numbers">Numbers</h2>
${numbers.length === 0 ? html`<p>No stack has a number.</p>` : scrolled("Numbers", numberTable(numbers, madeAt))}
</section>`;

const NUMBER_HEADS = ["number", "label", "stack", "inbound calls", "outbound", "since (UTC)"];

const numberTable = (rows: readonly NumberRow[], madeAt: Date): Html =>
  html`<table class="numbers"><thead><tr>${NUMBER_HEADS.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>
${rows.map((row) => numberRow(row, madeAt))}</tbody></table>`;

function numberRow(row: NumberRow, madeAt: Date): Html {
  const outbound = row.outboundAgent === undefined ? html`–` : html`<code>${row.outboundAgent}</code>`;
  const at = row.since;
  const since =
    at === undefined
      ? html`–`
      : html`${cellTime(at)} <span class="soft">${durationText(madeAt.getTime() - at.getTime())}</span>`;
  const columns = [row.label, row.stack, inboundCell(row), outbound, since];
  return html`<tr><th scope="row"><code>${row.number}</code></th>${columns.map((cell) => html`<td>${cell}</td>`)}</tr>
`;
}

function inboundCell({ split, unapplied, rollout, stopped }: NumberRow): Html {
  const named = rollout?.name !== undefined && html`<span class="soft">${rollout.name}:</span> `;
  if (unapplied !== undefined) {
    const { reason, applied, maybe } = unapplied;
    const others = maybe.length === 0 ? "" : `, may have ${maybe.map((one) => percentsText(one)).join(" or ")}`;
    const last = `applied last: ${percentsText(applied, "nothing")}${others}`;
    return html`${named}<span class="bad">${UNAPPLIED[reason]}: wanted ${percentsText(split)}, ${last}</span>`;
  }
  if (stopped !== undefined) {
    const saved = `not certain, a run was stopped while it was ${stopped} this; saved: ${percentsText(split)}`;
    return html`${named}<span class="bad">${saved}</span>`;
  }
  const percents = knownSplit(split);
  if (percents === undefined || isEmpty(percents)) {
    return html`${named}${percentsText(split)}`;
  }
  const agents = Object.entries(percents).map(
    ([agent, percent], index) => html`${index > 0 && ", "}<code>${agent}</code> ${percentText(percent)}`,
  );
  return html`${named}${agents}`;
}
