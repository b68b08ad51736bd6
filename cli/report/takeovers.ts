import { declaredFields, undeclared } from "./fields";
import { type GuardsOf, guardLine, noGuards } from "./guards";
import { type Change, type Contribution, card, type Listed, NOTHING } from "./model";
import { ownNotes } from "./overrides";
import { numberText, onText, totalOf } from "./places";
import { labelsOf, placeOf, type Side } from "./sides";
import { agentTable, splitText } from "./splits";
import { id, plain, say, type Text } from "./text";
import { isSplit } from "./values";

/** Numbers that are declared for the first time: a PUT takes over whatever stands there. */

export interface Takeover {
  readonly change: Change;
  readonly after: Side;
}

/** The same routing on many new numbers is one card. */
export function takeoverContributions(
  takeovers: readonly Takeover[],
  guardsOf: GuardsOf,
  isOpen: boolean,
): Contribution[] {
  const groups = new Map<string, Takeover[]>();
  for (const takeover of takeovers) {
    const { number: _, numbers: __, ...routing } = takeover.after.values;
    const key = JSON.stringify([takeover.change.account, routing]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [takeover]);
    else group.push(takeover);
  }
  return [...groups.values()].map((all) => takeover(all as [Takeover, ...Takeover[]], guardsOf, isOpen));
}

function takeover(all: [Takeover, ...Takeover[]], guardsOf: GuardsOf, isOpen: boolean): Contribution {
  const [{ change, after }] = all;
  const places = all.map((one) => placeOf(one.change, one.after));
  const total = totalOf(places);
  const puts = places.reduce((sum, { count = 1 }) => sum + count, 0);
  const on = onText(places);
  const guards = isSplit(after.split)
    ? guardLine(guardsOf(change.account), {
        before: undefined,
        after: after.split,
        program: after.values,
        isGoingBack: false,
        isOpen,
      })
    : undefined;
  return {
    card: card({
      tone: "warning",
      rank: 4,
      family: "takeover",
      title: say`Takes over ${on}: ${splitText(after.split)}`,
      places,
      agents: agentTable(undefined, after.split, "after"),
      fields: declaredFields(after),
      notes: [
        takenOver(total),
        ...undeclared(after),
        ...all.flatMap((one) => ownNotes(one.after)),
        ...(after.isChecked ? [] : [noGuards]),
        ...(guards === undefined ? [] : [guards]),
      ],
      listed: all.flatMap((one) => listedNumbers(one, all.length)),
    }),
    facts: [{ condition: "create", text: say`${on}: taken over` }],
    requests: { ...NOTHING, puts, isAtLeast: total === undefined },
    undo: ["a revert leaves what is taken over without agents: what stands there today is in no state"],
  };
}

export const takenOver = (count: number | undefined): Text => [
  { strong: "Taken over:" },
  ` whatever ${count === 1 ? "this number does" : `these ${count ?? "numbers"}${count === undefined ? "" : " numbers"} do`} today is overwritten, and cannot be read back. Write down the values of the platform's web application before you merge.`,
];

/** A group's numbers; single ones are listed as places. */
function listedNumbers({ change, after }: Takeover, of: number): Listed[] {
  if (change.kind !== "NumberGroup" || labelsOf(after).size === 0) return [];
  const items = [...labelsOf(after)].map(([number, label]) => numberText(number, label));
  return [{ title: of === 1 ? "The numbers" : `The numbers of ${plain([id(change.name)])}`, items }];
}
