import type { AssignmentAnswer, NumberRecord } from "../routing/client";
import type { Binding, Routing, Scope } from "../routing/fields";
import { SCOPE } from "../routing/fields";

/** A field in which a response differs from what was asked, and how one field is compared. */

/** One field in which the platform's response differs from what was asked. */
export interface Mismatch {
  readonly field: Binding | Scope | "number" | "platformImportError";
  /** A text for messages: agents, weights or versions, but never a URL. */
  readonly asked: string;
  readonly answered: string;
}

export const isImport = ({ field }: Mismatch): boolean => field === "platformImportError";

/** Is it about the account or the workspace? */
export const isScope = ({ field }: Mismatch): boolean => (SCOPE as readonly string[]).includes(field);

/** A part of a response that shows the routing: our record, or the assignment object, which has fewer fields. */
export type View = AssignmentAnswer & NumberRecord;

export type Found = Mismatch | undefined;

/** How one field of the routing is compared with a response. */
export interface Comparison {
  /** Does the response show the field at all, bound or not? */
  readonly isShown: (view: View) => boolean;
  readonly differs: (view: View, asked: Routing) => Found;
  /** The field was to be cleared. */
  readonly left: (view: View, asked: Routing, held: Routing) => Found;
  /**
   * The response shows the field as null. The field is not set only if no other part of the response has a value for it, because a platform
   * may fill the field in its record alone, or in the assignment object alone.
   */
  readonly unset: (views: readonly View[], asked: Routing) => Found[];
}

export const mismatch = (field: Mismatch["field"], asked: string, answered: string): Mismatch => ({
  field,
  asked,
  answered,
});

/** Are both given, and do they differ? */
export const isOther = <T>(asked: T | undefined, answered: T | null | undefined): answered is T =>
  asked !== undefined && answered !== undefined && answered !== null && answered !== asked;

/** Does a part of the response show the field as null, and none a value of it? */
export const isNull = (values: readonly unknown[]): boolean =>
  values.includes(null) && values.every((value) => value === null || value === undefined);
