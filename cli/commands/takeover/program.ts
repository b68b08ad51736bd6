import { isEmpty } from "../../../provider/core/split";
import { REASSERT } from "../init/projectFiles";
import type { Holder } from "./grouped";
import type { Row } from "./rows";

export interface ProgramOptions {
  readonly weightTotal: number;
  /** Are the pipelines written beside it? Then their Re-assert has to work. */
  readonly hasPipelines: boolean;
}

/** The program that says what the rows say. */
export function programText(holders: readonly Holder[], options: ProgramOptions): string {
  const uses = (kind: Holder["kind"]) => holders.some((holder) => holder.kind === kind);
  const hasSplits = holders.some(({ rows }) => rows.some(({ agents }) => !isEmpty(agents)));
  const names = [
    ...(uses("NumberAssignment") ? ["NumberAssignment"] : []),
    ...(uses("NumberGroup") ? ["NumberGroup"] : []),
    ...(hasSplits ? ["split"] : []),
  ];
  const parts = [
    `${options.hasPipelines ? 'import { Config } from "@pulumi/pulumi";\n' : ""}import { ${names.join(", ")} } from "pulumi-agent-platform";\n`,
    ...(options.hasPipelines ? [REASSERT] : []),
    ...holders.map((holder) => resourceText(holder, options)),
  ];
  return parts.join("\n");
}

function resourceText({ kind, name, rows }: Holder, { weightTotal, hasPipelines }: ProgramOptions): string {
  const [first] = rows;
  if (first === undefined) {
    return "";
  }
  const label = kind === "NumberAssignment" && first.label !== undefined ? `// ${first.label}\n` : "";
  const numbers = kind === "NumberGroup" ? numbersText(rows) : `  number: ${text(first.number)},`;
  const lines = [numbers, ...routingLines(first, weightTotal), ...(hasPipelines ? ["  triggers,"] : [])];
  return `${label}new ${kind}(${text(name)}, {\n${lines.join("\n")}\n});\n`;
}

/** A list where nobody has a label, for then a map would say nothing more. */
function numbersText(rows: readonly Row[]): string {
  const hasLabels = rows.some(({ label }) => label !== undefined);
  if (!hasLabels) {
    return `  numbers: [\n${rows.map(({ number }) => `    ${text(number)},`).join("\n")}\n  ],`;
  }
  const lines = rows.map(({ number, label = "" }) => `    ${text(number)}: ${text(label)},`);
  return `  numbers: {\n${lines.join("\n")}\n  },`;
}

/** What the dashboard shows as none is left out, and so not sent; but no agent at all is said, as the one thing callers hear. */
function routingLines({ agents, outbound, webhook, timeRouting }: Row, weightTotal: number): string[] {
  const weights = Object.entries(agents).map(([key, weight]) => `${text(key)}: ${weight}`);
  return [
    weights.length === 0 ? "  inboundAgents: []," : `  inboundAgents: split({ ${weights.join(", ")} }),`,
    ...(outbound === undefined ? [] : [`  outboundAgentId: ${text(outbound.agentId)},`]),
    ...(outbound?.agentVersion === undefined ? [] : [`  outboundAgentVersion: ${outbound.agentVersion},`]),
    ...(webhook === undefined ? [] : [`  inboundWebhookUrl: ${text(webhook)},`]),
    ...(timeRouting === undefined ? [] : [`  isTimeRoutingEnabled: ${timeRouting},`]),
    ...(weights.length === 0 ? [] : [`  weightTotal: ${weightTotal},`]),
  ];
}

const text = (value: string): string => JSON.stringify(value);
