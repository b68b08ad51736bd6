import type { Preview } from "../../pulumi/preview";
import { isMasked } from "../../pulumi/values";
import { changesIn, STACK } from "../changes";
import { clearedBy, type Holders, keyOf, numbersIn } from "../ownership";
import type { NumberChange, Snapshot } from "../snapshot";

/** What a run does with the numbers of its stack, as far as that concerns other stacks. */
export type StackNumbers = ReturnType<typeof stackNumbers>;

/** A number, and the resource that declares it or clears it. */
export interface Claim {
  readonly number: string;
  /** Two claims with the same key may be about the same number. */
  readonly key: string;
  readonly values: Snapshot["values"];
  readonly change: NumberChange;
}

export function stackNumbers(preview: Preview) {
  const all = changesIn(preview);
  const { changes, kept, holders } = numbersIn(all);
  return {
    /** The numbers that the run clears. */
    clears: changes.flatMap((change) => clearedBy(change, holders).flatMap((one) => claim(one, change.before, change))),
    /** The numbers that the stack declares after the run, among those that the preview shows. */
    declares: [...changes, ...kept].flatMap((change) =>
      [...change.after.members.keys()].flatMap((number) =>
        claim(number, change.after, change).map((one) => ({ ...one, isNew: isNew(number, change, holders) })),
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

/** None if the platform is not known. */
function claim(number: string, side: Snapshot, change: NumberChange): Claim[] {
  const { values } = side;
  const isKnown = typeof values.endpoint === "string" && number !== "";
  return isKnown ? [{ number, key: keyOf(number, side, change), values, change }] : [];
}

/** Does no resource of the stack declare the number before the run? */
const isNew = (number: string, change: NumberChange, holders: Holders): boolean =>
  !change.before.members.has(number) && holders.previousHolder(number, change) === undefined;

const isHiding = ({ before, after, op }: NumberChange): boolean =>
  (op !== "create" && !before.areNumbersKnown) || (op !== "delete" && !after.areNumbersKnown);
