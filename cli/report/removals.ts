import { clearedNumbers } from "../../provider/core/plan";
import { groupBy } from "../groupBy";
import { isMap, splitIn } from "../pulumi/values";
import {
  type Card,
  type Change,
  type Contribution,
  contribution,
  type Listed,
  numberText,
  onText,
  type Place,
  REMOVAL,
  totalOf,
} from "./model";
import { afterOf, isUnapplied, labelsOf, placeOf, type Snapshot } from "./snapshot";
import { agentTable, splitText } from "./splits";
import { counted, id, plain, say, type Text } from "./text";

/** Numbers that lose their agents, or that the stack forgets. */

export interface Removal {
  readonly change: Change;
  readonly before: Snapshot;
  /** Numbers that nothing declares any more. */
  readonly lost: readonly string[];
  /** Are these all, or is it hidden which numbers it held? */
  readonly isKnown: boolean;
}

export const SILENT = "The API does not specify what callers hear then.";

export function removalContributions(removals: readonly Removal[]): Contribution[] {
  const keyOf = ({ change, before }: Removal) =>
    JSON.stringify([
      change.account,
      before.split,
      before.values.onDelete,
      change.before?.retainOnDelete,
      mayBind(before),
    ]);
  return groupBy(removals, keyOf).map(removal);
}

function removal(all: [Removal, ...Removal[]]): Contribution {
  const [{ change, before }] = all;
  const places = all.map(placeIn);
  if (change.before?.retainOnDelete === true) {
    return retained(places, before, all);
  }
  const on = onText(places);
  const total = totalOf(places);
  const isBound = mayBind(before);
  // Of a group whose numbers are hidden there is one at least.
  const count = places.reduce((total, { count: of = 1 }) => total + of, 0);
  const isAtLeast = all.some(({ isKnown }) => !isKnown);
  const falls = isMap(before.values.onDelete);
  const said = {
    title: titleOf(places, isBound, falls),
    places,
    listed: all.flatMap(listedLost),
    facts: [{ condition: "delete" as const, text: say`${on}: ${falls ? switches(total) : loseAgents(total)}` }],
  };
  return isBound || falls
    ? losing({ ...said, before, count, isAtLeast, isFormer: all.some(isFormer) })
    : contribution({
        ...said,
        rank: 7,
        family: "quiet",
        agents: agentTable(before.split, undefined, "before"),
        requests: { isAtLeast },
      });
}

interface Losing extends Pick<Card, "title" | "places" | "listed">, Pick<Contribution, "facts"> {
  readonly before: Snapshot;
  readonly count: number;
  readonly isAtLeast: boolean;
  /** May some of them still have an earlier routing? */
  readonly isFormer: boolean;
}

/** The engine clears the numbers, or switches them to what `onDelete` says. */
function losing({ before, count, isAtLeast, isFormer, ...said }: Losing): Contribution {
  const { onDelete } = before.values;
  return contribution({
    ...REMOVAL,
    ...said,
    agents: agentTable(before.split, undefined, "before"),
    notes: [nowAndThen(before.split, onDelete), ...(isFormer ? [FORMER] : []), keepIt()],
    requests: { puts: count, clears: isMap(onDelete) ? 0 : count, isAtLeast },
    undo: { caveat: ["a revert assigns the removed numbers again"] },
  });
}

const isFormer = ({ before, lost }: Pick<Removal, "before" | "lost">): boolean =>
  lost.some((number) => isUnapplied(number, before));

/** A number that is hidden is one number; a group of such is nobody knows how many. */
function placeIn({ change, before, lost, isKnown }: Removal): Place {
  const place = placeOf(change, before);
  return isKnown ? { ...place, count: lost.length } : place;
}

/** Is there anything to clear, for all of them or for one alone? */
const mayBind = (before: Snapshot): boolean => clearedNumbers(before.state).length > 0;

function titleOf(places: readonly Place[], isBound: boolean, falls: boolean): Text {
  const on = onText(places);
  const total = totalOf(places);
  if (falls) {
    return say`⚠ ${on} ${switches(total)}`;
  }
  if (!isBound) {
    return say`Forgotten: ${on}, nothing to clear`;
  }
  if (places.length > 1) {
    return say`⚠ ${on} lose their agents`;
  }
  return total === undefined ? say`⚠ Numbers lose their agents: ${on}` : say`⚠ ${loses(total)}: ${on}`;
}

const FORMER: Text = [
  "An earlier run applied this only in part, so some numbers may still have their earlier routing.",
];

const loseAgents = (count: number | undefined): string => (count === 1 ? "loses its agents" : "lose their agents");
const loses = (count: number): string => `${counted(count, "number")} ${loseAgents(count)}`;
const switches = (count: number | undefined): string =>
  count === 1 ? "switches to its onDelete routing" : "switch to their onDelete routing";

