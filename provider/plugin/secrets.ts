import { type Echoed, NOTES, OUTPUTS, type ResourceKind } from "../edge/outputs";
import type { Received } from "./properties";

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
    return echoed !== "none" && (wasOrIsSecret(name) || echoed.some(wasOrIsSecret));
  };
}
