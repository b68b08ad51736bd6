import { holdsUnknown } from "../../provider/base/engine";
import { same } from "../../provider/base/json";
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
import type { JudgedPlan } from "../../provider/run/plan";
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
  type OthersWith,
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

/** A card for what a run does to numbers. The same effect on several resources is one card. */

type Effects = readonly [Effect, ...Effect[]];

/** What all cards of a stack know. */
interface StackContext {
  readonly stack: string;
  readonly guards: StackGuards;
  readonly othersWith: OthersWith;
}

/** The resources of a card, and how many numbers they are about; undefined if that is known only in the run. */
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

/** Effects with the same key share a card: what it says, except on which numbers. */
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

/** The numbers that are assigned or lost, with their labels. A single number is in the title. */
function numberTexts({ action, change, numbers, after, before = after }: Effect): Text[] {
  const members = membersOf(after ?? before ?? {});
  const labelOf = (number: string): Text => (members.get(number) ? words` ${quoted(members.get(number))}` : []);
  return change.isSingle || action === "update"
    ? []
    : numbers.map((number) => words`${quoted(number)}${labelOf(number)}`);
}

const CARDS: Readonly<Record<Effect["action"], (all: Effects, context: CardContext) => Card>> = {
  assign: (alike, { subject, count }) => ({
    family: "first",
    title: words`First assignment overwrites ${subject} with ${splitText(alike[0].after?.inboundAgents)}`,
    rows: fieldChanges(alike[0]),
    facts: [{ condition: "create", text: words`${subject}: assigned for the first time` }],
    requests: putsFor(alike, count),
    undo: ["a revert unassigns the new numbers, and cannot restore the routing that they have today"],
  }),
  clear: (alike, { subject, count }) => ({
    family: "removal",
    title: words`⚠ ${subject} ${loseAgents(count)}`,
    notes: [
      ...unnamedNotes(alike, count),
      words`Now: ${splitText(alike[0].before?.inboundAgents)}. The API does not specify action callers hear afterwards.`,
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
      title: words`⚠ Numbers of ${name} may lose their agents: which ones is known only in the run`,
      notes: [
        words`Now: ${splitText(before?.inboundAgents)}.${join ? " The routing of a new number is overwritten." : ""}`,
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
  title: words`Forgotten, nothing is sent: ${subject}`,
  notes: [
    words`Callers keep action they have (${splitText(alike[0].before?.inboundAgents)}), and no stack manages it any more.`,
  ],
  facts: [{ condition: "delete", text: words`${subject}: forgotten by this stack` }],
  requests: { isAtLeast: count === undefined },
});

/** The other stack's report has the move, with what it sends. */
const handedOver = (stack: string, subject: Text): Card => ({
  family: "quiet",
  title: words`Goes on in the stack ${quoted(stack)}, nothing is sent here: ${subject}`,
  isUndoNeeded: false,
});

/** A PUT for each number. Of a group whose numbers are not known there is one at least. */
const putsFor = (alike: Effects, count: number | undefined) => ({
  puts: count ?? alike.reduce((total, effect) => total + (countOf(effect) ?? 1), 0),
  isAtLeast: count === undefined,
});

function unnamedNotes(alike: Effects, count = 1): Text[] {
  const { news, isSingle } = alike[0].change;
  const groups = new Set(alike.map(({ change }) => change.urn)).size === 1 ? "this group" : "these groups";
  return news === undefined || isSingle
    ? []
    : [[`${counted(count, "number")} of ${groups} ${count === 1 ? "is" : "are"} no longer named.`]];
}

/** What is made again, and another number under the same name. A group that numbers leave is not replaced for a reader. */
function replaceFacts({ action, change: { op, olds, news, name, isSingle }, isJudgedNew }: Effect): Fact[] {
  const isOther = isSingle && op === "replace" && (action === "assign" || action === "move");
  const isMade = op === "replace" && action === "update" && isJudgedNew;
  const isUncertain = isSingle && action === "uncertain";
  const to = news?.number === undefined ? "a number that is not known yet" : quoted(news.number);
  const how = isSingle ? words`${quoted(olds?.number)} → ${to}` : "replaced";
  return isOther || isMade || isUncertain ? [{ condition: "replace", text: words`${quoted(name)}: ${how}` }] : [];
}

// --- numbers that go on with another routing

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
    // If the numbers get what they were to have before, there is nothing to take back.
    isUndoNeeded: !(action === "update" && isSent && isQuiet && step === undefined),
  };
}

const isFromOtherStack = ({ from, change }: Effect): boolean => from !== undefined && stackOf(from) !== stackOf(change);

/** What a revert does to numbers that are at another platform, or in another stack, by then. */
function undoMove(effect: Effect): Text | undefined {
  const { before, after, from } = effect;
  if (isElsewhere(effect)) {
    return words`a revert sends the old routing to ${quoted(before?.endpoint)} again, and leaves action ${quoted(after?.endpoint)} has by then: nobody can restore action that has today`;
  }
  return from !== undefined && isFromOtherStack(effect)
    ? words`a revert is another move between stacks: set ${quoted("retainOnDelete: true")} on ${quoted(effect.change.name)} and merge that first`
    : undefined;
}

const isElsewhere = ({ before, after }: Effect): boolean => before?.endpoint !== after?.endpoint;

/** The most important one that the change is of. */
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

/** The title and the table have one split before. */
function differingNotes({ possible, isChanged }: Splits): Text[] {
  const splits = possible.map((split) => words`(${splitText(split)})`);
  return isChanged && splits.length > 1 ? [words`Before, each number has one of these splits: ${few(splits, 4)}.`] : [];
}

/** Why numbers are sent, and what the resource that had them until now leaves on them. */
function sentNotes({ action, before, after, isJudgedNew, plan, stays = [], from }: Effect): Text[] {
  const labels = new Set(stays.map((field) => FIELDS[field].label));
  const reasons = (plan?.reasons ?? []).flatMap((reason) =>
    reason.why === "unapplied" || reason.why === "endpoint" ? reasonMessage("", reason).lines : [],
  );
  const isTriggered = !same(before?.triggers, after?.triggers) || holdsUnknown(after?.triggers);
  return present<Text>([
    action === "update" && isJudgedNew === true && ["The resource is made again, so every number is sent."],
    stays.length > 0 &&
      words`Stays: ${[...labels].join(", ")}, because ${quoted(from?.name)} has ${quoted("retainOnDelete")}.`,
    ...reasons.map((reason): Text => [quoted(reason, 500)]),
    before?.endpoint !== after?.endpoint &&
      words`There every number gets ${splitText(after?.inboundAgents)}. This overwrites the routing that the numbers have there, which cannot be read back.`,
    isTriggered &&
      words`Sent again because ${quoted("triggers")} changed: this overwrites changes made in the web application.`,
  ]);
}

/** The title if the split stays. */
function otherTitle(effect: Effect, rows: readonly FieldChange[], subject: Text): Text {
  const { after, action, isSent } = effect;
  if (isElsewhere(effect)) {
    return words`⚠ To another platform, ${quoted(after?.endpoint)}: ${subject}`;
  }
  if (rows.length > 0) {
    return words`On ${subject}: ${few(rows.map(fieldChangeText), 2, " · ")}`;
  }
  const quiet = isSent ? "Sent again" : "Recorded, nothing is sent";
  if (action === "move") {
    return isFromOtherStack(effect)
      ? words`Moves here from the stack ${quoted(stackOf(effect.from ?? effect.change))}, keeps its agents: ${subject}`
      : words`Renamed, keeps its agents: ${subject}`;
  }
  return words`${quiet}: ${subject}`;
}

function moveNotes(alike: Effects): Text[] {
  const [before, names] = [alike.flatMap(({ from }) => from?.name ?? []), alike.map(({ change }) => change.name)];
  const isKept = alike.every(({ after }) => !isEmpty(knownSplit(after?.inboundAgents) ?? {}));
  const [{ from }] = alike;
  const there = from !== undefined && isFromOtherStack(alike[0]) ? words` in the stack ${quoted(stackOf(from))}` : [];
  const until = words`Declared as ${fewQuoted(before)}${there} until now, as ${fewQuoted(names)} from now on`;
  return before.length === 0 ? [] : [words`${until}${isKept ? ": no moment without agents" : ""}.`];
}

/** How far calls move: for the reader, and for gates, from what was applied last and from what earlier requests may have left. */
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
  const { maxShift } = guards.settings.guards;
  const limit = maxShift === undefined ? "" : ` (limit ${round(maxShift)})`;
  const size = points === undefined ? "the size of the change is not known" : counted(points, "percentage point");
  const isOpen = before?.unapplied !== undefined && !same(before.inboundAgents, after?.inboundAgents);
  const open = words`${subject}: the split before is not applied everywhere, and a new one is declared`;
  return {
    notes: points === undefined ? [] : [words`Moves ${size} of traffic${why ? words`: ${why}` : limit}.`],
    facts: present<Fact>([
      isOpen && { condition: "unresolved", excused: asReturn, text: open },
      isCut(splits) && { condition: "delete", text: words`${subject}: no inbound agents left` },
      { condition: "shift", points, excused, text: words`${subject}: ${size}` },
    ]),
  };
}

