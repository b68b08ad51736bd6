import { same } from "../../provider/core/same";
import type { Fact } from "./model";
import { type Side, unappliedIn } from "./sides";
import { isCut, pointsOf } from "./splits";
import { say, type Text } from "./text";
import { isSplit } from "./values";

/** What a gate can judge of a step from one split to another. */
export function stepFacts(before: Side, after: Side, on: Text): Fact[] {
  if (same(before.split, after.split)) return [];
  return [
    ...(unappliedIn(before, after) === undefined
      ? []
      : [
          {
            condition: "unresolved" as const,
            text: say`${on}: the split before is not applied everywhere, and a new one is declared`,
          },
        ]),
    ...(isCut(before.split, after.split)
      ? [{ condition: "delete" as const, text: say`${on}: no inbound agent any more` }]
      : []),
    shiftFact(before, after, on),
  ];
}

function shiftFact({ split: before }: Side, { split: after }: Side, on: Text): Fact {
  if (!isSplit(before) || !isSplit(after)) return { condition: "shift", text: say`${on}: the step is not known` };
  const points = pointsOf(before, after);
  return { condition: "shift", points, text: say`${on}: ${points} percentage points` };
}
