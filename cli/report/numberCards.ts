import { containsUnknown, isUnknown, parseUrn } from "../../provider/base/engine";
import { same } from "../../provider/base/json";
import { series } from "../../provider/base/text";
import { isSplitConfirmed, type NumbersState } from "../../provider/numbers/state";
import { membersOf } from "../../provider/routing/group";
import { isNewAbort } from "../../provider/routing/rollout";
import {
  ASSIGNED_FIELDS,
  clearedFrom,
  FIELDS,
  isNothingCleared,
  isVersion,
  SCOPE,
  versionFieldOf,
} from "../../provider/routing/routing";
import { isEmpty, round } from "../../provider/routing/split";
import { reasonMessage } from "../../provider/run/messages";
import type { Plan } from "../../provider/run/plan";
import { counted } from "../../provider/words/message";
import { groupBy, present } from "../lists";
import { holdsMasked, knownSplit } from "../pulumi/values";
import { percentOf } from "../state/stackRollout";
import {
  type Card,
  type Fact,
  type Family,
  type FieldChange,
  fieldChangeText,
  onText,
  type Requests,
  type Subject,
  subjectText,
  sum,
  totalOf,
} from "./card";
import { countOf, type Effect, isSent, type Move, type Update } from "./effects";
import {
  agentRows,
  isAtOnce,
  isCut,
  type RolloutContext,
  type Rollouts,
  restartTitle,
  rolloutStep,
  type Splits,
  splitsOf,
  splitText,
  splitTitle,
  unappliedRestart,
} from "./splits";
import { few, fewQuoted, quoted, type Text, toPlain, valueText, words } from "./text";
import { loseAgents, type StackGuards, stackOf } from "./wholeRun";

/**
 * Builds the report's cards for a run's effects on numbers. Effects with equal views share a card. A view holds
 * everything that a card says, except its resources and numbers, so the card is true for all of its effects.
 */

/** The resources and numbers of a single card. */
interface CardContext extends RolloutContext {
  readonly subject: Text;
  /** The count of the numbers, or undefined if it isn't known before the run. */
  readonly count: number | undefined;
  readonly resourceCount: number;
  readonly names: readonly string[];
  /** The names of the resources that declared the numbers before this change. Empty if the numbers don't move. */
  readonly formerNames: readonly string[];
}

export const numberCards = (effects: readonly Effect[], context: RolloutContext): Card[] =>
  groupBy(
    effects.map((effect) => ({ effect, view: viewOf(effect, context.guards) })),
    ({ view }) => JSON.stringify(view),
  ).map((alike) =>
    cardFor(
      alike[0].view,
      alike.map(({ effect }) => effect),
      context,
    ),
  );

function cardFor(view: View, alike: readonly Effect[], context: RolloutContext): Card {
  const subjects = groupBy(alike.map(cardSubject), ({ name, number }) => JSON.stringify([name, number])).map(
    (parts): Subject => ({ ...parts[0], count: totalOf(parts) }),
  );
  const card = cardOf(view, {
    ...context,
    subject: onText(subjects),
    count: totalOf(subjects),
    resourceCount: new Set(alike.map(({ change }) => change.urn)).size,
    names: alike.map(({ change }) => change.name),
    formerNames: alike.flatMap((effect) => (effect.action === "move" ? effect.from.name : [])),
  });
  return {
    ...card,
    subjects,
    list: subjects.length > 1 ? subjects.map(subjectText) : alike.flatMap(numberTexts),
    facts: [...(card.facts ?? []), ...alike.flatMap(replaceFacts)],
    requests: sum(alike.map(requestsOf)),
  };
}

function cardSubject(effect: Effect): Subject {
  const { name, isSingle, olds } = effect.change;
  const count = countOf(effect);
  return isSingle ? { name, number: effect.numbers[0] ?? olds?.number ?? "", count } : { name, count };
}

/**
 * Lists the numbers of a group that join or leave it, with their labels. The number of a NumberAssignment isn't listed,
 * because the card's title already contains it.
 */
function numberTexts(effect: Effect): Text[] {
  const members = membersOf("after" in effect ? effect.after : effect.before);
  const labelOf = (number: string): Text => (members.get(number) ? words` ${quoted(members.get(number))}` : []);
  return effect.change.isSingle || effect.action === "update"
    ? []
    : effect.numbers.map((number) => words`${quoted(number)}${labelOf(number)}`);
}

