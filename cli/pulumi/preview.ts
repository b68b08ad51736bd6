import * as z from "zod";
import { parseUrn } from "../../provider/base/engine";
import { isObject, parseJson } from "../../provider/base/json";
import { counted } from "../../provider/words/message";
import { UsageError } from "../errors";
import { depthProblem, type Properties, properties } from "./values";

/** Reads the document that `pulumi preview --json` writes. */

/** A resource's state before or after a step. */
export type StepState = NonNullable<Step["old"]>;

/** Returns the properties that were applied to a resource: its outputs, or its inputs if it has no outputs. */
export function appliedIn(state: StepState | undefined): Properties {
  const { inputs = {}, outputs = {} } = state ?? {};
  return Object.keys(outputs).length > 0 ? outputs : inputs;
}

export type Step = Preview["steps"][number];

export type Diagnostic = z.infer<typeof diagnostic>;

export type Preview = ReturnType<typeof readPreview>;

/** Drops the properties that the resource classes and the SDK add, such as `__urn` and `__provider`. */
const declared = properties.transform((values) =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !name.startsWith("__"))),
);
const state = z
  .object({
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
const step = z
  .object({ op: z.string(), urn: z.string(), oldState: state, newState: state })
  .transform(({ op, urn, oldState, newState }) => ({
    op,
    urn,
    type: parseUrn(urn).type,
    old: oldState,
    new: newState,
  }));

/**
 * The JSON of a preview. The engine omits empty lists. A step that can't be read makes the whole preview invalid,
 * because the report would otherwise miss a change.
 */
const document = z.object({
  config: properties,
  steps: z.array(step).default([]),
  diagnostics: z.array(diagnostic).default([]),
  changeSummary: z.record(z.string(), z.number()).default({}),
});

const REMEDY = "Write it with `pulumi preview --json > preview.json`.";

/**
 * Parses a preview.
 * @param prefix the start of every error message, such as the name of the preview's file
 */
export function readPreview(text: string, prefix = "") {
  if (text.trim() === "") {
    throw new UsageError(`${prefix}The preview is empty. ${REMEDY}`);
  }
  const found = parseJson(text) ?? parseJson(documentIn(text));
  const tooDeep = depthProblem(found);
  if (tooDeep !== undefined) {
    throw new UsageError(`${prefix}${tooDeep}, so the change cannot be reviewed. Shorten it in the program.`);
  }
  const isPreview = isObject(found) && ["steps", "changeSummary", "diagnostics"].some((key) => key in found);
  const { data } = document.safeParse(isPreview ? found : undefined);
  if (data === undefined) {
    throw new UsageError(`${prefix}The input is not the complete JSON of one preview. ${REMEDY}`);
  }
  const { steps, diagnostics, config, changeSummary } = data;
  refuseMissing(data, prefix);
  return {
    steps,
    diagnostics,
    config,
    /**
     * The number of resources for each operation. Unchanged resources are counted here, but they are in `steps` only if
     * the preview was written with `--show-sames`.
     */
    counts: changeSummary,
  };
}

/**
 * Finds the JSON in Pulumi's output. Policy packs print lines before it, and update plans print lines after it, but
 * none that start with a brace.
 */
const documentIn = (text: string): string => /^\{.*^\}|^\{.*\}$/ms.exec(text)?.[0] ?? "";

/** Throws if a preview counts more changes than it lists, because the report would miss the others. */
function refuseMissing({ steps, changeSummary }: z.infer<typeof document>, prefix: string): void {
  // Don't check other operations, such as reads, because a preview may count them without listing them.
  for (const op of ["create", "update", "delete", "replace"]) {
    const { [op]: expected = 0 } = changeSummary;
    const found = steps.filter((entry) => entry.op === op).length;
    if (expected > found) {
      const problem = `This preview counts ${counted(expected, "resource")} to ${op}, but contains the steps of ${found}`;
      throw new UsageError(`${prefix}${problem}, so the change cannot be reviewed. ${REMEDY}`);
    }
  }
}
