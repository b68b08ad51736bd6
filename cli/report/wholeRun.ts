import type { Settings } from "../../provider/core/config/settings";
import { counted, guardCode, violationRemedy, violationText } from "../../provider/core/messages";
import { judgeDelete, judgeRunRemoval, type Violation } from "../../provider/core/numbers/guards";
import { membersOf } from "../../provider/core/routing/group";
import type { StackGuards } from "../pulumi/guards";
import type { Card } from "./card";
import type { Effect } from "./effects";
import { fewIds, id, type Text, words } from "./text";

/**
 * What a whole run exceeds. A preview that succeeded has passed the guards, unless they were bypassed: the provider judges each resource. The
 * report judges with the core's rules what no resource shows by itself.
 */

export function guardCards(effects: readonly Effect[], { areBypassed, settings }: StackGuards): Card[] {
  const refused = [...effects.flatMap(refusedMoves), ...refusedRemovals(effects, settings)];
  return refused.map(({ text, violation }) => ({
    family: "guard",
    title: areBypassed ? words`⚠ ${text}` : words`⛔ ${text}`,
    notes: areBypassed
      ? [["Bypassed for this run."]]
      : [["No resource shows this by itself, so the report refuses it."], [violationRemedy(violation)]],
    facts: areBypassed ? [] : [{ condition: "guard", text }],
  }));
}

/** What a guard refuses, in the words of the report. */
interface Refused {
  readonly text: Text;
  readonly violation: Violation;
}

const nameOfGuard = (violation: Violation): string => `(guard ${violation.guard}, ${guardCode(violation)})`;

/** The guards that compare with what numbers have. The provider judges the other resource as a new one, for which no call moves. */
const OF_MOVES: ReadonlySet<Violation["guard"]> = new Set(["maxShift", "steps"]);

function refusedMoves(effect: Effect): Refused[] {
  const { what, change, from, numbers, plan, isJudgedNew } = effect;
  const count = numbers.length;
  const many = counted(count, "number");
  const who =
    from === undefined || from.name === change.name
      ? words`${many} of ${id(change.name)}, made again`
      : words`${many} ${count === 1 ? "goes" : "go"} from ${id(from.name)} to ${id(change.name)}`;
  const violations = isJudgedNew && (what === "move" || what === "update") ? (plan?.violations ?? []) : [];
  return violations
    .filter(({ guard }) => OF_MOVES.has(guard))
    .map((violation) => ({
      text: words`${who}: ${violationText(violation).replace(/^inboundAgents: |\.$/g, "")} ${nameOfGuard(violation)}`,
      violation,
    }));
}

/**
 * If the stack sets maxRemove, it limits the whole run. If not, the default limit judges each deleted group alone, and only if other
 * resources declare some of its numbers.
 */
function refusedRemovals(effects: readonly Effect[], settings: Settings): Refused[] {
  const cleared = effects.filter(({ what }) => what === "clear");
  if (settings.guards.maxRemove === undefined) {
    return cleared.flatMap((effect) => refusedParts(effect, settings));
  }
  const lost = cleared.flatMap(({ numbers }) => (numbers.length > 0 ? numbers : ["a number that is not known yet"]));
  const [exceeded] = judgeRunRemoval(lost, 0, settings);
  return exceeded === undefined
    ? []
    : [
        {
          text: words`${counted(lost.length, "number")} ${loseAgents(lost.length)} in this run (${fewIds(lost)}); limit ${settings.guards.maxRemove} ${nameOfGuard(exceeded)}`,
          violation: exceeded,
        },
      ];
}

export const loseAgents = (count: number | undefined): string =>
  count === 1 ? "loses its agents" : "lose their agents";

function refusedParts({ change: { op, isLeftover, name, olds }, numbers }: Effect, settings: Settings): Refused[] {
  if (op !== "delete" || isLeftover || olds === undefined || numbers.length === 0) {
    return [];
  }
  return judgeDelete(numbers, olds, settings).flatMap((one) =>
    one.guard === "maxRemove"
      ? [
          {
            text: words`${numbers.length} of ${counted(membersOf(olds).size, "number")} of ${id(name)} lose their agents, and the others go on under another name; limit ${one.max} ${nameOfGuard(one)}`,
            violation: one,
          },
        ]
      : [],
  );
}
