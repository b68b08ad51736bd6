import { same } from "../../provider/core/equality";
import { clearedNumbers } from "../../provider/core/plan";
import { isMap, isMasked } from "../pulumi/values";
import { fieldChanges, overrideNotes } from "./fields";
import {
  type Change,
  type Contribution,
  contribution,
  type Fact,
  NOTHING,
  onText,
  REMOVAL,
  REPLACEMENT,
  sum,
} from "./model";
import { type Holders, handsOver, moveFacts, moveNotes, moveRequests, originsOf } from "./ownership";
import { fallbackText, SILENT } from "./removals";
import { afterOf, areNumbersKnown, beforeOf, labelsOf, placeOf, type Snapshot } from "./snapshot";
import { agentTable, splitText, stepFacts } from "./splits";
import { counted, id, type Part, say, type Text } from "./text";

/** What the engine makes anew: the new one is assigned first, then the old one is cleared where it is not declared any more. */

const retains = ({ before }: Change): boolean => before?.retainOnDelete === true;

const numberIn = (change: Change, side: Snapshot): Part => placeOf(change, side).number ?? "a number";

/** A single number: mostly another one under the same name. */
export function replacedContribution(change: Change, holders: Holders): Contribution {
  const [before, after] = [beforeOf(change), afterOf(change)];
  if (!areNumbersKnown(before) || !areNumbersKnown(after)) {
    return hiddenReplacement(change, before, after);
  }
  const isSame = [...labelsOf(before).keys()][0] === [...labelsOf(after).keys()][0];
  return isSame ? remade(change, before, after) : renumbered(change, before, after, holders);
}

/** The same number with another provider, or because the program or a person wants it. */
function remade(change: Change, before: Snapshot, after: Snapshot): Contribution {
  const next = numberIn(change, after);
  const clears = handsOver(before, after) && !retains(change) ? 1 : 0;
  return contribution({
    ...REPLACEMENT,
    title: say`${id(change.name)} is replaced: ${next} is assigned again`,
    places: [placeOf(change, after)],
    agents: agentTable(before.split, after.split, "both"),
    fields: fieldChanges(before, after),
    facts: [
      { condition: "replace", text: say`${id(change.name)}: ${next} → ${next}` },
      ...stepFacts(before, after, onText([placeOf(change, after)])),
    ],
    requests: { puts: 1 + clears, clears },
  });
}

function renumbered(change: Change, before: Snapshot, after: Snapshot, holders: Holders): Contribution {
  const [old, next] = [numberIn(change, before), numberIn(change, after)];
  const [oldNumber = ""] = labelsOf(before).keys();
  const heir = holders.after(oldNumber, before, change.account);
  const { moves } = originsOf(change, [...labelsOf(after).keys()], holders);
  const [move] = moves;
  const falls = isMap(before.values.onDelete);
  const isSent = heir === undefined && !retains(change) && clearedNumbers(before.state).length > 0;
  const sentText = falls
    ? say`${old} switches to its onDelete routing${fallbackText(before.values.onDelete)}.`
    : say`${old} loses its agents. ${SILENT}`;
  const leftText = isSent ? sentText : say`${old} keeps what it has.`;
  const oldText =
    heir === undefined
      ? leftText
      : say`${old} goes to ${id(heir.change.name)}, with the routing that is declared there.`;
  return contribution({
    ...REPLACEMENT,
    title: say`⚠ ${id(change.name)} changes its number: ${old} → ${next}`,
    places: [placeOf(change, after)],
    agents: agentTable(before.split, after.split, "both"),
    notes: [
      move === undefined
        ? say`The routing that ${next} has today is overwritten, and cannot be read back.`
        : say`${next} is of this stack, declared as ${id(move.from.change.name)} until now: no moment without agents.`,
      ...moveNotes(moves),
      oldText,
    ],
    facts: [
      { condition: "replace", text: say`${id(change.name)}: ${old} → ${next}` },
      ...moves.flatMap((one) => moveFacts(one, change)),
    ],
    requests: sum([{ ...NOTHING, puts: isSent ? 2 : 1, clears: isSent && !falls ? 1 : 0 }, ...moves.map(moveRequests)]),
    undo: { caveat: ["a revert assigns the old number again and clears the new one"] },
  });
}

/** Masked or known after apply: whether it stays the same number is not shown. */
function hiddenReplacement(change: Change, before: Snapshot, after: Snapshot): Contribution {
  const [old, next] = [numberIn(change, before), numberIn(change, after)];
  const sent = isMap(before.values.onDelete) ? "switches to its onDelete routing" : "loses its agents";
  const then = retains(change) ? "keeps what it has" : sent;
  return contribution({
    ...REPLACEMENT,
    title: say`⚠ ${id(change.name)} is replaced, and may change its number: ${old} → ${next}`,
    places: [placeOf(change, after)],
    agents: agentTable(before.split, after.split, "both"),
    fields: fieldChanges(before, after),
    notes: [say`If it is another number, the routing of that one is overwritten, and the old one ${then}. ${SILENT}`],
    facts: [
      { condition: "replace", text: say`${id(change.name)}: ${old} → ${next}` },
      ...stepFacts(before, after, say`${id(change.name)}`),
    ],
    requests: { puts: 1, isAtLeast: true },
    undo: { caveat: ["a revert assigns the old number again and clears the new one"] },
  });
}

