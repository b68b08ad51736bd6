import { isEmpty, type Split } from "../../provider/core/traffic";
import { undeclared } from "./fields";
import { type Change, type Contribution, card, NOTHING, sum, type Tone } from "./model";
import { type Move, moveFacts, moveNotes, moveRequests, type Origins } from "./moves";
import { ownNotes } from "./overrides";
import { numberText } from "./places";
import { afterOf, labelsOf, partOf, placeOf, type Side } from "./sides";
import { agentTable, isCut, isWithoutCanary, ratio, splitText } from "./splits";
import { takenOver } from "./takeovers";
import { counted, id, say, type Text } from "./text";
import { isSplit, type Seen } from "./values";

/** Numbers that join a group which is there already: from elsewhere in the stack, or taken over. */
export function joinContribution(change: Change, before: Side, { moves, fresh }: Origins): Contribution[] {
  const moved = moves.reduce((count, { numbers }) => count + numbers.length, 0);
  const count = moved + fresh.length;
  if (count === 0) return [];
  const after = afterOf(change);
  const weight = weightOf(moves, fresh.length > 0);
  const [joins, gets] = count === 1 ? ["joins", "gets"] : ["join", "get"];
  return [
    {
      card: card({
        ...weight,
        family: "join",
        title: say`${weight.tone === "danger" ? "⚠ " : ""}${counted(count, "number")} ${joins} ${id(change.name)} (${labelsOf(before).size} → ${labelsOf(after).size}) and ${gets} its ${splitWords(after.split)} at once`,
        places: [{ ...placeOf(change, after), count }],
        agents: agentTable(undefined, after.split, "after"),
        notes: [
          ...(fresh.length > 0
            ? [takenOver(fresh.length), ...undeclared(after), ...ownNotes(partOf(after, fresh))]
            : []),
          ...(moved > 0 ? [movesHere(moved)] : []),
          ...moveNotes(moves),
        ],
        listed: [{ title: "Numbers that join", items: itemsOf(after, moves, fresh) }],
      }),
      facts: [
        ...(fresh.length > 0
          ? [
              {
                condition: "create" as const,
                text: say`${counted(fresh.length, "number")}: taken over by ${id(change.name)}`,
              },
            ]
          : []),
        ...moves.flatMap((move) => moveFacts(move, change)),
      ],
      requests: sum([{ ...NOTHING, puts: count }, ...moves.map(moveRequests)]),
      undo:
        fresh.length > 0
          ? ["a revert leaves what is taken over without agents: what stands there today is in no state"]
          : undefined,
    },
  ];
}

/** As a change of the split in place would be. */
function weightOf(moves: readonly Move[], isTaken: boolean): { tone: Tone; rank: number } {
  if (moves.some(({ before, after }) => isCut(before.split, after.split))) return { tone: "danger", rank: 1 };
  const isAtOnce = moves.some(
    ({ before, after }) => isSplit(before.split) && isSplit(after.split) && isWithoutCanary(before.split, after.split),
  );
  return { tone: isTaken || isAtOnce ? "warning" : "plain", rank: isAtOnce ? 3 : 4 };
}

const movesHere = (count: number): Text => [
  `${counted(count, "number")} of this stack ${count === 1 ? "moves" : "move"} here: no moment without agents.`,
];

function itemsOf(after: Side, moves: readonly Move[], fresh: readonly string[]): Text[] {
  const labels = labelsOf(after);
  const from = new Map(
    moves.flatMap(({ from: { change }, numbers }) => numbers.map((number) => [number, change.name])),
  );
  const joining = new Set([...from.keys(), ...fresh]);
  return [...labels.keys()]
    .filter((number) => joining.has(number))
    .map((number) => {
      const name = from.get(number);
      const text = numberText(number, labels.get(number));
      return name === undefined ? text : say`${text} (from ${id(name)})`;
    });
}

const splitWords = (split: Seen<Split>): Text =>
  isSplit(split) && !isEmpty(split) && Object.keys(split).length > 1
    ? say`split ${ratio(split)}`
    : say`routing (${splitText(split)})`;
