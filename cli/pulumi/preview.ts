import * as z from "zod";
import { isObject } from "../../provider/core/common/equality";
import { parseJson } from "../../provider/core/common/json";
import { partsOf } from "../../provider/core/common/urn";
import { counted } from "../../provider/core/messages";
import { UsageError } from "../errors";
import { withNamespace } from "./urn";
import { normalProperties, type Properties } from "./values";

/** Reads what `pulumi preview --json` writes: one document, or one event a line. */

/** One side of a step. */
export type StepState = NonNullable<ReturnType<typeof stateOf>>;

/** The outputs say what was applied. If there are none, the inputs do. */
export function appliedIn(state: StepState | undefined): Properties {
  const { inputs = {}, outputs = {} } = state ?? {};
  return Object.keys(outputs).length > 0 ? outputs : inputs;
}

export type Step = ReturnType<typeof stepOf>;

export type Diagnostic = z.infer<typeof diagnostic>;

export type Preview = ReturnType<typeof fromDocument>;

const properties = z.record(z.string(), z.unknown()).catch({}).transform(normalProperties);
/** The properties without those that the classes and the SDK add, such as `__urn` and `__provider`. */
const declared = properties.transform((all) =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith("__"))),
);
const state = z
  .object({
    type: z.string().catch(""),
    id: z.string().optional().catch(undefined),
    inputs: declared,
    outputs: declared,
    retainOnDelete: z.boolean().catch(false),
  })
  .optional()
  .catch(undefined);
const diagnostic = z.object({
  severity: z.string().catch(""),
  urn: z.string().optional().catch(undefined),
  message: z.string().catch(""),
});
const step = { op: z.string(), urn: z.string(), type: z.string().catch("") };
const counts = z.record(z.string(), z.number()).catch({});

const document = z.object({
  config: properties,
  steps: z.array(z.object({ ...step, oldState: state, newState: state })).catch([]),
  diagnostics: z.array(diagnostic).catch([]),
  changeSummary: counts,
});
const event = z.object({
  preludeEvent: z.object({ config: properties }).optional(),
  resourcePreEvent: z.object({ metadata: z.object({ ...step, old: state, new: state }) }).optional(),
  diagnosticEvent: diagnostic.optional(),
  summaryEvent: z.object({ resourceChanges: counts, result: z.string().catch("") }).optional(),
});

const WHAT_TO_DO = "Write it with `pulumi preview --json > preview.json`.";

const PROBLEMS = {
  steps: "A step of this preview has no `op` or no `urn`",
  diagnostics: "A diagnostic of this preview is not an object",
};

export function readPreview(text: string): Preview {
  const found = jsonIn(text.replace(/^\uFEFF/, ""));
  const [first] = found;
  if (first === undefined) {
    throw new UsageError(
      text.trim() === "" ? `The preview is empty. ${WHAT_TO_DO}` : `There is no JSON in this preview. ${WHAT_TO_DO}`,
    );
  }
  if (isObject(first) && "sequence" in first) {
    return complete(fromEvents(found));
  }
  if (found.length > 1) {
    throw new UsageError(`These are ${found.length} documents. Write each preview to a file of its own.`);
  }
  return complete(fromDocument(first));
}

/**
 * Each value in JSON. Policy packs print lines before a document, plans print lines after it, and neither begins with a brace. A document
 * goes on until the line that closes it.
 */
function jsonIn(text: string): unknown[] {
  const whole = parseJson(text);
  if (whole !== undefined) {
    return [whole];
  }
  const lines = text.split(/\r?\n/);
  const values: unknown[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    if (lines[at]?.startsWith("{")) {
      const inLine = parseJson(lines[at] ?? "");
      const end = inLine === undefined ? lines.findIndex((line, index) => index > at && line.startsWith("}")) : at;
      const value = inLine ?? parseJson(lines.slice(at, end + 1).join("\n"));
      if (value === undefined) {
        throw new UsageError(`The JSON of this preview is incomplete. ${WHAT_TO_DO}`);
      }
      values.push(value);
      at = end;
    }
  }
  return values;
}

/** Steps that are missing must not count as "no change". The engine counts other operations, such as reads, without a step. */
function complete(preview: ReturnType<typeof fromDocument>) {
  for (const op of ["create", "update", "delete", "replace"]) {
    const { [op]: wanted = 0 } = preview.counts;
    const there = preview.steps.filter((one) => one.op === op).length;
    if (wanted > there) {
      const what = `This preview counts ${counted(wanted, "resource")} to ${op}, and has the steps of ${there}`;
      throw new UsageError(`${what}, so the change cannot be reviewed. ${WHAT_TO_DO}`);
    }
  }
  return preview;
}

function fromDocument(value: unknown) {
  const isPreview = isObject(value) && ["steps", "changeSummary", "diagnostics"].some((key) => key in value);
  if (!isPreview) {
    throw new UsageError(`This is JSON, but not a preview. ${WHAT_TO_DO}`);
  }
  const read = document.safeParse(value);
  if (!read.success) {
    throw new UsageError(`This preview does not have the format of Pulumi 3. ${WHAT_TO_DO}`);
  }
  // The engine leaves an empty list out. Any other value, or a list that was not understood, must not count as "no change".
  for (const [list, problem] of Object.entries(PROBLEMS)) {
    const { [list]: given = [] } = value;
    if (!Array.isArray(given)) {
      throw new UsageError(`The ${list} of this preview are not a list. ${WHAT_TO_DO}`);
    }
    if (given.length > 0 && read.data[list as keyof typeof PROBLEMS].length === 0) {
      throw new UsageError(`${problem}. ${WHAT_TO_DO}`);
    }
  }
  const { steps, diagnostics, config, changeSummary } = read.data;
  return {
    steps: steps.map((one) => stepOf(one, one.oldState, one.newState)),
    diagnostics,
    config,
    /** How many resources each operation concerns. In a document, unchanged resources are only here. */
    counts: changeSummary,
    /** Did the events end with the result "failed"? A document has no result. */
    hasFailed: false,
  };
}

function fromEvents(values: readonly unknown[]) {
  const events = values.map((value) => {
    const read = event.safeParse(value);
    if (!read.success) {
      throw new UsageError(`This is neither JSON nor the events of a preview. ${WHAT_TO_DO}`);
    }
    return read.data;
  });
  const summary = events.findLast(({ summaryEvent }) => summaryEvent)?.summaryEvent;
  if (summary === undefined) {
    throw new UsageError(`The preview is incomplete. ${WHAT_TO_DO}`);
  }
  return {
    steps: events
      .flatMap(({ resourcePreEvent }) => resourcePreEvent?.metadata ?? [])
      .map((one) => stepOf(one, one.old, one.new)),
    diagnostics: events.flatMap(({ diagnosticEvent }) => diagnosticEvent ?? []),
    config: events.find(({ preludeEvent }) => preludeEvent)?.preludeEvent?.config ?? {},
    counts: summary.resourceChanges,
    hasFailed: summary.result === "failed",
  };
}

type State = z.infer<typeof state>;

function stepOf({ op, urn, ...own }: z.infer<z.ZodObject<typeof step>>, old: State, next: State) {
  const type = own.type || next?.type || old?.type || partsOf(urn).type;
  return {
    op,
    urn,
    type,
    old: stateOf(old, type),
    new: stateOf(next, type),
  };
}

const stateOf = (value: State, type: string) => value && { ...value, inputs: withNamespace(type, value.inputs) };
