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

/**
 * Finds guard violations that only appear in the whole run. In a preview, the provider judges each resource separately,
 * so the report applies the same rules to all resources together.
 */

/** The guards that apply to a run. */
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
          ["In a preview, the provider checks each resource separately and cannot see this, so the report refuses it."],
          fromMessage(violationRemedy(violation)),
        ],
    facts: areBypassed ? [] : [{ condition: "guard", text }],
  }));
}

/**
 * The numbers that a run declares. A destroy declares none. It clears the stack's numbers on purpose, so the report
 * doesn't check how many lose their agents.
 */
interface Declared {
  readonly declares: readonly unknown[];
  /** The number of unchanged resources that the preview leaves out. */
  readonly leftOut: number;
  readonly isDestroy: boolean;
}

/** A guard violation and its description. */
interface Refused {
  readonly text: Text;
  readonly violation: Violation;
}

export const stackOf = ({ urn }: { readonly urn: string }): string => parseUrn(urn).stack;

const nameOfGuard = (violation: Violation): string => `(guard ${violation.guard}, ${guardCode(violation)})`;

function refusedMoves(effect: Effect): Refused[] {
  const { action, change, from, numbers, plan, isJudgedNew } = effect;
  const count = numbers.length;
  const text = counted(count, "number");
  const subject =
    from === undefined || (from.name === change.name && stackOf(from) === stackOf(change))
      ? words`${text} in ${quoted(change.name)}, which is replaced`
      : words`${text} ${count === 1 ? "moves" : "move"} from ${quoted(from.name)} to ${quoted(change.name)}`;
  const violations = isJudgedNew && (action === "move" || action === "update") ? (plan?.violations ?? []) : [];
  return (
    violations
      // Only these violations depend on the previous routing, which the provider doesn't know for a renamed resource.
      .filter(judgesDifference)
      .map((violation) => ({
        text: words`${subject} ${nameOfGuard(violation)}: ${violationPhrase(violation)}`,
        violation,
      }))
  );
}

/** Judges all numbers that lose their agents together. */
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
      ? words`${max}, not counting the numbers that only ${quoted("pulumi preview --json --show-sames")} shows`
      : [String(max)];
    const text = words`${counted(lost.length, "number")} ${loseAgents(lost.length)} in this run (${fewQuoted(lost)}); limit ${limit} ${nameOfGuard(violation)}`;
    return [{ text, violation }];
  });
}

/** `loses its agents`, for use after the numbers. */
export const loseAgents = (count: number | undefined): string =>
  count === 1 ? "loses its agents" : "lose their agents";

/** `lose its agents`, for use after an auxiliary verb. */
export const toLoseAgents = (count: number): string => `lose ${count === 1 ? "its" : "their"} agents`;
