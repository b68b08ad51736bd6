import { isOfNumbers } from "../../provider/core/platform/kinds";
import { CALLED } from "../command";
import { titleOf } from "../pulumi/numbersHeld";
import type { StackState } from "../pulumi/stackExport";

/** The runs that were stopped: a backend of files has no record of them. */
export const notesOf = ({ pending, asked }: StackState): string[] =>
  pending
    .filter(({ kind }) => kind !== undefined && isOfNumbers(kind))
    .map(
      (step) =>
        `A run of ${asked} was stopped while it was ${step.operation} ${titleOf(step)}. A backend of files does not record such a run: \`${CALLED} doctor --stack ${asked}\` says what to do.`,
    );
