import { isEmpty } from "../../../provider/core/split";
import { TRIGGERS } from "../init/yamlProgram";
import type { Holder } from "./grouped";
import type { ProgramOptions } from "./program";
import type { Row } from "./rows";

/** What the rows say, as the resources of a program in YAML. */
export const yamlResources = (holders: readonly Holder[], options: ProgramOptions): string =>
  holders.map((holder) => resourceText(holder, options)).join("");

function resourceText({ kind, name, rows }: Holder, { weightTotal, hasPipelines }: ProgramOptions): string {
  const [first] = rows;
  if (first === undefined) {
    return "";
  }
  const label = kind === "NumberAssignment" && first.label !== undefined ? `  # ${first.label}\n` : "";
  const numbers = kind === "NumberGroup" ? numbersText(rows) : `      number: ${text(first.number)}\n`;
  return `${label}  ${text(name)}:
    type: agent-platform:${kind}
    properties:
${numbers}${routingText(first, weightTotal)}${hasPipelines ? TRIGGERS : ""}`;
}

function numbersText(rows: readonly Row[]): string {
  const hasLabels = rows.some(({ label }) => label !== undefined);
  const lines = rows.map(({ number, label = "" }) =>
    hasLabels ? `        ${text(number)}: ${text(label)}\n` : `        - ${text(number)}\n`,
  );
  return `      numbers:\n${lines.join("")}`;
}

/** No agent at all is said, as the one thing callers hear; what the dashboard shows as none is left out, and so not sent. */
function routingText({ agents, outbound, webhook, timeRouting }: Row, weightTotal: number): string {
  const weights = Object.entries(agents).map(([key, weight]) => `        ${text(key)}: ${weight}\n`);
  return [
    isEmpty(agents) ? "      inboundAgents: {}\n" : `      inboundAgents:\n${weights.join("")}`,
    ...(outbound === undefined ? [] : [`      outboundAgentId: ${text(outbound.agentId)}\n`]),
    ...(outbound?.agentVersion === undefined ? [] : [`      outboundAgentVersion: ${outbound.agentVersion}\n`]),
    ...(webhook === undefined ? [] : [`      inboundWebhookUrl: ${text(webhook)}\n`]),
    ...(timeRouting === undefined ? [] : [`      isTimeRoutingEnabled: ${timeRouting}\n`]),
    ...(isEmpty(agents) ? [] : [`      weightTotal: ${weightTotal}\n`]),
  ].join("");
}

/** A text in JSON is one in YAML. */
const text = (value: string): string => JSON.stringify(value);
