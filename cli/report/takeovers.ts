import { isEmpty, type Split } from "../../provider/core/traffic";
import { declaredFields, undeclared } from "./fields";
import { type GuardsOf, guardLine, noGuards } from "./guards";
import { type Change, type Contribution, card, type Listed, NOTHING } from "./model";
import { numberText, onText, totalOf } from "./places";
import { afterOf, labelsOf, placeOf, type Side } from "./sides";
import { agentTable, ratio, splitText } from "./splits";
import { counted, id, plain, say, type Text } from "./text";
import { isSplit, type Seen } from "./values";

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

const takenOver = (count: number | undefined): Text => [
  { strong: "Taken over:" },
  ` whatever ${count === 1 ? "this number does" : `these ${count ?? "numbers"}${count === undefined ? "" : " numbers"} do`} today is overwritten, and cannot be read back. Write down the values of the platform's web application before you merge.`,
];

/** A group's numbers; single ones are listed as places. */
function listedNumbers({ change, after }: Takeover, of: number): Listed[] {
  if (change.kind !== "NumberGroup" || labelsOf(after).size === 0) return [];
  const items = [...labelsOf(after)].map(([number, label]) => numberText(number, label));
  return [{ title: of === 1 ? "The numbers" : `The numbers of ${plain([id(change.name)])}`, items }];
}

/** Numbers that join a group which is there already. */
export function joinContribution(
  change: Change,
  before: Side,
  joining: readonly string[],
  cameFrom: (number: string) => string | undefined,
): Contribution[] {
  if (joining.length === 0) return [];
  const after = afterOf(change);
  const labels = labelsOf(after);
  const [moved, fresh] = [joining.filter(cameFrom), joining.filter((number) => cameFrom(number) === undefined)];
  const item = (number: string) => {
    const from = cameFrom(number);
    const text = numberText(number, labels.get(number));
    return from === undefined ? text : say`${text} (from ${id(from)})`;
  };
  const place = { ...placeOf(change, after), count: joining.length };
  return [
    {
      card: card({
        tone: fresh.length > 0 ? "warning" : "plain",
        rank: 4,
        family: "join",
        title: say`${counted(joining.length, "number")} ${joining.length === 1 ? "joins" : "join"} ${id(change.name)} (${labelsOf(before).size} → ${labels.size}) and ${joining.length === 1 ? "gets" : "get"} its ${splitWords(after.split)} at once`,
        places: [place],
        agents: agentTable(undefined, after.split, "after"),
        notes: [
          ...(fresh.length > 0 ? [takenOver(fresh.length), ...undeclared(after)] : []),
          ...(moved.length > 0
            ? [
                [
                  `${counted(moved.length, "number")} of this stack ${moved.length === 1 ? "moves" : "move"} here: no moment without agents.`,
                ],
              ]
            : []),
        ],
        listed: [{ title: "Numbers that join", items: joining.map(item) }],
      }),
      facts:
        fresh.length > 0
          ? [{ condition: "create", text: say`${counted(fresh.length, "number")}: taken over by ${id(change.name)}` }]
          : [],
      requests: { ...NOTHING, puts: joining.length },
      undo:
        fresh.length > 0
          ? ["a revert leaves what is taken over without agents: what stands there today is in no state"]
          : undefined,
    },
  ];
}

const splitWords = (split: Seen<Split>): Text =>
  isSplit(split) && !isEmpty(split) && Object.keys(split).length > 1
    ? say`split ${ratio(split)}`
    : say`routing (${splitText(split)})`;