function nowAndThen(split: Snapshot["split"], fallback: unknown): Text {
  const now = say`Now: ${splitText(split)}.`;
  if (!isMap(fallback)) {
    return say`${now} After: no agents. ${SILENT}`;
  }
  return say`${now} After: the onDelete routing${fallbackText(fallback)}.`;
}

/** `, agent_closed@1 100 %`, where it names agents. */
export function fallbackText(fallback: unknown): Text {
  const agents = splitIn(isMap(fallback) ? fallback.inboundAgents : undefined);
  return agents === undefined ? [] : say`, ${splitText(agents)}`;
}

const keepIt = (): Text =>
  say`To keep the agents, set the resource option ${id("retainOnDelete: true")} and merge that first. To move to another stack, do the same, then declare it there.`;

function listedLost({ change, before, lost }: Removal): Listed[] {
  if (change.kind !== "NumberGroup" || lost.length === 0) {
    return [];
  }
  const labels = labelsOf(before);
  return [
    {
      title: `Numbers that leave ${plain([id(change.name)])}`,
      items: lost.map((number) => numberText(number, labels.get(number))),
    },
  ];
}

function retained(places: readonly Place[], before: Snapshot, all: readonly Removal[]): Contribution {
  const on = onText(places);
  return contribution({
    rank: 6,
    family: "quiet",
    title: say`Forgotten, keeps its agents: ${on}`,
    places,
    notes: [
      say`Nothing is sent, because of retainOnDelete. It keeps ${splitText(before.split)}, and no Pulumi state records it afterwards.`,
    ],
    listed: all.flatMap(listedLost),
    facts: [{ condition: "delete", text: say`${on}: forgotten by this stack` }],
    undo: { caveat: ["a revert overwrites their routing again"] },
  });
}

/** What is left over of a group whose own step the preview does not show: it may be any of its numbers. */
export function pendingDelete(change: Change, before: Snapshot): Contribution {
  const name = id(change.name);
  const count = counted(labelsOf(before).size, "number");
  return contribution({
    ...REMOVAL,
    title: say`⚠ Numbers that left ${name} in an earlier run lose their agents now: that run ended before it cleared them`,
    agents: agentTable(before.split, undefined, "before"),
    notes: [
      say`Of ${count}, each that the program no longer declares is cleared. A preview cannot tell which; ${id("npx pulumi-agent-platform show <number>")} can.`,
    ],
    facts: [{ condition: "delete", text: say`${name}: numbers that left it in an earlier run` }],
    requests: { isAtLeast: true },
  });
}

/** Numbers that leave a group which stays. */
export function leaveContribution(
  change: Change,
  before: Snapshot,
  lost: readonly string[],
  areForgotten: boolean,
): Contribution[] {
  if (lost.length === 0) {
    return [];
  }
  const labels = labelsOf(before);
  const place = { ...placeOf(change), count: lost.length };
  const items = lost.map((number) => numberText(number, labels.get(number)));
  const listed = [{ title: "Numbers that leave", items }];
  if (areForgotten) {
    return [forgotten(change, place, listed)];
  }
  const falls = isMap(before.values.onDelete);
  const what = say`${counted(lost.length, "number")} of ${id(change.name)}`;
  return [
    losing({
      title: falls
        ? say`⚠ ${what} ${switches(lost.length)}`
        : say`⚠ ${loses(lost.length)}: ${whichLeave(change, before, lost)}`,
      places: [place],
      listed,
      facts: [{ condition: "delete", text: say`${what}: ${falls ? switches(lost.length) : loseAgents(lost.length)}` }],
      before,
      count: lost.length,
      isAtLeast: false,
      isFormer: isFormer({ before, lost }),
    }),
  ];
}

function whichLeave(change: Change, before: Snapshot, lost: readonly string[]): Text {
  const labels = labelsOf(before);
  const [first = ""] = lost;
  const name = id(change.name);
  return lost.length === 1
    ? say`${numberText(first, labels.get(first))} (leaves ${name})`
    : say`they leave ${name} (${labels.size} → ${labelsOf(afterOf(change)).size})`;
}

/** The group goes to another platform without these, or `retainOnDelete` keeps what they have. */
function forgotten(change: Change, place: Place, listed: readonly Listed[]): Contribution {
  const what = say`${counted(place.count ?? 0, "number")} of ${id(change.name)}`;
  return contribution({
    tone: "warning",
    rank: 3,
    family: "quiet",
    title: say`Forgotten, ${place.count === 1 ? "keeps its" : "keep their"} agents: ${what}`,
    places: [place],
    notes:
      change.before?.retainOnDelete === true
        ? [["Nothing is sent, because of retainOnDelete. No Pulumi state records them afterwards."]]
        : [],
    listed,
    facts: [{ condition: "delete", text: say`${what}: forgotten by this stack` }],
  });
}
