import { clearedNumbers, isObject, removable, unappliedOf } from "../../../provider/review";
import { CALLED } from "../../command";
import { groupBy } from "../../lists";
import { splitIn } from "../../pulumi/values";
import {
  type Affected,
  type Card,
  card,
  type Fact,
  NOT_SPECIFIED,
  numberText,
  onText,
  REMOVAL,
  totalOf,
} from "../card";
import type { Guards } from "../guards";
import type { Holders, Removal } from "../ownership";
import { affectedBy, listedNumbers, type NumberChange, planOf, type Snapshot } from "../snapshot";
import { agentTable, splitText } from "../splits";
import { counted, id, plain, say, type Text } from "../text";

/** Numbers that lose their agents, or that the stack forgets. */

/** @param guards undefined for a `pulumi destroy`, which is meant to take everything */
export function removalCards(removals: readonly Removal[], guards: Guards | undefined): Card[] {
  const keyOf = ({ providerName, before, isRetained }: Removal) =>
    JSON.stringify([providerName, before.split, before.values.onDelete, isRetained, mayBind(before)]);
  return groupBy(removals, keyOf).map((all) => removal(all, guards));
}

function removal(all: [Removal, ...Removal[]], guards: Guards | undefined): Card {
  const [{ before, isRetained }] = all;
  const affected = all.map(affectedIn);
  const on = onText(affected);
  const listed = all.flatMap((one) =>
    listedNumbers(one, one.before, one.lost, `Numbers that leave ${plain([id(one.name)])}`),
  );
  if (isRetained) {
    return card({
      rank: 6,
      family: "quiet",
      title: say`Forgotten, keeps its agents: ${on}`,
      affected,
      listed,
      notes: [
        say`Nothing is sent, because of retainOnDelete. It keeps ${splitText(before.split)}, and no Pulumi state records it afterwards.`,
      ],
      facts: [gone(on, "forgotten by this stack")],
      undo: { caveat: ["a revert overwrites their routing again"] },
    });
  }
  if (mayBind(before) || isObject(before.values.onDelete)) {
    return losing(all, { affected, on, listed }, titleOf(affected, on), guards && unlimitedNote(all, guards));
  }
  return card({
    rank: 7,
    family: "quiet",
    title: say`Forgotten: ${on}, nothing to clear`,
    affected,
    listed,
    agents: agentTable(before.split, undefined, "before"),
    facts: [gone(on, loseAgents(totalOf(affected)))],
    requests: { isAtLeast: isAtLeast(all) },
  });
}

interface Going extends Pick<Card, "affected" | "listed"> {
  readonly on: Text;
}

/** The engine clears the numbers, or switches them to what `onDelete` says. */
function losing(all: [Removal, ...Removal[]], { on, ...going }: Going, title: Text, note?: Text): Card {
  const [{ before }] = all;
  const { onDelete } = before.values;
  const total = totalOf(going.affected);
  // Of a group whose numbers are hidden there is one at least.
  const count = going.affected.reduce((sum, { count: of = 1 }) => sum + of, 0);
  const agents = agentTable(before.split, undefined, "before");
  const then = isObject(onDelete) ? say`After: the onDelete routing${fallbackText(onDelete)}.` : NO_AGENTS;
  const isPartlyApplied = all.some(({ lost, before: { state } }) =>
    lost.some((number) => unappliedOf(state).has(number)),
  );
  return card({
    ...REMOVAL,
    ...going,
    title: isObject(onDelete) ? say`⚠ ${on} ${switches(total)}` : title,
    agents,
    notes: [
      agents ? then : say`Now: ${splitText(before.split)}. ${then}`,
      isPartlyApplied && [
        "An earlier run applied this only in part, so some numbers may still have their earlier routing.",
      ],
      note,
      KEEP_IT,
    ],
    facts: [gone(on, isObject(onDelete) ? switches(total) : loseAgents(total))],
    requests: { puts: count, clears: isObject(onDelete) ? 0 : count, isAtLeast: isAtLeast(all) },
    undo: { caveat: ["a revert assigns the removed numbers again"] },
  });
}

export const gone = (on: Text, how: string): Fact => ({ condition: "delete", text: say`${on}: ${how}` });

/** Without maxRemove, a whole group may be deleted, although only a few of its numbers may leave it at once. */
function unlimitedNote(all: readonly Removal[], { isRemovalUnlimited }: Guards): Text | undefined {
  const isOver = ({ providerName, lost, before }: Removal) =>
    providerName === undefined && lost.length > removable(before.members.size, undefined);
  return isRemovalUnlimited && all.some(isOver)
    ? say`⚠ No guard limits this, because ${id("agent-platform:maxRemove")} is not set: without it a group may go as a whole.`
    : undefined;
}

