import { same } from "../../provider/core/equality";
import { judgeChange, judgeRunRemoval } from "../../provider/core/guards";
import { clearedNumbers, judgedLeavers, judgeGroupDelete } from "../../provider/core/plan";
import type { Settings } from "../../provider/core/settings";
import { round } from "../../provider/core/split";
import type { GroupState } from "../../provider/core/state";
import { type Card, card } from "./card";
import type { Guards } from "./guards";
import { type Holders, type NumberMove, originsOf } from "./ownership";
import { isSentAgain, type NumberChange, planOf, stayersOf, wasAssigned } from "./snapshot";
import { farthestPoints } from "./splits";
import { counted, id, say, someIds, type Text } from "./text";

interface WholeRun {
  readonly changes: readonly NumberChange[];
  readonly holders: Holders;
  /** A `pulumi destroy` is meant to take everything: maxRemove does not judge it. */
  readonly isDestroy: boolean;
}

/**
 * Guards that the whole run exceeds. The provider judges each resource alone. It does not see how many numbers of all resources lose their
 * agents, or that numbers move to another resource.
 */
export function wholeRunCards(run: WholeRun, guards: Guards): Card[] {
  const { changes } = run;
  const providers = [...new Set(changes.map(({ providerName }) => providerName))];
  const texts = providers.flatMap((name) => {
    const settings = guards.of(name)?.settings;
    const own = changes.filter(({ providerName }) => providerName === name);
    return settings === undefined
      ? []
      : [...own.flatMap((change) => shiftTexts(change, run.holders, settings)), ...removalTexts(own, run, settings)];
  });
  return texts.map((text) =>
    card({
      tone: "danger",
      rank: 0,
      family: "guard",
      title: say`⚠ ${text}`,
      notes: [
        guards.isOpen
          ? ["Bypassed for this run."]
          : ["No single resource shows this, so the preview does not refuse it. This report does."],
      ],
      facts: guards.isOpen ? [] : [{ condition: "guard", text }],
    }),
  );
}

// --- maxShift: numbers that one resource gives to another one, or to itself

const shiftTexts = (to: NumberChange, holders: Holders, settings: Settings): Text[] =>
  [...movesTo(to, holders), ...moveToItself(to)].flatMap((move) => shiftText(move, to, settings));

function movesTo(to: NumberChange, holders: Holders): NumberMove[] {
  const isJoined = to.op === "update" && to.kind === "NumberGroup";
  const numbers = isJoined ? planOf(to).joins : [...to.after.members.keys()];
  return originsOf(to, numbers, holders).moves.filter(({ from }) => from !== to);
}

/** Numbers of a resource that the operator replaces with `--replace`: the engine asks for no diff, so the guards judged a new resource. */
function moveToItself(change: NumberChange): NumberMove[] {
  const { op, before, after } = change;
  const numbers = stayersOf(change).filter((number) => wasAssigned(number, before));
  const isItself = op === "replace" && numbers.length > 0 && isSentAgain(change);
  return isItself ? [{ from: change, before, after, numbers }] : [];
}

function shiftText(move: NumberMove, to: NumberChange, settings: Settings): Text[] {
  const { from, before, after, numbers } = move;
  if (farthestPoints(move) === undefined || same(before.split, after.split)) {
    return [];
  }
  const many = counted(numbers.length, "number");
  const [go, moves] = numbers.length === 1 ? ["goes", "moves"] : ["go", "move"];
  const who =
    from.name === to.name
      ? say`${many} of ${id(to.name)}, made anew,`
      : say`${many} ${go} from ${id(from.name)} to ${id(to.name)} and`;
  return judgeChange(before.state, after.state, settings).flatMap((one) =>
    one.guard === "maxShift"
      ? [
          say`Guard maxShift (AGP-021): ${who} ${moves} ${round(one.shift)} percentage points of traffic; limit ${round(one.max)}`,
        ]
      : [],
  );
}

// --- maxRemove: numbers that no resource declares any more

/** A limit that the stack sets is one for the whole run. The default judges each group of which a part goes on. */
function removalTexts(changes: readonly NumberChange[], { holders, isDestroy }: WholeRun, settings: Settings): Text[] {
  if (isDestroy) {
    return [];
  }
  if (settings.guards.maxRemove === undefined) {
    return changes.flatMap((change) => partTexts(change, holders, settings));
  }
  const lost = changes.flatMap((change) => lostNumbers(change, holders));
  return judgeRunRemoval(lost, 0, settings).flatMap((one) =>
    one.guard === "maxRemove"
      ? [
          say`Guard maxRemove (AGP-024): ${counted(lost.length, "number")} lose${lost.length === 1 ? "s its" : " their"} agents in this run (${someIds(lost)}); limit ${one.max}`,
        ]
      : [],
  );
}

/** The numbers that the deletes of this change clear. A hidden number counts as one. */
function lostNumbers(change: NumberChange, holders: Holders): string[] {
  const { op, isRetained, before } = change;
  if (isRetained) {
    return [];
  }
  const isLost = (number: string) => holders.newHolder(number, change) === undefined;
  if (op === "delete") {
    const cleared = clearedNumbers(before.state);
    return before.areNumbersKnown ? cleared.filter(isLost) : cleared.slice(0, 1).map(() => "a hidden number");
  }
  const { clears } = planOf(change);
  return (change.kind === "NumberGroup" ? judgedLeavers(clears, before.state as GroupState) : clears).filter(isLost);
}

/** A group that is deleted, while other resources declare some of its numbers. */
function partTexts(change: NumberChange, holders: Holders, settings: Settings): Text[] {
  const { kind, op, isLeftover, name, before } = change;
  if (kind !== "NumberGroup" || op !== "delete" || isLeftover || !before.areNumbersKnown) {
    return [];
  }
  const lost = lostNumbers(change, holders);
  const had = counted(before.members.size, "number");
  return judgeGroupDelete(before.state as GroupState, lost, settings).flatMap((one) =>
    one.guard === "maxRemove"
      ? [
          say`Guard maxRemove (AGP-024): ${lost.length} of ${had} of ${id(name)} lose their agents, and the others go on under another name; limit ${one.max}`,
        ]
      : [],
  );
}
