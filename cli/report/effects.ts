import { UNKNOWN } from "../../provider/base/engine";
import { pick, same } from "../../provider/base/json";
import { isOfNumbers } from "../../provider/config/kinds";
import type { Guards } from "../../provider/config/settings";
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
import type { Plan } from "../../provider/run/plan";
import { groupBy } from "../lists";
import { appliedIn } from "../pulumi/preview";
import { partOf, stateIn } from "../pulumi/state";
import { holdsMasked, knownSplit, membersIn, type Properties } from "../pulumi/values";
import type { Changes, ResourceChange } from "./changes";

/**
 * Determines the effects of a run on numbers, with the provider's own rules. This includes numbers that move from one
 * resource to another.
 */

interface OnNumbers {
  readonly change: NumberChange;
  /** The affected numbers. Empty if they aren't known before the run. */
  readonly numbers: readonly string[];
}

/** The effect of a run on some numbers of a resource. */
export type Effect =
  /** The numbers are assigned for the first time. */
  | (OnNumbers & { readonly action: "assign"; readonly after: NumbersState })
  | Move
  | Update
  /** The numbers lose their agents. */
  | (OnNumbers & { readonly action: "clear"; readonly before: NumbersState })
  /**
   * The numbers leave the resource without a request. `to` is the other stack that declares them after the change, if
   * there is one.
   */
  | (OnNumbers & { readonly action: "forget"; readonly before: NumbersState; readonly to: string | undefined })
  /** The preview can't tell which numbers leave the resource. */
  | (OnNumbers & { readonly action: "uncertain"; readonly before: NumbersState });

/** Numbers that move here from another resource. */
export interface Move extends OnNumbers {
  readonly action: "move";
  /** The resource that declared the numbers before this change, possibly in another stack. */
  readonly from: NumberChange;
  readonly before: NumbersState;
  /** Includes `keptFields`. */
  readonly after: NumbersState;
  /**
   * Fields that the former resource set on the numbers, and that stay set because `retainOnDelete` prevents that
   * resource's delete from clearing them.
   */
  readonly keptFields: readonly RoutingField[];
  readonly plan: Plan;
}

/** Numbers that stay in a resource that changes. */
export interface Update extends OnNumbers {
  readonly action: "update";
  readonly before: NumbersState;
  readonly after: NumbersState;
  readonly plan: Plan;
  /** Whether the run sends the routing to the numbers. */
  readonly isSent: boolean;
  /** Whether the provider treats the numbers as new, because the engine replaces their resource. */
  readonly isJudgedNew: boolean;
}

/** The count of affected numbers, or undefined if not known before the run. */
export function countOf({ change, numbers }: Effect): number | undefined {
  const hidden = change.isSingle ? 1 : undefined;
  return numbers.length > 0 ? numbers.length : hidden;
}

/** Whether the run sends a request to the effect's numbers. Not known for an `uncertain` effect. */
export const isSent = (effect: Effect): boolean =>
  effect.action === "update" ? effect.isSent : !["forget", "uncertain"].includes(effect.action);

/** Returns the numbers that get a request, as far as the preview shows them. */
export const sentNumbers = (effects: readonly Effect[]): string[] =>
  effects.flatMap((effect) => (isSent(effect) ? effect.numbers : []));

export type NumberChange = ReturnType<typeof withStates>;

/**
 * Adds the resource's states before the change (`olds`) and after it (`news`). A state has no numbers if the preview
 * doesn't show them.
 */
function withStates(change: ResourceChange) {
  const applied = change.old && appliedIn(change.old);
  const declared = change.new?.inputs;
  const olds = applied && stateOf(applied);
  const news = declared && stateOf(declared);
  return {
    ...change,
    olds,
    news: olds && news ? withSecretsOpen(news) : news,
    /** Whether the preview shows all of the resource's numbers, both before and after the change. */
    areKnown: !hidesNumbers(applied) && !hidesNumbers(declared),
    isSingle: change.kind === "NumberAssignment",
  };
}

const hidesNumbers = (values: Properties | undefined): boolean =>
  values !== undefined && membersIn(values) === undefined;

const stateOf = (values: Properties): NumbersState => ({
  ...stateIn(values),
  ...(hidesNumbers(values) && { number: undefined, numbers: "" }),
});

/**
 * Replaces values that contain masked secrets with UNKNOWN. All masked secrets look alike, so a changed secret would
 * otherwise look unchanged.
 */
const withSecretsOpen = ({ unapplied: _, ...declared }: NumbersState): NumbersState =>
  Object.fromEntries(
    Object.entries(declared).map(([name, value]) => [name, holdsMasked(value) ? UNKNOWN : value]),
  ) as unknown as NumbersState;

const numbersOf = (state: NumbersState | undefined): string[] => [...membersOf(state ?? {}).keys()];

// --- which resource declares which number

