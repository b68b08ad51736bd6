import {
  boundFields,
  heldBy,
  holdsUnknown,
  isEmpty,
  isReturn,
  isUnknown,
  routingOf,
  same,
  sameRouting,
  UNAPPLIED,
  unappliedOf,
} from "../../../provider/review";
import { groupBy, present } from "../../lists";
import { holdsMasked, isSplit, splitIn } from "../../pulumi/values";
import { type Card, type Condition, card, mergedAffected, onText, REMOVAL, sum, totalOf, type Undo } from "../card";
import { fieldChanges, sentAgain } from "../fields";
import { type Guards, guardLine, isStepTaken, noGuards } from "../guards";
import { endpointNotes } from "../moves";
import { isSentToStayers, updateRequests } from "../requests";
import { abortTitle, type Rollouts, rolloutNote, rolloutUndo } from "../rollouts";
import { affectedBy, bothSplits, type NumberChange, type Sides, stillUnapplied } from "../snapshot";
import {
  agentTable,
  farthestPoints,
  isCut,
  isWithoutCanary,
  ratio,
  shiftFacts,
  splitNotes,
  splitTitle,
} from "../splits";
import { capital, counted, id, plain, say, someIds, type Text } from "../text";

/** Routings that change in place. The same change on many numbers is one card. */

export const updateCards = (updates: readonly NumberChange[], guards: Guards, rollouts: Rollouts): Card[] =>
  groupBy(updates, keyOf).map((all) => updateCard(combined(all), guards, rollouts));

/** Several updates that do the same: the first one, and what is true for all of them. */
type Combined = ReturnType<typeof combined>;

const combined = (all: readonly [NumberChange, ...NumberChange[]]) => ({
  ...all[0],
  all,
  affected: mergedAffected(all.map((one) => affectedBy(one, one.after))),
  fields: fieldChanges(all[0]),
  requests: sum(all.map(updateRequests)),
  isSplitChanged: isSplitChanged(all[0]),
  returnsTo: returnsTo(all[0]),
});

const isSplitChanged = ({ before, after }: Sides): boolean => !same(before.split, after.split);

/** The split that the change goes back to, if it does: guards and gates let that pass. */
function returnsTo(sides: Sides): "previous" | "stable" | undefined {
  const { before, after } = sides;
  const previous = splitIn(before.values.previousInboundAgents);
  const isPrevious = isSplitChanged(sides) && isSplit(previous) && same(previous, after.split);
  // The split may be the saved one: if an earlier run failed, only some of the numbers may have it.
  const isStable = isReturn(before.state, after.state);
  if (isStable && (after.state.rollout !== undefined || !isPrevious)) {
    return "stable";
  }
  return isPrevious ? "previous" : undefined;
}

function keyOf(update: NumberChange): string {
  const { providerName, before, after, from, urn } = update;
  const fields = fieldChanges(update).map((row) => [row.field, plain(row.before), plain(row.after)]);
  return JSON.stringify([
    providerName,
    [before.endpoint, after.endpoint, after.isChecked],
    // If the split stays the same, it does not tell two changes apart.
    isSplitChanged(update) ? [before.split, after.split] : [],
    fields,
    [
      returnsTo(update),
      from !== undefined,
      [...stillUnapplied(update)].map(({ reason }) => reason).sort(),
      same(before.values.triggers, after.values.triggers),
    ],
    // A group with changes of its own has a card of its own.
    hasOwnChanges(update) ? urn : "",
  ]);
}

const hasOwnChanges = (update: NumberChange): boolean =>
  affectedBy(update).number === undefined && stillUnapplied(update).length > 0;

function updateCard(update: Combined, guards: Guards, rollouts: Rollouts): Card {
  const { before, after, affected, fields, requests, providerName, isSplitChanged } = update;
  const steps = guards.of(providerName)?.settings.guards.steps;
  return card({
    ...importanceOf(update),
    title: titleOf(update),
    affected,
    agents: isSplitChanged ? agentTable(before.split, after.split, "both") : undefined,
    fields,
    notes: [
      rolloutNote(update, steps, rollouts),
      ...notesOf(update),
      !after.isChecked && noGuards,
      isSplitChanged && bothSplits(update) && guardLine(guards, update, update.returnsTo),
    ],
    facts: shiftFacts(update, onText(affected)).map((fact) => ({
      ...fact,
      excused: excuseFor(fact.condition, update, guards, steps),
    })),
    requests,
    undo: rolloutUndo(update, steps, rollouts) ?? undoOf(update),
  });
}

