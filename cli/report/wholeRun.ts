import type { Settings } from "../../provider/core/config/settings";
import { counted, guardCode, violationRemedy, violationText } from "../../provider/core/messages";
import { judgeDelete, judgeRunRemoval, type Violation } from "../../provider/core/numbers/guards";
import { membersOf } from "../../provider/core/routing/group";
import { percentages, round } from "../../provider/core/routing/split";
import { groupBy } from "../lists";
import type { StackGuards } from "../pulumi/guards";
import { knownSplit } from "../pulumi/values";
import { type Card, numbersText, totalOf } from "./card";
import { countOf, type Effect } from "./effects";
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

// --- agents that are not approved

/** Agents that get calls by this change and are not on the list, also if the guard lets so few calls pass. */
export function unapprovedCards(effects: readonly Effect[], { settings, areBypassed }: StackGuards): Card[] {
  const { approvedAgents, maxUnapproved } = settings.guards;
  const found = effects.flatMap((effect) =>
    gained(effect).filter(({ agent }) => approvedAgents?.includes(agent) === false),
  );
  const why = areBypassed
    ? "It passes, because the guards are bypassed for this run."
    : `It passes, because agents that are not approved may get up to ${round(maxUnapproved)} % of the calls (maxUnapproved).`;
  return groupBy(found, ({ agent }) => agent).map((same) => {
    const [{ agent }] = same;
    const percents = new Set(same.map(({ percent }) => percent));
    const upTo = percents.size > 1 ? "up to " : "";
    const gets = `gets ${upTo}${round(Math.max(...percents))} % of the calls of ${numbersText(totalOf(same))}`;
    return {
      family: "unapproved",
      title: words`⚠ ${id(agent)} is not in ${id("approvedAgents")} and ${gets}`,
      notes: [[why]],
    };
  });
}

/** The agents that get more calls than before, with their percentage. */
function gained(effect: Effect) {
  const { what, before, after } = effect;
  const [had = {}, has = {}] = [before, after].map((state) => percentages(knownSplit(state?.inboundAgents) ?? {}));
  return Object.entries(what === "uncertain" ? {} : has)
    .filter(([agent, percent]) => percent > (had[agent] ?? 0))
    .map(([agent, percent]) => ({ agent, percent, count: countOf(effect) }));
}
