import { UNKNOWN } from "../../provider/base/engine";
import { pick, same } from "../../provider/base/json";
import { isOfNumbers } from "../../provider/config/kinds";
import type { Settings } from "../../provider/config/settings";
import { judgedPlan } from "../../provider/numbers/plan";
import {
  clearedNumbers,
  isTouched,
  NEW,
  type NumbersState,
  outboundKey,
  placeInState,
} from "../../provider/numbers/state";
import { membersOf } from "../../provider/routing/group";
import { clearedByMove, isVersion, type Routing, type RoutingField, sameRouting } from "../../provider/routing/routing";
import { type Entry, Ledger, numberPlace, type PlacedNumber } from "../../provider/run/ledger";
import type { JudgedPlan } from "../../provider/run/plan";
import { groupBy } from "../lists";
import { appliedIn } from "../pulumi/preview";
import { partOf, stateIn } from "../pulumi/state";
import { holdsMasked, knownSplit, type Properties, shownMembers } from "../pulumi/values";
import type { Changes, ResourceChange } from "./changes";

/** What a run does to numbers: the core's plan for each resource, and for numbers that one resource gives to another one. */

/**
 * What happens to some numbers of a resource. They are assigned for the first time, they move here from another resource, they stay and change
 * or are sent again, the delete clears them, or the stack forgets them. `uncertain`: which numbers leave is known only in the run.
 */
export interface Effect {
  readonly action: "assign" | "move" | "update" | "clear" | "forget" | "uncertain";
  readonly change: NumberChange;
  /** Empty if they are known only in the run. */
  readonly numbers: readonly string[];
  readonly before?: NumbersState | undefined;
  readonly after?: NumbersState | undefined;
  /** The resource that had the numbers until now. It may be of another stack. */
  readonly from?: NumberChange;
  /** The stack that declares the forgotten numbers from now on. */
  readonly to?: string | undefined;
  /** What the other resource had set, and nothing clears: names of fields. `after` has it. */
  readonly stays?: readonly RoutingField[];
  /** The plan for a move or an update. */
  readonly plan?: JudgedPlan;
  /** Does the run send the routing to the numbers? */
  readonly isSent?: boolean;
  /** Does the provider judge it as new, because the resource is another one or is made again? */
  readonly isJudgedNew?: boolean;
}

/** How many numbers it is about; undefined if that is known only in the run. */
export function countOf({ change, numbers }: Effect): number | undefined {
  const hidden = change.isSingle ? 1 : undefined;
  return numbers.length > 0 ? numbers.length : hidden;
}

export type NumberChange = ReturnType<typeof withStates>;

/** A change of a resource of numbers, with its states. A side whose numbers are hidden has none. */
function withStates(change: ResourceChange) {
  const applied = change.old && appliedIn(change.old);
  const declared = change.new?.inputs;
  const olds = applied && stateOf(applied);
  const news = declared && stateOf(declared);
  return {
    ...change,
    olds,
    news: olds && news ? withSecretsOpen(news) : news,
    /** Is it known which numbers there are, on both sides? */
    areKnown: !hidesNumbers(applied) && !hidesNumbers(declared),
    isSingle: change.kind === "NumberAssignment",
  };
}

const hidesNumbers = (values: Properties | undefined): boolean =>
  values !== undefined && shownMembers(values) === undefined;

const stateOf = (values: Properties): NumbersState => ({
  ...stateIn(values),
  ...(hidesNumbers(values) && { number: undefined, numbers: "" }),
});

/** A secret may be another one, although the preview shows no difference: so it counts as known after apply. */
const withSecretsOpen = ({ unapplied: _, ...declared }: NumbersState): NumbersState =>
  Object.fromEntries(
    Object.entries(declared).map(([name, value]) => [name, holdsMasked(value) ? UNKNOWN : value]),
  ) as unknown as NumbersState;

const numbersOf = (state: NumbersState | undefined): string[] => [...membersOf(state ?? {}).keys()];

// --- who has which number

/** What other stacks of the project do with numbers, in the same change. */
export interface OtherStacks {
  /** Numbers that they no longer declare, and that keep their agents. */
  readonly forgotten: readonly Entry<NumberChange>[];
  /** The stack that declares a number after the change. */
  readonly declaring: (number: PlacedNumber) => string | undefined;
}

const NO_OTHERS: OtherStacks = { forgotten: [], declaring: () => undefined };

