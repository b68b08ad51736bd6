import { containsUnknown } from "../../provider/base/engine";
import { same } from "../../provider/base/json";
import { series } from "../../provider/base/text";
import { isSplitConfirmed, NEW, type NumbersState } from "../../provider/numbers/state";
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
import { knownSplit } from "../pulumi/values";
import { percentOf } from "../state/stackRollout";
import {
  type Card,
  type Fact,
  type Family,
  type FieldChange,
  fieldChangeText,
  onText,
  type Subject,
  subjectText,
  sum,
  totalOf,
} from "./card";
import { countOf, type Effect } from "./effects";
import {
  agentRows,
  isAtOnce,
  isCut,
  type OthersUsing,
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

/** Builds the report's cards for a run's effects on numbers. Resources with the same effect share a card. */

type Effects = readonly [Effect, ...Effect[]];

/** Data shared by all cards of a stack. */
interface StackContext {
  readonly stack: string;
  readonly guards: StackGuards;
  readonly othersUsing: OthersUsing;
}

/**
 * Data for a single card: its resources, and the count of their numbers, which is undefined if not known before the
 * run.
 */
interface CardContext extends StackContext {
  readonly subject: Text;
  readonly count: number | undefined;
}

export const numberCards = (effects: readonly Effect[], context: StackContext): Card[] =>
  groupBy(effects, (effect) => JSON.stringify(keyOf(effect, context.guards))).map((alike) => {
    const subjects = groupBy(alike.map(cardSubject), ({ name, number }) => JSON.stringify([name, number])).map(
      (parts): Subject => ({ ...parts[0], count: totalOf(parts) }),
    );
    const card = CARDS[alike[0].action](alike, { ...context, subject: onText(subjects), count: totalOf(subjects) });
    return {
      subjects,
      list: subjects.length > 1 ? subjects.map(subjectText) : alike.flatMap(numberTexts),
      ...card,
      notes: [...(card.notes ?? []), ...moveNotes(alike)],
      facts: [...(card.facts ?? []), ...alike.flatMap(replaceFacts)],
    };
  });

/**
 * Returns a key by which effects are grouped into cards. It covers everything that a card shows except the numbers, so
 * effects that differ only in their numbers share a card.
 */
function keyOf(effect: Effect, guards: StackGuards): readonly unknown[] {
  const { action, change, before, after, isJudgedNew, to } = effect;
  const { op, news, isSingle, urn } = change;
  const common = [action, isJudgedNew, op === "replace", fieldChanges(effect)];
  switch (action) {
    case "assign":
      return [...common, after?.inboundAgents];
    case "clear":
      return [...common, before?.inboundAgents, news === undefined || isSingle];
    case "forget":
      return [...common, before?.inboundAgents, to];
    case "uncertain":
      return [...common, urn];
    case "move":
    case "update":
      return [...common, ...changeKey(effect, guards)];
  }
}

function changeKey(effect: Effect, guards: StackGuards): unknown[] {
  const { before = NEW, after = NEW, from, change, isSent, plan } = effect;
  const rollouts = [
    before.rollout,
    after.rollout,
    isSplitConfirmed(before),
    plan?.reasons,
    unappliedRestart(before, after),
  ];
  const other = isFromOtherStack(effect) ? [from?.urn, change.name] : [];
  const endpoints = [before.endpoint, after.endpoint];
  return [splitsOf(before, after), ...rollouts, excusesOf(effect, guards), isSent, sentNotes(effect), endpoints, other];
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
function numberTexts({ action, change, numbers, after, before = after }: Effect): Text[] {
  const members = membersOf(after ?? before ?? {});
  const labelOf = (number: string): Text => (members.get(number) ? words` ${quoted(members.get(number))}` : []);
  return change.isSingle || action === "update"
    ? []
    : numbers.map((number) => words`${quoted(number)}${labelOf(number)}`);
}

const CARDS: Readonly<Record<Effect["action"], (alike: Effects, context: CardContext) => Card>> = {
  assign: (alike, { subject, count }) => ({
    family: "first",
    title: words`First assignment overwrites ${subject} with ${splitText(alike[0].after?.inboundAgents)}`,
    rows: fieldChanges(alike[0]),
    facts: [{ condition: "create", text: words`${subject}: assigned for the first time` }],
    requests: putsFor(alike, count),
    undo: ["reverting unassigns the agents of the new numbers but cannot restore their current routing"],
  }),
  clear: (alike, { subject, count }) => ({
    family: "removal",
    title: words`⚠ ${subject} ${loseAgents(count)}`,
    notes: [
      ...unnamedNotes(alike, count),
      words`Current split: ${splitText(alike[0].before?.inboundAgents)}. The API does not specify what callers hear afterwards.`,
      words`To keep the agents, set the resource option ${quoted("retainOnDelete: true")} and merge that first.`,
    ],
    facts: [{ condition: "delete", text: words`${subject}: ${loseAgents(count)}` }],
    requests: { ...putsFor(alike, count), isAtLeast: true },
  }),
  forget: (alike, { subject, count }) =>
    alike[0].to === undefined ? forgotten(alike, subject, count) : handedOver(alike[0].to, subject),
  uncertain: ([{ change, before }]) => {
    const name = quoted(change.name);
    const join = change.news && { condition: "create" as const, text: words`${name}: which numbers join is not known` };
    return {
      family: "removal",
      title: words`⚠ Numbers in ${name} may lose their agents; which ones is not known before the run`,
      notes: [
        words`Current split: ${splitText(before?.inboundAgents)}.${join ? " If a new number joins, its routing is overwritten." : ""}`,
      ],
      facts: present([{ condition: "delete", text: words`${name}: which numbers leave is not known` }, join]),
      requests: { isAtLeast: true },
    };
  },
  move: changeCard,
  update: changeCard,
};

const forgotten = (alike: Effects, subject: Text, count: number | undefined): Card => ({
  family: "quiet",
  title: words`Forgotten (nothing is sent): ${subject}`,
  notes: [
    words`Calls are still routed as before (${splitText(alike[0].before?.inboundAgents)}), but this stack stops managing that routing.`,
  ],
  facts: [{ condition: "delete", text: words`${subject}: forgotten by this stack` }],
  requests: { isAtLeast: count === undefined },
});

/**
 * Returns the card for numbers that move to another stack. The card counts no requests and doesn't say how to undo the
 * move, because the report on the other stack covers the move.
 */
const handedOver = (stack: string, subject: Text): Card => ({
  family: "quiet",
  title: words`Continues in the stack ${quoted(stack)} (nothing is sent here): ${subject}`,
  isUndoNeeded: false,
});

/** Counts one PUT for each number. For a group whose numbers are not known, counts one PUT as the minimum. */
const putsFor = (alike: Effects, count: number | undefined) => ({
  puts: count ?? alike.reduce((total, effect) => total + (countOf(effect) ?? 1), 0),
  isAtLeast: count === undefined,
});

function unnamedNotes(alike: Effects, count = 1): Text[] {
  const { news, isSingle } = alike[0].change;
  const groups = new Set(alike.map(({ change }) => change.urn)).size === 1 ? "this group" : "these groups";
  return news === undefined || isSingle ? [] : [[`This change removes ${counted(count, "number")} from ${groups}.`]];
}

/**
 * Returns the fact that the CI gate `replace` blocks, if the resource is replaced or gets a different number. Returns
 * none for a group that only loses numbers, even if the engine replaces the group.
 */
function replaceFacts({ action, change: { op, olds, news, name, isSingle }, isJudgedNew }: Effect): Fact[] {
  const isOther = isSingle && op === "replace" && (action === "assign" || action === "move");
  const isMade = op === "replace" && action === "update" && isJudgedNew;
  const isUncertain = isSingle && action === "uncertain";
  const to = news?.number === undefined ? "a number that is not known yet" : quoted(news.number);
  const how = isSingle ? words`${quoted(olds?.number)} → ${to}` : "replaced";
  return isOther || isMade || isUncertain ? [{ condition: "replace", text: words`${quoted(name)}: ${how}` }] : [];
}

// --- numbers that stay assigned

function changeCard(alike: Effects, context: CardContext): Card {
  const [effect] = alike;
  const { subject } = context;
  const { action, before = NEW, after = NEW, isSent = false, plan } = effect;
  const splits = splitsOf(before, after);
  const rows = fieldChanges(effect);
  const step = rolloutStep(before, after, context);
  const shift = shiftOf(effect, splits, context);
  const restart = plan?.reasons.find((reason) => reason.why === "restart") ?? unappliedRestart(before, after);
  const isQuiet = !splits.isChanged && rows.length === 0 && !isElsewhere(effect);
  const title = splits.isChanged ? splitTitle(splits, subject) : otherTitle(effect, rows, subject);
  return {
    family: familyOf(effect, splits, restart !== undefined, step?.title !== undefined, isQuiet),
    title: restart === undefined ? (step?.title ?? title) : restartTitle(restart, before, after, subject),
    agents: agentRows(splits),
    rows,
    notes: [...differingNotes(splits), ...present([step?.note]), ...shift.notes, ...sentNotes(effect)],
    facts: [
      ...(isElsewhere(effect)
        ? [
            {
              condition: "create" as const,
              text: words`${subject}: assigned for the first time at ${quoted(after.endpoint)}`,
            },
          ]
        : []),
      ...shift.facts,
    ],
    requests: sum(alike.map(requestsOf)),
    undo: step?.undo ?? undoMove(effect),
    // If the run only resends the routing that was already declared, don't suggest reverting the pull request, because
    // that would have no effect.
    isUndoNeeded: !(action === "update" && isSent && isQuiet && step === undefined),
  };
}

const isFromOtherStack = ({ from, change }: Effect): boolean => from !== undefined && stackOf(from) !== stackOf(change);

/** Says what reverting a move to another platform or from another stack does. Returns undefined for other changes. */
function undoMove(effect: Effect): Text | undefined {
  const { before, after, from } = effect;
  if (isElsewhere(effect)) {
    return words`reverting sends the old routing to ${quoted(before?.endpoint)} again, but cannot restore the current routing at ${quoted(after?.endpoint)}`;
  }
  return from !== undefined && isFromOtherStack(effect)
    ? words`reverting moves the numbers between stacks again, so first set ${quoted("retainOnDelete: true")} on ${quoted(effect.change.name)} and merge that`
    : undefined;
}

const isElsewhere = ({ before, after }: Effect): boolean => before?.endpoint !== after?.endpoint;

/** Returns the kind of card for the effect. If several kinds apply, returns the most important one. */
function familyOf(effect: Effect, splits: Splits, isRestart: boolean, isAbort: boolean, isQuiet: boolean): Family {
  if (isCut(splits)) {
    return "removal";
  }
  if (isElsewhere(effect)) {
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
  return effect.isSent || !isQuiet ? "routing" : "quiet";
}

/** Lists every split that the numbers may have had before, because the card's title and table show only one. */
function differingNotes({ possible, isChanged }: Splits): Text[] {
  const splits = possible.map((split) => words`(${splitText(split)})`);
  return isChanged && splits.length > 1
    ? [words`Before this change, each number has one of these splits: ${few(splits, 4)}.`]
    : [];
}

/** Returns notes that say why the routing is sent, and which fields of the former resource stay in effect. */
function sentNotes({ action, before, after, isJudgedNew, plan, keptFields = [], from }: Effect): Text[] {
  const labels = new Set(keptFields.map((field) => FIELDS[field].label));
  const reasons = (plan?.reasons ?? []).flatMap((reason) =>
    reason.why === "unapplied" || reason.why === "endpoint" ? reasonMessage("", reason).lines : [],
  );
  const isTriggered = !same(before?.triggers, after?.triggers) || containsUnknown(after?.triggers);
  return present<Text>([
    action === "update" &&
      isJudgedNew === true && ["The resource is replaced, so the routing is sent to every number."],
    keptFields.length > 0 &&
      words`Not cleared: ${series([...labels])}, because ${quoted(from?.name)} has ${quoted("retainOnDelete")}.`,
    ...reasons.map((reason): Text => [quoted(reason, 500)]),
    before?.endpoint !== after?.endpoint &&
      words`At the new platform, every number gets ${splitText(after?.inboundAgents)}. This overwrites the current routing there, which the API cannot return afterwards.`,
    isTriggered &&
      words`Sent again because ${quoted("triggers")} changed. This overwrites changes made in the web application.`,
  ]);
}

/** Returns the title of a card whose split doesn't change. */
function otherTitle(effect: Effect, rows: readonly FieldChange[], subject: Text): Text {
  const { after, action, isSent } = effect;
  if (isElsewhere(effect)) {
    return words`⚠ Moves to another platform, ${quoted(after?.endpoint)}: ${subject}`;
  }
  if (rows.length > 0) {
    return words`On ${subject}: ${few(rows.map(fieldChangeText), 2, " · ")}`;
  }
  const quiet = isSent ? "Sent again" : "Recorded (nothing is sent)";
  if (action === "move") {
    return isFromOtherStack(effect)
      ? words`Moves here from the stack ${quoted(stackOf(effect.from ?? effect.change))} with the same agents: ${subject}`
      : words`Declared under a new name with the same agents: ${subject}`;
  }
  return words`${quiet}: ${subject}`;
}

function moveNotes(alike: Effects): Text[] {
  const [before, names] = [alike.flatMap(({ from }) => from?.name ?? []), alike.map(({ change }) => change.name)];
  const isKept = alike.every(({ after }) => !isEmpty(knownSplit(after?.inboundAgents) ?? {}));
  const [{ from }] = alike;
  const there = from !== undefined && isFromOtherStack(alike[0]) ? words` in the stack ${quoted(stackOf(from))}` : [];
  const until = words`Previously declared as ${fewQuoted(before)}${there}, now as ${fewQuoted(names)}`;
  return before.length === 0 ? [] : [words`${until}${isKept ? "; agents stay assigned throughout" : ""}.`];
}

/**
 * Describes how much traffic the change shifts. If several splits may be in effect now, the largest possible shift
 * counts.
 */
function shiftOf(effect: Effect, splits: Splits, { subject, guards }: CardContext) {
  const { before, after } = effect;
  const { points, isChanged } = splits;
  if (!isChanged) {
    return { notes: [], facts: [] };
  }
  const { asReturn, asStep } = excusesOf(effect, guards);
  const abortsTo = asReturn === undefined ? abortsToOther(effect) : undefined;
  const excused = asReturn ?? (asStep && abortsTo ? `an abort to ${abortsTo}` : asStep);
  const why = abortsTo === undefined ? excused : words`an abort to ${quoted(abortsTo)}`;
  const { maxShift } = guards;
  const limit = maxShift === undefined ? "" : ` (limit ${round(maxShift)})`;
  const size = points === undefined ? "the size of the change is not known" : counted(points, "percentage point");
  const isOpen = before?.unapplied !== undefined && !same(before.inboundAgents, after?.inboundAgents);
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
const abortsToOther = ({ before, after }: Effect): string | undefined =>
  isNewAbort(before?.rollout, after?.rollout) && after?.rollout?.stable !== before?.rollout?.stable
    ? after?.rollout?.stable
    : undefined;

/**
 * Returns why CI gates should not block the change, if there is a reason. `asReturn` is set for a rollback, which
 * neither `shift` nor `unresolved` may block. `asStep` is set for a step of a rollout, which `shift` doesn't need to
 * block, because the `steps` guard already limits its size.
 */
function excusesOf(effect: Effect, guards: StackGuards) {
  const { before, after, plan, isJudgedNew, action, change } = effect;
  // Don't excuse a change if the preview doesn't show its numbers. Don't excuse it either if the provider treats the
  // numbers as new and so can't compare their old and new splits, unless they move to a newly created resource, for
  // example because theirs was renamed.
  const isUnjudged = !change.areKnown || (isJudgedNew && !(action === "move" && change.op === "create"));
  if (before === undefined || after === undefined || isUnjudged) {
    return {};
  }
  return {
    asReturn: plan?.rollbackTo === undefined ? undefined : `a return to the ${plan.rollbackTo} split`,
    asStep: stepOf(before, after, plan, guards),
  };
}

/**
 * If the change is a step of a rollout that the `steps` guard allows, says which: the next step, or a step that is sent
 * again because an earlier run couldn't apply it to every number. Returns undefined for any other change.
 */
function stepOf(
  before: NumbersState,
  { rollout }: NumbersState,
  plan: Plan | undefined,
  { steps = [], areBypassed }: StackGuards,
): string | undefined {
  const isRefused = plan?.violations.some(({ guard }) => guard === "steps") ?? true;
  if (steps.length === 0 || areBypassed || isRefused || rollout === undefined) {
    return undefined;
  }
  if (!same(before.rollout, rollout)) {
    return `the next step in ${steps.join(", ")}`;
  }
  const isAgain = before.unapplied !== undefined && steps.includes(percentOf(rollout));
  return isAgain ? "a step that is sent again" : undefined;
}

function requestsOf({ change, before = NEW, after = NEW, numbers, isSent }: Effect) {
  const isClearing = !isNothingCleared(clearedFrom(before, after));
  return isSent ? { puts: numbers.length, isAtLeast: !change.areKnown || isClearing } : {};
}

// --- fields other than the split

const NAMED = [...ASSIGNED_FIELDS, ...SCOPE, "extraFields" as const].filter(
  (field) => field !== "inboundAgents" && !isVersion(field),
);

/** Returns the changed fields other than the split. For a first assignment, returns every declared field. */
function fieldChanges({ action, before, after }: Effect): FieldChange[] {
  const olds = action === "assign" ? undefined : before;
  return after === undefined
    ? []
    : NAMED.filter((field) =>
        present([field, versionFieldOf(field)]).some((key) => !same(olds?.[key], after[key])),
      ).map((field) => {
        const [old, next] = [fieldValue(field, olds), fieldValue(field, after)];
        const isSeen = toPlain(old) !== toPlain(next);
        return {
          field: FIELDS[field].label,
          before: olds && old,
          after: isSeen ? next : words`${next} (differs in a part not shown here)`,
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
