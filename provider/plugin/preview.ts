import { UNKNOWN } from "../core/schemas";
import type { Props } from "../edge/handler";
import { OUTPUTS, type ResourceKind } from "../edge/outputs";

/** What every PUT makes anew. */
const MADE_ANEW: ReadonlySet<string> = new Set(["previousInboundAgents", "platformIds"]);

/** What a preview, which sends nothing, knows of the outputs: the inputs, and of an update what stays as it is. */
export function previewed(kind: ResourceKind, inputs: Props, before?: { state: Props; inputs: Props }): Props {
  const others = Object.keys(OUTPUTS[kind]).filter((name) => !(name in inputs) && !(name in (before?.inputs ?? {})));
  const outcome = (name: string) => (MADE_ANEW.has(name) ? UNKNOWN : (before?.state[name] ?? UNKNOWN));
  return { ...inputs, ...Object.fromEntries(others.map((name) => [name, outcome(name)])) };
}
