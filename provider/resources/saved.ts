import * as messages from "../core/messages";
import { ResourceError } from "./lifecycle";

/** Reads a saved state: what an earlier release wrote, or a hand edited. The fields that a call cannot do without must be there. */
export function readSaved<State>(
  kind: string,
  saved: Readonly<Record<string, unknown>>,
  id: string,
  needed: readonly (keyof State & string)[],
): State {
  const missing = needed.filter((field) => typeof saved[field] !== "string" || saved[field] === "");
  if (missing.length > 0) throw new ResourceError(messages.unreadableState(messages.subject(kind, id), missing));
  return saved as State;
}
