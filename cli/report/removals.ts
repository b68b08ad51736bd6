import { bindsAnything, type Routing } from "../../provider/core/routing";
import { type Change, type Contribution, card, type Listed, NOTHING, type Place } from "./model";
import { numberText, onText, totalOf } from "./places";
import { afterOf, beforeOf, labelsOf, placeOf, routingIn, type Side } from "./sides";
import { agentTable, splitText } from "./splits";
import { counted, id, plain, say, type Text } from "./text";
import { isMap, splitIn } from "./values";

/** Numbers that lose their agents, or that the stack forgets. */

export interface Removal {
  readonly change: Change;
  readonly before: Side;
  /** Numbers that nothing declares any more. */
  readonly lost: readonly string[];
}

const SILENT = "What callers hear then is not shown by the platform.";

export function removalContributions(removals: readonly Removal[]): Contribution[] {
  const groups = new Map<string, Removal[]>();
  for (const removal of removals) {
    const { split, values } = removal.before;
    const key = JSON.stringify([
      removal.change.account,
      split,
      values.onDelete,
      removal.change.before?.retainOnDelete,
      bindsAnything(routingIn(removal.before)),
    ]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [removal]);
    else group.push(removal);
  }
  return [...groups.values()].map((all) => removal(all as [Removal, ...Removal[]]));
}

function removal(all: [Removal, ...Removal[]]): Contribution {
  const [{ change, before }] = all;
  const places = all.map(({ change: one, before: side, lost }) => ({ ...placeOf(one, side), count: lost.length }));
  if (change.before?.retainOnDelete === true) return retained(places, before, all);
  const on = onText(places);
  const isBound = bindsAnything(routingIn(before));
  const count = all.reduce((total, { lost }) => total + lost.length, 0);
  const fallback = before.values.onDelete;
  const falls = isMap(fallback);
  return {
    card: card({
      tone: isBound ? "danger" : "plain",
      rank: isBound ? 1 : 7,
      family: isBound ? "removal" : "quiet",
      title: titleOf(places, isBound, falls),
      places,
      agents: agentTable(before.split, undefined, "before"),
      notes: [...(isBound ? [nowAndThen(before.split, fallback)] : []), ...(isBound ? [keepIt()] : [])],
      listed: all.flatMap(listedLost),
    }),
    facts: [
      {
        condition: "delete",
        text: say`${on}: ${falls ? "falls back to another routing" : "has no agent bound any more"}`,
      },
    ],
    requests: { ...NOTHING, puts: isBound ? count : 0, clears: isBound && !falls ? count : 0 },
    undo: isBound ? ["a revert assigns them again"] : undefined,
  };
}

function titleOf(places: readonly Place[], isBound: boolean, falls: boolean): Text {
  const on = onText(places);
  if (!isBound) return say`Forgotten: ${on}, nothing bound`;
  if (falls) return say`⚠ Falls back to another routing: ${on}`;
  return places.length === 1 ? say`⚠ ${loses(totalOf(places) ?? 0)}: ${on}` : say`⚠ ${on} lose their agents`;
}

const loses = (count: number): string =>
  count === 1 ? "1 number loses its agents" : `${counted(count, "number")} lose their agents`;

function nowAndThen(split: Side["split"], fallback: unknown): Text {
  const now = say`Now: ${splitText(split)}.`;
  if (!isMap(fallback)) return say`${now} After: no agent bound. ${SILENT}`;
  const agents = splitIn(fallback.inboundAgents);
  return say`${now} After: the routing of onDelete${agents === undefined ? "" : say`, ${splitText(agents)}`}.`;
}

const keepIt = (): Text =>
  say`To leave it as it is: the resource option ${id("retainOnDelete: true")} (merge that first). To move it to another stack: the same, then add it there.`;

