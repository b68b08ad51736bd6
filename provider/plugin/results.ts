import { UNKNOWN } from "../core/common/engine";
import type { ResourceKind } from "../core/platform/kinds";
import type { Props } from "../edge/handler";
import { outputNames, repeatingOf } from "../edge/outputs";
import type { Received } from "./properties";

/** Outputs that a PUT may change. */
const CHANGED_BY_PUT: ReadonlySet<string> = new Set(["previousInboundAgents", "since", "platformIds"]);

/** The outputs of a new resource as a preview shows them: the inputs, and "unknown" for the rest. */
export function previewedCreate(kind: ResourceKind, inputs: Props): Props {
  const others = outputNames(kind).filter((name) => !(name in inputs));
  return { ...inputs, ...Object.fromEntries(others.map((name) => [name, UNKNOWN])) };
}

/** The outputs after an update: those that no argument gives stay as they are, and "unknown" is only what a PUT may change. */
export function previewedUpdate(
  kind: ResourceKind,
  inputs: Props,
  before: { readonly state: Props; readonly inputs: Props },
): Props {
  const others = outputNames(kind).filter((name) => !(name in inputs) && !(name in before.inputs));
  const shown = (name: string) => (CHANGED_BY_PUT.has(name) ? UNKNOWN : before.state[name]);
  return { ...inputs, ...Object.fromEntries(others.map((name) => [name, shown(name)])) };
}

/** Which of the saved properties are secret. The engine marks outputs by the names of secret arguments alone, so the plugin marks them itself. */
export function secretOutputs(kind: ResourceKind, inputs: Received, before?: Received): (name: string) => boolean {
  const isAnySecret = inputs.secrets.size > 0 || (before?.secrets.size ?? 0) > 0;
  const repeating = isAnySecret ? repeatingOf(kind) : [];
  return (name) => inputs.secrets.has(name) || repeating.includes(name);
}