/** Returns a fact for the CI gate `replace`. A group that only loses numbers doesn't count, even if it is replaced. */
function replaceFacts(effect: Effect): Fact[] {
  const { action, change } = effect;
  const { op, olds, news, name, isSingle } = change;
  const isOther = isSingle && op === "replace" && (action === "assign" || action === "move");
  const isMade = op === "replace" && action === "update" && effect.isJudgedNew;
  const isUncertain = isSingle && action === "uncertain";
  const to = news?.number === undefined ? "a number that is not known yet" : quoted(news.number);
  const how = isSingle ? words`${quoted(olds?.number)} → ${to}` : "replaced";
  return isOther || isMade || isUncertain ? [{ condition: "replace", text: words`${quoted(name)}: ${how}` }] : [];
}

/** Counts one PUT for each number. For a group whose numbers are not known, counts one PUT as the minimum. */
function requestsOf(effect: Effect): Partial<Requests> {
  const count = countOf(effect);
  switch (effect.action) {
    case "assign":
      return { puts: count ?? 1, isAtLeast: count === undefined };
    case "clear":
      return { puts: count ?? 1, isAtLeast: true };
    case "forget":
      // If another stack takes over the numbers, its report counts the requests.
      return { isAtLeast: effect.to === undefined && count === undefined };
    case "uncertain":
      return { isAtLeast: true };
    case "move":
    case "update": {
      const isClearing = !isNothingCleared(clearedFrom(effect.before, effect.after));
      const isAtLeast = !effect.change.areKnown || isClearing;
      return isSent(effect) ? { puts: effect.numbers.length, isAtLeast } : {};
    }
  }
}

// --- views and their cards

type View = ReturnType<typeof viewOf>;

function viewOf(effect: Effect, guards: StackGuards) {
  const { op, news, isSingle, urn, name } = effect.change;
  // Each replaced resource may add a fact to its card, so it doesn't share a card with one that isn't replaced.
  const isReplaced = op === "replace";
  switch (effect.action) {
    case "assign": {
      const { action, after } = effect;
      return { action, isReplaced, split: after.inboundAgents, rows: fieldChanges(undefined, after) };
    }
    case "clear": {
      const { action, before } = effect;
      const isWhole = news === undefined || isSingle;
      return { action, isReplaced, possible: splitsOf(before, before).possible, isWhole };
    }
    case "forget": {
      const { action, before, to } = effect;
      return { action, isReplaced, possible: splitsOf(before, before).possible, rollout: before.rollout?.name, to };
    }
    case "uncertain": {
      const { action, before } = effect;
      return { action, isReplaced, split: before.inboundAgents, urn, name, mayJoin: news !== undefined };
    }
    case "move":
    case "update":
      return changeView(effect, guards);
  }
}

function cardOf(view: View, context: CardContext): Card {
  const { subject, count } = context;
  switch (view.action) {
    case "assign":
      return {
        family: "first",
        title: words`First assignment overwrites ${subject} with ${splitText(view.split)}`,
        rows: view.rows,
        facts: [{ condition: "create", text: words`${subject}: assigned for the first time` }],
        undo: ["reverting unassigns the agents of the new numbers but cannot restore their current routing"],
      };
    case "clear":
      return {
        family: "removal",
        title: words`⚠ ${subject} ${loseAgents(count)}`,
        notes: [
          ...(view.isWhole ? [] : [unnamedNote(context)]),
          words`Current split: ${possibleText(view.possible)}. The API does not specify what callers hear afterwards.`,
          words`To keep the agents, set the resource option ${quoted("retainOnDelete: true")} and merge that first.`,
        ],
        facts: [{ condition: "delete", text: words`${subject}: ${loseAgents(count)}` }],
      };
    case "forget":
      return view.to === undefined ? forgotten(view, subject) : handedOver(view.to, subject);
    case "uncertain":
      return uncertainCard(view);
    case "move":
    case "update":
      return changeCard(view, context);
  }
}

function unnamedNote({ count = 1, resourceCount }: CardContext): Text {
  return [
    `This change removes ${counted(count, "number")} from ${resourceCount === 1 ? "this group" : "these groups"}.`,
  ];
}

/** Returns every split that the numbers may have, because an earlier run may not have applied the declared one. */
const possibleText = (possible: Splits["possible"]): Text => few(possible.map(splitText), 4, " or ");

const forgotten = ({ possible, rollout }: Extract<View, { action: "forget" }>, subject: Text): Card => ({
  family: "quiet",
  title: words`Forgotten (nothing is sent): ${subject}`,
  notes: present<Text>([
    words`Calls are still routed as before (${possibleText(possible)}), but this stack stops managing that routing.`,
    rollout !== undefined && words`An abort of the rollout ${quoted(rollout)} no longer changes that routing.`,
  ]),
  facts: [{ condition: "delete", text: words`${subject}: forgotten by this stack` }],
});

