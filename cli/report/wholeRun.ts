import { partsOf } from "../../provider/base/engine";
import type { Settings } from "../../provider/config/settings";
import { judgeLosses } from "../../provider/numbers/guards";
import {
  guardCode,
  isOfDifference,
  type Violation,
  violationPhrase,
  violationRemedy,
} from "../../provider/run/violation";
import { counted } from "../../provider/words/message";
import type { Card } from "./card";
import type { Effect } from "./effects";
import { fewQuoted, fromMessage, quoted, type Text, words } from "./text";

/**
 * What a whole run exceeds. A preview that succeeded has passed the guards, unless they were bypassed: the provider judges each resource. The
 * report judges with the core's rules what no resource shows by itself.
 */

/** The guards of a run. */
export interface StackGuards {
  readonly settings: Settings;
  /** Is every guard bypassed for this run? */
  readonly areBypassed: boolean;
}

export function guardCards(
  effects: readonly Effect[],
  declared: Declared,
  { areBypassed, settings }: StackGuards,
): Card[] {
  const refused = [...effects.flatMap(refusedMoves), ...refusedLosses(effects, declared, settings)];
  return refused.map(({ text, violation }) => ({
    family: "guard",
    title: areBypassed ? words`⚠ ${text}` : words`⛔ ${text}`,
    notes: areBypassed
      ? [["Bypassed for this run."]]
      : [["No resource shows this by itself, so the report refuses it."], fromMessage(violationRemedy(violation))],
    facts: areBypassed ? [] : [{ condition: "guard", text }],
  }));
}

/** The numbers that a run declares. A destroy declares none, and is meant to clear. */
interface Declared {
  readonly declares: readonly unknown[];
  /** How many resources the preview leaves out, because they stay as they are. */
  readonly leftOut: number;
  readonly isDestroy: boolean;
}

/** What a guard refuses, in the words of the report. */
interface Refused {
  readonly text: Text;
  readonly violation: Violation;
}

export const stackOf = ({ urn }: { readonly urn: string }): string => partsOf(urn).stack;

const nameOfGuard = (violation: Violation): string => `(guard ${violation.guard}, ${guardCode(violation)})`;

function refusedMoves(effect: Effect): Refused[] {
  const { action, change, from, numbers, plan, isJudgedNew } = effect;
  const count = numbers.length;
  const text = counted(count, "number");
  const subject =
    from === undefined || (from.name === change.name && stackOf(from) === stackOf(change))
      ? words`${text} of ${quoted(change.name)}, made again`
      : words`${text} ${count === 1 ? "goes" : "go"} from ${quoted(from.name)} to ${quoted(change.name)}`;
  const violations = isJudgedNew && (action === "move" || action === "update") ? (plan?.violations ?? []) : [];
  return (
    violations
      // They compare with what numbers have. The provider judges the other resource as a new one, for which no call moves.
      .filter(isOfDifference)
      .map((violation) => ({
        text: words`${subject} ${nameOfGuard(violation)}: ${violationPhrase(violation)}`,
        violation,
      }))
  );
}

/** All numbers that the run loses are judged together. */
function refusedLosses(effects: readonly Effect[], declared: Declared, settings: Settings): Refused[] {
  const { declares, leftOut, isDestroy } = declared;
  const lost = effects
    .filter(({ action }) => action === "clear")
    .flatMap(({ numbers }) => (numbers.length > 0 ? numbers : ["a number that is not known yet"]));
  const losses = isDestroy ? [] : judgeLosses({ lost, inRun: lost.length }, declares.length, settings);
  return losses.flatMap((violation) => {
    const { max } = violation;
    const isPartly = leftOut > 0 && settings.guards.maxRemove === undefined;
    const limit = isPartly
      ? words`${max}, without the numbers that only ${quoted("pulumi preview --json --show-sames")} shows`
      : [String(max)];
    const text = words`${counted(lost.length, "number")} ${loseAgents(lost.length)} in this run (${fewQuoted(lost)}); limit ${limit} ${nameOfGuard(violation)}`;
    return [{ text, violation }];
  });
}

/** Behind the numbers: `loses its agents`. */
export const loseAgents = (count: number | undefined): string =>
  count === 1 ? "loses its agents" : "lose their agents";

/** Behind a verb: `lose its agents`. */
export const toLoseAgents = (count: number): string => `lose ${count === 1 ? "its" : "their"} agents`;