/** What the project's other stacks do with their numbers, according to the previews in the same report. */
export interface OtherStacks {
  /** Numbers that the other stacks drop without unassigning their agents, because `retainOnDelete` is set. */
  readonly forgotten: readonly Entry<NumberChange>[];
  /** Returns the other stack that declares a number after the change, if there is one. */
  readonly declaring: (number: PlacedNumber) => string | undefined;
}

const NO_OTHERS: OtherStacks = { forgotten: [], declaring: () => undefined };

/** Determines the effects of a run on all numbers of a stack. */
export function effectsIn({ ours, kept, leftOut }: Changes, guards: Guards, others = NO_OTHERS) {
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
  const effects = changes.flatMap((change) => effectsOf(change, { resources, ledger, guards, others }));
  const ownNumber = ({ number, place, owner }: Entry<NumberChange>) => ({
    number,
    place,
    owner,
    name: owner.name,
    /** Whether the number is new to the stack: before the run, none of the stack's resources declared it. */
    isNew: !membersOf(owner.olds ?? {}).has(number) && ledger.formerlyDeclaredBy(number, place) === undefined,
  });
  return {
    effects,
    /** Numbers that the stack declares after the run. */
    declares: declared.filter(({ place }) => place.endpoint !== undefined).map(ownNumber),
    /** Numbers whose agents the run unassigns. */
    clears: effects
      .filter((effect) => effect.action === "clear")
      .flatMap(({ change: owner, numbers, before }) =>
        numbers.map((number) => ownNumber({ number, place: placeInState(number, before), owner })),
      ),
    /** Numbers that the stack drops without unassigning their agents, because `retainOnDelete` is set. */
    forgets: effects
      .filter((effect) => effect.action === "forget")
      .filter(({ change }) => change.isRetained)
      .flatMap(({ change: owner, numbers, before }) =>
        numbers.map((number) => ({ number, place: placeInState(number, before), owner })),
      ),
    /**
     * Returns the names of the resources that use the given agent after the run, but aren't part of the given rollout.
     * Aborting that rollout doesn't change these resources.
     */
    othersUsing: (agent: string, rollout: string | undefined): string[] =>
      resources
        .filter(({ news }) => news !== undefined && news.rollout?.name !== rollout)
        .filter(({ news = NEW }) => knownSplit(news.inboundAgents)?.[agent] || outboundKey(news) === agent)
        .map(({ name }) => name),
    /** Whether a resource of the stack was in the given rollout before the change. */
    wasUsed: (rollout: string | undefined): boolean =>
      resources.some(({ olds }) => olds?.rollout !== undefined && olds.rollout.name === rollout),
    /** Whether a change may add or drop numbers that the preview doesn't show. */
    hasHiddenChanges: !changes.every(showsNumbers),
    /** Whether the preview shows all numbers of the stack. False if it leaves out unchanged resources. */
    areAll: leftOut === 0 && resources.every(showsNumbers),
  };
}

/** Whether the preview shows the resource's numbers and the endpoint to which they belong after the change. */
const showsNumbers = ({ areKnown, news }: NumberChange): boolean =>
  areKnown && (news === undefined || news.endpoint !== undefined);

/** A number that a stack declares after the run, or whose agents the run unassigns. */
export type OwnNumber = ReturnType<typeof effectsIn>["declares"][number];

// --- effects

/** What the effects of a change depend on besides the change itself, such as the stack's other resources. */
interface EffectContext {
  readonly resources: readonly NumberChange[];
  readonly ledger: Ledger<Entry<NumberChange>>;
  readonly guards: Guards;
  readonly others: OtherStacks;
}

function effectsOf(change: NumberChange, context: EffectContext): Effect[] {
  const { op, olds, news, areKnown } = change;
  if (olds === undefined || op === "create") {
    const hidden: Effect = { action: "assign", change, numbers: [], after: news ?? NEW };
    return areKnown ? joinedNumbers(change, numbersOf(news), context) : [hidden];
  }
  if (news === undefined || op === "delete") {
    return deleted(change, olds, context);
  }
  return areKnown ? changed(change, olds, news, context) : uncertain(change, olds, news, context);
}

/**
 * Returns the effects on numbers that join the resource. If another resource declared them before, they move here;
 * otherwise, they are assigned for the first time.
 */
function joinedNumbers(change: NumberChange, joins: readonly string[], { ledger, guards }: EffectContext): Effect[] {
  const { news = NEW } = change;
  const origins = joins.map((number) => ({
    number,
    from: ledger.formerlyDeclaredBy(number, numberPlace(news))?.owner,
  }));
  return groupBy(origins, ({ from }) => from?.urn ?? "").map((alike): Effect => {
    const [{ from }] = alike;
    const numbers = alike.map(({ number }) => number);
    const after = partOf(news, numbers);
    if (from?.olds === undefined) {
      return { action: "assign", change, numbers, after };
    }
    const before = partOf(from.olds, numbers);
    const plan = judgedPlan(before, after, guards);
    const kept = from.isRetained ? keptOfOther(before, after) : {};
    const keptFields = Object.keys(kept) as RoutingField[];
    return { action: "move", change, numbers, from, before, after: { ...after, ...kept }, keptFields, plan };
  });
}