/** What a run does with all numbers of a stack. */
export function numbersIn({ ours, kept, leftOut }: Changes, settings: Settings, others = NO_OTHERS) {
  const ofNumbers = (list: readonly ResourceChange[]) =>
    list.filter(({ kind, isStranded }) => isOfNumbers(kind) && !isStranded).map(withStates);
  const [changes, unchanged] = [ofNumbers(ours), ofNumbers(kept)];
  const resources = [...changes, ...unchanged];
  const declared = resources.flatMap((owner) =>
    numbersOf(owner.news).map((number) => ({ number, place: numberPlace(owner.news ?? {}), owner })),
  );
  const ledger = new Ledger<Entry<NumberChange>>();
  for (const entry of declared) {
    ledger.declare(entry);
  }
  for (const entry of others.forgotten) {
    ledger.leave(entry);
  }
  for (const owner of changes) {
    const { olds = NEW, news = NEW } = owner;
    const stays = membersOf(news);
    const leaves = numbersOf(olds).filter((number) => !stays.has(number) && isTouched(number, olds));
    for (const number of leaves) {
      ledger.leave({ number, place: placeInState(number, olds), owner });
    }
  }
  const effects = changes.flatMap((change) => effectsOf(change, { resources, ledger, settings, others }));
  const ownNumber = ({ number, place, owner }: Entry<NumberChange>) => ({
    number,
    place,
    owner,
    name: owner.name,
    /** Does no resource of the stack declare it before the run? */
    isNew: !membersOf(owner.olds ?? {}).has(number) && ledger.hadBy(number, place) === undefined,
  });
  return {
    effects,
    /** The numbers that the stack declares after the run. */
    declares: declared.filter(({ place }) => place.endpoint !== undefined).map(ownNumber),
    /** Those that it clears. */
    clears: effects
      .filter(({ action }) => action === "clear")
      .flatMap(({ change: owner, numbers, before = NEW }) =>
        numbers.map((number) => ownNumber({ number, place: placeInState(number, before), owner })),
      ),
    /** Those that it no longer declares, and that keep their agents. */
    forgets: effects
      .filter(({ action, change }) => action === "forget" && change.isRetained)
      .flatMap(({ change: owner, numbers, before = NEW }) =>
        numbers.map((number) => ({ number, place: placeInState(number, before), owner })),
      ),
    /** The resources that have the agent after the run, and not the rollout: an abort of that does not take it back from them. */
    othersWith: (agent: string, rollout: string | undefined): string[] =>
      resources
        .filter(({ news }) => news !== undefined && news.rollout?.name !== rollout)
        .filter(({ news = NEW }) => knownSplit(news.inboundAgents)?.[agent] || outboundKey(news) === agent)
        .map(({ name }) => name),
    /** Are these all? The preview may leave unchanged resources out, and some numbers are known only in the run. */
    areAll:
      leftOut === 0 && resources.every(({ areKnown, news }) => areKnown && (!news || news.endpoint !== undefined)),
  };
}

/** A number that a stack declares or clears. */
export type OwnNumber = ReturnType<typeof numbersIn>["declares"][number];

// --- effects

/** What is known of the whole stack. */
interface StackContext {
  readonly resources: readonly NumberChange[];
  readonly ledger: Ledger<Entry<NumberChange>>;
  readonly settings: Settings;
  readonly others: OtherStacks;
}

function effectsOf(change: NumberChange, context: StackContext): Effect[] {
  const { op, olds, news, areKnown } = change;
  if (olds === undefined || op === "create") {
    const hidden: Effect = { action: "assign", change, numbers: [], after: news };
    return areKnown ? joinedNumbers(change, numbersOf(news), context) : [hidden];
  }
  if (news === undefined || op === "delete") {
    return deleted(change, olds, context);
  }
  return areKnown ? changed(change, olds, news, context) : uncertain(change, olds, news, context);
}

/** Numbers that are new to the resource. Those that another resource of the stack had move here; the others are assigned for the first time. */
function joinedNumbers(change: NumberChange, joins: readonly string[], { ledger, settings }: StackContext): Effect[] {
  const { news = NEW } = change;
  const origins = joins.map((number) => ({ number, from: ledger.hadBy(number, numberPlace(news))?.owner }));
  return groupBy(origins, ({ from }) => from?.urn ?? "").map((alike): Effect => {
    const [{ from }] = alike;
    const numbers = alike.map(({ number }) => number);
    const after = partOf(news, numbers);
    const effect = { change, numbers, after, isSent: true };
    if (from?.olds === undefined) {
      return { ...effect, action: "assign" };
    }
    const before = partOf(from.olds, numbers);
    const plan = judgedPlan(before, after, settings);
    const kept = from.isRetained ? keptOfOther(before, after) : {};
    const stays = Object.keys(kept) as RoutingField[];
    return { ...effect, action: "move", from, before, after: { ...after, ...kept }, stays, plan, isJudgedNew: true };
  });
}