/**
 * A gate must not stop a rollback. The guard `steps` judges the size of a rollout's step, so a gate does not, unless the step exceeds the
 * guard.
 */
function excuseFor(
  condition: Condition,
  { before, after, providerName, returnsTo }: Combined,
  guards: Guards,
  steps: readonly number[] = [],
): string | undefined {
  if (condition === "delete") {
    return undefined;
  }
  if (returnsTo !== undefined) {
    return `a return to the ${returnsTo} split`;
  }
  const isStep = after.state.rollout !== undefined && !same(before.state.rollout, after.state.rollout);
  const isJudged = () => !guards.areBypassed && isStepTaken(guards, { before, after, providerName });
  return condition === "shift" && isStep && isJudged() ? `the next of the steps ${steps.join(", ")}` : undefined;
}

function undoOf({ before, from, isSplitChanged }: Combined): Undo {
  // If it moves back, it is a new resource again, and the guards judge it as one.
  if (from !== undefined || !isSplitChanged || !isSplit(before.split)) {
    return { back: [] };
  }
  return isEmpty(before.split)
    ? { back: [": the numbers are without inbound agents again"] }
    : { back: say` (back to ${ratio(before.split)}; only a freeze blocks it)` };
}

function importanceOf(update: Combined): Pick<Card, "tone" | "rank" | "family"> {
  const { before, after, fields, requests } = update;
  if (isCut(update)) {
    return REMOVAL;
  }
  const isMoved = before.endpoint !== after.endpoint;
  const tone = isWithoutCanary(update) || isMoved ? "warning" : "plain";
  if (update.isSplitChanged) {
    return { tone, rank: 3, family: "split" };
  }
  const isSent = fields.some((field) => field.isSent) || requests.puts > 0 || requests.isAtLeast;
  return isMoved || isSent ? { tone, rank: isMoved ? 3 : 5, family: "routing" } : { tone, rank: 8, family: "quiet" };
}

function titleOf(update: Combined): Text {
  const { before, after, fields } = update;
  const on = onText(update.affected);
  const title = abortTitle(update, on) ?? (update.isSplitChanged ? splitTitle(update, on) : undefined);
  if (title !== undefined) {
    return title;
  }
  if (before.endpoint !== after.endpoint && after.endpoint !== undefined) {
    const what = before.values.endpoint === after.values.endpoint ? "account" : "platform";
    return capital(say`${on}: to another ${what}, ${id(after.endpoint)}`);
  }
  const [only, ...more] = fields.filter(({ isSent }) => isSent);
  if (only !== undefined) {
    const names = [only, ...more].map(({ field }) => field).join(" and ");
    return capital(
      more.length === 0 ? say`${names} on ${on}: ${only.before} → ${only.after}` : say`${names} change on ${on}`,
    );
  }
  if (update.from === undefined) {
    return quietTitle(update, on);
  }
  return say`${keepsName(update) ? "Moved in the program" : "Renamed"}, keeps its agents: ${on}`;
}

function quietTitle(update: Combined, on: Text): Text {
  const { puts, isAtLeast } = update.requests;
  const { name, all, affected, fields, before } = update;
  const { rollout } = update.after.state;
  if (puts > 0) {
    const isPart = affected[0]?.number === undefined && all.length === 1 && !isAtLeast;
    return say`Sent again: ${isPart ? onText([{ name, providerName: undefined, count: puts }]) : on}`;
  }
  if (isAtLeast) {
    return say`May be sent again: ${on}`;
  }
  if (!isUnknown(rollout) && rollout?.name !== undefined && before.state.rollout === undefined) {
    return capital(
      say`${on} ${totalOf(update.affected) === 1 ? "follows" : "follow"} rollout ${id(rollout.name)} from now on: nothing is sent`,
    );
  }
  return fields.length > 0
    ? say`Settings of ${on}: recorded, nothing is sent`
    : say`${capital(on)}: recorded, nothing is sent`;
}

