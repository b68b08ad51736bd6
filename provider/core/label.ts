import { subject } from "./messages/message";
import { clean } from "./redact";
import { isUnknown } from "./schemas";
import { partsOf, URN } from "./urn";

/** What a label is made of: inputs or a state, which may be wrong in any way. */
export interface Labelled {
  readonly [URN]?: unknown;
  /** Of a single number. */
  readonly number?: unknown;
  readonly secretArguments?: readonly string[] | undefined;
}

const LONGEST_SHOWN = 60;

/** A value of an argument, short enough to stand in a sentence. */
export const shownShort = (value: string): string => clean(value, "", LONGEST_SHOWN);

/** What messages call a resource: its kind and its name in the program. A single number is named as well, unless it is secret. */
export function resourceLabel(kind: string, { [URN]: urn, number, secretArguments = [] }: Labelled): string {
  const shown = secretArguments.includes("number") ? undefined : number;
  return labelOf(kind, typeof urn === "string" ? partsOf(urn).name : undefined, shown);
}

/** The same, if no URN is known yet. @param number the argument as the program wrote it */
export function labelOf(kind: string, name: string | undefined, number?: unknown): string {
  const shown = typeof number === "string" && !isUnknown(number) ? shownShort(number) : "";
  if (name === undefined) {
    return shown === "" ? kind : subject(kind, shown);
  }
  return shown === "" || name.includes(shown) ? subject(kind, name) : `${subject(kind, name)} (${shown})`;
}

/** `NumberGroup "emea"` */
export function labelOfUrn(urn: string): string {
  const { kind, name } = partsOf(urn);
  return labelOf(kind, name);
}