/** A group: each of its numbers is sent again, whatever changes. Who joins and who leaves is told by itself. */
export function replacedGroup(change: Change): Contribution {
  const [before, after] = [beforeOf(change), afterOf(change)];
  const [old, isKnown] = [labelsOf(before), areNumbersKnown(before) && areNumbersKnown(after)];
  const staying = [...labelsOf(after).keys()].filter((number) => old.has(number)).length;
  const place = { ...placeOf(change, after), ...(isKnown && { count: staying }) };
  const clears = handsOver(before, after) && !retains(change) ? staying : 0;
  const many = isKnown ? counted(staying, "number") : "each number";
  const title = say`⚠ ${id(change.name)} is replaced: ${many} ${staying === 1 || !isKnown ? "is" : "are"} assigned again`;
  const isSplitChanged = !same(before.split, after.split);
  return contribution({
    ...REPLACEMENT,
    title,
    places: [place],
    agents: isSplitChanged ? agentTable(before.split, after.split, "both") : undefined,
    fields: fieldChanges(before, after),
    notes: [retains(change) ? KEPT : ANEW, ...overrideNotes(before, after)],
    facts: [
      { condition: "replace", text: say`${id(change.name)}: replaced` },
      ...stepFacts(before, after, say`${many} of ${id(change.name)}`),
    ],
    requests: { puts: (isKnown ? staying : 1) + clears, clears, isAtLeast: !isKnown },
  });
}

const KEPT: Text = [
  "The new group sends its routing to all of its numbers. Numbers that only the old one had keep their agents, because of retainOnDelete.",
];
const ANEW: Text = [
  "The new group sends its routing to all of its numbers, then the old one clears those that nothing declares any more.",
];

/** Numbers that are known after apply alone: which of those before are left without agents is not known either. */
export function uncertainContribution(change: Change): Contribution {
  const [before, after] = [beforeOf(change), afterOf(change)];
  const { title, facts } = change.kind === "NumberGroup" ? groupWords(change, before) : singleWords(change, before);
  return contribution({
    ...(change.kind === "NumberGroup" ? REMOVAL : REPLACEMENT),
    title,
    places: [placeOf(change, after)],
    agents: agentTable(before.split, undefined, "before"),
    notes: [say`Now: ${splitText(before.split)}.`, ...notesOf(change, before, after)],
    facts,
    requests: { isAtLeast: true },
    undo: { caveat: ["a revert assigns the numbers that lost their agents again"] },
  });
}

interface Words {
  readonly title: Text;
  readonly facts: readonly Fact[];
}

function singleWords(change: Change, before: Snapshot): Words {
  const [name, old] = [id(change.name), placeOf(change, before).number ?? "its number"];
  const may = isMap(before.values.onDelete) ? "may switch to its onDelete routing" : "may lose its agents";
  return {
    title: retains(change)
      ? say`⚠ ${name} may change its number: ${old} may be forgotten`
      : say`⚠ ${name} may change its number: ${old} ${may}`,
    facts: [{ condition: "replace", text: say`${name}: ${old} → a number that is not known yet` }],
  };
}

function groupWords({ name }: Change, before: Snapshot): Words {
  const on = areNumbersKnown(before) ? counted(labelsOf(before).size, "number") : "hidden numbers";
  return {
    title: say`⚠ ${id(name)} may change its numbers (${on} now): which numbers leave is not known`,
    facts: [
      { condition: "delete", text: say`${id(name)}: which numbers leave is not known` },
      { condition: "create", text: say`${id(name)}: which numbers join is not known` },
    ],
  };
}

function notesOf(change: Change, before: Snapshot, after: Snapshot): Text[] {
  const isGroup = change.kind === "NumberGroup";
  const fallback = (isGroup ? after : before).values.onDelete;
  const then = isMap(fallback) ? "switches to its onDelete routing" : "is cleared";
  if (isGroup) {
    return [
      say`Its numbers ${isMasked(before.numbers) || isMasked(after.numbers) ? "are masked" : "are known only after apply"}. Each number that is not among them ${then}; the routing of each new one is overwritten. ${SILENT}`,
    ];
  }
  const old = placeOf(change, before).number ?? "the number of now";
  return [
    say`Its number is ${isMasked(after.numbers) ? "masked" : "known only after apply"}. If it is another one, the routing of that one is overwritten, and ${old} ${retains(change) ? "keeps what it has" : then}. ${SILENT}`,
  ];
}
