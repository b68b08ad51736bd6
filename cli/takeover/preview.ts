import { type FleetState, routingFor } from "../../provider/core/fleet";
import { toLabels } from "../../provider/core/numbers";
import type { Routing } from "../../provider/core/routing";
import { agentKey } from "../../provider/core/traffic";
import { isUnknown } from "../../provider/core/unknown";
import { UsageError } from "../io";
import { type Preview, readPreview, UnreadablePreview } from "../report/preview";
import { isHidden, type Properties, splitIn } from "../report/values";
import { COLUMNS, type Row } from "./rows";

/** A row of the table: the cells as the file has them, so that they compare as text. */
export type Cells = readonly [number: string, ...string[]];

const TYPE = /^pulumi-nodejs:dynamic\/agent-platform:(NumberAssignment|NumberGroup)$/;

/** What a preview would leave on each number, whatever resource holds it. */
export function previewCells(text: string): Cells[] {
  return read(text).steps.flatMap((step) => {
    const kind = TYPE.exec(step.type)?.[1];
    const inputs = step.new?.inputs ?? {};
    if (kind === "NumberAssignment") return [cellsOf(String(inputs.number), undefined, inputs)];
    if (kind !== "NumberGroup" || typeof inputs.numbers !== "string" || isHidden(inputs.numbers)) return [];
    return [...toLabels(inputs.numbers)].map(([number, label]) =>
      cellsOf(number, label, { ...routingFor(number, inputs as unknown as FleetState) }),
    );
  });
}

function read(text: string): Preview {
  try {
    return readPreview(text);
  } catch (error) {
    if (error instanceof UnreadablePreview) throw new UsageError(error.message);
    throw error;
  }
}

/** The same cells from the file. A single assignment has no label in the preview, so that none is compared for it. */
export const rowCells = ({ number, label, agents, outbound, webhook, timeRouting }: Row): Cells =>
  cellsOf(number, label, {
    inboundAgents: agents,
    outboundAgentId: outbound?.agentId,
    outboundAgentVersion: outbound?.agentVersion,
    inboundWebhookUrl: webhook,
    isTimeRoutingEnabled: timeRouting,
  });

/** A value that the preview hides, or does not know yet, is shown as what it is and equals nothing in the file. */
function cellsOf(number: string, label: string | undefined, routing: Routing | Properties): Cells {
  const { inboundAgents, outboundAgentId, outboundAgentVersion, inboundWebhookUrl, isTimeRoutingEnabled } = routing;
  const outbound = { agentId: shown(outboundAgentId), agentVersion: outboundAgentVersion as number | undefined };
  return [
    number,
    label || "-",
    agentsText(inboundAgents),
    outbound.agentId === "-" ? "-" : agentKey(outbound),
    shown(inboundWebhookUrl),
    typeof isTimeRoutingEnabled === "boolean" ? (isTimeRoutingEnabled ? "on" : "off") : shown(isTimeRoutingEnabled),
  ];
}

const shown = (value: unknown): string =>
  value === undefined || value === null ? "-" : isUnknown(value) ? "known after apply" : String(value);

function agentsText(value: unknown): string {
  const split = splitIn(value);
  if (split === undefined || isHidden(split)) return shown(split);
  const weights = Object.entries(split).sort(([a], [b]) => (a < b ? -1 : 1));
  return weights.map(([key, weight]) => `${key}:${weight}`).join(" ") || "-";
}

export interface Compared {
  readonly table: string;
  readonly differing: number;
}

const LABEL = COLUMNS.indexOf("label");

/** One line a number in the file's order, then what the preview has beside it. A cell that differs shows both. */
export function compare(rows: readonly Row[], planned: readonly Cells[]): Compared {
  const byNumber = new Map(planned.map((cells) => [cells[0], cells]));
  const wanted = rows.map(rowCells);
  const known = new Set(wanted.map(([number]) => number));
  const lines = [
    ...wanted.map((cells) => lineOf(cells, byNumber.get(cells[0]))),
    ...planned.filter(([number]) => !known.has(number)).map((cells) => ["not in the file", ...cells]),
  ];
  const head = ["", ...COLUMNS];
  const table = [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.map(escaped).join(" | ")} |`);
  return { table: table.join("\n"), differing: lines.filter(([mark]) => mark !== "").length };
}

function lineOf(wanted: Cells, planned: Cells | undefined): string[] {
  if (planned === undefined) return ["not in the preview", ...wanted];
  const cells = wanted.map((cell, index) => {
    const other = planned[index] ?? "-";
    return cell === other || (index === LABEL && other === "-") ? cell : `${cell} → ${other}`;
  });
  return [cells.some((cell, index) => cell !== wanted[index]) ? "differs" : "", ...cells];
}

const escaped = (cell: string): string => cell.replaceAll("|", "\\|");
