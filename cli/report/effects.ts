import { UNKNOWN } from "../../provider/core/common/engine";
import { same } from "../../provider/core/common/equality";
import type { Settings } from "../../provider/core/config/settings";
import { type Entry, Ledger, numberPlace } from "../../provider/core/numbers/ledger";
import { type Plan, planNumbers } from "../../provider/core/numbers/plan";
import { clearedNumbers, isTouched, NEW, type NumbersState, placeInState } from "../../provider/core/numbers/state";
import { isOfNumbers } from "../../provider/core/platform/kinds";
import { type AssignedField, isVersion, pick, type RoutingField } from "../../provider/core/routing/fields";
import { type Members, membersOf, toMembers, toText } from "../../provider/core/routing/group";
import { clearedByMove, type Routing, sameRouting } from "../../provider/core/routing/routing";
import { groupBy } from "../lists";
import { stateIn } from "../pulumi/coreState";
import { appliedIn } from "../pulumi/preview";
import { declaredIn, holdsMasked, type Properties } from "../pulumi/values";
import type { Changes, ResourceChange } from "./changes";

/** What a run does to numbers: the core's plan for each resource, and for numbers that one resource gives to another one. */

/** A change of a resource of numbers, with its states. A side whose numbers are hidden has none. */
export interface NumberChange extends ResourceChange {
  readonly olds: NumbersState | undefined;
  readonly news: NumbersState | undefined;
  /** Is it known which numbers there are, on both sides? */
  readonly areKnown: boolean;
  readonly isSingle: boolean;
}

/**
 * What happens to some numbers of a resource. They are assigned for the first time, they move here from another resource, they stay and change
 * or are sent again, the delete clears them, or the stack forgets them. `uncertain`: which numbers leave is known only in the run.
 */
export interface Effect {
  readonly what: "assign" | "move" | "update" | "clear" | "forget" | "uncertain";
  readonly change: NumberChange;
  readonly numbers: readonly string[];
  /** How many numbers it is about; undefined if that is known only in the run. */
  readonly count: number | undefined;
  readonly before?: NumbersState | undefined;
  readonly after?: NumbersState | undefined;
  /** The resource that had the numbers until now. */
  readonly from?: NumberChange;
  /** What the other resource had set, and nothing clears: names of fields. `after` has it. */
  readonly stays?: readonly RoutingField[];
  /** The plan for a move or an update. */
  readonly plan?: Plan;
  /** Does the run send the routing to the numbers? */
  readonly isSent?: boolean;
  /** Does the provider judge it as new, because the resource is another one or is made anew? */
  readonly isAnew?: boolean;
}

function numberChange(change: ResourceChange): NumberChange {
  const sides = [change.old && appliedIn(change.old), change.new?.inputs];
  const areShown = (values: Properties) => declaredIn(values) !== undefined;
  const states = sides.map(
    (values) => values && { ...stateIn(values), ...(!areShown(values) && { number: undefined, numbers: "" }) },
  );
  const [olds, news] = states;
  return {
    ...change,
    olds,
    news: olds && news ? withSecretsOpen(news) : news,
    areKnown: sides.every((values) => values === undefined || areShown(values)),
    isSingle: change.kind === "NumberAssignment",
  };
}

/** A secret may be another one, although the preview shows no difference: so it counts as known after apply. */
const withSecretsOpen = (news: NumbersState): NumbersState =>
  Object.fromEntries(
    Object.entries(news).map(([name, value]) => [name, holdsMasked(value) ? UNKNOWN : value]),
  ) as unknown as NumbersState;

const numberList = (state: NumbersState | undefined): string[] =>
  state === undefined ? [] : [...membersOf(state).keys()];

// --- who has which number

/** All resources of numbers that a preview shows, with their ledger. */
export type NumberChanges = ReturnType<typeof numberChanges>;

export function numberChanges({ ours, kept }: Pick<Changes, "ours" | "kept">) {
  const ofNumbers = (all: readonly ResourceChange[]) => all.filter(({ kind }) => isOfNumbers(kind)).map(numberChange);
  const [changes, staying] = [ofNumbers(ours), ofNumbers(kept)];
  const all = [...changes, ...staying];
  const declared = all.flatMap((owner) =>
    numberList(owner.news).map((number) => ({ number, at: numberPlace(owner.news ?? {}), owner })),
  );
  const ledger = new Ledger<Entry<NumberChange>>();
  for (const owner of changes) {
    for (const number of givenAway(owner)) {
      ledger.leave({ number, at: placeInState(number, owner.olds ?? NEW), owner });
    }
  }
  declared.forEach((one) => void ledger.declare(one));
  /** Those of which the preview shows a step, and not only the rest of an unfinished replacement. */
  const urns = new Set(all.filter(({ isLeftover }) => !isLeftover).map(({ urn }) => urn));
  return { all, changes, declared, ledger, urns };
}

/** The numbers that a resource no longer declares, and that may have something of it. */
function givenAway({ olds, news }: NumberChange): string[] {
  const stays = membersOf(news ?? {});
  return numberList(olds).filter((number) => olds && !stays.has(number) && isTouched(number, olds));
}

// --- effects

/** The state with some of its numbers alone. */
function only(state: NumbersState, numbers: readonly string[]): NumbersState {
  const members = membersOf(state);
  if (members.size === numbers.length || state.number !== undefined) {
    return state;
  }
  const wanted = new Set(numbers);
  const some = (all: Members) => toText(new Map([...all].filter(([number]) => wanted.has(number))));
  const parts = (state.unapplied ?? []).map((part) => ({ ...part, numbers: some(toMembers(part.numbers)) }));
  const unapplied = parts.filter((part) => part.numbers !== "");
  return { ...state, numbers: some(members), unapplied: unapplied.length === 0 ? undefined : unapplied };
}

