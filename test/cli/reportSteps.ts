import { join } from "node:path";
import { reportCommand } from "../../cli/commands/report";
import { readPreview } from "../../cli/pulumi/preview";
import { type Report, readStack, reportOf as reportOn } from "../../cli/report/report";
import { UNKNOWN, URN } from "../../provider/base/engine";
import { dynamicType, providerText, type ResourceKind } from "../../provider/config/kinds";
import { runWith } from "./terminal";

/** Builds synthetic previews in the same format as the stored ones, which the engine wrote. */

type Properties = Readonly<Record<string, unknown>>;

/** Optional details of a synthetic step. */
interface StepOptions {
  /** Whether the resource's saved state has `retainOnDelete`. */
  readonly retainOnDelete?: true | undefined;
  /** Whether the program now sets `retainOnDelete`. */
  readonly retainsNow?: true | undefined;
  /** The ID in the saved state. @default the number if the resource has one, otherwise its name */
  readonly id?: string | undefined;
  /** The type of the resource's parent component. */
  readonly parent?: string | undefined;
}

export interface SyntheticStep extends StepOptions {
  readonly op: string;
  readonly kind: ResourceKind;
  readonly name: string;
  readonly old?: Properties | undefined;
  readonly new?: Properties | undefined;
}

const PROVIDER = "urn:pulumi:dev::test::pulumi:providers:pulumi-nodejs::default::00000000-0000-4000-8000-000000000001";

/**
 * Returns what `pulumi preview --json` would print for these steps.
 * @param more other properties of the preview
 */
export function previewOf(steps: readonly SyntheticStep[], more: Properties = {}): string {
  return JSON.stringify({ config: {}, steps: steps.map(engineStep), changeSummary: {}, ...more });
}

/**
 * Like `previewOf`, but for a stack with this name. As in the engine's previews, the stack itself also has a step.
 */
export function stackPreview(stack: string, steps: readonly SyntheticStep[], more: Properties = {}): string {
  const preview = JSON.parse(previewOf(steps, more)) as { steps: object[] };
  const urn = "urn:pulumi:dev::test::pulumi:pulumi:Stack::test-dev";
  const same = { op: "same", urn, newState: { urn, type: "pulumi:pulumi:Stack" } };
  const json = JSON.stringify({ ...preview, steps: [same, ...preview.steps] });
  return json.replaceAll("urn:pulumi:dev::", `urn:pulumi:${stack}::`);
}

/** Converts a step to the engine's format. */
function engineStep({ op, kind, name, id, parent, retainOnDelete, retainsNow, old, new: next }: SyntheticStep) {
  const type = dynamicType(kind);
  const urn = `urn:pulumi:dev::test::${parent === undefined ? "" : `${parent}$`}${type}::${name}`;
  const state = { urn, custom: true, type, provider: PROVIDER };
  // The resource classes add these two properties to the arguments in a program.
  const inputsOf = (properties: Properties) => ({ ...properties, __provider: providerText(kind), [URN]: urn });
  const oldState = (properties: Properties) => ({
    ...state,
    id: id ?? (typeof properties.number === "string" ? properties.number : name),
    inputs: inputsOf(properties),
    outputs: inputsOf(properties),
    retainOnDelete,
  });
  return {
    op,
    urn,
    provider: PROVIDER,
    ...(old && { oldState: oldState(old) }),
    ...(next && { newState: { ...state, inputs: inputsOf(next), retainOnDelete: retainsNow } }),
    detailedDiff: null,
  };
}

export { UNKNOWN };
/** Two splits with no agent in common. Changing one to the other shifts all calls. */
export const A = { "agent_a@1": 100 };
export const B = { "agent_b@9": 100 };

export const numberAt = (index: number): string => `+1555${String(index).padStart(7, "0")}`;
export const list = (...numbers: string[]): string => numbers.map((number) => `${number}\n`).join("");

/** Returns the inputs of a NumberGroup. */
export const of = (inboundAgents: Properties, ...numbers: string[]) => ({ numbers: list(...numbers), inboundAgents });
/** Returns the inputs of a NumberAssignment. */
export const line = (number: string, inboundAgents: Properties) => ({ number, inboundAgents });

const step =
  (kind: ResourceKind) =>
  (op: string, name: string, old?: Properties, next?: Properties, more: StepOptions = {}): SyntheticStep => {
    const withEndpoint = (values: Properties | undefined) =>
      values && { endpoint: "https://platform.example", ...values };
    return { op, kind, name, old: withEndpoint(old), new: withEndpoint(next), ...more };
  };
export const single = step("NumberAssignment");
export const group = step("NumberGroup");
export const chat = step("SmsChat");
export const voice = step("CommunityVoice");

/** Builds the report on a single preview. */
export const buildReport = (preview: string): Report => reportOn(readStack(readPreview(preview)));

export const reportOf = (steps: readonly SyntheticStep[], more: Properties = {}): Report =>
  buildReport(previewOf(steps, more));

/** The folder with the stored previews and the golden files of the reports. */
export const folder = join(__dirname, "testdata", "report");
export const stored = (name: string): string => join(folder, `${name}.preview.json`);

/** Runs the `report` command, by default in the folder with the stored previews. */
export const run = (args: readonly string[], stdin: string | Uint8Array = "", cwd = folder) =>
  runWith(reportCommand.run, args, { stdin, cwd });
