import { same } from "../../provider/core/equality";
import { leftAt, staysOn } from "../../provider/core/messages";
import { boundFields } from "../../provider/core/routing";
import { heldBy } from "../../provider/core/state";
import { capped } from "../lists";
import type { Fact } from "./card";
import { fieldChanges } from "./fields";
import type { NumberMove } from "./ownership";
import { bothSplits, type NumberChange, type Sides } from "./snapshot";
import { pointsOf, shiftFacts, splitText } from "./splits";
import { counted, id, joined, say, type Text } from "./text";

/** Notes and facts about numbers that move from one resource to another. */

export const moveFacts = (move: NumberMove, { name }: NumberChange): Fact[] =>
  shiftFacts(move, say`${counted(move.numbers.length, "number")} from ${id(move.from.name)} to ${id(name)}`);

/** One note for each resource that gives numbers away. */
export function moveNotes(moves: readonly NumberMove[]): readonly Text[] {
  const notes = moves.flatMap((move) => {
    const what = joined(changesOf(move), "; ");
    const from = say`${counted(move.numbers.length, "number")} from ${id(move.from.name)}`;
    const left = movedAway(move, true).map((note) => say`${from}: ${note}`);
    return what.length === 0 ? left : [say`${from}: ${what}.`, ...left];
  });
  return capped(notes, MOST_MOVES, (more) => [`… and ${more} more changes by a move.`]);
}

const MOST_MOVES = 6;

/** What stays at the old provider. @param isRenamed does the resource get another name as well? */
export function movedAway(sides: Sides, isRenamed: boolean): Text[] {
  const { before, after } = sides;
  if (before.endpoint === after.endpoint || before.endpoint === undefined || after.endpoint === undefined) {
    return [];
  }
  const [words, at, rest] = leftAt(before.state, isRenamed ? undefined : after.state);
  const held = "number" in before.state ? heldBy(before.state.number, before.state, before.state) : before.state;
  const bound = boundFields(after.state);
  const stays = isRenamed ? boundFields(held).filter((field) => !bound.includes(field)) : [];
  return [
    say`Moves from ${id(before.endpoint)} to ${id(after.endpoint)}. ${words}${id(at)}${rest}`,
    ...(stays.length === 0 ? [] : [[staysOn(stays)]]),
  ];
}

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
