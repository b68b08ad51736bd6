import { printable } from "../../provider/core/common/redact";
import { counted } from "../../provider/core/messages";
import { columns } from "../io";
import { present } from "../lists";
import { hasHiddenNumbers, membersOf, numbersNotApplied, resourcesOfNumbers, titleOf } from "./numbersHeld";
import type { SavedResource, StackState } from "./stackExport";
import { splitIn, splitText } from "./values";

/** Every number of a stack, for `show` without a number. */

/** The numbers of a state, in the order of their digits, and the resources whose numbers are encrypted. */
export function numbersListed(state: StackState) {
  const holders = resourcesOfNumbers(state);
  return {
    numbers: holders.flatMap(listedOf).sort((one, other) => (one.number < other.number ? -1 : 1)),
    hidden: holders.filter(hasHiddenNumbers).map(titleOf),
  };
}

function listedOf(saved: SavedResource) {
  const missed = new Set(numbersNotApplied(saved));
  const split = splitText(splitIn(saved.outputs.inboundAgents));
  return [...membersOf(saved)].map(([number, label]) => ({
    number,
    label,
    heldBy: titleOf(saved),
    split,
    isApplied: !missed.has(number),
  }));
}

/** `+15551234567  agent_front@12 100 %; NumberGroup "support"; London` in a line for each number. */
export function listText(where: string, { numbers, hidden }: ReturnType<typeof numbersListed>): string {
  const rows = numbers.map(({ number, label, heldBy, split, isApplied }): [string, string] => {
    const parts = present([isApplied ? split : `${split}, not applied`, heldBy, label !== "" && label]);
    return [printable(number), printable(parts.join("; "))];
  });
  const list = rows.length === 0 ? "" : `\n\n${columns(rows)}`;
  const masked = hidden.length === 0 ? "" : `\n\n${printable(encryptedText(hidden))}`;
  return `${printable(`${counted(numbers.length, "number")} in ${where}`)}${list}${masked}`;
}

export const encryptedText = (names: readonly string[]): string =>
  `The numbers of ${names.join(", ")} are encrypted and cannot be looked at.`;
