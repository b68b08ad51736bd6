import { same } from "../../provider/core/equality";
import { capped } from "../lists";
import type { Fact } from "./card";
import { fieldChanges } from "./fields";
import type { NumberMove } from "./ownership";
import { bothSplits, type NumberChange } from "./snapshot";
import { pointsOf, shiftFacts, splitText } from "./splits";
import { counted, id, joined, say, type Text } from "./text";

/** What changes for numbers that move from one resource to another. */

export const moveFacts = (move: NumberMove, { name }: NumberChange): Fact[] =>
  shiftFacts(move, say`${counted(move.numbers.length, "number")} from ${id(move.from.name)} to ${id(name)}`);

/** One note for each resource that gives numbers away. */
export function moveNotes(moves: readonly NumberMove[]): readonly Text[] {
  const notes = moves.flatMap((move) => {
    const what = joined(changesOf(move), "; ");
    return what.length === 0
      ? []
      : [say`${counted(move.numbers.length, "number")} from ${id(move.from.name)}: ${what}.`];
  });
  return capped(notes, MOST_MOVES, (more) => [`… and ${more} more changes by a move.`]);
}

const MOST_MOVES = 6;

function changesOf(move: NumberMove): Text[] {
  const { before, after } = move;
  const fields = fieldChanges(move)
    .filter(({ isSent }) => isSent)
    .map(({ field, before: from, after: to }) => say`${field} ${from} → ${to}`);
  if (same(before.split, after.split)) {
    return fields;
  }
  const splits = bothSplits(move);
  const points = splits ? `, ${pointsOf(splits.before, splits.after)} points` : ", the size of the change is not known";
  return [say`${splitText(before.split)} → ${splitText(after.split)}${points}`, ...fields];
}
