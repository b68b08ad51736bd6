import { agentId, plainText, webhookUrl } from "../../../provider/core/common/schemas";
import { counted } from "../../../provider/core/messages";
import {
  type Binding,
  FIELDS,
  type KindOf,
  type Routing,
  TABLE_FIELDS,
  type TableField,
  versionFieldOf,
} from "../../../provider/core/routing/fields";
import { inboundAgents } from "../../../provider/core/routing/inboundAgents";
import {
  type Agent,
  parseAgentKey,
  type Split,
  sumsTo,
  total,
  type Weighted,
} from "../../../provider/core/routing/split";
import { groupBy } from "../../lists";
import { type CsvRecord, parseCsv } from "./csv";
import { quoted, type Read, readNumber } from "./number";

/** What a number does today, as the web application shows it. */
export interface Row {
  readonly line: number;
  readonly number: string;
  readonly label: string | undefined;
  /** As arguments. Without inbound agents no agent answers calls to it. */
  readonly routing: Pick<Routing, Binding> & { readonly inboundAgents: Split };
}

export function outboundOf({ routing: { outboundAgentId, outboundAgentVersion } }: Row): Agent | undefined {
  return outboundAgentId === undefined ? undefined : { agentId: outboundAgentId, agentVersion: outboundAgentVersion };
}

const columnOf = (field: TableField) => FIELDS[field].column;

export const COLUMNS = ["number", "label", ...TABLE_FIELDS.map(columnOf)] as const;
type Column = (typeof COLUMNS)[number];

type Cell = (text: string, weightTotal: number) => Read<unknown>;

/** How a cell is read, by what its field holds, and what is written into it. */
const CELLS: Readonly<Record<KindOf<TableField>, { readonly read: Cell; readonly example?: string }>> = {
  split: { read: readSplit, example: "agent_front@12:90 agent_front@13:10" },
  agent: { read: readAgent, example: "agent_front@12" },
  url: { read: (text) => readBy(webhookUrl, text) },
  flag: { read: readFlag, example: "on or off" },
};

/** A column, and what is written into it. */
export const EXAMPLES = TABLE_FIELDS.flatMap((field): [string, string][] => {
  const { example } = CELLS[FIELDS[field].value];
  return example === undefined ? [] : [[columnOf(field), example]];
});

/** The arguments that a cell gives. The cell of an agent has its version too. */
function argumentsOf(field: TableField, value: unknown): Pick<Routing, Binding> {
  const version = versionFieldOf(field);
  if (version === undefined) {
    return { [field]: value };
  }
  const { agentId, agentVersion } = (value ?? {}) as Partial<Agent>;
  return { [field]: agentId, [version]: agentVersion };
}

export type Numbers = ReturnType<typeof readNumbers>;

/** Reads the whole file before it reports: the operator can then fix all bad rows at once. */
export function readNumbers(text: string, weightTotal: number) {
  const { records, problem } = parseCsv(text);
  const [header, ...lines] = records;
  const csvProblems =
    problem === undefined ? [] : [`line ${problem.line}: ${problem.rule}. What follows was not read.`];
  if (header === undefined) {
    return { rows: [], problems: csvProblems.length > 0 ? csvProblems : ["The file is empty."] };
  }
  const named = header.fields.map((name) => name.trim().toLowerCase());
  const wrongHeader = judgeHeader(named);
  if (wrongHeader !== undefined) {
    return { rows: [], problems: [`line 1: ${wrongHeader}.`] };
  }
  const read = lines.map((record) => readRow(record, named, weightTotal));
  const problems = [...read.flatMap((row) => row.problems), ...repeated(read), ...csvProblems];
  if (lines.length === 0 && csvProblems.length === 0) {
    problems.push("The file holds a header and no number.");
  }
  return {
    rows: problems.length > 0 ? [] : read.flatMap(({ row }) => row ?? []),
    /** Everything that is wrong with the file, in the order of its lines. If there is a problem, `rows` is empty. */
    problems: problems.sort((a, b) => lineOf(a) - lineOf(b)),
  };
}

const lineOf = (problem: string): number => Number(/^line (\d+)/.exec(problem)?.[1] ?? 0);

/** Without these columns the table would say that no agents answer. Any other column may be left out, so an older table stays one. */
const NEEDED: readonly Column[] = ["number", "agents"];

function judgeHeader(named: readonly string[]): string | undefined {
  const unknown = named.filter((name, index) => !isColumn(name) || named.indexOf(name) !== index);
  if (unknown.length > 0) {
    return `${unknown.map(quoted).join(", ")}: the columns are ${COLUMNS.join(",")}, each at most once`;
  }
  const missing = NEEDED.filter((name) => !named.includes(name));
  return missing.length === 0 ? undefined : `there is no column ${missing.join(" and no column ")}`;
}

