import { bindsAnything } from "../../provider/core/routing";
import { same } from "../../provider/core/same";
import { fieldChanges } from "./fields";
import type { Holders } from "./holders";
import { type Change, type Contribution, card, NOTHING, sum } from "./model";
import { handsOver, moveFacts, moveNotes, moveRequests, originsOf } from "./moves";
import { overrideNotes } from "./overrides";
import { onText } from "./places";
import { fallbackText, SILENT } from "./removals";
import { afterOf, areNumbersKnown, beforeOf, labelsOf, placeOf, routingIn, type Side } from "./sides";
import { agentTable } from "./splits";
import { stepFacts } from "./steps";
import { counted, id, say, type Text } from "./text";
import { isMap } from "./values";

/** What the engine makes anew: the new one is assigned first, then the old one is cleared where it is not declared any more. */

const retains = ({ before }: Change): boolean => before?.retainOnDelete === true;

/** A single number: mostly another one under the same name. */
export function replacedContribution(change: Change, holders: Holders): Contribution {
  const [before, after] = [beforeOf(change), afterOf(change)];
  if (!areNumbersKnown(before) || !areNumbersKnown(after)) return hiddenReplacement(change, before, after);
  const isSame = [...labelsOf(before).keys()][0] === [...labelsOf(after).keys()][0];
  return isSame ? remade(change, before, after) : renumbered(change, before, after, holders);
}

/** The same number with another provider, or because the program or a person wants it. */
function remade(change: Change, before: Side, after: Side): Contribution {
  const next = placeOf(change, after).number ?? "a number";
  const clears = handsOver(before, after) && !retains(change) ? 1 : 0;
  return {
    card: card({
      tone: "danger",
      rank: 1,
      family: "replacement",
      title: say`${id(change.name)} is made anew: ${next} is assigned again`,
      places: [placeOf(change, after)],
      agents: agentTable(before.split, after.split, "both"),
      fields: fieldChanges(before, after),
    }),
    facts: [
      { condition: "replace", text: say`${id(change.name)}: ${next} → ${next}` },
      ...stepFacts(before, after, onText([placeOf(change, after)])),
    ],
    requests: { ...NOTHING, puts: 1 + clears, clears },
    undo: undefined,
  };
}

function renumbered(change: Change, before: Side, after: Side, holders: Holders): Contribution {
  const [old, next] = [placeOf(change, before).number ?? "a number", placeOf(change, after).number ?? "a number"];
  const [oldNumber = ""] = labelsOf(before).keys();
  const heir = holders.after(oldNumber, before, change.account);
  const { moves } = originsOf(change, [...labelsOf(after).keys()], holders);
  const [move] = moves;
  const falls = isMap(before.values.onDelete);
  const isSent = heir === undefined && !retains(change) && (falls || bindsAnything(routingIn(before)));
  const oldText =
    heir !== undefined
      ? say`${old} goes to ${id(heir.change.name)}, with the routing that is declared there.`
      : isSent
        ? falls
          ? say`${old} falls back to the routing of onDelete${fallbackText(before.values.onDelete)}.`
          : say`${old} has no agent bound then. ${SILENT}`
        : say`${old} keeps what it has.`;
  return {
    card: card({
      tone: "danger",
      rank: 1,
      family: "replacement",
      title: say`⚠ ${id(change.name)} changes its number: ${old} → ${next}`,
      places: [placeOf(change, after)],
      agents: agentTable(before.split, after.split, "both"),
      notes: [
        move === undefined
          ? say`${next} is taken over: what stands there today is overwritten, and cannot be read back.`
          : say`${next} is of this stack, declared as ${id(move.from.change.name)} until now: no moment without agents.`,
        ...moveNotes(moves),
        oldText,
      ],
    }),
    facts: [
      { condition: "replace", text: say`${id(change.name)}: ${old} → ${next}` },
      ...moves.flatMap((one) => moveFacts(one, change)),
    ],
    requests: sum([{ ...NOTHING, puts: isSent ? 2 : 1, clears: isSent && !falls ? 1 : 0 }, ...moves.map(moveRequests)]),
    undo: ["a revert assigns the old number again and clears the new one"],
  };
}

/** Masked or known after apply: whether it stays the same number is not shown. */
function hiddenReplacement(change: Change, before: Side, after: Side): Contribution {
  const [old, next] = [placeOf(change, before).number ?? "a number", placeOf(change, after).number ?? "a number"];
  const then = retains(change)
    ? "keeps what it has"
    : isMap(before.values.onDelete)
      ? "falls back to the routing of onDelete"
      : "has no agent bound then";
  return {
    card: card({
      tone: "danger",
      rank: 1,
      family: "replacement",
      title: say`⚠ ${id(change.name)} is made anew, and may change its number: ${old} → ${next}`,
      places: [placeOf(change, after)],
      agents: agentTable(before.split, after.split, "both"),
      fields: fieldChanges(before, after),
      notes: [say`Where it is another number, that one is taken over, and the old one ${then}. ${SILENT}`],
    }),
    facts: [
      { condition: "replace", text: say`${id(change.name)}: ${old} → ${next}` },
      ...stepFacts(before, after, say`${id(change.name)}`),
    ],
    requests: { ...NOTHING, puts: 1, isAtLeast: true },
    undo: ["a revert assigns the old number again and clears the new one"],
  };
}

/** A group: each of its numbers is sent again, whatever changes. Who joins and who leaves is told by itself. */
export function replacedGroup(change: Change): Contribution {
  const [before, after] = [beforeOf(change), afterOf(change)];
  const [old, isKnown] = [labelsOf(before), areNumbersKnown(before) && areNumbersKnown(after)];
  const staying = [...labelsOf(after).keys()].filter((number) => old.has(number)).length;
  const place = { ...placeOf(change, after), ...(isKnown && { count: staying }) };
  const clears = handsOver(before, after) && !retains(change) ? staying : 0;
  const many = isKnown ? counted(staying, "number") : "each number";
  const title = say`⚠ ${id(change.name)} is made anew: ${many} ${staying === 1 || !isKnown ? "is" : "are"} assigned again`;
  const isSplitChanged = !same(before.split, after.split);
  return {
    card: card({
      tone: "danger",
      rank: 1,
      family: "replacement",
      title,
      places: [place],
      agents: isSplitChanged ? agentTable(before.split, after.split, "both") : undefined,
      fields: fieldChanges(before, after),
      notes: [retains(change) ? KEPT : ANEW, ...overrideNotes(before, after)],
    }),
    facts: [
      { condition: "replace", text: say`${id(change.name)}: made anew` },
      ...stepFacts(before, after, say`${many} of ${id(change.name)}`),
    ],
    requests: { ...NOTHING, puts: (isKnown ? staying : 1) + clears, clears, isAtLeast: !isKnown },
    undo: undefined,
  };
}

const KEPT: Text = [
  "The new group sends its routing to all of its numbers. retainOnDelete: what only the old one had keeps its agents.",
];
const ANEW: Text = [
  "The new group sends its routing to all of its numbers, then the old one clears those that nothing declares any more.",
];
