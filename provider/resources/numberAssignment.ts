import * as z from "zod";
import { sameEndpoint } from "../core/endpoint";
import { defined } from "../core/equality";
import * as messages from "../core/messages";
import { type Plan, planNumber } from "../core/plan";
import { routingOf } from "../core/routing";
import { isUnknown, numberId, required } from "../core/schemas";
import type { Settings } from "../core/settings";
import { describe, type Split } from "../core/split";
import { beforeOf, heldBy, type NumberInputs, type NumberState, SAVED_NUMBER, wayBack } from "../core/state";
import { bind, isGone, leftBound, type NotApplied, platformIds, type Task, unappliedAfter } from "./assign";
import {
  checkRouted,
  contextOf,
  readSaved,
  refuseFrozen,
  refuseOtherEndpoint,
  routedShape,
  subjectOf,
} from "./guarded";
import {
  type Checked,
  type Created,
  type Lifecycle,
  type Props,
  ResourceError,
  SavedError,
  type Session,
} from "./lifecycle";
import { fallbackOf, letGo, type Release, release } from "./release";

const KIND = "NumberAssignment";

const schema = z.strictObject({ number: required(numberId), ...routedShape });

const who = ({ number, secretArguments }: Pick<NumberInputs, "number" | "secretArguments">): string =>
  subjectOf(KIND, "number", number, secretArguments);

function check(olds: Props | undefined, news: Props, settings: Settings): Checked<NumberInputs> {
  const declares = typeof news.number === "string" && !isUnknown(news.number) ? [news.number] : [];
  const routingFor = (_number: string, inputs: NumberInputs) => routingOf(inputs);
  return checkRouted<NumberInputs>({ schema, who, declares, routingFor }, olds, news, settings);
}

const diff = (_id: string, olds: NumberState, news: NumberInputs, settings: Settings): Plan =>
  planNumber(olds, news, settings);

function explain(_id: string, _olds: NumberState, news: NumberInputs, { reasons }: Plan): messages.Message[] {
  return reasons.filter(messages.isTold).map((reason) => messages.reasonMessage(who(news), reason, true));
}

async function create(inputs: NumberInputs, session: Session): Promise<Created<NumberState>> {
  // The engine shows and saves every id in clear.
  const id = inputs.secretArguments?.includes("number") ? session.newId("number") : inputs.number;
  return { id, state: await put(id, inputs, undefined, session) };
}

async function update(id: string, olds: NumberState, news: NumberInputs, session: Session): Promise<NumberState> {
  return planNumber(olds, news, session.settings).binds?.length === 0
    ? stateOf(news, olds, undefined)
    : put(id, news, olds, session);
}

/** Create and update are the same PUT. */
async function put(
  id: string,
  inputs: NumberInputs,
  olds: NumberState | undefined,
  session: Session,
): Promise<NumberState> {
  const { number } = inputs;
  refuseFrozen(who(inputs), session);
  session.declared.declareAll([number]);
  // Another platform knows nothing of what was bound here: there is nothing to clear there.
  const task = { number, routing: routingOf(inputs), before: heldBy(number, olds, inputs) };
  const { assigned, notApplied } = await session.inTurn(number, () => bind(task, who(inputs), session));
  const state = stateOf(inputs, olds, "verdict" in assigned ? platformIds(number, assigned.verdict.record) : undefined);
  if (notApplied === undefined) {
    return state;
  }
  throw refusal(id, task, notApplied, state, olds, session);
}

/** Outputs are lean: the inputs, and what they do not say. */
function stateOf(inputs: NumberInputs, olds: NumberState | undefined, ids: NumberState["platformIds"]): NumberState {
  const known = olds !== undefined && sameEndpoint(olds, inputs) ? olds.platformIds : undefined;
  return defined({ ...inputs, ...wayBack(olds, inputs), platformIds: ids ?? known });
}

