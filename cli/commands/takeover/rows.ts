import { agentId, numberId, plainText, webhookUrl } from "../../../provider/core/common/schemas";
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
import { type CsvRecord, parseCsv } from "./csv";

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
  const { records, problem } = parseCsv(text.replace(/^\uFEFF/, ""));
  const [header, ...lines] = records;
  const csvProblems =
    problem === undefined ? [] : [`line ${problem.line}: ${problem.rule}. What follows was not read.`];
  if (header === undefined) {
    return { rows: [], problems: csvProblems.length > 0 ? csvProblems : ["The file is empty."], warnings: [] };
  }
  const wrongHeader = judgeHeader(header.fields);
  if (wrongHeader !== undefined) {
    return { rows: [], problems: [`line 1: ${wrongHeader}`], warnings: [] };
  }
  const read = lines.map((record) => readRow(record, weightTotal));
  const problems = [...read.flatMap((row) => row.problems), ...repeated(lines), ...csvProblems];
  if (lines.length === 0 && csvProblems.length === 0) {
    problems.push("The file holds a header and no number.");
  }
  return {
    rows: problems.length > 0 ? [] : read.flatMap(({ row }) => row ?? []),
    /** Everything that is wrong with the file, in the order of its lines. If there is a problem, `rows` is empty. */
    problems: problems.sort((a, b) => lineOf(a) - lineOf(b)),
    warnings: lines.flatMap(suspicious),
  };
}

const lineOf = (problem: string): number => Number(/^line (\d+)/.exec(problem)?.[1] ?? 0);

function judgeHeader(fields: readonly string[]): string | undefined {
  if (fields.length === COLUMNS.length && COLUMNS.every((name, index) => fields[index] === name)) {
    return undefined;
  }
  const separator =
    fields.length === 1 && fields[0]?.includes(";") ? " Separate them with commas, not semicolons." : "";
  return `the columns must be ${COLUMNS.join(",")}, in this order.${separator}`;
}

function readRow({ line, fields }: CsvRecord, weightTotal: number) {
  if (fields.length === 1 && fields[0]?.trim() === "") {
    return { problems: [`line ${line}: a blank line; remove it.`] };
  }
  if (fields.length !== COLUMNS.length) {
    const rule = `${fields.length} ${fields.length === 1 ? "column" : "columns"}, ${COLUMNS.length} are needed`;
    return { problems: [`line ${line}: ${rule}.`] };
  }
  const cells = new Map<Column, string>(COLUMNS.map((name, index) => [name, fields[index] ?? ""]));
  const problems: string[] = [];
  function cell<Value>(name: Column, read: (text: string) => Read<Value>): Value | undefined {
    const text = cells.get(name) ?? "";
    if (text === "-" && name !== "number") {
      return undefined;
    }
    const result = text.trim() === "" ? { rule: "blank; write - for none" } : (judgeSpaces(text) ?? read(text));
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
  const row: Row = {
    line,
    number,
    label,
    routing: { ...routing, inboundAgents: routing.inboundAgents ?? {} },
  };
  return problems.length > 0 ? { problems } : { row, problems };
}

const judgeSpaces = (text: string): { rule: string } | undefined =>
  text === text.trim() ? undefined : { rule: "starts or ends with a space" };

/** A spreadsheet may have made 4.42079E+11 of a number: the other digits are lost. */
function readNumber(text: string): Read<string> {
  if (text === "-") {
    return { rule: "a number must be given" };
  }
  if (/^\d(?:[.,]\d+)?E\+?\d+$/i.test(text)) {
    return {
      rule: `${quoted(text)} is what a spreadsheet made of a number; format the column as text and fill it again`,
    };
  }
  if (text.startsWith("'")) {
    return { rule: `${quoted(text)} starts with an apostrophe; remove it` };
  }
  const parsed = numberId.safeParse(text);
  return parsed.success ? { value: parsed.data } : { rule: `${quoted(text)} ${parsed.error.issues[0]?.message}` };
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

function repeated(records: readonly CsvRecord[]): string[] {
  const first = new Map<string, number>();
  return records.flatMap(({ line, fields: [number = ""] }) => {
    const earlier = first.get(number);
    if (earlier !== undefined && number !== "") {
      return [`line ${line}, number: the same number as line ${earlier}.`];
    }
    first.set(number, line);
    return [];
  });
}

/** An extension is digits as well, so this is no error. */
function suspicious({ line, fields: [number = ""] }: CsvRecord): string[] {
  if (!/^[1-9]\d{8,14}$/.test(number)) {
    return [];
  }
  return [
    `line ${line}: ${number} has no leading +. If it is a phone number, write +${number}: these are two numbers.`,
  ];
}

// --- agents and splits in a cell

/** What a cell says, or the rule that it breaks. */
type Read<Value> = { readonly value: Value } | { readonly rule: string };

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

const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
