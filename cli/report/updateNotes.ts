import type { Shortfall } from "../../provider/core/fleet";
import { sameRouting } from "../../provider/core/routing";
import { same } from "../../provider/core/same";
import { holdsUnknown } from "../../provider/core/unknown";
import { sentAgain } from "./fields";
import { overrideNotes } from "./overrides";
import { totalOf } from "./places";
import { bothSplits, labelsOf, routingIn, type Side, unappliedIn } from "./sides";
import { pointsOf, splitNotes } from "./splits";
import { counted, id, say, some, type Text } from "./text";
import { type Group, requestsOf } from "./updateRequests";
import { holdsMasked, isMap } from "./values";

/** Why a routing is sent, and what a reader has to know of it. */

export function notesOf(group: Group): Text[] {
  const { before, after, fields, move, isGoingBack, all } = group;
  const splits = bothSplits(before, after);
  const isSplitChanged = !same(before.split, after.split);
  const isSent = all.some((update) => requestsOf(update).puts > 0);
  const total = totalOf(group.places);
  return [
    ...(splits !== undefined && isSplitChanged
      ? [
          ...splitNotes(splits.before, splits.after),
          say`Step: ${pointsOf(splits.before, splits.after)} points${isGoingBack ? ". It goes back to the split that was applied before, which maxShift and the approvals never refuse" : ""}.`,
        ]
      : []),
    ...(before.place !== after.place && after.place !== undefined
      ? [
          say`Moves from ${id(before.place ?? "another platform")} to ${id(after.place)}. What is bound there until now stays as it is: clear it by hand if it must not.`,
        ]
      : []),
    ...(move === undefined
      ? []
      : [
          say`Declared as ${namesText(all.flatMap((one) => one.move?.from.change.name ?? []))} until now, as ${namesText(all.map((one) => one.change.name))} from now on${isSplitChanged ? "; maxShift does not judge a change together with a new name" : ""}.`,
        ]),
    ...reasons(group, total),
    ...(isSent && isSplitChanged
      ? sentAgain(
          all.map((update) => update.after),
          fields,
        )
      : []),
  ];
}

const namesText = (names: readonly string[]): Text =>
  some(
    [...new Set(names)].map((name) => [id(name)]),
    3,
  );

function reasons(group: Group, total: number | undefined): Text[] {
  const { before, after } = group;
  const isAgain = !same(before.values.triggers, after.values.triggers) || holdsUnknown(after.values.triggers);
  return [
    ...unappliedNote(group, total),
    ...(isAgain ? [say`Sent again because ${id("triggers")} changed: it writes over what was changed by hand.`] : []),
    ...overrideNotes(before, after),
    ...(labelsChanged(before, after) ? [["Labels change: they are shown, and never sent."]] : []),
    ...maskedNote(group),
  ];
}

function unappliedNote({ before, after, all }: Group, total: number | undefined): Text[] {
  const unapplied = unappliedIn(before, after);
  if (unapplied === undefined) return [];
  const missing = isMap(unapplied) ? Object.keys(unapplied).length : (total ?? all.length);
  const [was, is, holds] = missing === 1 ? ["was", "is", "it holds"] : ["were", "are", "they hold"];
  return [
    say`⚠ ${missing} of ${total === undefined ? "the numbers" : counted(total, "number")} ${was} not applied in an earlier run${shortfalls(unapplied)}, and ${is} sent again. What ${holds} now may be what stood there before.`,
  ];
}

/** The engine sees a change where all that differs is masked. */
function maskedNote({ before, after, fields, change }: Group): Text[] {
  const isVisible =
    !sameRouting(routingIn(before), routingIn(after)) ||
    fields.length > 0 ||
    before.place !== after.place ||
    change.op !== "update";
  const isMasked = holdsMasked(before.values) || holdsMasked(after.values);
  return !isVisible && isMasked ? [["A masked value may have changed: a preview shows neither which nor how."]] : [];
}

const SHORTFALLS: readonly Shortfall[] = ["rejected", "unknown", "different", "not sent", "leaving", "untouched"];

const shortfalls = (unapplied: unknown): string => {
  if (!isMap(unapplied))
    return ` (${unapplied === "unknown" ? "outcome unknown" : unapplied === "different" ? "the platform answered something else" : (SHORTFALLS.find((known) => known === unapplied) ?? "unknown")})`;
  const counts = new Map<string, number>();
  for (const value of Object.values(unapplied)) {
    const reason = SHORTFALLS.find((known) => known === value) ?? "unknown";
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return ` (${[...counts]
    .slice(0, 5)
    .map(([reason, count]) => `${count} ${reason === "untouched" ? "with nothing of this group yet" : reason}`)
    .join(", ")})`;
};

function labelsChanged(before: Side, after: Side): boolean {
  const old = labelsOf(before);
  return [...labelsOf(after)].some(([number, label]) => old.has(number) && old.get(number) !== label);
}
