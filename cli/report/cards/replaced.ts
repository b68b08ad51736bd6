import { clearedNumbers, isObject, same } from "../../../provider/review";
import { isMasked } from "../../pulumi/values";
import { type Card, type Condition, card, type Fact, NOT_SPECIFIED, onText, REMOVAL, REPLACEMENT, sum } from "../card";
import { fieldChanges } from "../fields";
import { moveFacts, moveNotes } from "../moves";
import { type Holders, originsOf } from "../ownership";
import { isClearedByMove, moveRequests } from "../requests";
import { affectedBy, type NumberChange, type Snapshot, stayersOf } from "../snapshot";
import { agentTable, shiftFacts, splitText } from "../splits";
import { counted, id, type Part, say } from "../text";
import { fallbackText, gone, loseAgents, switches } from "./deleted";

/** What the engine replaces: the new resource is assigned first, and then the old one clears what no resource declares. */

/** The number, or words in its place if it is hidden. */
const numberOrWords = (change: NumberChange, side: Snapshot): Part => affectedBy(change, side).number ?? "a number";

/** What becomes of a number that the resource no longer declares. */
function whatBecomes({ before, isRetained }: NumberChange, cleared: string): string {
  if (isRetained) {
    return "keeps what it has";
  }
  return isObject(before.values.onDelete) ? switches(1) : cleared;
}

/** A single number: mostly another one under the same name. */
export function replacedCard(change: NumberChange, holders: Holders): Card {
  const { before, after } = change;
  if (!before.areNumbersKnown || !after.areNumbersKnown) {
    return hiddenReplacement(change);
  }
  return stayersOf(change).length > 0 ? remade(change) : renumbered(change, holders);
}

const replacement = (change: NumberChange) => ({
  ...REPLACEMENT,
  affected: [affectedBy(change, change.after)],
  agents: agentTable(change.before.split, change.after.split, "both"),
});

const replaces = ({ name }: NumberChange, old: Part, next: Part): Fact => ({
  condition: "replace",
  text: say`${id(name)}: ${old} → ${next}`,
});

/** What the gate on deletes judges: the number of before loses its agents, or may lose them. */
function losses(change: NumberChange, isSure: boolean): Fact[] {
  const { before, isRetained } = change;
  const lost = isObject(before.values.onDelete) ? switches(1) : loseAgents(1);
  const how = isRetained ? "forgotten by this stack" : lost;
  return isRetained || clearedNumbers(before.state).length > 0
    ? [gone(onText([affectedBy(change, before)]), isSure ? how : `${how}, if its number is another one afterwards`)]
    : [];
}

/** The number stays the same: the provider changes, or the program or an operator asks for a replacement. */
function remade(change: NumberChange): Card {
  const [name, next] = [id(change.name), numberOrWords(change, change.after)];
  const clears = isClearedByMove(change) && !change.isRetained ? 1 : 0;
  const parts = replacement(change);
  return card({
    ...parts,
    title: say`${name} is replaced: ${next} is assigned again`,
    fields: fieldChanges(change),
    facts: [replaces(change, next, next), ...shiftFacts(change, onText(parts.affected))],
    requests: { puts: 1 + clears, clears },
  });
}

const REASSIGNS = { caveat: ["a revert assigns the old number again and clears the new one"] };

function renumbered(change: NumberChange, holders: Holders): Card {
  const { before, after, isRetained } = change;
  const [old, next] = [numberOrWords(change, before), numberOrWords(change, after)];
  const [oldNumber = ""] = before.members.keys();
  const holder = holders.newHolder(oldNumber, change);
  const { moves } = originsOf(change, after.members.keys(), holders);
  const [move] = moves;
  const { onDelete } = before.values;
  const isSent = holder === undefined && !isRetained && clearedNumbers(before.state).length > 0;
  const sentText = isObject(onDelete)
    ? say`${old} ${switches(1)}${fallbackText(onDelete)}.`
    : say`${old} ${loseAgents(1)}. ${NOT_SPECIFIED}`;
  const leftText = isSent ? sentText : say`${old} keeps what it has.`;
  return card({
    ...replacement(change),
    title: say`⚠ ${id(change.name)} changes its number: ${old} → ${next}`,
    notes: [
      move === undefined
        ? say`The routing that ${next} has today is overwritten, and cannot be read back.`
        : say`${next} is of this stack, declared as ${id(move.from.name)} until now: no moment without agents.`,
      ...moveNotes(moves),
      holder === undefined
        ? leftText
        : say`${old} goes to ${id(holder.name)}, with the routing that is declared there.`,
    ],
    facts: [
      replaces(change, old, next),
      ...(holder === undefined ? losses(change, true) : []),
      ...moves.flatMap(moveFacts),
    ],
    requests: sum([
      { puts: isSent ? 2 : 1, clears: isSent && !isObject(onDelete) ? 1 : 0 },
      ...moves.map(moveRequests),
    ]),
    undo: REASSIGNS,
  });
}

