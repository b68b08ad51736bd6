import { leftAt, same } from "../../provider/review";
import { capped } from "../lists";
import type { Fact } from "./card";
import { fieldChanges } from "./fields";
import type { Move } from "./ownership";
import { bothSplits, type NumberChange } from "./snapshot";
import { pointsOf, shiftFacts, splitText } from "./splits";
import { counted, id, joined, say, type Text } from "./text";

/** Notes and facts about numbers that move from one resource to another. */

const fromText = ({ after, from }: Move): Text => say`${counted(after.members.size, "number")} from ${id(from.name)}`;

export const moveFacts = (move: Move): Fact[] => shiftFacts(move, say`${fromText(move)} to ${id(move.name)}`);

/** What the moves change. A move that changes nothing has no note. */
export function moveNotes(moves: readonly Move[]): readonly Text[] {
  const notes = moves.flatMap((move) => {
    const what = changesOf(move);
    const changed = what.length === 0 ? [] : [say`${joined(what, "; ")}.`];
    return [...changed, ...endpointNotes(move)].map((note) => say`${fromText(move)}: ${note}`);
  });
  return capped(notes, MOST_MOVES, (more) => [`… and ${counted(more, "more change")} by a move.`]);
}

const MOST_MOVES = 6;

/** What stays at the old platform. */
export function endpointNotes({ before, after }: NumberChange): Text[] {
  if (before.endpoint === after.endpoint || before.endpoint === undefined || after.endpoint === undefined) {
    return [];
  }
  const [words, at, rest] = leftAt(before.endpoint);
  return [say`Moves from ${id(before.endpoint)} to ${id(after.endpoint)}. ${words}${id(at)}${rest}`];
}

function changesOf(move: Move): Text[] {
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
