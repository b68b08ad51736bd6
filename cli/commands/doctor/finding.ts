import type { Code } from "../../../provider/core/common/codes";
import { printable } from "../../../provider/core/common/redact";
import type { StackState } from "../../pulumi/stackExport";

/** A problem, and what to do. */
export interface Finding {
  readonly code?: Code;
  readonly what: string;
  readonly todo: string;
  /** All numbers that it is about, if the text names only some of them. */
  readonly numbers?: readonly string[];
  /** The URN of a voice or chat that may have been sent, and that the next `pulumi up` sends again. */
  readonly sendsAgain?: string;
}

/** A resource of a state, as findings name it. */
export const label = (state: StackState, { kind, name }: { kind: string | undefined; name: string }): string =>
  printable(`${state.source}: ${kind ?? "resource"} "${name}"`);

export const text = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "?";
