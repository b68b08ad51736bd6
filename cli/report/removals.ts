import { bindsAnything } from "../../provider/core/routing";
import { type Change, type Contribution, card, type Listed, NOTHING, type Place } from "./model";
import { numberText, onText, totalOf } from "./places";
import { afterOf, labelsOf, placeOf, routingIn, type Side, stillLeaving } from "./sides";
import { agentTable, splitText } from "./splits";
import { counted, id, plain, say, type Text } from "./text";
import { isHidden, isMap, splitIn } from "./values";

/** Numbers that lose their agents, or that the stack forgets. */

export interface Removal {
  readonly change: Change;
  readonly before: Side;
  /** Numbers that nothing declares any more. */
  readonly lost: readonly string[];
  /** Are these all, or is it hidden which numbers it held? */
  readonly isKnown: boolean;
}

export const SILENT = "What callers hear then is not shown by the platform.";

export function removalContributions(removals: readonly Removal[]): Contribution[] {
  const groups = new Map<string, Removal[]>();
  for (const removal of removals) {
    const { split, values } = removal.before;
    const key = JSON.stringify([
      removal.change.account,
      split,
      values.onDelete,
      removal.change.before?.retainOnDelete,
      mayBind(removal.before),
    ]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [removal]);
    else group.push(removal);
  }
  return [...groups.values()].map((all) => removal(all as [Removal, ...Removal[]]));
}

function removal(all: [Removal, ...Removal[]]): Contribution {
  const [{ change, before }] = all;
  const places = all.map(placeIn);
  if (change.before?.retainOnDelete === true) return retained(places, before, all);
  const on = onText(places);
  const isBound = mayBind(before);
  // Of a group whose numbers are hidden there is one at least.
  const count = places.reduce((total, { count: of = 1 }) => total + of, 0);
  const isAtLeast = all.some(({ isKnown }) => !isKnown);
  const fallback = before.values.onDelete;
  const falls = isMap(fallback);
  const isSent = isBound || falls;
  return {
    card: card({
      tone: isSent ? "danger" : "plain",
      rank: isSent ? 1 : 7,
      family: isSent ? "removal" : "quiet",
      title: titleOf(places, isBound, falls),
      places,
      agents: agentTable(before.split, undefined, "before"),
      notes: isSent
        ? [
            nowAndThen(before.split, fallback),
            ...(before.values.formerRouting === undefined ? [] : [FORMER]),
            ...leftNotes(all.map(({ lost, before: side }) => leftOf(side, lost))),
            keepIt(),
          ]
        : [],
      listed: all.flatMap(listedLost),
    }),
    facts: [
      {
        condition: "delete",
        text: say`${on}: ${falls ? "falls back to another routing" : "has no agent bound any more"}`,
      },
    ],
    requests: { ...NOTHING, puts: isSent ? count : 0, clears: isSent && !falls ? count : 0, isAtLeast },
    undo: isSent ? ["a revert assigns them again"] : undefined,
  };
}

/** A number that is hidden is one number; a group of such is nobody knows how many. */
function placeIn({ change, before, lost, isKnown }: Removal): Place {
  const place = placeOf(change, before);
  return isKnown ? { ...place, count: lost.length } : place;
}

/** Is there anything to clear, for all of them or for one alone? What is masked may be something. */
function mayBind(side: Side): boolean {
  const { overrides, formerRouting, formerOverrides } = side.values;
  const holds = (value: unknown) => isHidden(value) || (isMap(value) && Object.keys(value).length > 0);
  if (bindsAnything(routingIn(side)) || holds(overrides) || holds(formerOverrides)) return true;
  return isMap(formerRouting) ? bindsAnything(formerRouting) : isHidden(formerRouting);
}

function titleOf(places: readonly Place[], isBound: boolean, falls: boolean): Text {
  const on = onText(places);
  if (falls) return say`⚠ Falls back to another routing: ${on}`;
  if (!isBound) return say`Forgotten: ${on}, nothing bound`;
  const total = totalOf(places);
  if (places.length > 1) return say`⚠ ${on} lose their agents`;
  return total === undefined ? say`⚠ Numbers lose their agents: ${on}` : say`⚠ ${loses(total)}: ${on}`;
}

const FORMER: Text = ["An earlier run did not apply all of it: some of it may hold what it had before."];

const loses = (count: number): string =>
  count === 1 ? "1 number loses its agents" : `${counted(count, "number")} lose their agents`;

function nowAndThen(split: Side["split"], fallback: unknown): Text {
  const now = say`Now: ${splitText(split)}.`;
  if (!isMap(fallback)) return say`${now} After: no agent bound. ${SILENT}`;
  return say`${now} After: the routing of onDelete${fallbackText(fallback)}.`;
}

