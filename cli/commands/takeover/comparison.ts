import { type GroupInputs, routingFor } from "../../../provider/core/group";
import { toMembers } from "../../../provider/core/numberList";
import type { Routing } from "../../../provider/core/routing";
import { isUnknown } from "../../../provider/core/schemas";
import { agentKey } from "../../../provider/core/split";
import { isOfNumbers } from "../../../provider/core/urn";
import { uniqueBy } from "../../lists";
import { appliedIn, readPreview, type Step } from "../../pulumi/preview";
import { kindOf } from "../../pulumi/urn";
import { isHidden, type Properties, splitIn } from "../../pulumi/values";
import { readDiagnostics } from "../../report/collect";
import { plain } from "../../report/text";
import { COLUMNS, type Row, routingOf } from "./rows";

/** A row of the table: the cells as the file has them, so that they compare as text. */
type Cells = readonly [number: string, ...string[]];

/** What a preview would do to numbers, whatever resource holds them. */
export interface Planned {
  /** What it would leave on each. */
  readonly kept: readonly Cells[];
  /** What those hold that nothing declares any more: they are cleared. */
  readonly cleared: readonly Cells[];
}

/** A preview that failed shows what the engine had come to by then, so nothing is compared with it. */
export function plannedBy(text: string): Planned | { readonly failure: string } {
  const preview = readPreview(text);
  const { failure } = readDiagnostics(preview);
  if (failure !== undefined) {
    return { failure: plain(failure).replace(/\.$/, "") };
  }
  const kept = preview.steps.flatMap((step) => cellsIn(step, step.new?.inputs));
  const known = new Set(kept.map(([number]) => number));
  const held = preview.steps.filter(takesAway).flatMap((step) => cellsIn(step, appliedIn(step.old)));
  const cleared = held.filter(([number]) => !known.has(number));
  // The engine's events name a replacement three times.
  return { kept, cleared: uniqueBy(cleared, ([number]) => number) };
}

function cellsIn({ type }: Step, values: Properties | undefined): Cells[] {
  const kind = kindOf(type);
  if (values === undefined || kind === undefined || !isOfNumbers(kind)) {
    return [];
  }
  if (kind === "NumberAssignment") {
    return [cellsOf(shown(values.number), undefined, values)];
  }
  // Numbers that cannot be read are one row that equals nothing in the file: they must not go unseen.
  if (typeof values.numbers !== "string" || isHidden(values.numbers)) {
    return [cellsOf(isHidden(values.numbers) ? shown(values.numbers) : UNREAD, undefined, values)];
  }
  return [...toMembers(values.numbers)].map(([number, label]) =>
    cellsOf(number, label, { ...routingFor(number, values as unknown as GroupInputs) }),
  );
}

const UNREAD = "numbers that the preview does not show";

/** A retained resource is forgotten, and nothing is sent. */
const takesAway = ({ op, old }: Step): boolean => old !== undefined && !(old.retainOnDelete && op !== "update");

/** The same cells from the file. A single assignment has no label in the preview, so that none is compared for it. */
const rowCells = (row: Row): Cells => cellsOf(row.number, row.label, routingOf(row));

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
    shown(isTimeRoutingEnabled),
  ];
}

function shown(value: unknown): string {
  if (value === undefined || value === null) {
    return "-";
  }
  if (typeof value === "boolean") {
    return value ? "on" : "off";
  }
  return isUnknown(value) ? "known after apply" : String(value);
}

function agentsText(value: unknown): string {
  const split = splitIn(value);
  if (split === undefined || isHidden(split)) {
    return shown(split);
  }
  const weights = Object.entries(split).sort(([a], [b]) => (a < b ? -1 : 1));
  return weights.map(([key, weight]) => `${key}:${weight}`).join(" ") || "-";
}

const LABEL = COLUMNS.indexOf("label");

/** One line a number in the file's order, then what the preview has beside it. A cell that differs shows both. */
export function compare(rows: readonly Row[], { kept, cleared }: Planned) {
  const byNumber = new Map(kept.map((cells) => [cells[0], cells]));
  const wanted = rows.map(rowCells);
  const known = new Set(wanted.map(([number]) => number));
  const lines = [
    ...wanted.map((cells) => lineOf(cells, byNumber.get(cells[0]))),
    ...kept.filter(([number]) => !known.has(number)).map((cells) => ["not in the file", ...cells]),
    ...cleared.map((cells) => ["cleared", ...cells]),
  ];
  const head = ["", ...COLUMNS];
  const table = [head, head.map(() => "---"), ...lines].map((cells) => `| ${cells.map(escaped).join(" | ")} |`);
  return { table: table.join("\n"), differing: lines.filter(([mark]) => mark !== "").length };
}

function lineOf(wanted: Cells, planned: Cells | undefined): string[] {
  if (planned === undefined) {
    return ["not in the preview", ...wanted];
  }
  const cells = wanted.map((cell, index) => {
    const other = planned[index] ?? "-";
    return cell === other || (index === LABEL && other === "-") ? cell : `${cell} → ${other}`;
  });
  return [cells.some((cell, index) => cell !== wanted[index]) ? "differs" : "", ...cells];
}

const escaped = (cell: string): string => cell.replaceAll("|", "\\|");
