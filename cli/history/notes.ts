import { isObject } from "../../provider/core/common/equality";
import { some } from "../../provider/core/messages";
import { isOfNumbers } from "../../provider/core/platform/kinds";
import { CALLED } from "../command";
import type { StackState } from "../pulumi/stackExport";

/** What Pulumi's record cannot tell. */
export function notesOf({ resources, pending, source }: StackState): string[] {
  const numbers = resources.filter(({ kind, isLeftover }) => isOfNumbers(kind) && !isLeftover);
  const inProgram = numbers.filter(
    ({ outputs: { rollout } }) => !isObject(rollout) || typeof rollout.name !== "string",
  );
  const names = inProgram.map(({ kind, name }) => `${kind} "${name}"`);
  const stopped = pending.filter(({ kind }) => kind !== undefined && isOfNumbers(kind));
  return [
    ...(names.length === 0
      ? []
      : [
          `${some(names, 5)} in ${source}: the split is in the program, and Pulumi records the config alone. \`git log\` has its history.`,
        ]),
    ...stopped.map(
      ({ kind, name, operation }) =>
        `A run of ${source} was stopped while it was ${operation} ${kind} "${name}". A backend of files does not record such a run: \`${CALLED} doctor --stack ${source}\` says what to do.`,
    ),
  ];
}