/**
 * Returns the card for numbers that move to another stack. The card doesn't say how to undo the move, because the
 * report on the other stack covers it.
 */
const handedOver = (stack: string, subject: Text): Card => ({
  family: "quiet",
  title: words`Continues in the stack ${quoted(stack)} (nothing is sent here): ${subject}`,
  isUndoNeeded: false,
});

function uncertainCard({ name, split, mayJoin }: Extract<View, { action: "uncertain" }>): Card {
  const resource = quoted(name);
  return {
    family: "removal",
    title: words`⚠ Numbers in ${resource} may lose their agents; which ones is not known before the run`,
    notes: [
      words`Current split: ${splitText(split)}.${mayJoin ? " If a new number joins, its routing is overwritten." : ""}`,
    ],
    facts: present<Fact>([
      { condition: "delete", text: words`${resource}: which numbers leave is not known` },
      mayJoin && { condition: "create", text: words`${resource}: which numbers join is not known` },
    ]),
  };
}

// --- numbers that stay assigned

type ChangeView = ReturnType<typeof changeView>;

function changeView(effect: Move | Update, guards: StackGuards) {
  const { action, change, before, after, plan } = effect;
  const isCrossing = action === "move" && stackOf(effect.from) !== stackOf(change);
  return {
    action,
    isReplaced: change.op === "replace",
    // Resources whose numbers aren't all known don't share a card with those whose numbers are known, because such a
    // card couldn't count its numbers.
    areKnown: change.areKnown,
    isSent: isSent(effect),
    splits: splitsOf(before, after),
    rows: fieldChanges(before, after),
    rollouts: {
      // A rollout of another stack is a different one, even if it has the same name.
      before: isCrossing ? undefined : before.rollout,
      after: after.rollout,
      isConfirmed: isSplitConfirmed(before),
    },
    /** The endpoints of the platforms before and after the change. */
    endpoints: [before.endpoint, after.endpoint] as const,
    reasons: plan.reasons,
    restart: unappliedRestart(before, after),
    excuses: excusesOf(effect, guards),
    /** Whether the change declares a new split while some numbers may not have the previous one yet. */
    isOpen: before.unapplied !== undefined && !same(before.inboundAgents, after.inboundAgents),
    sentNotes: sentNotes(effect),
    /** If the numbers come from another stack, the URN of their resource there and the name of their resource here. */
    crossing: isCrossing ? { from: effect.from.urn, to: change.name } : undefined,
  };
}

function changeCard(view: ChangeView, context: CardContext): Card {
  const { subject } = context;
  const { action, splits, rows, reasons, endpoints } = view;
  const step = rolloutStep(view.rollouts, splits, context);
  const shift = shiftOf(view, context);
  const restart = reasons.find((reason) => reason.why === "restart") ?? view.restart;
  const isQuiet = !splits.isChanged && rows.length === 0 && !isElsewhere(view);
  const title = splits.isChanged ? splitTitle(splits, subject) : otherTitle(view, subject);
  return {
    family: familyOf(view, restart !== undefined, step?.title !== undefined, isQuiet),
    title: restart === undefined ? (step?.title ?? title) : restartTitle(restart, splits, subject),
    agents: agentRows(splits),
    rows,
    notes: [
      ...differingNotes(splits),
      ...present([step?.note]),
      ...shift.notes,
      ...view.sentNotes,
      ...moveNotes(view, context),
    ],
    facts: present<Fact>([
      isElsewhere(view) && {
        condition: "create",
        text: words`${subject}: assigned for the first time at ${quoted(endpoints[1])}`,
      },
      ...shift.facts,
    ]),
    undo: (view.crossing === undefined ? step?.undo : undefined) ?? undoMove(view),
    // If the run only resends the routing that was already declared, don't suggest reverting the pull request, because
    // that would have no effect.
    isUndoNeeded: !(action === "update" && view.isSent && isQuiet && step === undefined),
  };
}

/**
 * If numbers move to another platform or from another stack, says what reverting the change does. Returns undefined for
 * other changes.
 */
function undoMove(view: ChangeView): Text | undefined {
  const { endpoints, crossing } = view;
  if (isElsewhere(view)) {
    return words`reverting sends the old routing to ${quoted(endpoints[0])} again, but cannot restore the current routing at ${quoted(endpoints[1])}`;
  }
  return (
    crossing &&
    words`reverting moves the numbers between stacks again, so first set ${quoted("retainOnDelete: true")} on ${quoted(crossing.to)} and merge that`
  );
}

