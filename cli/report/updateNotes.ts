import type { Shortfall } from "../../provider/core/fleet";
import { sameRouting } from "../../provider/core/routing";
import { same } from "../../provider/core/same";
import { holdsUnknown } from "../../provider/core/unknown";
import { sentAgain } from "./fields";
import { numberText, totalOf } from "./places";
import { bothSplits, labelsOf, overridesIn, routingIn, type Side } from "./sides";
import { pointsOf, splitNotes } from "./splits";
import { counted, id, joined, say, type Text } from "./text";
import { type Group, requestsOf } from "./updateRequests";
import { holdsMasked, isMap, type Properties, shown } from "./values";

/** Why a routing is sent, and what a reader has to know of it. */

export function notesOf(group: Group): Text[] {
  const { before, after, fields, renamedFrom, change, isGoingBack, all } = group;
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
    ...(renamedFrom === undefined
      ? []
      : [
          say`Declared as ${id(renamedFrom)} until now, as ${id(change.name)} from now on${isSplitChanged ? "; maxShift does not judge a change together with a new name" : ""}.`,
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

function unappliedNote({ before, all }: Group, total: number | undefined): Text[] {
  const { unapplied } = before.values;
  if (unapplied === undefined) return [];
  const missing = isMap(unapplied) ? Object.keys(unapplied).length : all.length;
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

const SHORTFALLS: readonly Shortfall[] = ["rejected", "unknown", "different", "not sent", "leaving"];

const shortfalls = (unapplied: unknown): string => {
  if (!isMap(unapplied))
    return ` (${unapplied === "unknown" ? "outcome unknown" : "the platform answered something else"})`;
  const counts = new Map<string, number>();
  for (const value of Object.values(unapplied)) {
    const reason = SHORTFALLS.find((known) => known === value) ?? "unknown";
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return ` (${[...counts]
    .slice(0, 5)
    .map(([reason, count]) => `${count} ${reason}`)
    .join(", ")})`;
};

/** `+493012345670: outboundAgentId none → agent_berlin`. */
function overrideNotes(before: Side, after: Side): Text[] {
  const [old, next] = [overridesIn(before), overridesIn(after)];
  const numbers = [...new Set([...Object.keys(old), ...Object.keys(next)])].sort();
  const changed = numbers.filter((number) => !same(old[number], next[number]));
  const lines = changed.slice(0, MOST_OVERRIDES).map((number) => {
    const [from, to] = [{ ...old[number] } as Properties, { ...next[number] } as Properties];
    const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter((key) => !same(from[key], to[key]));
    const rows = keys.map((key) => say`${id(key)} ${shown(from[key])} → ${shown(to[key])}`);
    return say`${numberText(number, labelsOf(after).get(number))}: ${joined(rows, ", ")}`;
  });
  const more = changed.length - lines.length;
  return more > 0 ? [...lines, say`… and ${more} more numbers with differences of their own.`] : lines;
}

const MOST_OVERRIDES = 10;

function labelsChanged(before: Side, after: Side): boolean {
  const old = labelsOf(before);
  return [...labelsOf(after)].some(([number, label]) => old.has(number) && old.get(number) !== label);
}