/** Why a routing is sent, and what a reader has to know of it. */
function notesOf(update: Combined): Text[] {
  const { before, after, fields, from, all, isSplitChanged, returnsTo } = update;
  const { triggers } = after.values;
  const split = returnsTo === "previous" ? "applied before" : "stable";
  const back = returnsTo && `, back to the split that was ${split}: only a freeze blocks that`;
  const afters = all.map((one) => one.after);
  return present([
    ...(isSplitChanged && bothSplits(update)
      ? [
          ...splitNotes(update),
          say`Moves ${counted(farthestPoints(update) ?? 0, "percentage point")} of traffic${back ?? ""}.`,
        ]
      : []),
    ...endpointNotes(update),
    from && nameNote(update),
    unappliedNote(update),
    (!same(before.values.triggers, triggers) || holdsUnknown(triggers)) &&
      say`Sent again because ${id("triggers")} changed: this overwrites changes made in the web application.`,
    ...leftoverNotes(all),
    update.affected[0]?.number === undefined &&
      labelsChanged(update) && ["Labels change. They are shown, but never sent."],
    isMaskedOnly(update) && ["A masked value may have changed. A preview shows neither which nor how."],
    isSplitChanged && update.requests.puts > 0 && sentAgain(afters, fields),
  ]);
}

function nameNote(update: Combined): Text {
  const { all, isSplitChanged } = update;
  const names = (changes: readonly (NumberChange | undefined)[]) => someIds(changes.flatMap((one) => one?.name ?? []));
  const unchecked = isSplitChanged
    ? "; the provider cannot check maxShift together with a new name, but this report does"
    : "";
  return keepsName(update)
    ? say`The name stays; the parent or the type is another one${unchecked}.`
    : say`Declared as ${names(all.map(({ from }) => from))} until now, as ${names(all)} from now on${unchecked}.`;
}

/** The name stays if only the parent or the type changes. */
const keepsName = ({ all }: Combined): boolean => all.every(({ name, from }) => from?.name === name);

function unappliedNote(update: Combined): Text | undefined {
  const unapplied = update.all.flatMap(stillUnapplied);
  if (unapplied.length === 0) {
    return undefined;
  }
  const total = totalOf(update.affected);
  const missing = unapplied.length;
  const reasons = groupBy(unapplied, ({ reason }) => reason).map((same) => {
    const why = UNAPPLIED[same[0].reason];
    return missing === same.length ? why : `${same.length}: ${why}`;
  });
  const [was, is] = missing === 1 ? ["was", "is"] : ["were", "are"];
  return say`⚠ ${missing} of ${total === undefined ? "the numbers" : counted(total, "number")} ${was} not applied in an earlier run (${reasons.join("; ")}), and ${is} sent again.`;
}

/** The fields that an earlier run may have left on numbers, and that this run removes. */
const leftoverNotes = (all: readonly NumberChange[]): Text[] =>
  groupBy(all.flatMap(leftoversIn), ({ field }) => field).map((same) => {
    const [{ field }] = same;
    const numbers = same.map(({ number }) => number);
    return say`${id(field)} is removed now from ${counted(numbers.length, "number")} that an earlier run may have left it on: ${someIds(numbers)}.`;
  });

function leftoversIn({ before: { state, endpoint }, after }: Sides) {
  if (state.unapplied === undefined || endpoint !== after.endpoint) {
    return [];
  }
  return [...unappliedOf(state).keys()].flatMap((number) => {
    const declared = [state, after.state].flatMap((one) => boundFields(routingOf(one)));
    const held = boundFields(heldBy(number, state, state));
    return held.filter((field) => !declared.includes(field)).map((field) => ({ number, field }));
  });
}

/** The engine sees a change, and all that differs is masked. */
const isMaskedOnly = ({ before, after, fields, op }: Combined): boolean =>
  op === "update" &&
  sameRouting(before.state, after.state) &&
  fields.length === 0 &&
  before.endpoint === after.endpoint &&
  (holdsMasked(before.values) || holdsMasked(after.values));

export function labelsChanged({ before, after }: Sides): boolean {
  const old = before.members;
  return [...after.members].some(([number, label]) => old.has(number) && old.get(number) !== label);
}

/** Does a group change beside its members? */
export const changesMore = (sides: Sides): boolean =>
  fieldChanges(sides).length > 0 || sides.before.endpoint !== sides.after.endpoint || isSentToStayers(sides);
