import { some } from "../../provider/core/messages";
import { isOfNumbers } from "../../provider/core/platform/kinds";
import { CALLED } from "../command";
import { resourcesOfNumbers, titleOf } from "../pulumi/numbersHeld";
import type { StackState } from "../pulumi/stackExport";
import { rolloutIn } from "../rollout/value";

/** What Pulumi's record cannot tell. */
export function notesOf(state: StackState): string[] {
  const { pending, asked: source } = state;
  const inProgram = resourcesOfNumbers(state).filter(({ outputs }) => rolloutIn(outputs.rollout)?.name === undefined);
  const stopped = pending.filter(({ kind }) => kind !== undefined && isOfNumbers(kind));
  return [
    ...(inProgram.length === 0
      ? []
      : [
          `${some(inProgram.map(titleOf), 5)} in ${source}: the split is in the program, and Pulumi records the config alone. \`git log\` has its history.`,
        ]),
    ...stopped.map(
      (step) =>
        `A run of ${source} was stopped while it was ${step.operation} ${titleOf(step)}. A backend of files does not record such a run: \`${CALLED} doctor --stack ${source}\` says what to do.`,
    ),
  ];
}
