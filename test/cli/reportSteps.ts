import { join } from "node:path";
import { reportCommand } from "../../cli/commands/report";
import { readPreview } from "../../cli/pulumi/preview";
import { type Report, readStack, reportOf as reportOn } from "../../cli/report/report";
import { UNKNOWN, URN } from "../../provider/base/engine";
import { dynamicType, providerText, type ResourceKind } from "../../provider/config/kinds";
import { runWith } from "./terminal";

/** Builds synthetic previews in the same form as the stored ones, which the engine wrote. */

type Properties = Readonly<Record<string, unknown>>;

/** A resource's saved state, apart from its properties. */
interface SyntheticSaved {
  readonly retainOnDelete?: true | undefined;
  /** Whether the program now sets `retainOnDelete`. */
  readonly retainsNow?: true | undefined;
  /** @default the number if the resource has one, otherwise the name */
  readonly id?: string | undefined;
  /** The type of its parent component. */
  readonly parent?: string | undefined;
}

export interface SyntheticStep extends SyntheticSaved {
  readonly op: string;
  readonly kind: ResourceKind;
  readonly name: string;
  readonly old?: Properties | undefined;
  readonly new?: Properties | undefined;
}

const PROVIDER = "urn:pulumi:dev::test::pulumi:providers:pulumi-nodejs::default::00000000-0000-4000-8000-000000000001";

/** @param more other properties of the document */
export function previewOf(steps: readonly SyntheticStep[], more: Properties = {}): string {
  return JSON.stringify({ config: {}, steps: steps.map(written), changeSummary: {}, ...more });
}

/** A preview that includes a step for the stack itself, as the engine's do. */
export function stackPreview(stack: string, steps: readonly SyntheticStep[], more: Properties = {}): string {
  const preview = JSON.parse(previewOf(steps, more)) as { steps: object[] };
  const urn = "urn:pulumi:dev::test::pulumi:pulumi:Stack::test-dev";
  const same = { op: "same", urn, newState: { urn, type: "pulumi:pulumi:Stack" } };
  const text = JSON.stringify({ ...preview, steps: [same, ...preview.steps] });
  return text.replaceAll("urn:pulumi:dev::", `urn:pulumi:${stack}::`);
}

function written({ op, kind, name, id, parent, retainOnDelete, retainsNow, old, new: next }: SyntheticStep) {
  const type = dynamicType(kind);
  const urn = `urn:pulumi:dev::test::${parent === undefined ? "" : `${parent}$`}${type}::${name}`;
  const state = { urn, custom: true, type, provider: PROVIDER };
  // The resource classes add these to a program's arguments.
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
/** Two splits without a common agent, so moving from one to the other shifts all calls. */
export const A = { "agent_a@1": 100 };
export const B = { "agent_b@9": 100 };

export const numberAt = (index: number): string => `+1555${String(index).padStart(7, "0")}`;
export const list = (...numbers: string[]): string => numbers.map((number) => `${number}\n`).join("");

/** The inputs of a group and of a single number. */
export const of = (inboundAgents: Properties, ...numbers: string[]) => ({ numbers: list(...numbers), inboundAgents });
export const line = (number: string, inboundAgents: Properties) => ({ number, inboundAgents });

const step =
  (kind: ResourceKind) =>
  (op: string, name: string, old?: Properties, next?: Properties, more: SyntheticSaved = {}): SyntheticStep => {
    const at = (values: Properties | undefined) => values && { endpoint: "https://platform.example", ...values };
    return { op, kind, name, old: at(old), new: at(next), ...more };
  };
export const single = step("NumberAssignment");
export const group = step("NumberGroup");
export const chat = step("SmsChat");
export const voice = step("CommunityVoice");

/** The report on a single preview. */
export const buildReport = (preview: string): Report => reportOn(readStack(readPreview(preview)));

export const reportOf = (steps: readonly SyntheticStep[], more: Properties = {}): Report =>
  buildReport(previewOf(steps, more));

/** The folder with the engine's previews and their golden pages. */
export const folder = join(__dirname, "testdata", "report");
export const stored = (name: string): string => join(folder, `${name}.preview.json`);

/** Runs the command on a file or on standard input. */
export const run = (args: readonly string[], stdin: string | Uint8Array = "", cwd = folder) =>
  runWith(reportCommand.run, args, { stdin, cwd });
