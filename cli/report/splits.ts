import {
  type Move as AgentMove,
  isEmpty,
  moves,
  parseAgentKey,
  percentages,
  possibleSplits,
  round,
  type Split,
  same,
  shift,
} from "../../provider/review";
import { present } from "../lists";
import { isHidden, isMasked, isSplit, type MaybeHidden, splitIn } from "../pulumi/values";
import { percentText } from "../rollout/value";
import { type AgentRow, type AgentTable, type Fact, NOT_SPECIFIED } from "./card";
import { bothSplits, type Sides, splitsBefore, stillUnapplied } from "./snapshot";
import { counted, id, say, some, someIds, type Text } from "./text";

/** A traffic split in words and rows. */

/** `agent_front@12 90 %, agent_front@13 10 %`. */
export function splitText(split: MaybeHidden<Split>): Text {
  if (split === undefined) {
    return ["inbound agents not managed"];
  }
  if (!isSplit(split)) {
    return [isMasked(split) ? "a masked split" : "a split that is known after apply"];
  }
  if (isEmpty(split)) {
    return ["no agents"];
  }
  const texts = Object.entries(percentages(split)).map(([agent, share]) => say`${id(agent)} ${percentText(share)}`);
  return some(texts, 4);
}

/** `90/10`, as people say it, for two to four agents. */
export function ratio(split: Split): Text {
  const all = Object.values(percentages(split));
  if (all.length === 0) {
    return ["no agents"];
  }
  return all.length === 1 || all.length > 4 ? splitText(split) : [all.map(round).join("/")];
}

/** A hidden side has no rows, because its agents were neither removed nor added. */
function sidesSeen(before: MaybeHidden<Split>, after: MaybeHidden<Split>): AgentTable["sides"] {
  if (isHidden(after)) {
    return "before";
  }
  return isHidden(before) ? "after" : "both";
}

export function agentTable(
  before: MaybeHidden<Split>,
  after: MaybeHidden<Split>,
  wanted: AgentTable["sides"],
): AgentTable | undefined {
  const sides = wanted === "both" ? sidesSeen(before, after) : wanted;
  const [old, now] = [isSplit(before) ? before : {}, isSplit(after) ? after : {}];
  const rows = moves(old, now).map(({ agent, from, to }): AgentRow => {
    const weights = { before: old[agent], after: now[agent] };
    const isPlain = isPercentage(weights.before, from) && isPercentage(weights.after, to);
    return { agent, before: from, after: to, weights: isPlain ? undefined : weights };
  });
  return rows.length === 0 ? undefined : { rows, sides };
}

/** Is the weight the percentage already? Then a reader needs only one of them. */
const isPercentage = (weight: number | undefined, share: number | undefined): boolean =>
  weight === undefined || share === undefined || Math.abs(weight - share) < 0.005;

/** How many percentage points of the calls move. If no agent had calls before, none move. */
export const pointsOf = (before: Split, after: Split): number =>
  isEmpty(before) ? 0 : Number(round(shift(before, after)));

/** Is the new split empty? Then all agents lose their calls, also if the preview hides which agents these are. */
export const isCut = ({ before, after }: Sides): boolean =>
  isSplit(after.split) && isEmpty(after.split) && !same(before.split, after.split);

type AgentMoves = ReturnType<typeof agentMoves>;

function agentMoves(before: Split, after: Split) {
  const by = ({ from = 0, to = 0 }: AgentMove) => Math.abs(to - from);
  const all = moves(before, after).filter(({ from, to }) => from !== to);
  const sorted = all.sort((a, b) => by(b) - by(a));
  // An agent that is not in the list has less than one with 0 %.
  const isRisen = ({ from = -1, to = -1 }: AgentMove) => to > from;
  return { risen: sorted.filter(isRisen), fallen: sorted.filter((move) => !isRisen(move)) };
}

const shareOr = (share: number | undefined): string => (share === undefined ? "none" : percentText(share));

/** One line: what moves, how far, and on what. */
export function splitTitle(sides: Sides, on: Text): Text {
  const [before, after] = [sides.before.split, sides.after.split];
  if (isCut(sides)) {
    return say`⚠ No inbound agents left on ${on}: ${splitText(before)} → none`;
  }
  if (!isSplit(before) || !isSplit(after)) {
    return say`Traffic split on ${on}: ${splitText(before)} → ${splitText(after)}`;
  }
  if (isEmpty(before)) {
    return say`First inbound agents on ${on}: ${splitText(after)}`;
  }
  const moved = agentMoves(before, after);
  return bumpTitle(moved, on) ?? removalTitle(moved, on) ?? zeroTitle(moved, on) ?? shiftTitle(moved, on);
}

