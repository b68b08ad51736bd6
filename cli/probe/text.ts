import type { NumberRecord } from "../../provider/api/assignNumber";
import { causeText, type Failure, failureCode, fixFor } from "../../provider/api/failure";
import { printable, series } from "../../provider/base/text";
import { NAMESPACE } from "../../provider/config/keys";
import type { Settings } from "../../provider/config/settings";
import { agentKey, describeAgents } from "../../provider/routing/split";
import type { Code } from "../../provider/words/codes";
import { WIDTH, wrapLines } from "../layout";
import { present } from "../lists";
import { pulumiCommand, type Target } from "../pulumi/target";
import type { Probed, Step } from "./probe";
import { MANUAL_CHECKS, QUESTIONS, type Reply, type Subject } from "./questions";

/** Formats the output of `probe`, wrapped at 80 columns. */

/** Returns a label followed by text, which is wrapped with a hanging indent. */
function withLabel(label: string, text: string): string {
  const [first = "", ...more] = wrapLines(printable(text), WIDTH - label.length);
  return [label + first, ...more.map((line) => " ".repeat(label.length) + line)].join("\n");
}

const paragraph = (text: string): string => withLabel("", text);

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const numbered = (index: number): string => `${String(index).padStart(2)}. `;

export function introText({ number, workspaceId, agents, outbound }: Subject, { endpoint }: Settings): string {
  const [first, second] = agents.map(agentKey);
  const workspace = workspaceId === undefined ? "" : ` in workspace ${workspaceId}`;
  return `${paragraph(
    `The probe overwrites the routing of ${number}${workspace} at ${endpoint}. The API cannot return the old routing afterwards, so note it down first. During the probe, ${first} and ${second} answer calls to the number, and ${agentKey(outbound)} is its outbound agent. At the end the number has no agents. Use only a number that nobody calls.`,
  )}\n`;
}

// --- one question

export function stepText({ asked, reply, answers }: Step, position: number): string {
  const meanings = answers.flatMap(({ row, meaning: { says } }, index) =>
    says === undefined
      ? []
      : [withLabel(index === 0 ? "    Means:  " : "    Also:   ", `${capitalized(says)} (assumption ${row})`)],
  );
  return `${[
    withLabel(`${numbered(position)}Asked:  `, capitalized(asked)),
    withLabel("    Showed: ", replyText(reply)),
    ...meanings,
  ].join("\n")}\n`;
}

/** Summarizes a response: its status, the agents, and anything unexpected, such as another number. */
function replyText({ asked, number, status, refusal, response, verdict, json }: Reply): string {
  if (refusal !== undefined) {
    return `${status}, "${refusal}"`;
  }
  if (json === undefined) {
    return `${status}, no body`;
  }
  const [firstRecord] = response.numbers ?? [];
  const views: NumberRecord[] = present([verdict?.record ?? firstRecord, response.assignment ?? undefined]);
  const named = views.flatMap((view) => ("number" in view && view.number) || []).find((found) => found !== number);
  const workspace = views.flatMap((view) => view.workspaceId ?? []).find((id) => id !== asked.workspaceId);
  const failed = views.find(({ platformImportError }) => platformImportError);
  return present([
    String(status),
    inboundText(views),
    outboundText(views),
    named !== undefined && `number ${named}`,
    asked.workspaceId !== undefined && workspace !== undefined && `workspace ${workspace}`,
    failed && `import error "${failed.platformImportErrorMessage ?? ""}"`,
  ]).join("; ");
}

function inboundText(views: readonly NumberRecord[]): string {
  const lists = views.flatMap(({ inboundAgents }) => (inboundAgents ? [inboundAgents] : []));
  const list = lists.find(({ length }) => length > 0) ?? lists[0];
  if (list !== undefined) {
    return list.length === 0 ? "no inbound agents" : describeAgents(list);
  }
  return "no list of inbound agents";
}

function outboundText(views: readonly NumberRecord[]): string | false {
  const [entry] = views.flatMap(({ outboundAgents }) => outboundAgents ?? []);
  const [id] = views.flatMap(({ agentId, defaultAgentId }) => agentId || defaultAgentId || []);
  const agent = entry === undefined ? id : agentKey(entry);
  return agent !== undefined && `outbound agent ${agent}`;
}

// --- the end

export function endText(probed: Probed, subject: Subject, settings: Settings, target: Target): string {
  const { stopped, contradictions } = probed;
  const parts = [
    stopped !== undefined && stoppedText(stopped, subject, settings),
    numberText(probed, subject, settings),
    stopped === undefined && looksText(probed, subject),
    contradictions.length > 0 && contradictedText(contradictions),
    stopped === undefined && contradictions.length === 0 && settingsText(probed, target),
  ];
  return `${present(parts).join("\n\n")}\n`;
}

function stoppedText(stopped: NonNullable<Probed["stopped"]>, subject: Subject, settings: Settings): string {
  if (stopped === "interrupted") {
    return "Stopped at your request. Some questions are unanswered, so no settings follow.";
  }
  const { failure, isOutboundRefused } = stopped;
  const code = failureCode(failure);
  return [
    paragraph(`${code} Stopped: ${causeText(failure)}. Some questions are unanswered, so no settings follow.`),
    isOutboundRefused
      ? paragraph(
          `The platform accepted the inbound agents in an earlier request, so it refuses the outbound agent ${agentKey(subject.outbound)}. Run \`probe\` again, and name an existing outbound agent with --outbound.`,
        )
      : remedyText(code, failure, settings),
  ].join("\n");
}

