import { UNKNOWN } from "../core/common/schemas";
import type { ResourceKind } from "../core/platform/kinds";
import type { Props } from "../edge/handler";
import { NOTES, OUTPUTS, type SecretSources } from "../edge/secretSources";
import type { Received } from "./properties";

/** Outputs that each PUT may change. */
const CHANGED_BY_PUT: ReadonlySet<string> = new Set(["previousInboundAgents", "since", "platformIds"]);

/** The outputs of a new resource as a preview shows them: the inputs, and "unknown" for the rest. */
export function previewedCreate(kind: ResourceKind, inputs: Props): Props {
  const others = Object.keys(OUTPUTS[kind]).filter((name) => !(name in inputs));
  return { ...inputs, ...Object.fromEntries(others.map((name) => [name, UNKNOWN])) };
}

/** The outputs after an update: those that no argument gives stay as they are, and "unknown" is only what a PUT may change. */
export function previewedUpdate(
  kind: ResourceKind,
  inputs: Props,
  before: { readonly state: Props; readonly inputs: Props },
  sends: boolean,
): Props {
  const others = Object.keys(OUTPUTS[kind]).filter((name) => !(name in inputs) && !(name in before.inputs));
  const shown = (name: string) => (sends && CHANGED_BY_PUT.has(name) ? UNKNOWN : before.state[name]);
  return { ...inputs, ...Object.fromEntries(others.map((name) => [name, shown(name)])) };
}

/** Which inputs are secret after check: a split is secret if its rollout is. */
export function secretInputs(kind: ResourceKind, { secrets }: Received): (name: string) => boolean {
  const table: Readonly<Record<string, SecretSources>> = OUTPUTS[kind];
  return (name) => {
    const sources = table[name];
    return secrets.has(name) || (Array.isArray(sources) && sources.some((one) => secrets.has(one)));
  };
}

/**
 * Which of the saved properties are secret. The engine could mark those with the name of a secret argument. But only the provider knows that
 * `previousInboundAgents` repeats `inboundAgents`, so the plugin accepts secrets and marks its outputs itself.
 */
export function secretOutputs(kind: ResourceKind, inputs: Received, before?: Received): (name: string) => boolean {
  const table: Readonly<Record<string, SecretSources>> = { ...OUTPUTS[kind], ...NOTES };
  const wasOrIsSecret = (name: string) => inputs.secrets.has(name) || before?.secrets.has(name) === true;
  return (name) => {
    if (name in inputs.values) {
      return inputs.secrets.has(name);
    }
    const sources = table[name] ?? "all";
    if (sources === "all") {
      return inputs.secrets.size > 0 || (before?.secrets.size ?? 0) > 0;
    }
    return sources !== "itself" && (wasOrIsSecret(name) || sources.some(wasOrIsSecret));
  };
}
