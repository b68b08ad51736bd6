import { randomUUID } from "node:crypto";
import type { Settings } from "../../../provider/core/settings";
import { isEmpty } from "../../../provider/core/split";
import { numberAssignment } from "../../../provider/resources/numberAssignment";
import { numberGroup } from "../../../provider/resources/numberGroup";
import type { Language } from "../../language";
import type { Holder } from "./grouped";
import type { ProgramOptions } from "./program";
import type { Row } from "./rows";

/**
 * The file for `pulumi import --file`. It says of each resource what its inputs and its outputs are, so that the engine records the
 * numbers as they are said to be: nothing is read and nothing is sent.
 */
export interface ImportOptions extends ProgramOptions {
  readonly language: Language;
  /** Of the stack: a routing has defaults from there, and a state says which platform it speaks of. */
  readonly settings: Settings;
}

export const importText = (holders: readonly Holder[], options: ImportOptions): string =>
  `${JSON.stringify({ resources: holders.map((holder) => entryOf(holder, options)) }, null, 2)}\n`;

function entryOf({ kind, name, rows }: Holder, options: ImportOptions): object {
  const [first] = rows;
  const args = { ...numbersOf(kind, rows), ...routingOf(first, options) };
  const lifecycle = kind === "NumberGroup" ? numberGroup : numberAssignment;
  // What check makes of the program's arguments is what the next run compares with.
  const { inputs } = lifecycle.check(undefined, args, options.settings);
  const id = kind === "NumberGroup" ? `group-${randomUUID()}` : (first?.number ?? "");
  const properties = { ...inputs, ...(options.language === "typescript" ? { __provider: providerText(kind) } : {}) };
  return { type: typeOf(kind, options.language), name, id, inputs: properties, outputs: properties };
}

const typeOf = (kind: Holder["kind"], language: Language): string =>
  language === "yaml" ? `agent-platform:index:${kind}` : `pulumi-nodejs:dynamic/agent-platform:${kind}`;

/** The line that the state of a dynamic resource holds. */
const providerText = (kind: Holder["kind"]): string =>
  `exports.handler = () => require("pulumi-agent-platform/handlers").${kind === "NumberGroup" ? "numberGroup" : "numberAssignment"}`;

function numbersOf(kind: Holder["kind"], rows: readonly Row[]): object {
  return kind === "NumberGroup"
    ? { numbers: Object.fromEntries(rows.map(({ number, label = "" }) => [number, label])) }
    : { number: rows[0]?.number };
}

/** The arguments that the program has for these rows. */
function routingOf(row: Row | undefined, { weightTotal, hasPipelines }: ProgramOptions): object {
  return {
    inboundAgents: row?.agents,
    outboundAgentId: row?.outbound?.agentId,
    outboundAgentVersion: row?.outbound?.agentVersion,
    inboundWebhookUrl: row?.webhook,
    isTimeRoutingEnabled: row?.timeRouting,
    ...(row === undefined || isEmpty(row.agents) ? {} : { weightTotal }),
    ...(hasPipelines ? { triggers: { reassert: "" } } : {}),
  };
}
