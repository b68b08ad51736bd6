import { same } from "../base/json";
import { isUnknown } from "../base/unknown";
import { type Endpoint, isSingle, membersOf, type NumbersInputs, sameEndpoint } from "../routing/group";
import { isNewAbort, restartOf } from "../routing/rollout";
import { sameRouting } from "../routing/routing";
import { changedFields, NOTHING, type Plan, type Reason } from "../run/reason";
import { judgeFreeze } from "../run/violation";
import type { Settings } from "../stack/settings";
import { judgeChange, judgeNew } from "./guards";
import { isToClear, isTouched, NEW, type NumbersState, placeInState, returnTarget, unappliedOf } from "./state";

/** Arguments of numbers whose change is saved, even if it sends nothing. Labels are in `numbers`. */
const RECORDED_OF_NUMBERS = ["rollout", "numbers"] as const satisfies readonly (keyof NumbersInputs)[];

// --- numbers

/** Numbers that leave are not judged here: which of them another resource declares is known only at the end of a run. */
export function planNumbers(olds: NumbersState, news: NumbersInputs, settings: Settings): Plan {
  const {
    assigns,
    joins = [],
    leaves = [],
    clears = [],
    released = [],
  } = areNumbersKnown(news) ? planMembers(olds, news) : {};
  if (olds === NEW) {
    return { ...NOTHING, changes: true, assigns, joins };
  }
  const isSent = assigns === undefined || assigns.length + clears.length > 0;
  const isAnother = isSingle(news) && leaves.length > 0;
  const returnsTo = returnTarget(olds, news);
  const restarted = restartOf(olds.rollout, news.rollout, news.inboundAgents);
  const restarts =
    restarted === undefined ? [] : [{ why: "restart" as const, agent: restarted.agent, at: restarted.at }];
  return {
    ...NOTHING,
    changes: isSent || changedFields(RECORDED_OF_NUMBERS, olds, news).length > 0,
    replaces: replacesOf(isAnother, released),
    assigns,
    joins,
    leaves,
    clears: clears.map((number) => ({ number, place: placeInState(number, olds) })),
    returnsTo,
    reasons: [...(isAnother ? reasonsOf(olds, news, [], []) : reasonsOf(olds, news, joins, clears)), ...restarts],
    // The guards judge another number as a new one, because it has no split to move from. They judge an abort as a change, so that it passes.
    violations:
      isAnother && returnsTo !== "stable"
        ? judgeNew(news, settings)
        : [...judgeChange(olds, news, settings, returnsTo), ...(isSent ? judgeFreeze(settings) : [])],
  };
}

/**
 * Another number is another resource. A group is replaced if it has sent a number that leaves, because only a delete knows what the whole
 * program declares. Even if that number has nothing to clear, the group may have unassigned agents that another resource still declares: then
 * the delete sends the routing of that resource again.
 */
const replacesOf = (isAnother: boolean, released: readonly string[]): string[] =>
  isAnother ? ["number"] : released.slice(0, 1).map(() => "numbers");

/** Does the change concern every number of the resource? */
const isAllChanged = (olds: NumbersInputs, news: NumbersInputs): boolean =>
  !sameEndpoint(olds, news) ||
  !sameRouting(olds, news) ||
  !same(olds.triggers, news.triggers) ||
  isNewAbort(olds.rollout, news.rollout);

/** In a preview the numbers may be unknown. Then it is not known which numbers are sent. */
const areNumbersKnown = ({ number, numbers }: NumbersInputs): boolean => ![number, numbers].some(isUnknown);

interface PlannedMembers extends Pick<Plan, "assigns" | "joins" | "leaves"> {
  readonly clears: readonly string[];
  /** The numbers of `leaves` that the delete of the original looks at. */
  readonly released: readonly string[];
}

function planMembers(olds: NumbersState, news: NumbersInputs): PlannedMembers {
  const has = membersOf(news);
  const wanted = [...has.keys()];
  const had = membersOf(olds);
  const isAll = isAllChanged(olds, news);
  const missed = unappliedOf(olds);
  const isChanged = (number: string) => isAll || !had.has(number) || missed.has(number);
  const leaves = [...had.keys()].filter((number) => !has.has(number));
  // If the resource moves to another platform, nothing is cleared at the old one.
  const released = sameEndpoint(olds, news) ? leaves.filter((number) => isTouched(number, olds)) : [];
  return {
    assigns: wanted.filter(isChanged),
    joins: wanted.filter((number) => !had.has(number)),
    leaves,
    clears: released.filter((number) => isToClear(number, olds)),
    released,
  };
}

function reasonsOf(olds: NumbersState, news: Endpoint, joins: readonly string[], clears: readonly string[]): Reason[] {
  const missed = unappliedOf(olds);
  const reasons = [...new Set([...missed.values()].map(({ reason }) => reason))];
  return [
    ...(missed.size > 0 ? [{ why: "unapplied" as const, count: missed.size, reasons }] : []),
    ...(sameEndpoint(olds, news) ? [] : [{ why: "endpoint" as const, from: olds.endpoint, to: news.endpoint }]),
    ...(joins.length + clears.length > 0 ? [{ why: "membership" as const, joins, clears }] : []),
  ];
}
