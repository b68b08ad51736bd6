import { same } from "../base/json";
import type { Guards } from "../config/settings";
import { isSingle, knownNumbers, membersOf, type Numbers, type PreviewedNumbers, sameEndpoint } from "../routing/group";
import { isNewAbort, restartedAbort } from "../routing/rollout";
import { sameRouting } from "../routing/routing";
import { changedFields, type Plan, type Reason } from "../run/plan";
import { judgeFreeze } from "../run/violation";
import { judgeChange, judgeNew } from "./guards";
import { isTouched, type NumbersState, needsClearing, placeInState, rollbackTarget, unappliedOf } from "./state";

/**
 * Plans a change and applies the guards to it. Only `maxRemove` is applied later, at the end of the run, when it is
 * known which numbers the program still declares.
 */
export function judgedPlan(olds: NumbersState, news: PreviewedNumbers, guards: Guards): Plan {
  // A preview may not know the numbers yet. In that case, the plan can't list any requests.
  const numbers = knownNumbers(news);
  const {
    assigns,
    joins = [],
    leaves = [],
    clears = [],
    released = [],
  } = numbers === undefined ? {} : planMembers(olds, news, numbers);
  const isOtherNumber = isSingle(news) && leaves.length > 0;
  // If numbers leave a group that may have assigned them, replace it: the engine then deletes the old group at the end
  // of the run, when it is known whether another resource declares those numbers.
  const replacesGroup = released.length > 0 ? ["numbers"] : [];
  const rollbackTo = rollbackTarget(olds, news);
  const isSent = assigns === undefined || assigns.length + clears.length > 0;
  const freeze = isSent ? judgeFreeze(guards) : [];
  return {
    // A change to the rollout or to a number's label is saved even if no request is sent.
    changes: isSent || changedFields(["rollout", "numbers"], olds, news).length > 0,
    replaces: isOtherNumber ? ["number"] : replacesGroup,
    assigns,
    joins,
    leaves,
    clears: clears.map((number) => ({ number, place: placeInState(number, olds) })),
    rollbackTo,
    reasons: isOtherNumber ? reasonsOf(olds, news, [], []) : reasonsOf(olds, news, joins, clears),
    // A new `number` has no earlier split, so judge it like a new resource. But compare a return to the stable agent
    // with the saved state: otherwise, the guards would not recognize the rollback and could refuse it.
    violations:
      isOtherNumber && rollbackTo !== "stable"
        ? judgeNew(news, guards)
        : [...judgeChange(olds, news, guards), ...freeze],
  };
}

/** Plans which numbers get a request, and which ones join or leave the resource. */
export function planMembers(olds: NumbersState, news: PreviewedNumbers, numbers: Numbers) {
  const members = membersOf(numbers);
  const wanted = [...members.keys()];
  const formerMembers = membersOf(olds);
  // Whether every number in the resource gets a request, not only those that joined it or failed in an earlier run.
  const isAll =
    !sameEndpoint(olds, news) ||
    !sameRouting(olds, news) ||
    !same(olds.triggers, news.triggers) ||
    isNewAbort(olds.rollout, news.rollout);
  const missed = unappliedOf(olds);
  const isChanged = (number: string) => isAll || !formerMembers.has(number) || missed.has(number);
  const leaves = [...formerMembers.keys()].filter((number) => !members.has(number));
  // Numbers that left and may need a request when the old resource is deleted: to clear them, or to resend another
  // resource's routing. Nothing is cleared at an old endpoint.
  const released = sameEndpoint(olds, news) ? leaves.filter((number) => isTouched(number, olds)) : [];
  return {
    assigns: wanted.filter(isChanged),
    joins: wanted.filter((number) => !formerMembers.has(number)),
    leaves,
    clears: released.filter((number) => needsClearing(number, olds)),
    released,
  };
}

function reasonsOf(
  olds: NumbersState,
  news: PreviewedNumbers,
  joins: readonly string[],
  clears: readonly string[],
): Reason[] {
  const missed = unappliedOf(olds);
  const reasons = [...new Set([...missed.values()].map(({ reason }) => reason))];
  const restarted = restartedAbort(olds.rollout, news.rollout, news.inboundAgents);
  return [
    ...(missed.size > 0 ? [{ why: "unapplied" as const, count: missed.size, reasons }] : []),
    ...(sameEndpoint(olds, news) ? [] : [{ why: "endpoint" as const, from: olds.endpoint, to: news.endpoint }]),
    ...(joins.length + clears.length > 0 ? [{ why: "membership" as const, joins, clears }] : []),
    ...(restarted === undefined ? [] : [{ why: "restart" as const, agent: restarted.agent, at: restarted.at }]),
  ];
}
