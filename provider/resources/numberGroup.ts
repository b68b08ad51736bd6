import * as z from "zod";
import { defined } from "../core/equality";
import {
  type GroupInputs,
  membersOf,
  type Override,
  type Overrides,
  routingFor,
  unknownOverrides,
} from "../core/group";
import { judgeRemoval } from "../core/guards";
import * as messages from "../core/messages";
import { firstOf, numbers, numbersOf, toText } from "../core/numberList";
import { clearedNumbers, planGroup } from "../core/plan";
import { isUnknown, natural, numberId, optional, orUnknown, required, validate } from "../core/schemas";
import {
  beforeOf,
  type GroupState,
  missed,
  SAVED_GROUP,
  type Unapplied,
  type UnappliedPart,
  wayBack,
} from "../core/state";
import { type Lifecycle, ResourceError, SavedError, type Session, type Successor } from "./lifecycle";
import { contextOf, readSaved, refuse, refuseFrozen, refuseOtherEndpoint } from "./refusals";
import { checkRouted, routedShape } from "./routed";
import { bindAll, clearAll, planReleases, type Sent } from "./sendAll";

const { outboundAgentId, outboundAgentVersion, inboundWebhookUrl } = routedShape;

const override = z.strictObject(
  { outboundAgentId, outboundAgentVersion, inboundWebhookUrl },
  {
    error: (issue) => (issue.code === "unrecognized_keys" ? undefined : "must be an object"),
  },
);