/** With `retainOnDelete` the engine calls no delete, which alone would clear what only the other resource had set. */
function keptOfOther(before: NumbersState, after: NumbersState): Routing {
  const cleared = clearedByMove(before, after);
  // An agent that replaces the former one does not get its version.
  const isOfOther = (field: RoutingField) => isVersion(field) && after.outboundAgentId !== undefined;
  const fields = cleared.fields.filter((field) => after[field] === undefined && !isOfOther(field));
  const hasExtras = cleared.extraFields.length > 0;
  return {
    ...pick(before, fields),
    ...(hasExtras && { extraFields: { ...before.extraFields, ...after.extraFields } }),
  };
}

/** Numbers that the resource no longer declares, and that no other one does. @param clears those that its delete clears */
function lost(
  change: NumberChange,
  olds: NumbersState,
  leaves: readonly string[],
  { ledger, others }: StackContext,
  clears = leaves,
): Effect[] {
  const touched = leaves.filter((number) => isTouched(number, olds));
  const [assigned, cleared] = [new Set(clearedNumbers(olds)), new Set(change.isRetained ? [] : clears)];
  const actionOf = (number: string) => (assigned.has(number) && cleared.has(number) ? "clear" : "forget");
  const losses = ledger.losses(touched, (number) => placeInState(number, olds));
  const stackOf = (number: string) =>
    actionOf(number) === "forget" ? others.declaring({ number, place: placeInState(number, olds) }) : undefined;
  return groupBy(losses, (number) => JSON.stringify([actionOf(number), stackOf(number)])).map((numbers) => ({
    action: actionOf(numbers[0]),
    change,
    numbers,
    before: partOf(olds, numbers),
    to: stackOf(numbers[0]),
  }));
}

/** Of an unfinished replacement alone, the preview does not show which numbers the resource has today. */
function deleted(change: NumberChange, olds: NumbersState, context: StackContext): Effect[] {
  const { isLeftover, isSingle, areKnown, urn } = change;
  const isShown = () => context.resources.some((resource) => resource.urn === urn && !resource.isLeftover);
  return !areKnown || (isLeftover && !isSingle && !isShown())
    ? [{ action: "uncertain", change, numbers: [], before: olds }]
    : lost(change, olds, numbersOf(olds), context);
}

function changed(change: NumberChange, olds: NumbersState, news: NumbersState, context: StackContext): Effect[] {
  const plan = judgedPlan(olds, news, context.settings);
  // The engine replaces it for a reason that the plan does not have, such as `--replace`: then every number is sent.
  const isJudgedNew = change.op === "replace" && plan.replaces.length === 0;
  const had = membersOf(olds);
  const stay = numbersOf(news).filter((number) => had.has(number));
  const sent = isJudgedNew ? stay : (plan.assigns ?? []).filter((number) => had.has(number));
  const clears = plan.clears.map(({ number }) => number);
  const others = [...joinedNumbers(change, plan.joins, context), ...lost(change, olds, plan.leaves, context, clears)];
  // A group that only gives numbers to other resources has no effect of its own: theirs tell it.
  const isRecorded = partOf(olds, stay).numbers !== partOf(news, stay).numbers || !same(olds.rollout, news.rollout);
  const isOwn = sent.length > 0 || isRecorded || others.length + plan.leaves.length === 0;
  if (!isOwn || stay.length === 0) {
    return others;
  }
  const numbers = sent.length > 0 ? sent : stay;
  const sides = { before: partOf(olds, numbers), after: partOf(news, numbers) };
  return [{ action: "update", change, numbers, ...sides, plan, isSent: sent.length > 0, isJudgedNew }, ...others];
}

/** Which numbers stay is known only in the run. What changes for those that stay is judged as if all did. */
function uncertain(change: NumberChange, olds: NumbersState, news: NumbersState, { settings }: StackContext): Effect[] {
  const after = { ...news, number: olds.number, numbers: olds.numbers };
  const plan = judgedPlan(olds, after, settings);
  const effect = { change, numbers: [], before: olds, after, plan };
  const isUpdate = plan.changes || !sameRouting(olds, news);
  return [
    { ...effect, action: "uncertain" },
    ...(isUpdate ? [{ ...effect, action: "update", isSent: true } as const] : []),
  ];
}