/** May there be more than are shown? */
const isAtLeast = (all: readonly Removal[]): boolean => !all.every(({ before }) => before.areNumbersKnown);

/** A hidden number counts as one number. How many numbers a hidden group has is not known. */
function affectedIn(removal: Removal): Affected {
  const affected = affectedBy(removal, removal.before);
  return removal.before.areNumbersKnown ? { ...affected, count: removal.lost.length } : affected;
}

/** Is there anything to clear? */
const mayBind = (before: Snapshot): boolean => clearedNumbers(before.state).length > 0;

function titleOf(affected: readonly Affected[], on: Text): Text {
  const total = totalOf(affected);
  if (affected.length > 1 || (total !== undefined && affected[0]?.number === undefined)) {
    return say`⚠ ${on} ${loseAgents(total)}`;
  }
  return total === undefined ? say`⚠ Numbers lose their agents: ${on}` : say`⚠ ${loses(total)}: ${on}`;
}

export const loseAgents = (count: number | undefined): string =>
  count === 1 ? "loses its agents" : "lose their agents";
const loses = (count: number): string => `${counted(count, "number")} ${loseAgents(count)}`;
export const switches = (count: number | undefined): string =>
  count === 1 ? "switches to its onDelete routing" : "switch to their onDelete routing";

const NO_AGENTS: Text = [`After: no agents. ${NOT_SPECIFIED}`];

/** `, agent_closed@1 100 %`, if the fallback names agents. */
export function fallbackText(fallback: unknown): Text {
  const agents = splitIn(isObject(fallback) ? fallback.inboundAgents : undefined);
  return agents === undefined ? [] : say`, ${splitText(agents)}`;
}

const KEEP_IT: Text = say`To keep the agents, set the resource option ${id("retainOnDelete: true")} and merge that first. To move to another stack, do the same, then declare it there.`;

/** The original of a group that an earlier run replaced. The preview does not show which of its numbers the group still declares. */
export function pendingDelete({ name, before }: NumberChange): Card {
  const count = counted(before.members.size, "number");
  return card({
    ...REMOVAL,
    title: say`⚠ Numbers that left ${id(name)} in an earlier run lose their agents now: that run ended before it cleared them`,
    agents: agentTable(before.split, undefined, "before"),
    notes: [
      say`Of ${count}, each that the program no longer declares is cleared. A preview cannot tell which; ${id(`${CALLED} show <number>`)} can.`,
    ],
    facts: [{ condition: "delete", text: say`${id(name)}: numbers that left it in an earlier run` }],
    requests: { isAtLeast: true },
  });
}

/** Numbers that leave a group which stays. They are only forgotten if the group moves to another platform, or with `retainOnDelete`. */
export function leaveCards(change: NumberChange, holders: Holders): Card[] {
  const { before, after, isRetained } = change;
  const { leaves, clears } = planOf(change);
  const isElsewhere = after.endpoint !== undefined && before.endpoint !== after.endpoint;
  const areForgotten = isElsewhere || isRetained;
  const lost = (areForgotten ? leaves : clears).filter((number) => holders.newHolder(number, change) === undefined);
  if (lost.length === 0) {
    return [];
  }
  const what = say`${counted(lost.length, "number")} of ${id(change.name)}`;
  const going = {
    affected: [{ ...affectedBy(change), count: lost.length }],
    listed: listedNumbers(change, before, lost, "Numbers that leave"),
  };
  if (!areForgotten) {
    const leaving = { ...change, lost };
    return [losing([leaving], { ...going, on: what }, say`⚠ ${loses(lost.length)}: ${whichLeave(leaving)}`)];
  }
  return [
    card({
      ...going,
      tone: "warning",
      rank: 3,
      family: "quiet",
      title: say`Forgotten, ${lost.length === 1 ? "keeps its" : "keep their"} agents: ${what}`,
      notes: [isRetained && ["Nothing is sent, because of retainOnDelete. No Pulumi state records them afterwards."]],
      facts: [gone(what, "forgotten by this stack")],
    }),
  ];
}

function whichLeave({ name, before, after, lost }: Removal): Text {
  const members = before.members;
  const [first = ""] = lost;
  return lost.length === 1
    ? say`${numberText(first, members.get(first))} (leaves ${id(name)})`
    : say`they leave ${id(name)} (${members.size} → ${after.members.size})`;
}