const isElsewhere = ({ endpoints: [before, after] }: ChangeView): boolean => before !== after;

/** Returns the kind of card for the change. If several kinds apply, returns the most important one. */
function familyOf(view: ChangeView, isRestart: boolean, isAbort: boolean, isQuiet: boolean): Family {
  const { splits } = view;
  if (isCut(splits)) {
    return "removal";
  }
  if (isElsewhere(view)) {
    return "elsewhere";
  }
  if (isRestart) {
    return "restart";
  }
  if (isAbort) {
    return "abort";
  }
  if (isAtOnce(splits)) {
    return "atOnce";
  }
  if (splits.isChanged) {
    return "split";
  }
  return view.isSent || !isQuiet ? "routing" : "quiet";
}

/** Lists every split that the numbers may have had before, because the card's title and table show only one. */
function differingNotes({ possible, isChanged }: Splits): Text[] {
  const splits = possible.map((split) => words`(${splitText(split)})`);
  return isChanged && splits.length > 1
    ? [words`Before this change, each number has one of these splits: ${few(splits, 4)}.`]
    : [];
}

/** Returns notes that say why the routing is sent, and which fields of the former resource stay in effect. */
function sentNotes(effect: Move | Update): Text[] {
  const { before, after, plan } = effect;
  const reasons = plan.reasons.flatMap((reason) =>
    reason.why === "unapplied" || reason.why === "endpoint" ? reasonMessage("", reason).lines : [],
  );
  const isTriggered = !same(before.triggers, after.triggers) || containsUnknown(after.triggers);
  return present<Text>([
    effect.action === "update" &&
      effect.isJudgedNew && ["The resource is replaced, so the routing is sent to every number."],
    effect.action === "move" && keptNote(effect),
    ...reasons.map((reason): Text => [quoted(reason, 500)]),
    before.endpoint !== after.endpoint &&
      words`At the new platform, every number gets ${splitText(after.inboundAgents)}. This overwrites the current routing there, which the API cannot return afterwards.`,
    isTriggered &&
      words`Sent again because ${quoted("triggers")} changed. This overwrites changes made in the web application.`,
  ]);
}

function keptNote({ keptFields, from }: Move): Text | false {
  const labels = new Set(keptFields.map((field) => FIELDS[field].label));
  return (
    labels.size > 0 &&
    words`Not cleared: ${series([...labels])}, because ${quoted(from.name)} has ${quoted("retainOnDelete")}.`
  );
}

/** Returns the title of a card whose split doesn't change. */
function otherTitle(view: ChangeView, subject: Text): Text {
  const { action, rows, endpoints, crossing } = view;
  if (isElsewhere(view)) {
    return words`⚠ Moves to another platform, ${quoted(endpoints[1])}: ${subject}`;
  }
  if (rows.length > 0) {
    return words`On ${subject}: ${few(rows.map(fieldChangeText), 2, " · ")}`;
  }
  if (action === "move") {
    return crossing === undefined
      ? words`Declared under a new name with the same agents: ${subject}`
      : words`Moves here from the stack ${quoted(parseUrn(crossing.from).stack)} with the same agents: ${subject}`;
  }
  return words`${view.isSent ? "Sent again" : "Recorded (nothing is sent)"}: ${subject}`;
}

function moveNotes({ action, splits, crossing }: ChangeView, { names, formerNames }: CardContext): Text[] {
  const isKept = !isEmpty(knownSplit(splits.after) ?? {});
  const there = crossing === undefined ? [] : words` in the stack ${quoted(parseUrn(crossing.from).stack)}`;
  const until = words`Previously declared as ${fewQuoted(formerNames)}${there}, now as ${fewQuoted(names)}`;
  return action === "move" ? [words`${until}${isKept ? "; agents stay assigned throughout" : ""}.`] : [];
}

/**
 * Describes how much traffic the change shifts. If several splits may be in effect now, the largest possible shift
 * counts.
 */