/** The agent that gets all calls by an abort, if it was not the stable one. */
const abortsToOther = ({ before, after }: Effect): string | undefined =>
  isNewAbort(before?.rollout, after?.rollout) && after?.rollout?.stable !== before?.rollout?.stable
    ? after?.rollout?.stable
    : undefined;

/** Why no gate counts the size of the change. A gate must not stop a rollback, and the guard `steps` judges the size of a step. */
function excusesOf(effect: Effect, guards: StackGuards) {
  const { before, after, plan, isJudgedNew, action, change } = effect;
  // The provider has judged it as new, or does not know its numbers, so nothing has judged the size of its change.
  const isUnjudged = !change.areKnown || (isJudgedNew && !(action === "move" && change.op === "create"));
  if (before === undefined || after === undefined || isUnjudged) {
    return {};
  }
  return {
    asReturn: plan?.returnsTo === undefined ? undefined : `a return to the ${plan.returnsTo} split`,
    asStep: stepOf(before, after, plan, guards),
  };
}

/** The step that it is, which the guard `steps` judges, or has judged if some number did not get it. */
function stepOf(
  before: NumbersState,
  { rollout }: NumbersState,
  plan: JudgedPlan | undefined,
  { settings, areBypassed }: StackGuards,
): string | undefined {
  const { steps = [] } = settings.guards;
  const isRefused = plan?.violations.some(({ guard }) => guard === "steps") ?? true;
  if (steps.length === 0 || areBypassed || isRefused || rollout === undefined) {
    return undefined;
  }
  if (!same(before.rollout, rollout)) {
    return `the next of the steps ${steps.join(", ")}`;
  }
  const isAgain = before.unapplied !== undefined && steps.includes(percentOf(rollout));
  return isAgain ? "a step that is sent again" : undefined;
}

function requestsOf({ change, before = NEW, after = NEW, numbers, isSent }: Effect) {
  const isClearing = !isNothingCleared(clearedFrom(before, after));
  return isSent ? { puts: numbers.length, isAtLeast: !change.areKnown || isClearing } : {};
}

// --- the fields beside the split

const NAMED = [...ASSIGNED_FIELDS, ...SCOPE, "extraFields" as const].filter(
  (field) => field !== "inboundAgents" && !isVersion(field),
);

/** Those that change; of numbers that are assigned for the first time, those that are declared. */
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
          after: isSeen ? next : words`${next} (a part may differ)`,
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
