import { clean } from "../common/redact";
import { isUnknown } from "../common/schemas";
import { partsOf, URN } from "../common/urn";
import { subject } from "./message";

/** Inputs or a state. Their fields may have any type, because check has not judged them. */
export interface Labelled {
  readonly [URN]?: unknown;
  /** The argument of a NumberAssignment. */
  readonly number?: unknown;
}

const LONGEST_SHOWN = 60;

/** A value of an argument, short enough for a sentence. */
export const shownShort = (value: string): string => clean(value, "", LONGEST_SHOWN);

/** A resource as messages name it: its kind, its name in the program, and its number if it is a single one. */
export function resourceLabel(kind: string, inputs: Labelled): string {
  const { [URN]: urn, number } = inputs;
  return labelOf(kind, typeof urn === "string" ? partsOf(urn).name : undefined, number);
}

/** A resource as messages name it, if its URN is not known yet. @param number the argument as the program wrote it */
export function labelOf(kind: string, name: string | undefined, number?: unknown): string {
  const shown = typeof number === "string" && !isUnknown(number) ? shownShort(number) : "";
  if (name === undefined) {
    return shown === "" ? kind : subject(kind, shown);
  }
  return shown === "" || name.includes(shown) ? subject(kind, name) : `${subject(kind, name)} (${shown})`;
}

export function labelOfUrn(urn: string): string {
  const { kind, name } = partsOf(urn);
  return labelOf(kind, name);
}