/** One version gives its whole share to another of the same agent. */
function bumpTitle({ risen: [up, ...others], fallen: [down, ...more] }: AgentMoves, on: Text): Text | undefined {
  if (up?.to === undefined || down === undefined || others.length + more.length > 0) {
    return undefined;
  }
  const [next, old] = [parseAgentKey(up.agent), parseAgentKey(down.agent)];
  if (up.from !== undefined || down.to !== undefined || next.agentId !== old.agentId) {
    return undefined;
  }
  const { agentVersion: from = "(no version)" } = old;
  const { agentVersion: to = "(no version)" } = next;
  const [sign, rest] = up.to === 100 ? ["⚠ ", ", no canary"] : ["", ""];
  return say`${sign}Version bump on ${on}: ${id(next.agentId)} ${from} → ${to} at ${percentText(up.to)} in one change${rest}`;
}

/** Does a new agent get all calls at once? */
export function isWithoutCanary(sides: Sides): boolean {
  const splits = bothSplits(sides);
  return (
    splits !== undefined &&
    !isEmpty(splits.before) &&
    agentMoves(splits.before, splits.after).risen.some(({ from, to }) => from === undefined && to === 100)
  );
}

function removalTitle({ risen, fallen }: AgentMoves, on: Text): Text | undefined {
  const gone = fallen.filter((move) => move.to === undefined);
  const [first] = gone;
  if (first === undefined || risen.some((move) => move.from === undefined)) {
    return undefined;
  }
  const names = someIds(gone.map(({ agent }) => agent));
  const text =
    gone.length === 1 ? say`${names} leaves ${on}: ${shareOr(first.from)} → none` : say`${names} leave ${on}`;
  const [gainer, ...others] = risen;
  return gainer === undefined || others.length > 0
    ? text
    : say`${text}. Its traffic goes to ${id(gainer.agent)}: ${shareOr(gainer.from)} → ${shareOr(gainer.to)}`;
}

function zeroTitle({ fallen }: AgentMoves, on: Text): Text | undefined {
  const zeroed = fallen.find((move) => move.to === 0);
  return (
    zeroed && say`${id(zeroed.agent)} gets no more calls on ${on}: ${shareOr(zeroed.from)} → 0 %, and stays in the list`
  );
}

function shiftTitle({ risen, fallen }: AgentMoves, on: Text): Text {
  const [first] = risen.length > 0 ? risen : fallen;
  if (first === undefined) {
    return say`Other weights with the same percentages on ${on}`;
  }
  const more = othersText([...risen, ...fallen].filter((move) => move !== first));
  return first.from === undefined
    ? say`${id(first.agent)} joins ${on} at ${shareOr(first.to)}${more}`
    : say`Traffic split on ${on}: ${id(first.agent)} ${shareOr(first.from)} → ${shareOr(first.to)}${more}`;
}

/** What the title says about the other agents. With one other agent, its percentage follows from the first one. */
function othersText(others: readonly AgentMove[]): Text {
  const leaving = others.filter(({ to }) => to === undefined).map(({ agent }) => agent);
  if (leaving.length === others.length) {
    return leaving.length === 0 ? [] : say`; ${someIds(leaving)} ${leaving.length === 1 ? "leaves" : "leave"}`;
  }
  const some =
    leaving.length === 0 ? "" : `, and ${leaving.length} of them ${leaving.length === 1 ? "leaves" : "leave"}`;
  return others.length > 1 ? [`; ${others.length} other agents change${some}`] : [];
}

export function splitNotes(sides: Sides): Text[] {
  const splits = bothSplits(sides);
  if (splits === undefined) {
    return [];
  }
  const { risen, fallen } = agentMoves(splits.before, splits.after);
  const agents = risen.map(({ agent }) => agent);
  const unversioned = agents.filter((agent) => parseAgentKey(agent).agentVersion === undefined);
  return present([
    isWithoutCanary(sides) && ["A new agent gets every call at once."],
    fallen.some((move) => move.to === undefined) && ["The API does not specify what happens to calls in progress."],
    unversioned.length > 0 && say`No version named for ${someIds(unversioned)}: the platform chooses one.`,
    isEmpty(splits.after) && [NOT_SPECIFIED],
  ]);
}

/** The facts about a change of the split, from what was applied last to what is wanted now. */
export function shiftFacts(sides: Sides, on: Text): Fact[] {
  const { before, after } = sides;
  if (splitsBefore(before).every((split) => same(split, after.split))) {
    return [];
  }
  const isNewlyWanted = !same(splitIn(before.values.inboundAgents), after.split);
  const points = farthestPoints(sides);
  const size = points === undefined ? "the size of the change is not known" : counted(points, "percentage point");
  return present<Fact>([
    isNewlyWanted &&
      stillUnapplied(sides).length > 0 && {
        condition: "unresolved",
        text: say`${on}: the split before is not applied everywhere, and a new one is declared`,
      },
    isCut(sides) && { condition: "delete", text: say`${on}: no inbound agents left` },
    { condition: "shift", points, text: say`${on}: ${size}` },
  ]);
}

/** How many percentage points move for the numbers that may be farthest from the new split; undefined if a split is hidden. */
export function farthestPoints({ before, after: { split } }: Sides): number | undefined {
  const splits = before.state.unapplied === undefined ? [before.split] : possibleSplits(before.state);
  return isSplit(split) && splits.every(isSplit)
    ? Math.max(0, ...splits.map((one) => pointsOf(one, split)))
    : undefined;
}
