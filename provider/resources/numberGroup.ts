import * as z from "zod";
import {
  clearedNumbers,
  isGroupKnown,
  judgedLeavers,
  judgeGroupDelete,
  numbersSent,
  planGroup,
} from "../core/change/plan";
import {
  beforeOf,
  type GroupState,
  revertTargets,
  SAVED_GROUP,
  type Unapplied,
  type UnappliedNumbers,
  unappliedFor,
  withSince,
} from "../core/change/state";
import { defined, same } from "../core/common/equality";
import {
  allowUnknown,
  isUnknown,
  natural,
  numberId,
  objectOf,
  optional,
  required,
  validate,
} from "../core/common/schemas";
import * as messages from "../core/messages";
import { resourceLabel } from "../core/messages";
import { OVERRIDE_FIELDS, shapeOf } from "../core/routing/fields";
import {
  type GroupInputs,
  hasSecretNumbers,
  membersOf,
  type Override,
  type Overrides,
  routingFor,
  unknownOverrides,
  versionsAlone,
} from "../core/routing/group";
import { numbers, numbersOf, toText } from "../core/routing/numberList";
import { isVersionAlone, VERSION_NEEDS_AGENT } from "../core/routing/routing";
import {
  contextOf,
  type Lifecycle,
  ResourceError,
  readSaved,
  refuse,
  refuseFrozen,
  refuseOtherEndpoint,
  refuseRemovals,
  SavedError,
  type Sending,
  type Session,
} from "./lifecycle";
import { checkNumbers, eitherRolloutOrSplit, numbersShape } from "./numbers";
import type { Continued } from "./run/replacements";
import { bindAll, clearAll, planReleases, type Sent } from "./sendMany";

const override = objectOf(shapeOf(OVERRIDE_FIELDS), "must be an object");

const overrides = z
  .record(
    z.string().refine((key) => numberId.safeParse(key).success, { error: "must be a number" }),
    allowUnknown(override),
    {
      error: "must be a map from number to what differs for it",
    },
  )
  .transform(
    (all): Overrides =>
      Object.fromEntries(
        Object.entries(all).map(([number, one]): [string, Override] => [number, isUnknown(one) ? one : defined(one)]),
      ),
  );

const schema = z
  .strictObject({
    numbers: required(numbers),
    overrides: optional(overrides),
    maxFailures: optional(natural),
    ...numbersShape,
  })
  .refine((args) => !isVersionAlone(args), VERSION_NEEDS_AGENT);

const KIND = "NumberGroup";

const label = (inputs: GroupInputs): string => resourceLabel(KIND, inputs);

function declaredIn(given: unknown): string[] {
  const { value } = validate(numbers, given);
  return value === undefined || isUnknown(value) ? [] : numbersOf(value);
}

function overrideFailures(inputs: GroupInputs): messages.Message[] {
  if (!isGroupKnown(inputs)) {
    return [];
  }
  const unknown = unknownOverrides(inputs);
  const alone = versionsAlone(inputs);
  return [
    ...(unknown.length === 0 ? [] : [messages.unknownOverrides(unknown, hasSecretNumbers(inputs))]),
    ...(alone.length === 0 ? [] : [messages.versionsAlone(alone, hasSecretNumbers(inputs))]),
  ];
}

async function apply(
  id: string,
  inputs: GroupInputs,
  olds: GroupState | undefined,
  session: Sending,
): Promise<GroupState> {
  const binds = numbersSent(olds, inputs);
  if (binds.length === 0) {
    return withSince(olds, stateOf(inputs, olds, undefined));
  }
  const who = label(inputs);
  refuseFrozen(who, session);
  const sent = await bindAll(binds, { who, inputs, olds, session });
  if (sent.failed.length === 0) {
    return withSince(olds, stateOf(inputs, olds, undefined), session.time());
  }
  throw applyFailed(id, inputs, sent, olds, session);
}

function applyFailed(
  id: string,
  inputs: GroupInputs,
  sent: Sent,
  olds: GroupState | undefined,
  session: Sending,
): ResourceError {
  const savedAs = savedAsFor(sent, olds);
  const message = failedMessage(inputs, sent, savedAs, session);
  return savedAs === "saved"
    ? new SavedError(message, id, withSince(olds, stateOf(inputs, olds, sent)))
    : new ResourceError(message);
}

/** If it is certain that no number has changed, nothing is saved: the engine keeps the state that it has. */
function savedAsFor({ done, failed }: Sent, olds: GroupState | undefined): messages.SavedAs {
  const isUntouched = done === 0 && failed.every(({ reason }) => reason === "rejected" || reason === "not sent");
  const before = olds === undefined ? "forgotten" : "untouched";
  return isUntouched ? before : "saved";
}

