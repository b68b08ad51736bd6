import type { Preview } from "../../pulumi/preview";
import { isHidden, isMasked } from "../../pulumi/values";
import { changesIn, STACK } from "../changes";
import { changesOfNumbers, clearedBy, type Holders, numberKey } from "../ownership";
import type { NumberChange, Snapshot } from "../snapshot";

/** What a run does with the numbers of its stack, as far as that concerns other stacks. */
export type StackNumbers = ReturnType<typeof stackNumbers>;

export type NumberOfStack = ReturnType<typeof numberOf>[number];

export function stackNumbers(preview: Preview) {
  const all = changesIn(preview);
  const { changes, kept, holders } = changesOfNumbers(all);
  const staying = new Set(kept);
  return {
    /** The numbers that the run clears. */
    clears: changes.flatMap((change) =>
      clearedBy(change, holders).flatMap((number) => numberOf(number, change.before, change)),
    ),
    /** The numbers that the stack declares after the run, among those that the preview shows. */
    declares: [...changes, ...kept].flatMap((change) =>
      [...change.after.members.keys()].flatMap((number) =>
        numberOf(number, change.after, change, isNew(number, change, holders), staying.has(change)),
      ),
    ),
    /** The resources whose numbers cannot be compared. */
    hidden: [...changes.flatMap((change) => hiddenIn(change, false)), ...kept.flatMap((one) => hiddenIn(one, true))],
    /** Resources that stay as they are and that the preview leaves out, as it does without `--show-sames`. */
    leftOut: Math.max(
      0,
      all.unchanged - preview.steps.filter(({ op, type }) => op === "same" && type !== STACK).length,
    ),
  };
}

/**
 * A number, and the resource that clears or declares it. None if the platform is not known.
 * @param isKept does the resource stay as it is?
 */
function numberOf(number: string, side: Snapshot, change: NumberChange, isNew = false, isKept = false) {
  const { values } = side;
  // Two numbers with the same key may be the same one.
  const found = { number, key: numberKey(number, side, change), values, change, isNew, isKept };
  return isPlatformKnown(side) && number !== "" ? [found] : [];
}

const isPlatformKnown = ({ values: { endpoint } }: Snapshot): boolean =>
  typeof endpoint === "string" && !isHidden(endpoint);

/** Does no resource of the stack declare the number before the run? */
const isNew = (number: string, change: NumberChange, holders: Holders): boolean =>
  !change.before.members.has(number) && holders.previousHolder(number, change) === undefined;

function hiddenIn({ name, op, before, after }: NumberChange, isKept: boolean) {
  const sides = [...(op === "create" ? [] : [before]), ...(op === "delete" ? [] : [after])];
  const unknown = sides.filter(({ areNumbersKnown }) => !areNumbersKnown);
  if (unknown.length > 0) {
    const why = unknown.some(({ numbers }) => isMasked(numbers)) ? "which are masked" : "which are known after apply";
    return [{ name, why, isKept }];
  }
  return sides.every(isPlatformKnown) ? [] : [{ name, why: "whose platform is known after apply", isKept }];
}