/** `, agent_closed@1 100 %`, where it names agents. */
export function fallbackText(fallback: unknown): Text {
  const agents = splitIn(isMap(fallback) ? fallback.inboundAgents : undefined);
  return agents === undefined ? [] : say`, ${splitText(agents)}`;
}

const keepIt = (): Text =>
  say`To leave it as it is: the resource option ${id("retainOnDelete: true")} (merge that first). To move it to another stack: the same, then add it there.`;

function listedLost({ change, before, lost }: Removal): Listed[] {
  if (change.kind !== "NumberGroup" || lost.length === 0) return [];
  const labels = labelsOf(before);
  return [
    {
      title: `Numbers that leave ${plain([id(change.name)])}`,
      items: lost.map((number) => numberText(number, labels.get(number))),
    },
  ];
}

function retained(places: readonly Place[], before: Side, all: readonly Removal[]): Contribution {
  const on = onText(places);
  return {
    card: card({
      rank: 6,
      family: "quiet",
      title: say`Forgotten, keeps its agents: ${on}`,
      places,
      notes: [
        say`retainOnDelete: nothing is sent. It keeps ${splitText(before.split)}, and no state knows of it any more.`,
      ],
      listed: all.flatMap(listedLost),
    }),
    facts: [{ condition: "delete", text: say`${on}: forgotten by this stack` }],
    requests: NOTHING,
    undo: ["a revert takes them over again"],
  };
}

/** Numbers of a group that left in an earlier run, which did not clear them. */
const leftOf = (before: Side, lost: readonly string[]): number => {
  const left = new Set(stillLeaving(before));
  return left.size === 0 ? 0 : lost.filter((number) => left.has(number)).length;
};

function leftNotes(counts: readonly number[]): Text[] {
  const count = counts.reduce((total, one) => total + one, 0);
  if (count === 0) return [];
  return [
    say`${counted(count, "number")} left in an earlier run, which was to clear ${count === 1 ? "it" : "them"} and did not: what ${count === 1 ? "it holds" : "they hold"} now may be what stood there before.`,
  ];
}

/** Numbers that leave a group which stays. */
export function leaveContribution(
  change: Change,
  before: Side,
  lost: readonly string[],
  areForgotten: boolean,
): Contribution[] {
  if (lost.length === 0) return [];
  const labels = labelsOf(before);
  const place = { ...placeOf(change), count: lost.length };
  const items = lost.map((number) => numberText(number, labels.get(number)));
  const listed = [{ title: "Numbers that leave", items }];
  if (areForgotten) return [forgotten(change, place, listed)];
  const fallback = afterOf(change).values.onDelete;
  const falls = isMap(fallback);
  const fall = lost.length === 1 ? "falls" : "fall";
  const count = counted(lost.length, "number");
  return [
    {
      card: card({
        tone: "danger",
        rank: 1,
        family: "removal",
        title: falls
          ? say`⚠ ${count} of ${id(change.name)} ${fall} back to another routing`
          : say`⚠ ${loses(lost.length)}: ${whichLeave(change, before, lost)}`,
        places: [place],
        agents: agentTable(before.split, undefined, "before"),
        notes: [nowAndThen(before.split, fallback), ...leftNotes([leftOf(before, lost)])],
        listed,
      }),
      facts: [
        {
          condition: "delete",
          text: say`${count} of ${id(change.name)}: ${falls ? `${fall} back to another routing` : "no agent bound any more"}`,
        },
      ],
      requests: { ...NOTHING, puts: lost.length, clears: falls ? 0 : lost.length },
      undo: ["a revert assigns them again"],
    },
  ];
}

function whichLeave(change: Change, before: Side, lost: readonly string[]): Text {
  const labels = labelsOf(before);
  const [first = ""] = lost;
  const isLeft = leftOf(before, lost) === lost.length;
  const name = id(change.name);
  if (lost.length === 1)
    return say`${numberText(first, labels.get(first))} (${isLeft ? "left" : "leaves"} ${name}${isLeft ? " in an earlier run" : ""})`;
  if (isLeft) return say`they left ${name} in an earlier run`;
  return say`they leave ${name} (${labels.size} → ${labelsOf(afterOf(change)).size})`;
}

/** The group goes to another platform without these, or `retainOnDelete` keeps what they have. */
function forgotten(change: Change, place: Place, listed: readonly Listed[]): Contribution {
  const what = say`${counted(place.count ?? 0, "number")} of ${id(change.name)}`;
  return {
    card: card({
      tone: "warning",
      rank: 3,
      family: "quiet",
      title: say`Forgotten, ${place.count === 1 ? "keeps its" : "keep their"} agents: ${what}`,
      places: [place],
      listed,
    }),
    facts: [{ condition: "delete", text: say`${what}: forgotten by this stack` }],
    requests: NOTHING,
    undo: undefined,
  };
}