export function effectsOf(change: NumberChange, shown: NumberChanges, settings: Settings): Effect[] {
  const { op, olds, news, areKnown, isSingle } = change;
  if (olds === undefined || op === "create") {
    const hidden: Effect = { what: "assign", change, numbers: [], count: isSingle ? 1 : undefined, after: news };
    return areKnown ? joins(change, numberList(news), shown, settings) : [hidden];
  }
  if (news === undefined || op === "delete") {
    return deletedNumbers(change, olds, shown);
  }
  return areKnown ? changed(change, olds, news, shown, settings) : hidden(change, olds, news, settings);
}

/** Numbers that are new to the resource. Those that another resource of the stack had move here; the others are assigned for the first time. */
function joins(
  change: NumberChange,
  numbers: readonly string[],
  { ledger }: NumberChanges,
  settings: Settings,
): Effect[] {
  const { news = {} as NumbersState } = change;
  const origins = numbers.map((number) => ({ number, from: ledger.hadBy(number, numberPlace(news))?.owner }));
  return groupBy(origins, ({ from }) => from?.urn ?? "").map((all): Effect => {
    const [{ from }] = all;
    const own = all.map(({ number }) => number);
    const after = only(news, own);
    const effect = { change, numbers: own, count: own.length, after, isSent: true };
    if (from?.olds === undefined) {
      return { ...effect, what: "assign" };
    }
    const before = only(from.olds, own);
    const plan = planNumbers(before, after, settings);
    const kept = from.isRetained ? staying(before, after) : {};
    const stays = Object.keys(kept) as RoutingField[];
    return { ...effect, what: "move", from, before, after: { ...after, ...kept }, stays, plan, isAnew: true };
  });
}

/** With `retainOnDelete` the engine calls no delete, which alone would clear what only the other resource had set. */
function staying(before: NumbersState, after: NumbersState): Routing {
  const cleared = clearedByMove(before, after);
  const fields = cleared.fields.filter((field) => after[field] === undefined && !isVersionOfAnother(field, after));
  const extras =
    cleared.extraFields.length === 0 ? {} : { extraFields: { ...before.extraFields, ...after.extraFields } };
  return { ...pick(before, fields), ...extras };
}

/** An agent that replaces the former one does not get its version. */
const isVersionOfAnother = (field: AssignedField, { outboundAgentId }: NumbersState): boolean =>
  isVersion(field) && outboundAgentId !== undefined;

/** Numbers that the resource no longer declares, and that no other one does. */
function leaving(
  change: NumberChange,
  olds: NumbersState,
  left: readonly string[],
  { ledger }: NumberChanges,
  clears = left,
) {
  const touched = left.filter((number) => isTouched(number, olds));
  const lost = ledger.losses(touched, (number) => placeInState(number, olds));
  const [toClear, leavers] = [new Set(clearedNumbers(olds)), new Set(change.isRetained ? [] : clears)];
  const whatOf = (number: string) => (toClear.has(number) && leavers.has(number) ? "clear" : "forget");
  return groupBy(lost, whatOf).map(
    (numbers): Effect => ({
      what: whatOf(numbers[0]),
      change,
      numbers,
      count: numbers.length,
      before: only(olds, numbers),
    }),
  );
}

function deletedNumbers(change: NumberChange, olds: NumbersState, shown: NumberChanges): Effect[] {
  const { isLeftover, isSingle, areKnown } = change;
  const effect = { change, numbers: [], count: isSingle ? 1 : undefined, before: olds };
  const isUncertain = !areKnown || (isLeftover && !isSingle && !shown.urns.has(change.urn));
  return isUncertain ? [{ ...effect, what: "uncertain" }] : leaving(change, olds, numberList(olds), shown);
}

function changed(
  change: NumberChange,
  olds: NumbersState,
  news: NumbersState,
  shown: NumberChanges,
  settings: Settings,
) {
  const plan = planNumbers(olds, news, settings);
  // The engine replaces it for a reason that the plan does not have, such as `--replace`: then every number is sent.
  const isAnew = change.op === "replace" && plan.replaces.length === 0;
  const had = membersOf(olds);
  const staying = numberList(news).filter((number) => had.has(number));
  const sent = isAnew ? staying : (plan.assigns ?? []).filter((number) => had.has(number));
  const others = [
    ...joins(change, plan.joins, shown, settings),
    ...leaving(change, olds, plan.leaves, shown, plan.clears),
  ];
  // A group that only gives numbers to other resources has no effect of its own: theirs tell it.
  const isRecorded = only(olds, staying).numbers !== only(news, staying).numbers || !same(olds.rollout, news.rollout);
  const isOwn = sent.length > 0 || isRecorded || others.length + plan.leaves.length === 0;
  if (!isOwn || staying.length === 0) {
    return others;
  }
  const numbers = sent.length > 0 ? sent : staying;
  const sides = { before: only(olds, numbers), after: only(news, numbers) };
  const update = { change, numbers, count: numbers.length, ...sides, plan, isSent: sent.length > 0, isAnew };
  return [{ what: "update" as const, ...update }, ...others];
}

/** Which numbers stay is known only in the run. What changes for those that stay is judged as if all did. */
function hidden(change: NumberChange, olds: NumbersState, news: NumbersState, settings: Settings): Effect[] {
  const after = { ...news, number: olds.number, numbers: olds.numbers };
  const plan = planNumbers(olds, after, settings);
  const effect = { change, numbers: [], count: change.isSingle ? 1 : undefined, before: olds, after, plan };
  const update: Effect[] =
    plan.changes || !sameRouting(olds, news) ? [{ ...effect, what: "update", isSent: true }] : [];
  return [{ ...effect, what: "uncertain" }, ...update];
}