/**
 * Returns the fields that the former resource set on the moved numbers and that nothing clears, because the engine
 * skips that resource's delete.
 */
function keptOfOther(before: NumbersState, after: NumbersState): Routing {
  const cleared = clearedByMove(before, after);
  // The former resource may have set a version of its outbound agent. That version isn't kept if the new resource
  // declares an outbound agent itself.
  const isOfOther = (field: RoutingField) => isVersion(field) && after.outboundAgentId !== undefined;
  const fields = cleared.fields.filter((field) => after[field] === undefined && !isOfOther(field));
  const hasExtras = cleared.extraFields.length > 0;
  return {
    ...pick(before, fields),
    ...(hasExtras && { extraFields: { ...before.extraFields, ...after.extraFields } }),
  };
}

/**
 * Returns the effects on numbers that the resource drops and no other resource declares.
 * @param clears the numbers whose agents are unassigned, unless `retainOnDelete` is set
 */
function lost(
  change: NumberChange,
  olds: NumbersState,
  leaves: readonly string[],
  { ledger, others }: EffectContext,
  clears = leaves,
): Effect[] {
  const touched = leaves.filter((number) => isTouched(number, olds));
  const [assigned, cleared] = [new Set(clearedNumbers(olds)), new Set(change.isRetained ? [] : clears)];
  const losses = ledger.losses(touched, (number) => placeInState(number, olds));
  const lossOf = (number: string) =>
    assigned.has(number) && cleared.has(number)
      ? ({ action: "clear" } as const)
      : ({ action: "forget", to: others.declaring({ number, place: placeInState(number, olds) }) } as const);
  return groupBy(losses, (number) => JSON.stringify(lossOf(number))).map((numbers) => ({
    ...lossOf(numbers[0]),
    change,
    numbers,
    before: partOf(olds, numbers),
  }));
}

/** Returns the effects of a delete. It may not be known which numbers lose their agents. */
function deleted(change: NumberChange, olds: NumbersState, context: EffectContext): Effect[] {
  const { isLeftover, isSingle, areKnown, urn } = change;
  // If an earlier run replaced this group, the new group may still declare some of its numbers, but the preview may
  // leave out the new group.
  const isShown = () => context.resources.some((resource) => resource.urn === urn && !resource.isLeftover);
  return !areKnown || (isLeftover && !isSingle && !isShown())
    ? [{ action: "uncertain", change, numbers: [], before: olds }]
    : lost(change, olds, numbersOf(olds), context);
}

function changed(change: NumberChange, olds: NumbersState, news: NumbersState, context: EffectContext): Effect[] {
  const plan = judgedPlan(olds, news, context.guards);
  // If the engine replaces a resource that the provider would only update, for example because of `--replace`, every
  // number of the resource gets a PUT.
  const isJudgedNew = change.op === "replace" && plan.replaces.length === 0;
  const before = membersOf(olds);
  const stay = numbersOf(news).filter((number) => before.has(number));
  const sent = isJudgedNew ? stay : (plan.assigns ?? []).filter((number) => before.has(number));
  const clears = plan.clears.map(({ number }) => number);
  const others = [...joinedNumbers(change, plan.joins, context), ...lost(change, olds, plan.leaves, context, clears)];
  // If the only change is that numbers join or leave the resource, add no `update` effect, because other effects (of
  // this resource, or of the one to which a number moves) already show those numbers.
  const isRecorded = partOf(olds, stay).numbers !== partOf(news, stay).numbers || !same(olds.rollout, news.rollout);
  const isOwn = sent.length > 0 || isRecorded || others.length + plan.leaves.length === 0;
  if (!isOwn || stay.length === 0) {
    return others;
  }
  const numbers = sent.length > 0 ? sent : stay;
  const sides = { before: partOf(olds, numbers), after: partOf(news, numbers) };
  return [{ action: "update", change, numbers, ...sides, plan, isSent: sent.length > 0, isJudgedNew }, ...others];
}

/**
 * Returns the effects of a change to a resource whose numbers the preview doesn't show. The routing change is judged as
 * if the resource kept all its numbers.
 */
function uncertain(change: NumberChange, olds: NumbersState, news: NumbersState, { guards }: EffectContext): Effect[] {
  const after = { ...news, number: olds.number, numbers: olds.numbers };
  const plan = judgedPlan(olds, after, guards);
  const isUpdate = plan.changes || !sameRouting(olds, news);
  const effect = { change, numbers: [], before: olds };
  return [
    { ...effect, action: "uncertain" },
    ...(isUpdate ? [{ ...effect, action: "update", after, plan, isSent: true, isJudgedNew: false } as const] : []),
  ];
}