function failedMessage(
  inputs: GroupInputs,
  { done, failed, stopped }: Sent,
  savedAs: messages.SavedAs,
  session: Sending,
): messages.Message {
  return messages.groupFailed(label(inputs), failed, {
    ...contextOf(inputs.workspaceId, session),
    all: done + failed.length,
    stopped,
    savedAs,
    isSecret: hasSecretNumbers(inputs),
  });
}

function stateOf(inputs: GroupInputs, olds: GroupState | undefined, sent: Sent | undefined): GroupState {
  return defined({
    ...inputs,
    ...revertTargets(olds, inputs),
    unapplied: sent === undefined ? undefined : partsOf(inputs, olds, sent),
  });
}

/** Numbers with the same reason and the same routings are one part: what 50,000 equal ones have is saved once. */
function partsOf(inputs: GroupInputs, olds: GroupState | undefined, { failed, unapplied }: Sent): UnappliedNumbers[] {
  const parts = new Map<string, { saved: Unapplied; numbers: Map<string, string> }>();
  for (const { number, reason } of failed) {
    // A number has no entry in `unapplied` if it got no request, or if its request threw an error.
    const saved =
      unapplied.get(number) ?? unappliedFor(reason, routingFor(number, inputs), beforeOf(number, olds, inputs));
    const key = JSON.stringify(saved);
    const part = parts.get(key) ?? { saved, numbers: new Map() };
    parts.set(key, part);
    part.numbers.set(number, "");
  }
  return [...parts.values()].map(({ saved, numbers: text }) => ({ ...saved, numbers: toText(text) }));
}

/** Clears the numbers that no resource of the running program declares. */
async function clear(id: string, state: GroupState, session: Session): Promise<void> {
  const who = label(state);
  refuseOtherEndpoint(who, state, session);
  const newHolder = session.run.continuedAs(id);
  const isKept = keptBy(newHolder, state);
  const numbersLeft = clearedNumbers(state).filter((number) => !isKept(number));
  if (numbersLeft.length === 0) {
    return;
  }
  const releases = planReleases(numbersLeft, state, session);
  // A group that is only renamed sends nothing, so a freeze does not block it.
  if ([...releases.values()].some(({ task }) => task !== undefined)) {
    refuseFrozen(who, session);
  }
  const lost = numbersLeft.filter((number) => releases.get(number)?.does === "clear");
  if (newHolder === undefined) {
    refuse(who, judgeGroupDelete(state, lost, session.settings), session, state.secretArguments);
  }
  refuseRemovals(who, judgedLeavers(lost, state), session, state.secretArguments);
  if (newHolder === undefined && lost.length > 0 && session.run.heard().isDeclaring) {
    session.warn(messages.groupGoes(who, lost, state.onDelete, hasSecretNumbers(state)));
  }
  const sent = await clearAll(releases, who, state, session);
  if (sent.failed.length > 0) {
    throw new ResourceError(failedMessage(state, sent, newHolder === undefined ? "stays" : "left", session));
  }
}

/**
 * Does the group that goes on under the same id have the number? It has assigned the number on the basis of this state, so nothing is left
 * to clear. But this original may be left over from a run that failed. If the number has left the group and joined again since then, the
 * group does not know all that the number may have.
 */
function keptBy(newHolder: Continued | undefined, state: GroupState): (number: string) => boolean {
  if (newHolder === undefined) {
    return () => false;
  }
  const before = newHolder.stateBefore as GroupState | undefined;
  const isDeclared = (number: string) => membersOf(newHolder.inputs as GroupInputs).has(number);
  if (before === undefined || same(before, state)) {
    return isDeclared;
  }
  const joined = new Set(numbersOf(before.previous?.joined ?? ""));
  return (number) => isDeclared(number) && membersOf(before).has(number) && !joined.has(number);
}

export const numberGroup: Lifecycle<GroupInputs, GroupState> = {
  kind: KIND,
  schema: eitherRolloutOrSplit(schema),
  numbersArgument: "numbers",
  readState: (saved, id) => readSaved<GroupState>(KIND, saved, id, SAVED_GROUP),
  check: (olds, news, settings, wasChecked) =>
    checkNumbers<GroupInputs>(
      { kind: KIND, schema, declares: declaredIn(news.numbers), ownFailures: overrideFailures },
      olds,
      news,
      settings,
      wasChecked,
    ),
  diff: (_id, olds, news, settings) => planGroup(olds, news, settings),
  explain: (_id, olds, news, { reasons }) =>
    reasons
      .filter(messages.isTold)
      .map((one) => messages.reasonMessage(label(news), one, false, hasSecretNumbers(olds) || hasSecretNumbers(news))),
  /** If numbers leave, the group is replaced. Its create then sends only what changed, and keeps the group's id. */
  async create(inputs, session, replaced) {
    const id = replaced?.id ?? session.newId("group");
    return { id, state: await apply(id, inputs, replaced?.olds, session) };
  },
  update: (id, olds, news, session) => apply(id, news, olds, session),
  delete: clear,
};