const overrides = z
  .record(
    z.string().refine((key) => numberId.safeParse(key).success, { error: "must be a number" }),
    orUnknown(override),
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

const schema = z.strictObject({
  numbers: required(numbers),
  overrides: optional(overrides),
  maxFailures: optional(natural),
  ...routedShape,
});

const KIND = "NumberGroup";

/** The provider is not told the resource's name: the first number and the count stand for it. */
function who({ numbers: text, secretArguments = [] }: Pick<GroupInputs, "numbers" | "secretArguments">): string {
  if (isUnknown(text)) {
    return messages.subject(KIND, "(not known yet)");
  }
  const { first, count: all } = firstOf(text);
  if (secretArguments.includes("numbers")) {
    return `${messages.subject(KIND, "(secret)")} of ${messages.counted(all, "number")}`;
  }
  return `${messages.subject(KIND, first)}${all < 2 ? "" : ` and ${all - 1} more`}`;
}

function declaredIn(given: unknown): string[] {
  const { value } = validate(numbers, given);
  return value === undefined || isUnknown(value) ? [] : numbersOf(value);
}

function outside(inputs: GroupInputs): messages.Message[] {
  if (isUnknown(inputs.numbers) || isUnknown(inputs.overrides)) {
    return [];
  }
  const unknown = unknownOverrides(inputs);
  return unknown.length === 0 ? [] : [messages.unknownOverrides(unknown, isHidden(inputs))];
}

const isHidden = ({ secretArguments = [] }: GroupInputs): boolean => secretArguments.includes("numbers");

async function apply(
  id: string,
  inputs: GroupInputs,
  olds: GroupState | undefined,
  session: Session,
): Promise<GroupState> {
  const { binds = [] } = planGroup(olds, inputs, session.settings);
  if (binds.length === 0) {
    return stateOf(inputs, olds, undefined);
  }
  const label = who(inputs);
  refuseFrozen(label, session);
  session.declared.declareAll(numbersOf(inputs.numbers));
  const sent = await bindAll(binds, { who: label, inputs, olds, session });
  if (sent.failed.length === 0) {
    return stateOf(inputs, olds, undefined);
  }
  throw applyFailed(id, inputs, sent, olds, session);
}

function applyFailed(
  id: string,
  inputs: GroupInputs,
  sent: Sent,
  olds: GroupState | undefined,
  session: Session,
): ResourceError {
  const truth = truthOf(sent, olds);
  const message = failedMessage(inputs, sent, truth, session);
  // Nothing was applied: the engine keeps the state that it has, or none.
  return truth === "saved" ? new SavedError(message, id, stateOf(inputs, olds, sent)) : new ResourceError(message);
}

/** Does every number certainly hold what it held before? */
function truthOf({ done, failed }: Sent, olds: GroupState | undefined): messages.GroupTruth {
  const isUntouched = done === 0 && failed.every(({ reason }) => reason === "rejected" || reason === "not sent");
  const before = olds === undefined ? "forgotten" : "untouched";
  return isUntouched ? before : "saved";
}

function failedMessage(
  inputs: GroupInputs,
  { done, failed, stopped }: Sent,
  truth: messages.GroupTruth,
  session: Session,
): messages.Message {
  return messages.groupFailed(who(inputs), failed, {
    ...contextOf(inputs.workspaceId, session),
    all: done + failed.length,
    stopped,
    truth,
    isHidden: isHidden(inputs),
  });
}

function stateOf(inputs: GroupInputs, olds: GroupState | undefined, sent: Sent | undefined): GroupState {
  return defined({
    ...inputs,
    ...wayBack(olds, inputs),
    unapplied: sent === undefined ? undefined : partsOf(inputs, olds, sent),
  });
}

/** Numbers that share their fate are one part: 50,000 that failed alike are saved once. */
function partsOf(inputs: GroupInputs, olds: GroupState | undefined, { failed, unapplied }: Sent): UnappliedPart[] {
  const parts = new Map<string, { fate: Unapplied; numbers: Map<string, string> }>();
  for (const { number, reason } of failed) {
    // Of some no request was made, or theirs broke before it had an outcome.
    const fate = unapplied.get(number) ?? missed(reason, routingFor(number, inputs), beforeOf(number, olds, inputs));
    const key = JSON.stringify(fate);
    const part = parts.get(key) ?? { fate, numbers: new Map() };
    parts.set(key, part);
    part.numbers.set(number, "");
  }
  return [...parts.values()].map(({ fate, numbers: text }) => ({ ...fate, numbers: toText(text) }));
}

/** Lets go of every number that no other resource of the running program declares. */
async function clear(id: string, state: GroupState, session: Session): Promise<void> {
  const label = who(state);
  refuseOtherEndpoint(label, state, session);
  const cleared = clearedNumbers(state);
  const successor = session.memory.successors.get(id);
  const isOwn = successorsOwn(successor);
  const numbersLeft = cleared.filter((number) => !isOwn(number));
  if (numbersLeft.length === 0) {
    return;
  }
  const releases = planReleases(numbersLeft, state, session);
  // Renamed as a whole, nothing is sent: a freeze does not stand in the way.
  if ([...releases.values()].some(({ isKept, task }) => !isKept || task !== undefined)) {
    refuseFrozen(label, session);
  }
  const lost = numbersLeft.filter((number) => releases.get(number)?.isKept === false);
  // A group that is gone under its name while some of its numbers go on elsewhere was renamed or split: the rest may have got lost.
  if (successor === undefined && lost.length < numbersLeft.length) {
    refuse(label, judgeRemoval(lost, membersOf(state).size, session.settings), session, state.secretArguments);
  }
  const sent = await clearAll(releases, label, state, session);
  if (sent.failed.length > 0) {
    throw new ResourceError(failedMessage(state, sent, successor === undefined ? "stays" : "left", session));
  }
}

/**
 * What the group's successor holds is its own, for it went on from this very state. But a number that left in a run which failed, and
 * joined again, may have more on it than the successor knows of.
 */
function successorsOwn(successor: Successor | undefined): (number: string) => boolean {
  if (successor === undefined) {
    return () => false;
  }
  const knew = successor.knew as GroupState | undefined;
  const joined = new Set(numbersOf(knew?.previous?.joined ?? ""));
  const isKnown = (number: string) => knew === undefined || (membersOf(knew).has(number) && !joined.has(number));
  return (number) => membersOf(successor).has(number) && isKnown(number);
}

export const numberGroup: Lifecycle<GroupInputs, GroupState> = {
  kind: KIND,
  schema,
  who,
  numbersText: ({ numbers: text }) => text,
  readState: (saved, id) => readSaved<GroupState>(KIND, saved, id, SAVED_GROUP),
  check: (olds, news, settings) =>
    checkRouted<GroupInputs>(
      { schema, who, declares: declaredIn(news.numbers), routingFor, failures: outside },
      olds,
      news,
      settings,
    ),
  diff: (_id, olds, news, settings) => planGroup(olds, news, settings),
  explain: (_id, olds, news, { reasons }) =>
    reasons
      .filter(messages.isTold)
      .map((one) => messages.reasonMessage(who(news), one, false, isHidden(olds) || isHidden(news))),
  /** Also the second half of a replacement, when numbers leave: those that stay are not sent again, and the group keeps its id. */
  async create(inputs, session, replaced) {
    const id = replaced?.id ?? session.newId("group");
    return { id, state: await apply(id, inputs, replaced?.olds, session) };
  },
  update: (id, olds, news, session) => apply(id, news, olds, session),
  delete: clear,
};
