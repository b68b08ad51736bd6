import { same } from "../../provider/core/same";
import { type GuardsOf, guardLine, noGuards } from "./guards";
import { type Card, type Change, card, type Place, sum } from "./model";
import { overridesChange } from "./overrides";
import { onText } from "./places";
import { bothSplits, placeOf } from "./sides";
import { agentTable, isCut, isWithoutCanary, splitTitle } from "./splits";
import { capital, id, say, type Text } from "./text";
import { notesOf } from "./updateNotes";
import { type Group, requestsOf, type Update } from "./updateRequests";

/** How a routing that changes in place is shown. */

export function cardOf(group: Group, guardsOf: GuardsOf, isOpen: boolean): Card {
  const { before, after } = group;
  const isSplitChanged = !same(before.split, after.split);
  return card({
    ...weightOf(group),
    title: titleOf(group),
    places: group.places,
    agents: isSplitChanged ? agentTable(before.split, after.split, "both") : undefined,
    fields: group.fields,
    notes: [...notesOf(group), ...(after.isChecked ? [] : [noGuards]), ...guardNotes(group, guardsOf, isOpen)],
  });
}

/** How dangerous it is, and so how far above. */
function weightOf({ before, after, fields, all }: Group): Pick<Card, "tone" | "rank" | "family"> {
  const splits = bothSplits(before, after);
  const isSplitChanged = !same(before.split, after.split);
  if (isCut(before.split, after.split)) return { tone: "danger", rank: 1, family: "removal" };
  const isAtOnce = splits !== undefined && isWithoutCanary(splits.before, splits.after);
  const isMoved = before.place !== after.place;
  const isSent =
    fields.some((field) => field.isSent) || all.map(requestsOf).some(({ puts, isAtLeast }) => puts > 0 || isAtLeast);
  const tone = isAtOnce || isMoved ? "warning" : "plain";
  if (isSplitChanged) return { tone, rank: 3, family: "split" };
  return isMoved || isSent ? { tone, rank: isMoved ? 3 : 5, family: "routing" } : { tone, rank: 8, family: "quiet" };
}

function guardNotes({ before, after, change, isGoingBack }: Group, guardsOf: GuardsOf, isOpen: boolean): Text[] {
  const splits = bothSplits(before, after);
  if (splits === undefined || same(before.split, after.split)) return [];
  const line = guardLine(guardsOf(change.account), { ...splits, program: after.values, isGoingBack, isOpen });
  return line === undefined ? [] : [line];
}

function titleOf(group: Group): Text {
  const { before, after, fields, change } = group;
  const on = onText(group.places);
  if (!same(before.split, after.split)) return splitTitle(before.split, after.split, on);
  if (before.place !== after.place && after.place !== undefined)
    return capital(say`${on}: to another platform, ${id(after.place)}`);
  const sent = fields.filter(({ isSent }) => isSent);
  const [only] = sent;
  if (sent.length === 1 && only !== undefined)
    return capital(say`${only.field} on ${on}: ${only.before} → ${only.after}`);
  if (sent.length > 1) return capital(say`${sent.map(({ field }) => field).join(" and ")} change on ${on}`);
  if (group.move !== undefined) return say`Renamed, keeps its agents: ${on}`;
  return quietTitle(group, on, change);
}

function quietTitle({ all, fields, before, after }: Group, on: Text, { name }: Change): Text {
  const { puts, isAtLeast } = sum(all.map(requestsOf));
  if (overridesChange(before, after)) return say`Differences of single numbers in ${id(name)}`;
  if (puts === 0 && isAtLeast) return say`May be sent again: ${on}`;
  if (puts > 0 && (isAtLeast || all.length > 1)) return say`Sent again: ${on}`;
  if (puts > 0) return say`Sent again: ${onText([{ name, account: undefined, count: puts, ...only(all) }])}`;
  if (fields.length > 0) return say`Settings of ${on}: recorded, nothing is sent`;
  return say`${capital(on)}: recorded, nothing is sent`;
}

/** A single assignment is named by its number. */
const only = (all: readonly Update[]): Partial<Place> => {
  const [first] = all;
  if (all.length !== 1 || first === undefined || first.change.kind === "NumberGroup") return {};
  return placeOf(first.change, first.after);
};