/** If the number is hidden, it may or may not stay the same. */
function hiddenReplacement(change: NumberChange): Card {
  const [name, old, next] = [
    id(change.name),
    numberOrWords(change, change.before),
    numberOrWords(change, change.after),
  ];
  const then = whatBecomes(change, loseAgents(1));
  return card({
    ...replacement(change),
    title: say`⚠ ${name} is replaced, and may change its number: ${old} → ${next}`,
    fields: fieldChanges(change),
    notes: [
      say`If it is another number, the routing of that one is overwritten, and the old one ${then}. ${NOT_SPECIFIED}`,
    ],
    facts: [replaces(change, old, next), ...losses(change, false), ...shiftFacts(change, [name])],
    requests: { puts: 1, isAtLeast: true },
    undo: REASSIGNS,
  });
}

/** A group: each of its numbers is sent again, whatever changes. Numbers that join or leave have cards of their own. */
export function replacedGroup(change: NumberChange): Card {
  const { before, after, isRetained } = change;
  const name = id(change.name);
  const isKnown = before.areNumbersKnown && after.areNumbersKnown;
  const staying = stayersOf(change).length;
  const clears = isClearedByMove(change) && !isRetained ? staying : 0;
  const many = isKnown ? counted(staying, "number") : "each number";
  const then = isRetained
    ? ". Numbers that only the old one had keep their agents, because of retainOnDelete."
    : ", then the old one clears those that nothing declares any more.";
  const parts = replacement(change);
  return card({
    ...parts,
    title: say`⚠ ${name} is replaced: ${many} ${staying === 1 || !isKnown ? "is" : "are"} assigned again`,
    affected: parts.affected.map((one) => ({ ...one, ...(isKnown && { count: staying }) })),
    agents: same(before.split, after.split) ? undefined : parts.agents,
    fields: fieldChanges(change),
    notes: [[`The new group sends its routing to all of its numbers${then}`]],
    facts: [{ condition: "replace", text: say`${name}: replaced` }, ...shiftFacts(change, say`${many} of ${name}`)],
    requests: { puts: (isKnown ? staying : 1) + clears, clears, isAtLeast: !isKnown },
  });
}

/** The numbers are known only after apply, so it is not known which of the present numbers lose their agents. */
export function uncertainCard(change: NumberChange): Card {
  const { before, after } = change;
  const { number } = affectedBy(change, before);
  const { note, ...said } = number === undefined ? uncertainGroup(change) : uncertainNumber(change, number);
  return card({
    ...said,
    affected: [affectedBy(change, after)],
    agents: agentTable(before.split, undefined, "before"),
    notes: [say`Now: ${splitText(before.split)}.`, say`${note} ${NOT_SPECIFIED}`],
    requests: { isAtLeast: true },
    undo: { caveat: ["a revert assigns the numbers that lost their agents again"] },
  });
}

function uncertainNumber(change: NumberChange, old: Part) {
  const { before, after, isRetained } = change;
  const name = id(change.name);
  const may = isObject(before.values.onDelete) ? "switch to its onDelete routing" : "lose its agents";
  return {
    ...REPLACEMENT,
    title: say`⚠ ${name} may change its number: ${old} may ${isRetained ? "be forgotten" : may}`,
    facts: [replaces(change, old, "a number that is not known yet"), ...losses(change, false)],
    note: say`Its number is ${isMasked(after.numbers) ? "masked" : "known only after apply"}. If it is another one, the routing of that one is overwritten, and ${old} ${whatBecomes(change, "is cleared")}.`,
  };
}

function uncertainGroup(change: NumberChange) {
  const { name, before, after } = change;
  const on = before.areNumbersKnown ? counted(before.members.size, "number") : "hidden numbers";
  const are = [before, after].some(({ numbers }) => isMasked(numbers)) ? "are masked" : "are known only after apply";
  const unknown = (condition: Condition, what: string): Fact => ({
    condition,
    text: say`${id(name)}: which numbers ${what} is not known`,
  });
  return {
    ...REMOVAL,
    title: say`⚠ ${id(name)} may change its numbers (${on} now): which numbers leave is not known`,
    facts: [unknown("delete", "leave"), unknown("create", "join")],
    note: say`Its numbers ${are}. Each number that is not among them ${whatBecomes(change, "is cleared")}; the routing of each new one is overwritten.`,
  };
}