const isColumn = (name: string): boolean => (COLUMNS as readonly string[]).includes(name);

function readRow({ line, fields }: CsvRecord, named: readonly string[], weightTotal: number) {
  if (fields.length === 1 && fields[0]?.trim() === "") {
    return { problems: [`line ${line}: a blank line; remove it.`] };
  }
  if (fields.length !== named.length) {
    const rule = `${counted(fields.length, "column")}, and the header has ${named.length}`;
    return { problems: [`line ${line}: ${rule}.`] };
  }
  const problems: string[] = [];
  function cell<Value>(name: Column, read: (text: string) => Read<Value>): Value | undefined {
    // A column that is not there says the same as a dash.
    const text = (fields[named.indexOf(name)] ?? "-").trim();
    if (text === "-" && name !== "number") {
      return undefined;
    }
    const result = text === "" ? { rule: "blank; write - for none" } : read(text);
    if ("value" in result) {
      return result.value;
    }
    problems.push(`line ${line}, ${name}: ${result.rule}.`);
    return undefined;
  }
  const readField = (field: TableField) =>
    cell(columnOf(field), (text) => CELLS[FIELDS[field].value].read(text, weightTotal));
  const number = cell("number", readNumber) ?? "";
  const label = cell("label", (text) => readBy(plainText, text));
  const routing = Object.assign({}, ...TABLE_FIELDS.map((field) => argumentsOf(field, readField(field)))) as Pick<
    Routing,
    Binding
  >;
  const row: Row = { line, number, label, routing: { ...routing, inboundAgents: routing.inboundAgents ?? {} } };
  return { row, problems };
}

/** Reads a cell by the rule of its argument. The text is not shown, because a webhook's URL may hold a key. */
function readBy({ safeParse }: typeof plainText | typeof webhookUrl, text: string): Read<string> {
  const parsed = safeParse(text);
  return parsed.success ? { value: parsed.data } : { rule: parsed.error.issues[0]?.message ?? "is not valid" };
}

const FLAGS = new Map(Object.entries({ on: true, true: true, off: false, false: false }));

function readFlag(text: string): Read<boolean> {
  const isOn = FLAGS.get(text.toLowerCase());
  return isOn === undefined ? { rule: `${quoted(text)} is neither on, off nor -` } : { value: isOn };
}

function repeated(read: readonly { readonly row?: Row }[]): string[] {
  const rows = read.flatMap(({ row }) => (row === undefined || row.number === "" ? [] : row));
  return groupBy(rows, ({ number }) => number).flatMap(([first, ...others]) =>
    others.map(({ line }) => `line ${line}, number: the same number as line ${first.line}.`),
  );
}

// --- agents and splits in a cell

const AGENT = /^([^@:\s]+)(?:@([0-9]{1,15}))?$/;
const WEIGHT = /^(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)$/;

/** `agent_front@12`, or `agent_front` if the web application shows no version. */
function readAgent(text: string): Read<Agent> {
  const [, id = "", version] = AGENT.exec(text) ?? [];
  if (!agentId.safeParse(id).success) {
    return { rule: `${quoted(text)} is not an agent; write it as agent_front@12` };
  }
  return { value: version === undefined ? { agentId: id } : parseAgentKey(`${id}@${Number(version)}`) };
}

/**
 * `agent_front@12:90 agent_front@13:10`. The weights must sum to the total: a digit left out would change what callers hear,
 * and after the first `up` nothing can be read back.
 */
function readSplit(text: string, weightTotal: number): Read<Split> {
  const entries = text.split(" ").filter(Boolean).map(readEntry);
  const rules = entries.flatMap((entry) => ("rule" in entry ? [entry.rule] : []));
  if (rules.length > 0) {
    return { rule: rules.join("; ") };
  }
  const parsed = inboundAgents.safeParse(entries.flatMap((entry) => ("value" in entry ? [entry.value] : [])));
  if (!parsed.success) {
    // Only the rules of the list are shown, because a reader would have to count for an index.
    return { rule: [...new Set(parsed.error.issues.map(({ message }) => message))].join("; ") };
  }
  if (sumsTo(parsed.data, weightTotal)) {
    return { value: parsed.data };
  }
  return { rule: `the weights sum to ${Number(total(parsed.data).toPrecision(12))}, not ${weightTotal}` };
}

function readEntry(text: string): Read<Weighted> {
  const colon = text.lastIndexOf(":");
  if (colon < 0) {
    return { rule: `${quoted(text)} has no weight; write it as agent_front@12:100` };
  }
  const [agent, weight] = [readAgent(text.slice(0, colon)), text.slice(colon + 1)];
  if ("rule" in agent) {
    return agent;
  }
  if (!WEIGHT.test(weight)) {
    return { rule: `${quoted(weight)} is not a weight; write a number such as 90` };
  }
  return { value: { ...agent.value, weight: Number(weight) } };
}
