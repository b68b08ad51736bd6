import type { Preview } from "../../pulumi/preview";
import { isMasked } from "../../pulumi/values";
import { changesIn, STACK } from "../changes";
import { changesOfNumbers, clearedBy, type Holders, numberKey } from "../ownership";
import type { NumberChange, Snapshot } from "../snapshot";

/** What a run does with the numbers of its stack, as far as that concerns other stacks. */
export type StackNumbers = ReturnType<typeof stackNumbers>;

export function stackNumbers(preview: Preview) {
  const all = changesIn(preview);
  const { changes, kept, holders } = changesOfNumbers(all);
  return {
    /** The numbers that the run clears. */
    clears: changes.flatMap((change) =>
      clearedBy(change, holders).flatMap((number) => numberOf(number, change.before, change)),
    ),
    /** The numbers that the stack declares after the run, among those that the preview shows. */
    declares: [...changes, ...kept].flatMap((change) =>
      [...change.after.members.keys()].flatMap((number) =>
        numberOf(number, change.after, change, isNew(number, change, holders)),
      ),
    ),
    /** The resources that change and whose numbers the preview hides. */
    hidden: changes.filter(isHiding).map((change) => ({
      name: change.name,
      isMasked: [change.before, change.after].some(({ numbers }) => isMasked(numbers)),
    })),
    /** Resources that stay as they are and that the preview leaves out, as it does without `--show-sames`. */
    leftOut: Math.max(
      0,
      all.unchanged - preview.steps.filter(({ op, type }) => op === "same" && type !== STACK).length,
    ),
  };
}

/** A number, and the resource that clears or declares it. None if the platform is not known. */
function numberOf(number: string, side: Snapshot, change: NumberChange, isNew = false) {
  const { values } = side;
  const isKnown = typeof values.endpoint === "string" && number !== "";
  // Two numbers with the same key may be the same one.
  return isKnown ? [{ number, key: numberKey(number, side, change), values, change, isNew }] : [];
}

/** Does no resource of the stack declare the number before the run? */
const isNew = (number: string, change: NumberChange, holders: Holders): boolean =>
  !change.before.members.has(number) && holders.previousHolder(number, change) === undefined;

const isHiding = ({ before, after, op }: NumberChange): boolean =>
  (op !== "create" && !before.areNumbersKnown) || (op !== "delete" && !after.areNumbersKnown);