/**
 * Says what to do after a failed request. After an unknown outcome (AGP-040), it is enough to run `probe` again,
 * because a probe saves nothing in the stack.
 */
const remedyText = (code: Code, failure: Failure, settings: Settings): string =>
  paragraph(code === "AGP-040" ? "Run `probe` again." : fixFor(code, failure, settings));

function numberText({ end, stopped }: Probed, { number }: Subject, settings: Settings): string {
  switch (end.number) {
    case "cleared":
      return `${number} has no agents now; the last response shows none.`;
    case "accepted":
      return paragraph(
        `The platform accepted the request to remove the agents of ${number}, but its response does not show whether they are gone. Check the number in the web application.`,
      );
    case "unchanged":
      return `${number} was not changed, because no request was accepted.`;
    case "not cleared": {
      const [first] = end.left;
      const fields = end.left.map(({ field }) => (field === "inboundAgents" ? "inbound agents" : "an outbound agent"));
      const failure =
        typeof stopped === "object" && stopped.failure.cause === first?.failure?.cause ? undefined : first?.failure;
      const shown =
        first?.failure === undefined
          ? "no request has cleared them"
          : "the request to clear the number failed for the same reason";
      return present([
        paragraph(
          `${number} WAS NOT CLEARED, and may still have ${series(fields)}: ${failure === undefined ? shown : causeText(failure)}.`,
        ),
        failure && remedyText(failureCode(failure), failure, settings),
        `Remove the agents of ${number} in the platform's web application now.`,
      ]).join("\n");
    }
  }
}

function looksText(probed: Probed, subject: Subject): string | false {
  // Leave out the manual checks if the provider can't work on this platform, or if the user has to remove the number's
  // agents first.
  const isUsable = probed.contradictions.length === 0 && probed.end.number !== "not cleared";
  const always = isUsable ? MANUAL_CHECKS.map(({ row, look }) => ({ row, look: look(subject) })) : [];
  const checks = [...looksOf(probed), ...always];
  if (checks.length === 0) {
    return false;
  }
  const lines = checks.map(({ row, look }) => withLabel("  - ", `${look} (assumption ${row})`));
  return `Check these yourself, because no response shows them:\n\n${[...new Set(lines)].join("\n")}`;
}

const looksOf = ({ steps }: Probed) =>
  steps.flatMap(({ answers }) =>
    answers.flatMap(({ row, meaning: { look } }) => (look === undefined ? [] : [{ row, look }])),
  );

const contradictedText = (contradictions: readonly string[]): string =>
  [
    "No setting makes the provider work correctly on this platform:",
    ...contradictions.map((text) => withLabel("  - ", capitalized(text))),
  ].join("\n\n");

/** Repeats the answer that no setting can express, because most users read only the end. */
const DECLARE_ALL =
  "IMPORTANT: This platform clears fields that a request leaves out. Before you change a number for the first time, declare all of its fields, such as its webhook and its time routing.";

function settingsText(probed: Probed, target: Target): string {
  const lines = Object.entries(probed.settings).map(
    ([key, value]) => `  ${pulumiCommand(target, "config", "set", `${NAMESPACE}:${key}`, String(value))}`,
  );
  const certainty = looksOf(probed).length === 0 ? "" : ", as far as the responses show";
  const settings = lines.length === 1 ? "this setting" : "these settings";
  const conclusion =
    lines.length === 0
      ? paragraph(`The provider works correctly on this platform${certainty}, and no setting is needed.`)
      : `${paragraph(`The provider works correctly on this platform${certainty}, with ${settings}:`)}\n\n${lines.join("\n")}`;
  return present([conclusion, probed.profile.omittedFields === "replace" && paragraph(DECLARE_ALL)]).join("\n\n");
}

// --- a dry run

/**
 * Describes the requests that a probe would send.
 * @param probed the result of a dry run, in which every request is accepted with an empty response
 */
export function dryRunText({ steps, others }: Probed, subject: Subject): string {
  const sent = [
    ...steps.map(({ asked, exchange }) => ({ asked: capitalized(asked), exchange })),
    ...others.map((exchange) => ({ asked: "Finally, no agents", exchange })),
  ];
  const first = sent[0]?.exchange;
  const bodies = sent.map(
    ({ asked, exchange }, index) => `${numbered(index + 1)}${asked}\n    ${JSON.stringify(exchange.body)}`,
  );
  const asked = new Set(steps.map(({ answers: [{ name }] }) => name));
  const unasked = Object.entries(QUESTIONS)
    .filter(([name]) => !asked.has(name))
    .map(([, question]) => `  - ${question.asks(subject, {})}`);
  return `Nothing is sent. The probe would send ${first?.method} ${first?.path} with:

${bodies.join("\n")}

Depending on the answers, the probe also sends some of these before the last request:

${unasked.join("\n")}
`;
}
