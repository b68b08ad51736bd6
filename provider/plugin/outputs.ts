import { UNKNOWN } from "../core/schemas";
import type { ResourceKind } from "../core/urn";
import type { Props } from "../edge/handler";
import { type Echoed, NOTES, OUTPUTS } from "../edge/outputs";
import type { Received } from "./properties";

/** What every PUT makes anew. */
const MADE_ANEW: ReadonlySet<string> = new Set(["previousInboundAgents", "platformIds"]);

/** What a preview, which sends nothing, knows of the outputs: the inputs, and of an update what stays as it is. */
export function previewed(kind: ResourceKind, inputs: Props, before?: { state: Props; inputs: Props }): Props {
  const others = Object.keys(OUTPUTS[kind]).filter((name) => !(name in inputs) && !(name in (before?.inputs ?? {})));
  const outcome = (name: string) => (MADE_ANEW.has(name) ? UNKNOWN : (before?.state[name] ?? UNKNOWN));
  return { ...inputs, ...Object.fromEntries(others.map((name) => [name, outcome(name)])) };
}

/**
 * Which of the saved properties are secret. The engine could mark them itself, by the names of secret arguments; only the provider
 * knows that `previousInboundAgents` repeats `inboundAgents`. So it is told what is secret, and says what is.
 */
export function secretOutputs(kind: ResourceKind, inputs: Received, before?: Received): (name: string) => boolean {
  const table: Readonly<Record<string, Echoed>> = { ...OUTPUTS[kind], ...NOTES };
  const wasOrIsSecret = (name: string) => inputs.secrets.has(name) || before?.secrets.has(name) === true;
  return (name) => {
    if (name in inputs.values) {
      return inputs.secrets.has(name);
    }
    const echoed = table[name] ?? "all";
    if (echoed === "all") {
      return inputs.secrets.size > 0 || (before?.secrets.size ?? 0) > 0;
    }
    return echoed !== "no other" && (wasOrIsSecret(name) || echoed.some(wasOrIsSecret));
  };
}
