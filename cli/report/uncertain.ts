import { type Change, type Contribution, card, type Fact, NOTHING } from "./model";
import { SILENT } from "./removals";
import { afterOf, areNumbersKnown, beforeOf, labelsOf, placeOf, type Side } from "./sides";
import { agentTable, splitText } from "./splits";
import { counted, id, say, type Text } from "./text";
import { isMap, isMasked } from "./values";

/** Numbers that are known after apply alone: which of those before are left without agents is not known either. */
export function uncertainContribution(change: Change): Contribution {
  const [before, after] = [beforeOf(change), afterOf(change)];
  const { title, facts } = change.kind === "NumberGroup" ? groupWords(change, before) : singleWords(change, before);
  return {
    card: card({
      tone: "danger",
      rank: 1,
      family: change.kind === "NumberGroup" ? "removal" : "replacement",
      title,
      places: [placeOf(change, after)],
      agents: agentTable(before.split, undefined, "before"),
      notes: [say`Now: ${splitText(before.split)}.`, ...notesOf(change, before, after)],
    }),
    facts,
    requests: { ...NOTHING, isAtLeast: true },
    undo: ["a revert assigns again what has lost its agents by then"],
  };
}

interface Words {
  readonly title: Text;
  readonly facts: readonly Fact[];
}

function singleWords(change: Change, before: Side): Words {
  const [name, old] = [id(change.name), placeOf(change, before).number ?? "its number"];
  const may = isMap(before.values.onDelete) ? "may fall back" : "may lose its agents";
  return {
    title: keepsOld(change)
      ? say`⚠ ${name} may change its number: ${old} may be forgotten`
      : say`⚠ ${name} may change its number: ${old} ${may}`,
    facts: [{ condition: "replace", text: say`${name}: ${old} → a number that is not known yet` }],
  };
}

function groupWords({ name }: Change, before: Side): Words {
  const on = areNumbersKnown(before) ? counted(labelsOf(before).size, "number") : "hidden numbers";
  return {
    title: say`⚠ ${id(name)} may change its numbers (${on} now): which numbers leave is not known`,
    facts: [
      { condition: "delete", text: say`${id(name)}: which numbers leave is not known` },
      { condition: "create", text: say`${id(name)}: which numbers join is not known` },
    ],
  };
}

const keepsOld = ({ before }: Change): boolean => before?.retainOnDelete === true;

function notesOf(change: Change, before: Side, after: Side): Text[] {
  const isGroup = change.kind === "NumberGroup";
  const fallback = (isGroup ? after : before).values.onDelete;
  const then = isMap(fallback) ? "falls back to the routing of onDelete" : "is cleared";
  if (isGroup)
    return [
      say`Its numbers ${isMasked(before.numbers) || isMasked(after.numbers) ? "are masked" : "are known after apply alone"}. Each that is not among them then ${then}; each that is new is taken over. ${SILENT}`,
    ];
  const old = placeOf(change, before).number ?? "the number of now";
  return [
    say`Its number is ${isMasked(after.numbers) ? "masked" : "known after apply alone"}. Where it is another one, that one is taken over, and ${old} ${keepsOld(change) ? "keeps what it has" : then}. ${SILENT}`,
  ];
}
