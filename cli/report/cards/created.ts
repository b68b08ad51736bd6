import { isEmpty, type Split } from "../../../provider/review";
import { groupBy } from "../../lists";
import { isSplit, type MaybeHidden } from "../../pulumi/values";
import { type Card, card, type Fact, numberText, onText, sum, type Tone, totalOf, type Undo } from "../card";
import { declaredFields, undeclared } from "../fields";
import { type Guards, guardLine, noGuards } from "../guards";
import { moveFacts, moveNotes } from "../moves";
import { type Holders, type Move, originsOf } from "../ownership";
import { moveRequests } from "../requests";
import { affectedBy, listedNumbers, type NumberChange, planOf, type Snapshot } from "../snapshot";
import { agentTable, isCut, isWithoutCanary, ratio, splitText } from "../splits";
import { counted, id, plain, say, type Text } from "../text";

/** Numbers that are assigned for the first time: a PUT overwrites the routing that they have. */

/** The same routing on many new numbers is one card. */
export function firstCards(firsts: readonly NumberChange[], guards: Guards): Card[] {
  const keyOf = ({ providerName, after: { values } }: NumberChange) => {
    const { number: _, numbers: __, ...routing } = values;
    return JSON.stringify([providerName, routing]);
  };
  return groupBy(firsts, keyOf).map((all) => firstCard(all, guards));
}

function firstCard(all: [NumberChange, ...NumberChange[]], guards: Guards): Card {
  const [{ providerName, after }] = all;
  const affected = all.map((one) => affectedBy(one, one.after));
  const total = totalOf(affected);
  const on = onText(affected);
  return card({
    tone: "warning",
    rank: 4,
    family: "firstAssignment",
    title: say`First assignment overwrites ${on}${after.split === undefined ? ", " : " with "}${splitText(after.split)}`,
    affected,
    agents: agentTable(undefined, after.split, "after"),
    fields: declaredFields(after),
    notes: [
      overwritten(total),
      undeclared(after),
      !after.isChecked && noGuards,
      isSplit(after.split) && guardLine(guards, { providerName, after }),
    ],
    listed: all.flatMap((one) => {
      const title = all.length === 1 ? "The numbers" : `The numbers of ${plain([id(one.name)])}`;
      return listedNumbers(one, one.after, [...one.after.members.keys()], title);
    }),
    facts: [{ condition: "create", text: say`${on}: assigned for the first time` }],
    requests: { puts: affected.reduce((sum, { count = 1 }) => sum + count, 0), isAtLeast: total === undefined },
    undo: UNASSIGNS,
  });
}

const UNASSIGNS: Undo = {
  caveat: ["a revert unassigns the newly assigned numbers; it cannot restore the routing that they have today"],
};

const overwritten = (count: number | undefined): Text => [
  { strong: "Overwritten:" },
  ` the routing that ${count === 1 ? "this number has" : `these ${count === undefined ? "" : `${count} `}numbers have`} today. It cannot be read back: write down the values of the platform's web application before you merge.`,
];

/** Numbers that join a group which is there already: from elsewhere in the stack, or for the first time. */
export function joinCards(change: NumberChange, holders: Holders): Card[] {
  const { moves, fresh } = originsOf(change, planOf(change).joins, holders);
  const moved = moves.reduce((count, { after }) => count + after.members.size, 0);
  const count = moved + fresh.length;
  if (count === 0) {
    return [];
  }
  const { before, after } = change;
  const name = id(change.name);
  const hasFresh = fresh.length > 0;
  const importance = importanceOf(moves, hasFresh);
  const firstText = say`${counted(fresh.length, "number")}: assigned for the first time by ${name}`;
  const created: Fact = { condition: "create", text: firstText };
  const [joins, gets] = count === 1 ? ["joins", "gets"] : ["join", "get"];
  return [
    card({
      ...importance,
      family: hasFresh ? "firstJoin" : "join",
      title: say`${importance.tone === "danger" ? "⚠ " : ""}${counted(count, "number")} ${joins} ${name} (${before.members.size} → ${after.members.size}) and ${gets} its ${splitWords(after.split)} at once${overwritesOf(count, fresh.length)}`,
      affected: [{ ...affectedBy(change, after), count }],
      agents: agentTable(undefined, after.split, "after"),
      fields: hasFresh ? declaredFields(after).filter(({ isSent }) => isSent) : [],
      notes: [
        ...(hasFresh ? [overwritten(fresh.length), undeclared(after)] : []),
        moved > 0 && [
          `${counted(moved, "number")} of this stack ${moved === 1 ? "moves" : "move"} here: no moment without agents.`,
        ],
        ...moveNotes(moves),
      ],
      listed: [{ title: "Numbers that join", items: itemsOf(after, moves, fresh) }],
      facts: [...(hasFresh ? [created] : []), ...moves.flatMap(moveFacts)],
      requests: sum([{ puts: count }, ...moves.map(moveRequests)]),
      undo: hasFresh ? UNASSIGNS : { back: [] },
    }),
  ];
}

/** How many of the numbers that join are overwritten: those that this stack did not have. */
function overwritesOf(count: number, fresh: number): string {
  if (fresh === 0) {
    return "";
  }
  const all = count === 1 ? "the number" : "them";
  return `, which overwrites ${fresh < count ? `${fresh} of them` : all}`;
}

/** As important as the same change of a split is without a move. */
function importanceOf(moves: readonly Move[], hasFresh: boolean): { tone: Tone; rank: number } {
  if (moves.some(isCut)) {
    return { tone: "danger", rank: 1 };
  }
  const isAtOnce = moves.some(isWithoutCanary);
  return { tone: hasFresh || isAtOnce ? "warning" : "plain", rank: isAtOnce ? 3 : 4 };
}

function itemsOf(after: Snapshot, moves: readonly Move[], fresh: readonly string[]): Text[] {
  const from = new Map(
    moves.flatMap(({ from, after }) => [...after.members.keys()].map((number) => [number, from.name])),
  );
  const joining = new Set([...from.keys(), ...fresh]);
  return [...after.members]
    .filter(([number]) => joining.has(number))
    .map(([number, label]) => {
      const [text, name] = [numberText(number, label), from.get(number)];
      return name === undefined ? text : say`${text} (from ${id(name)})`;
    });
}

const splitWords = (split: MaybeHidden<Split>): Text =>
  isSplit(split) && !isEmpty(split) && Object.keys(split).length > 1
    ? say`split ${ratio(split)}`
    : say`routing (${splitText(split)})`;
