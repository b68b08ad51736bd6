import { clearedNumbers } from "../../../provider/core/plan";
import { CALLED } from "../../command";
import { groupBy } from "../../lists";
import { isMap, splitIn } from "../../pulumi/values";
import { type Card, card, REMOVAL } from "../model";
import {
  affectedBy,
  areNumbersKnown,
  isUnapplied,
  listedNumbers,
  membersOf,
  type NumberChange,
  type Snapshot,
} from "../snapshot";
import { counted, id, plain, say, type Text } from "../text";
import { type Affected, NOT_SPECIFIED, numberText, onText, totalOf } from "../words";
import { agentTable, splitText } from "./splits";

/** Numbers that lose their agents, or that the stack forgets. */

export interface Removal extends NumberChange {
  /** Numbers that nothing declares any more. */
  readonly lost: readonly string[];
}

export function removalCards(removals: readonly Removal[]): Card[] {
  const keyOf = ({ providerName, before, isRetained }: Removal) =>
    JSON.stringify([providerName, before.split, before.values.onDelete, isRetained, mayBind(before)]);
  return groupBy(removals, keyOf).map(removal);
}

function removal(all: [Removal, ...Removal[]]): Card {
  const [{ before, isRetained }] = all;
  const affected = all.map(affectedIn);
  const on = onText(affected);
  const total = totalOf(affected);
  const isBound = mayBind(before);
  const falls = isMap(before.values.onDelete);
  const said = {
    title: titleOf(affected, isBound, falls),
    affected,
    listed: all.flatMap((one) =>
      listedNumbers(one, one.before, one.lost, `Numbers that leave ${plain([id(one.name)])}`),
    ),
    facts: [{ condition: "delete" as const, text: say`${on}: ${falls ? switches(total) : loseAgents(total)}` }],
  };
  if (isRetained) {
    return card({
      ...said,
      rank: 6,
      family: "quiet",
      title: say`Forgotten, keeps its agents: ${on}`,
      notes: [
        say`Nothing is sent, because of retainOnDelete. It keeps ${splitText(before.split)}, and no Pulumi state records it afterwards.`,
      ],
      facts: [{ condition: "delete", text: say`${on}: forgotten by this stack` }],
      undo: { caveat: ["a revert overwrites their routing again"] },
    });
  }
  return isBound || falls
    ? losing(said, all)
    : card({
        ...said,
        rank: 7,
        family: "quiet",
        agents: agentTable(before.split, undefined, "before"),
        requests: { isAtLeast: isAtLeast(all) },
      });
}

/** The engine clears the numbers, or switches them to what `onDelete` says. */
function losing(said: Pick<Card, "title" | "affected" | "listed" | "facts">, all: [Removal, ...Removal[]]): Card {
  const [{ before }] = all;
  const { onDelete } = before.values;
  // Of a group whose numbers are hidden there is one at least.
  const count = said.affected.reduce((total, { count: of = 1 }) => total + of, 0);
  const agents = agentTable(before.split, undefined, "before");
  const then = isMap(onDelete) ? say`After: the onDelete routing${fallbackText(onDelete)}.` : NO_AGENTS;
  const isFormer = all.some((one) => one.lost.some((number) => isUnapplied(number, one.before)));
  return card({
    ...REMOVAL,
    ...said,
    agents,
    notes: [agents ? then : say`Now: ${splitText(before.split)}. ${then}`, isFormer && FORMER, KEEP_IT],
    requests: { puts: count, clears: isMap(onDelete) ? 0 : count, isAtLeast: isAtLeast(all) },
    undo: { caveat: ["a revert assigns the removed numbers again"] },
  });
}

/** May there be more than are shown? */
const isAtLeast = (all: readonly Removal[]): boolean => !all.every(({ before }) => areNumbersKnown(before));

/** A number that is hidden is one number; a group of such is nobody knows how many. */
function affectedIn(removal: Removal): Affected {
  const affected = affectedBy(removal, removal.before);
  return areNumbersKnown(removal.before) ? { ...affected, count: removal.lost.length } : affected;
}

/** Is there anything to clear, for all of them or for one alone? */
const mayBind = (before: Snapshot): boolean => clearedNumbers(before.state).length > 0;

function titleOf(affected: readonly Affected[], isBound: boolean, falls: boolean): Text {
  const on = onText(affected);
  const total = totalOf(affected);
  if (falls) {
    return say`⚠ ${on} ${switches(total)}`;
  }
  if (!isBound) {
    return say`Forgotten: ${on}, nothing to clear`;
  }
  if (affected.length > 1 || (total !== undefined && affected[0]?.number === undefined)) {
    return say`⚠ ${on} ${loseAgents(total)}`;
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

const NO_AGENTS: Text = [`After: no agents. ${NOT_SPECIFIED}`];

/** `, agent_closed@1 100 %`, where it names agents. */
export function fallbackText(fallback: unknown): Text {
  const agents = splitIn(isMap(fallback) ? fallback.inboundAgents : undefined);
  return agents === undefined ? [] : say`, ${splitText(agents)}`;
}

const KEEP_IT: Text = say`To keep the agents, set the resource option ${id("retainOnDelete: true")} and merge that first. To move to another stack, do the same, then declare it there.`;

/** What is left over of a group whose own step the preview does not show: it may be any of its numbers. */
export function pendingDelete({ name, before }: NumberChange): Card {
  const count = counted(membersOf(before).size, "number");
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

/**
 * Numbers that leave a group which stays. They are forgotten where the group goes to another platform without these, or where
 * `retainOnDelete` keeps what they have.
 */
export function leaveCards(leaving: Removal, areForgotten: boolean): Card[] {
  const { before, lost, isRetained } = leaving;
  if (lost.length === 0) {
    return [];
  }
  const what = say`${counted(lost.length, "number")} of ${id(leaving.name)}`;
  const falls = isMap(before.values.onDelete);
  const then = falls ? switches(lost.length) : loseAgents(lost.length);
  const said = {
    title: falls ? say`⚠ ${what} ${then}` : say`⚠ ${loses(lost.length)}: ${whichLeave(leaving)}`,
    affected: [{ ...affectedBy(leaving), count: lost.length }],
    listed: listedNumbers(leaving, before, lost, "Numbers that leave"),
    facts: [{ condition: "delete" as const, text: say`${what}: ${areForgotten ? "forgotten by this stack" : then}` }],
  };
  if (!areForgotten) {
    return [losing(said, [leaving])];
  }
  return [
    card({
      ...said,
      tone: "warning",
      rank: 3,
      family: "quiet",
      title: say`Forgotten, ${lost.length === 1 ? "keeps its" : "keep their"} agents: ${what}`,
      notes: [isRetained && ["Nothing is sent, because of retainOnDelete. No Pulumi state records them afterwards."]],
    }),
  ];
}

function whichLeave({ name, before, after, lost }: Removal): Text {
  const members = membersOf(before);
  const [first = ""] = lost;
  return lost.length === 1
    ? say`${numberText(first, members.get(first))} (leaves ${id(name)})`
    : say`they leave ${id(name)} (${members.size} → ${membersOf(after).size})`;
}
