import {
  codeOf,
  judgeChange,
  judgeDelete,
  judgeRunRemoval,
  type Settings,
  same,
  type Violation,
  violationText,
} from "../../provider/review";
import { present } from "../lists";
import { type Card, card } from "./card";
import { loseAgents } from "./cards/deleted";
import type { Guards } from "./guards";
import { clearedBy, type Holders, type Move, originsOf } from "./ownership";
import { isSentAgain, type NumberChange, planOf, stayersOf, wasAssigned, withNumbers } from "./snapshot";
import { farthestPoints } from "./splits";
import { counted, id, say, someIds, type Text } from "./text";

/**
 * Guards that the whole run exceeds. The provider judges each resource alone. It does not see how many numbers of all resources lose their
 * agents, or that numbers move to another resource.
 * @param isDestroy a `pulumi destroy` is meant to take everything: maxRemove does not judge it
 */
export function wholeRunCards(
  changes: readonly NumberChange[],
  holders: Holders,
  guards: Guards,
  isDestroy: boolean,
): Card[] {
  const providers = [...new Set(changes.map(({ providerName }) => providerName))];
  const texts = providers.flatMap((name) => {
    const settings = guards.of(name)?.settings;
    const own = changes.filter(({ providerName }) => providerName === name);
    return settings === undefined
      ? []
      : [
          ...own.flatMap((change) => movesTo(change, holders).flatMap((move) => judgedTexts(move, settings))),
          ...(isDestroy ? [] : removalTexts(own, holders, settings)),
        ];
  });
  return present(texts).map((text) =>
    card({
      tone: "danger",
      rank: 0,
      family: "guard",
      title: guards.areBypassed ? say`⚠ ${text}` : say`⛔ ${text}`,
      notes: [
        guards.areBypassed
          ? ["Bypassed for this run."]
          : ["No single resource shows this, so the preview does not refuse it. This report does."],
      ],
      facts: guards.areBypassed ? [] : [{ condition: "guard", text }],
    }),
  );
}

// --- maxShift and steps: numbers that one resource gives to another one, or to itself

function movesTo(change: NumberChange, holders: Holders): Move[] {
  const { op, before, after } = change;
  const numbers = op === "update" ? planOf(change).joins : after.members.keys();
  const moves = originsOf(change, numbers, holders).moves.filter(({ from }) => from !== change);
  // If the operator replaces a resource with `--replace`, the engine asks for no diff, so the guards have judged a new resource.
  const again = stayersOf(change).filter((number) => wasAssigned(number, before));
  const isItself = op === "replace" && again.length > 0 && isSentAgain(change);
  return isItself ? [...moves, { ...change, from: change, after: withNumbers(after, again) }] : moves;
}

/** What the guards say to calls that a move gives to other agents. They judge the other resource as a new one, for which no call moves. */
function judgedTexts(move: Move, settings: Settings): Text[] {
  const { from, name, before, after } = move;
  const isSame = same(before.split, after.split) && same(before.state.rollout, after.state.rollout);
  if (farthestPoints(move) === undefined || isSame) {
    return [];
  }
  const count = after.members.size;
  const many = counted(count, "number");
  const who =
    from.name === name
      ? say`${many} of ${id(name)}, made anew`
      : say`${many} ${count === 1 ? "goes" : "go"} from ${id(from.name)} to ${id(name)}`;
  return judgeChange(before.state, after.state, settings)
    .filter(({ guard }) => OF_MOVES.has(guard))
    .map(
      (one) =>
        say`${who}: ${violationText(one).replace(/^inboundAgents: |\.$/g, "")} (guard ${one.guard}, ${codeOf(one)})`,
    );
}

/** The guards that compare with what the numbers have. */
const OF_MOVES: ReadonlySet<Violation["guard"]> = new Set(["maxShift", "steps"]);

// --- maxRemove: numbers that no resource declares any more

/**
 * If the stack sets maxRemove, it limits the whole run. If not, the default limit judges each deleted group alone, and only if other
 * resources declare some of its numbers.
 */
function removalTexts(changes: readonly NumberChange[], holders: Holders, settings: Settings) {
  if (settings.guards.maxRemove === undefined) {
    return changes.map((change) => partText(change, holders, settings));
  }
  const lost = changes.flatMap((change) => lostNumbers(change, holders));
  const [exceeded] = judgeRunRemoval(lost, 0, settings);
  return [
    exceeded &&
      say`${counted(lost.length, "number")} ${loseAgents(lost.length)} in this run (${someIds(lost)}); limit ${settings.guards.maxRemove} (guard maxRemove, AGP-024)`,
  ];
}

/** The numbers that the deletes of this change clear. A hidden number counts as one. */
function lostNumbers(change: NumberChange, holders: Holders): string[] {
  const { op, before } = change;
  const cleared = clearedBy(change, holders);
  if (op === "delete") {
    return before.areNumbersKnown ? cleared : cleared.slice(0, 1).map(() => "a hidden number");
  }
  return cleared;
}

/** The default limit, for a group that is deleted while other resources declare some of its numbers. */
function partText(change: NumberChange, holders: Holders, settings: Settings): Text | undefined {
  const { op, isLeftover, name, before } = change;
  if (op !== "delete" || isLeftover || !before.areNumbersKnown) {
    return undefined;
  }
  const lost = lostNumbers(change, holders);
  const [exceeded] = judgeDelete(before.state, lost, settings);
  return exceeded?.guard === "maxRemove"
    ? say`${lost.length} of ${counted(before.members.size, "number")} of ${id(name)} lose their agents, and the others go on under another name; limit ${exceeded.max} (guard maxRemove, AGP-024)`
    : undefined;
}