function shiftOf({ splits, excuses, rollouts, isOpen }: ChangeView, { subject, guards }: CardContext) {
  const { points, isChanged } = splits;
  if (!isChanged) {
    return { notes: [], facts: [] };
  }
  const { asReturn, asStep } = excuses;
  const abortsTo = asReturn === undefined ? abortsToOther(rollouts) : undefined;
  const excused = asReturn ?? (asStep && abortsTo ? `an abort to ${abortsTo}` : asStep);
  const why = abortsTo === undefined ? excused : words`an abort to ${quoted(abortsTo)}`;
  const { maxShift } = guards;
  const limit = maxShift === undefined ? "" : ` (limit ${round(maxShift)})`;
  const size = points === undefined ? "the size of the change is not known" : counted(points, "percentage point");
  const open = words`${subject}: a new split is declared, although an earlier one may be missing on some numbers`;
  return {
    notes: points === undefined ? [] : [words`Moves ${size} of traffic${why ? words` (${why})` : limit}.`],
    facts: present<Fact>([
      isOpen && { condition: "unresolved", excused: asReturn, text: open },
      isCut(splits) && { condition: "delete", text: words`${subject}: no inbound agents left` },
      { condition: "shift", points, excused, text: words`${subject}: ${size}` },
    ]),
  };
}

/** If the change is an abort that returns to an agent other than the previous stable one, returns that agent. */
const abortsToOther = ({ before, after }: Rollouts): string | undefined =>
  isNewAbort(before, after) && after?.stable !== before?.stable ? after?.stable : undefined;

/**
 * Returns why CI gates should not block the change, if there is a reason:
 * - `asReturn`: the change is a rollback, which neither `shift` nor `unresolved` may block.
 * - `asStep`: the change is a step of a rollout. The `steps` guard already limits its size, so `shift` doesn't need to.
 */
function excusesOf(effect: Move | Update, guards: StackGuards) {
  const { before, after, plan, change } = effect;
  // Don't excuse a change if the provider treats the numbers as new, because it can't compare their splits. A move to a
  // newly created resource is an exception, because the resource may only have been renamed.
  const isUnjudged = effect.action === "move" ? change.op !== "create" : effect.isJudgedNew;
  if (!change.areKnown || isUnjudged) {
    return {};
  }
  return {
    asReturn: plan.rollbackTo === undefined ? undefined : `a return to the ${plan.rollbackTo} split`,
    asStep: stepOf(before, after, plan, guards),
  };
}

/**
 * Returns why `shift` doesn't need to block a change to a rollout: the `steps` guard allows it, or it sends a step
 * again that an earlier run couldn't apply to every number.
 */
function stepOf(
  before: NumbersState,
  { rollout }: NumbersState,
  plan: Plan,
  { steps = [], areBypassed }: StackGuards,
): string | undefined {
  const isRefused = plan.violations.some(({ guard }) => guard === "steps");
  if (steps.length === 0 || areBypassed || isRefused || rollout === undefined) {
    return undefined;
  }
  if (!same(before.rollout, rollout)) {
    const last = before.rollout?.candidate === rollout.candidate ? before.rollout : undefined;
    const isLower = last !== undefined && percentOf(rollout) < percentOf(last);
    return isLower ? "fewer calls to the candidate" : `the next step in ${steps.join(", ")}`;
  }
  const isAgain = before.unapplied !== undefined && steps.includes(percentOf(rollout));
  return isAgain ? "a step that is sent again" : undefined;
}

// --- fields other than the split

const NAMED = [...ASSIGNED_FIELDS, ...SCOPE, "extraFields" as const].filter(
  (field) => field !== "inboundAgents" && !isVersion(field),
);

/** Returns the changed fields other than the split. For a first assignment, returns every declared field. */
function fieldChanges(olds: NumbersState | undefined, news: NumbersState): FieldChange[] {
  return NAMED.filter((field) =>
    present([field, versionFieldOf(field)]).some((key) => !same(olds?.[key], news[key])),
  ).map((field) => {
    const [old, next] = [fieldValue(field, olds), fieldValue(field, news)];
    const isSeen = toPlain(old) !== toPlain(next);
    const shown = isSeen ? next : words`${next} (differs in a part not shown here)`;
    // `withSecretsOpen` makes a masked secret unknown, because all masked secrets look alike.
    const isHidden = holdsMasked(olds?.[field]) && isUnknown(news[field]);
    return {
      field: FIELDS[field].label,
      before: olds && old,
      after: isHidden ? ["may differ (the preview hides secrets)"] : shown,
    };
  });
}

function fieldValue(field: (typeof NAMED)[number], state: NumbersState | undefined): Text {
  const value: unknown = state?.[field];
  const version = versionFieldOf(field);
  const number: unknown = version && state?.[version];
  if (typeof value === "boolean") {
    return [value ? "on" : "off"];
  }
  return number === undefined
    ? valueText(value)
    : [quoted(`${toPlain(valueText(value))}@${toPlain(valueText(number))}`)];
}
