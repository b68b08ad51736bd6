import { type NumbersState, outboundKey, placeInState, splitsLeft, unappliedOf } from "../../provider/numbers/state";
import { isOfNumbers } from "../../provider/stack/platform";

import { partOf, type SavedResource, type StackState, stateIn } from "../pulumi/state";

import { percentagesIn, shownMembers, splitIn, withoutQuery } from "../pulumi/values";
import { ledgerOf, openSteps } from "./resources";
import { type Callers, callersOf, rolloutIn, timeOf } from "./rollout";

/** What a state says of each of its numbers, as values: `show --json` prints them, `show` and the board word them. */
export type SavedNumber = ReturnType<typeof savedNumber>;

/** In the order of the numbers; the resources that were replaced and are still to be deleted have theirs as well. */
export function savedNumbers(state: StackState): SavedNumber[] {
  const steps = openSteps(state);
  const ledger = ledgerOf([state]);
  return state.resources
    .filter(({ kind }) => isOfNumbers(kind))
    .flatMap((saved) => {
      const whole = stateIn(saved.outputs);
      const callers = new Map(callersOf(saved, state).flatMap((one) => one.numbers.map((number) => [number, one])));
      const stopped = steps.find(({ urn }) => urn === saved.urn)?.operation;
      return [...(shownMembers(saved.outputs) ?? [])].map(([number, label]) => {
        const others = ledger.declaring(number, placeInState(number, whole)).map(({ owner }) => owner.saved);
        const isReplaced = saved.isLeftover || others.some((other) => hasReplaced(other, saved, number));
        const ofNumber = { number, label, isReplaced, stopped, callers: callers.get(number) };
        return savedNumber(ofNumber, partOf(whole, [number]), saved, state);
      });
    })
    .sort((one, other) => (one.number < other.number ? -1 : 1));
}

/** Did a later run assign the number to the other resource? Then this one is an original that is still to be deleted. */
const hasReplaced = (declaring: SavedResource, saved: SavedResource, number: string): boolean =>
  (declaring.modified ?? 0) > (saved.modified ?? 0) && !unappliedOf(stateIn(declaring.outputs)).has(number);

interface OfNumber {
  readonly number: string;
  readonly label: string;
  /** Was its resource replaced, and is it still to be deleted? */
  readonly isReplaced: boolean;
  /** What was under way when a run was stopped: callers may have what is saved, or what was sent. */
  readonly stopped: string | undefined;
  readonly callers: Callers | undefined;
}

function savedNumber(
  { number, label, isReplaced, stopped, callers }: OfNumber,
  state: NumbersState,
  { kind, name, urn, outputs }: SavedResource,
  { stack, project }: StackState,
) {
  const { endpoint, workspaceId, accountSid, inboundWebhookUrl, previousInboundAgents } = outputs;
  const [missed] = state.unapplied ?? [];
  const [since] = missed === undefined ? timeOf(outputs.since) : [];
  return {
    number,
    label: label || undefined,
    stack,
    project,
    resource: { kind, name, urn },
    isReplaced,
    stopped,
    endpoint,
    workspaceId,
    accountSid,
    /** What its callers have, or may have, and what is wanted beside it, in percent. */
    have: (callers?.have ?? []).map(percentagesIn),
    wanted: percentagesIn(callers?.wanted),
    /** What is declared, in percent. */
    split: percentagesIn(state.inboundAgents),
    splitBefore: percentagesIn(splitIn(previousInboundAgents)),
    rollout: rolloutIn(outputs.rollout),
    since,
    outboundAgent: outboundKey(state),
    webhook: typeof inboundWebhookUrl === "string" ? withoutQuery(inboundWebhookUrl) : undefined,
    isTimeRoutingEnabled: state.isTimeRoutingEnabled,
    /** Why the number may not have what is declared, what it got last from this resource, and what later requests may have left. */
    unapplied: missed && {
      reason: missed.reason,
      applied: percentagesIn(missed.applied?.inboundAgents),
      maybe: splitsLeft(missed).map(percentagesIn),
    },
  };
}
