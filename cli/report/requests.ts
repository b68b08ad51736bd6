import { clearedByMove, clearedFrom, isNothingCleared, routingOf } from "../../provider/review";
import { holdsMasked, SECRET } from "../pulumi/values";
import { type Requests, sum } from "./card";
import type { Move } from "./ownership";
import { mayChangeNumbers, type NumberChange, planOf, type Sides } from "./snapshot";

/** How many requests a change sends, as the core's plan counts them. */

export function updateRequests(update: NumberChange): Partial<Requests> {
  const { from, before, after } = update;
  // A new name is a create, and a create sends to each number.
  if (from !== undefined) {
    return sum([{ puts: after.members.size }, moveRequests({ ...update, from })]);
  }
  const { puts, isAtLeast } = putsToStayers(update);
  const isClearing = before.endpoint === after.endpoint && clearedFrom(before.state, after.state).bindings.length > 0;
  return { puts, clears: isClearing ? puts : 0, isAtLeast };
}

/** If only the previous holder had set a field, its delete sends one more PUT, which clears the field. */
export function moveRequests(move: Move): Partial<Requests> {
  const { op, isRetained } = move.from;
  const isKept = isRetained && (op === "delete" || op === "replace");
  const clears = isClearedByMove(move) && !isKept ? move.after.members.size : 0;
  return { puts: clears, clears };
}

export const isClearedByMove = ({ before, after }: Sides): boolean =>
  before.endpoint === after.endpoint && !isNothingCleared(clearedByMove(before.state, after.state));

/** The PUTs for numbers that stay. Numbers that join have a card of their own. */
function putsToStayers(change: NumberChange): Pick<Requests, "puts" | "isAtLeast"> {
  const { before, after } = change;
  const sent = stayersSent(change);
  const { count: all } = after;
  if (before.count !== undefined && all !== undefined) {
    const puts = mayDifferMasked(change) ? all : sent.length;
    return { puts, isAtLeast: false };
  }
  if (!mayChangeNumbers(change) || before.endpoint !== after.endpoint) {
    return { puts: 1, isAtLeast: true };
  }
  // If the change concerns all numbers, each old one is sent or cleared. If it does not, perhaps none is.
  const had = before.members.size;
  const isAll = had > 0 && (sent.length === had || mayDifferMasked(change));
  return { puts: isAll ? had : 0, isAtLeast: true };
}

/** The old numbers that get a PUT. If it is unknown which of them stay, all count as staying. */
function stayersSent({ before, after }: Sides): readonly string[] {
  const { numbers, members, areNumbersKnown, count = 0 } = before;
  const staying = after.areNumbersKnown ? after : { ...after, numbers, members, areNumbersKnown };
  // A number that is hidden on one side is the same one: another one would be a replacement.
  return (planOf({ before, after: staying }).binds ?? []).filter((one) => members.has(one) || members.size < count);
}

/** Is something masked that the change may be about? Then the requests are counted as if it were. */
function mayDifferMasked({ before, after }: Sides): boolean {
  // A number that is masked on one side alone has a card of its own.
  if (before.numbers === SECRET && after.numbers === SECRET) {
    return true;
  }
  return [before, after].some((one) => holdsMasked(routingOf(one.state)));
}

/** Does the change send anything to the numbers that stay? */
export const isSentToStayers = (sides: Sides): boolean => mayDifferMasked(sides) || stayersSent(sides).length > 0;
