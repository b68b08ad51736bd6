import { counted } from "../../provider/core/messages";
import { CALLED } from "../command";
import { shellText } from "../io";
import { percentOf, percentText } from "../stack/rollout";
import { durationText } from "../stack/time";
import { type Html, html, messageHtml } from "./html";
import { timeHtml, why } from "./parts";
import type { Board } from "./read";
import type { RolloutCard, Stage } from "./stages";

/** Each rollout over its stacks: who has the calls, how far it is, and what the next step waits for. */

export function rolloutSection({ rollouts, undeclared, madeAt }: Board): Html {
  return html`<section aria-labelledby="rollouts">
<h2 id="rollouts">Rollouts</h2>
${rollouts.length + undeclared.length === 0 && html`<p>No number has a rollout.</p>`}${undeclared.map((one) => html`<p class="bad">No number has the rollout ${one}, which the file has.</p>`)}
${rollouts.map((one) => rolloutCard(one, madeAt))}
</section>`;
}

function rolloutCard({ name, stages }: RolloutCard, madeAt: Date): Html {
  const underWay = stages.findLast(({ rollout }) => percentOf(rollout) > 0);
  const back = underWay && `${CALLED} abort ${shellText(name)} --stack ${shellText(underWay.stack)}`;
  return html`<article class="card">
<h3>${name}</h3>
${callersLine(stages)}
<ul class="stages">
${stages.map((stage) => stageItem(stage, madeAt))}</ul>
${back && html`<p class="soft">To go back at any time: <code>${back}</code></p>`}
</article>
`;
}

/** In one line: have callers what the file says? */
function callersLine(stages: readonly Stage[]): Html {
  const notAppliedIn = stages.filter(({ notApplied }) => notApplied.length > 0).map(({ stack }) => stack);
  return notAppliedIn.length === 0
    ? html`<p class="good">Callers have what the file says.</p>`
    : html`<p class="bad">Not all callers have what the file says: see ${notAppliedIn.join(", ")}.</p>`;
}

const stageItem = (stage: Stage, madeAt: Date): Html => html`<li>
<div><strong>${stage.stack}</strong><br/><span class="soft">${counted(stage.numbers, "number")}</span></div>
<div>${callsBar(stage)}${stepList(stage)}</div>
<div>${age(stage, madeAt)}</div>
<div>${outlook(stage)}</div>
</li>
`;

/** The candidate's percentage as a bar, and all in words. */
function callsBar({ rollout }: Stage): Html {
  const { stable, candidate } = rollout;
  const percent = percentOf(rollout);
  return candidate === undefined
    ? agentLine("stable", stable, 100)
    : html`<meter max="100" value="${percent}" aria-hidden="true"></meter>${[agentLine("stable", stable, 100 - percent), agentLine("candidate", candidate, percent)]}`;
}

const agentLine = (role: "stable" | "candidate", agent: string, percent: number): Html =>
  html`<div class="agent"><code>${agent}</code> ${percentText(percent)} <span class="soft">${role}</span></div>`;

/** The steps up to 100 %, with a mark on those that were reached before. */
function stepList({ steps, rollout }: Stage): Html | false {
  const percent = percentOf(rollout);
  const item = (step: number) =>
    step === percent
      ? html`<li class="now" aria-current="step">${percentText(step)}</li>`
      : html`<li>${percentText(step)}${step < percent && " ✓"}</li>`;
  return (
    steps.length > 0 &&
    rollout.candidate !== undefined &&
    html`<ol class="steps" aria-label="Steps">${steps.map(item)}</ol>`
  );
}

function age({ since, origin }: Stage, madeAt: Date): Html {
  const who = origin?.who !== undefined && html`${origin.who}: `;
  return html`${since === undefined ? html`<span class="soft">since when is not recorded</span>` : html`<span class="unseen">since </span>${timeHtml(since)} <span class="soft">${durationText(madeAt.getTime() - since.getTime())}</span>`}${origin !== undefined && html`<br/><span class="soft">${who}</span>${why(origin)}`}`;
}

const outlook = ({ notApplied, next: { text, tone, waits } }: Stage): Html =>
  html`${tone === "plain" && html`<span class="soft">next: </span>`}<strong class="${tone}">${text}</strong>${[...notApplied.map((one) => `${one}: run \`pulumi up\``), ...waits].map((one) => html`<br/><span class="wait">${messageHtml(one)}</span>`)}`;
