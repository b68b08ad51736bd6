import { parseUrn } from "../../provider/base/engine";
import type { Guards } from "../../provider/config/settings";
import { judgeLosses } from "../../provider/numbers/guards";
import {
  guardCode,
  judgesDifference,
  type Violation,
  violationPhrase,
  violationRemedy,
} from "../../provider/run/violation";
import { counted } from "../../provider/words/message";
import type { Card } from "./card";
import type { Effect } from "./effects";
import { fewQuoted, fromMessage, quoted, type Text, words } from "./text";

/** Finds guard violations that the provider can't find in a preview, because it judges each resource separately. */

export interface StackGuards extends Guards {
  /** Whether every guard is bypassed for this run. */
  readonly areBypassed: boolean;
}

export function guardCards(effects: readonly Effect[], declared: Declared, guards: StackGuards): Card[] {
  const { areBypassed } = guards;
  const refused = [...effects.flatMap(refusedMoves), ...refusedLosses(effects, declared, guards)];
  return refused.map(({ text, violation }) => ({
    family: "guard",
    title: areBypassed ? words`⚠ ${text}` : words`⛔ ${text}`,
    notes: areBypassed
      ? [["Bypassed for this run."]]
      : [
          [
            "In a preview, the provider checks each resource separately and cannot see this problem, so this report blocks the change.",
          ],
          fromMessage(violationRemedy(violation)),
        ],
    facts: areBypassed ? [] : [{ condition: "guard", text }],
  }));
}

/** Data for the `maxRemove` guard. This guard doesn't apply to a destroy, which unassigns all numbers on purpose. */
interface Declared {
  readonly declares: readonly unknown[];
  /** The number of unchanged resources that the preview leaves out. */
  readonly leftOut: number;
  readonly isDestroy: boolean;
}

interface Refused {
  readonly text: Text;
  readonly violation: Violation;
}

export const stackOf = ({ urn }: { readonly urn: string }): string => parseUrn(urn).stack;

const nameOfGuard = (violation: Violation): string => `(guard ${violation.guard}, ${guardCode(violation)})`;

function refusedMoves(effect: Effect): Refused[] {
  if (effect.action !== "move" && !(effect.action === "update" && effect.isJudgedNew)) {
    return [];
  }
  const { change, numbers, plan } = effect;
  const from = effect.action === "move" ? effect.from : change;
  const count = numbers.length;
  const text = counted(count, "number");
  const subject =
    from.name === change.name && stackOf(from) === stackOf(change)
      ? words`${text} in ${quoted(change.name)}, which is replaced`
      : words`${text} ${count === 1 ? "moves" : "move"} from ${quoted(from.name)} to ${quoted(change.name)}`;
  return (
    plan.violations
      // The provider finds the other violations itself. But after a rename, for example, it doesn't know the previous
      // routing.
      .filter(judgesDifference)
      .map((violation) => ({
        text: words`${subject} ${nameOfGuard(violation)}: ${violationPhrase(violation)}`,
        violation,
      }))
  );
}

/** Applies the `maxRemove` guard to all numbers that lose their agents in the run. */
function refusedLosses(effects: readonly Effect[], declared: Declared, guards: Guards): Refused[] {
  const { declares, leftOut, isDestroy } = declared;
  const lost = effects
    .filter(({ action }) => action === "clear")
    .flatMap(({ numbers }) => (numbers.length > 0 ? numbers : ["a number that is not known yet"]));
  const losses = isDestroy ? [] : judgeLosses({ lost, inRun: lost.length }, declares.length, guards);
  return losses.flatMap((violation) => {
    const { max } = violation;
    const isPartly = leftOut > 0 && guards.maxRemove === undefined;
    const limit = isPartly
      ? words`${max}, computed without the unchanged numbers, which only ${quoted("pulumi preview --json --show-sames")} shows`
      : [String(max)];
    const text = words`${counted(lost.length, "number")} ${loseAgents(lost.length)} in this run (${fewQuoted(lost)}), but the limit is ${limit} ${nameOfGuard(violation)}`;
    return [{ text, violation }];
  });
}

/** `loses its agents` after one number, otherwise `lose their agents`. */
export const loseAgents = (count: number | undefined): string =>
  count === 1 ? "loses its agents" : "lose their agents";

/** `lose its agents`, for use after an auxiliary verb. */
export const toLoseAgents = (count: number): string => `lose ${count === 1 ? "its" : "their"} agents`;