function listedLost({ change, before, lost }: Removal): Listed[] {
  if (change.kind !== "NumberGroup" || lost.length === 0) return [];
  const labels = labelsOf(before);
  return [
    {
      title: `Numbers that leave ${plain([id(change.name)])}`,
      items: lost.map((number) => numberText(number, labels.get(number))),
    },
  ];
}

function retained(places: readonly Place[], before: Side, all: readonly Removal[]): Contribution {
  const on = onText(places);
  return {
    card: card({
      rank: 6,
      family: "quiet",
      title: say`Forgotten, keeps its agents: ${on}`,
      places,
      notes: [
        say`retainOnDelete: nothing is sent. It keeps ${splitText(before.split)}, and no state knows of it any more.`,
      ],
      listed: all.flatMap(listedLost),
    }),
    facts: [{ condition: "delete", text: say`${on}: forgotten by this stack` }],
    requests: NOTHING,
    undo: ["a revert takes them over again"],
  };
}

/** Numbers that leave a group which stays. */
export function leaveContribution(change: Change, before: Side, lost: readonly string[]): Contribution[] {
  if (lost.length === 0) return [];
  const labels = labelsOf(before);
  const fallback = afterOf(change).values.onDelete;
  const [first = ""] = lost;
  const which =
    lost.length === 1
      ? say`${numberText(first, labels.get(first))} (leaves ${id(change.name)})`
      : say`they leave ${id(change.name)} (${labels.size} → ${labelsOf(afterOf(change)).size})`;
  const place = { ...placeOf(change), count: lost.length };
  return [
    {
      card: card({
        tone: "danger",
        rank: 1,
        family: "removal",
        title: isMap(fallback)
          ? say`⚠ ${counted(lost.length, "number")} of ${id(change.name)} falls back`
          : say`⚠ ${loses(lost.length)}: ${which}`,
        places: [place],
        agents: agentTable(before.split, undefined, "before"),
        notes: [nowAndThen(before.split, fallback)],
        listed: [{ title: "Numbers that leave", items: lost.map((number) => numberText(number, labels.get(number))) }],
      }),
      facts: [
        {
          condition: "delete",
          text: say`${counted(lost.length, "number")} of ${id(change.name)}: no agent bound any more`,
        },
      ],
      requests: { ...NOTHING, puts: lost.length, clears: isMap(fallback) ? 0 : lost.length },
      undo: ["a revert assigns them again"],
    },
  ];
}

/** Another number under the same name: the new one is assigned, then the old one cleared. */
export function replacedContribution(change: Change, keepsOld: boolean): Contribution {
  const [before, after] = [beforeOf(change), afterOf(change)];
  const [old, next] = [placeOf(change, before).number ?? "a number", placeOf(change, after).number ?? "a number"];
  const isSame = [...labelsOf(before).keys()][0] === [...labelsOf(after).keys()][0] && labelsOf(after).size > 0;
  const clears = keepsOld || isSame || !bindsAnything(routingIn(before) as Routing) ? 0 : 1;
  const retains = change.before?.retainOnDelete === true;
  return {
    card: card({
      tone: "danger",
      rank: 1,
      family: "replacement",
      title: isSame
        ? say`${id(change.name)} is made anew: ${next} is assigned again`
        : say`⚠ ${id(change.name)} changes its number: ${old} → ${next}`,
      places: [placeOf(change, after)],
      agents: agentTable(before.split, after.split, "both"),
      notes: isSame
        ? []
        : [
            say`${next} is taken over: what stands there today is overwritten, and cannot be read back.`,
            retains || clears === 0 ? say`${old} keeps what it has.` : say`${old} has no agent bound then. ${SILENT}`,
          ],
    }),
    facts: [{ condition: "replace", text: say`${id(change.name)}: ${old} → ${next}` }],
    requests: { ...NOTHING, puts: 1 + (retains ? 0 : clears), clears: retains ? 0 : clears },
    undo: isSame ? undefined : ["a revert assigns the old number again and clears the new one"],
  };
}