function refusal(
  id: string,
  task: Task,
  notApplied: NotApplied,
  wanted: NumberState,
  olds: NumberState | undefined,
  session: Session,
): ResourceError {
  const action = olds === undefined ? "create" : "update";
  const details = { ...contextOf(wanted.workspaceId, session), who: who(wanted), action };
  const before = beforeOf(wanted.number, olds, wanted);
  if ("failure" in notApplied && notApplied.reason === "rejected") {
    const truth =
      olds === undefined ? "Nothing is saved." : `The number keeps its routing (${splitText(before.applied, olds)}).`;
    return new ResourceError(messages.rejected(notApplied.failure, { ...details, truth }));
  }
  const state = { ...wanted, unapplied: unappliedAfter(task, before, notApplied) };
  if ("failure" in notApplied) {
    const message = messages.unknownOutcome("AGP-040", notApplied.failure, {
      ...details,
      truth: messages.numberUnknownOutcome(splitText(before.applied, wanted), splitText(task.routing, wanted)),
      remedy: "Saved as not applied. The next `pulumi up` sends it again: sending the same PUT twice does no harm.",
    });
    return new SavedError(message, id, state);
  }
  const left = leftBound(notApplied);
  const message =
    left.length > 0
      ? messages.stillBound(details.who, left, notApplied.tried)
      : messages.mismatched(
          details.who,
          messages.withoutSecrets(notApplied.mismatches, wanted.secretArguments),
          messages.MISMATCH_REMEDY,
        );
  return new SavedError(message, id, state);
}

/** Clears the routing, or assigns the fallback; never a number that the running program still declares. */
async function remove(_id: string, state: NumberState, session: Session): Promise<void> {
  refuseOtherEndpoint(who(state), state, session);
  await session.inTurn(state.number, () => clear(state, session));
}

async function clear(state: NumberState, session: Session): Promise<void> {
  const label = who(state);
  const { number } = state;
  const released = release(number, heldBy(number, state, state), fallbackOf(state, state), session);
  if (released.task !== undefined) {
    refuseFrozen(label, session);
  }
  const { withheld, notApplied } = await letGo(number, released, label, session);
  if (withheld !== undefined) {
    throw new ResourceError(messages.withheld(label, withheld));
  }
  if (released.isKept) {
    session.warn(messages.stillDeclared(label));
  }
  if (notApplied !== undefined) {
    concludeDelete(state, notApplied, released, session);
  }
}

function concludeDelete(state: NumberState, notApplied: NotApplied, { isKept }: Release, session: Session): void {
  const label = who(state);
  if (!("failure" in notApplied)) {
    throw new ResourceError(
      messages.orKeep(
        messages.stillBound(
          label,
          messages.withoutSecrets(notApplied.mismatches, state.secretArguments),
          notApplied.tried,
        ),
      ),
    );
  }
  // What another resource has just assigned is there.
  if (!isKept && isGone(notApplied)) {
    session.warn(messages.numberGone(label));
    return;
  }
  const { reason, failure } = notApplied;
  const details = {
    ...contextOf(state.workspaceId, session),
    who: label,
    action: "delete",
  };
  throw new ResourceError(
    reason === "rejected"
      ? messages.rejected(failure, { ...details, truth: "The resource stays in the state." })
      : messages.unknownOutcome("AGP-040", failure, {
          ...details,
          truth: "The number may or may not have been cleared. The resource stays in the state.",
          remedy: messages.CLEAR_AGAIN,
        }),
  );
}

function splitText(
  routing: { inboundAgents?: Split | undefined } | undefined,
  { secretArguments = [] }: NumberInputs,
): string {
  if (routing?.inboundAgents === undefined) {
    return "what it had";
  }
  return secretArguments.includes("inboundAgents") ? "a secret split" : describe(routing.inboundAgents);
}

export const numberAssignment: Lifecycle<NumberInputs, NumberState> = {
  kind: KIND,
  schema,
  who,
  numbersText: ({ number }) => `${number}\n`,
  readState: (saved, id) => readSaved<NumberState>(KIND, saved, id, SAVED_NUMBER),
  check,
  diff,
  explain,
  create,
  update,
  delete: remove,
};
