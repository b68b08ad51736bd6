import { type NumbersState, outboundKey, splitsLeft } from "../../provider/core/numbers/state";
import { isOfNumbers } from "../../provider/core/platform/kinds";
import { partOf, stateIn } from "../pulumi/coreState";
import type { SavedResource, StackState } from "../pulumi/stackExport";
import { declaredIn, percentsIn, splitIn, withoutQuery } from "../pulumi/values";
import { openSteps } from "./resources";
import { type Callers, callersOf, rolloutIn, timeOf } from "./rollout";

/** What a state says of each of its numbers, as values: `show --json` prints them, `show` and the board word them. */
export type SavedNumber = ReturnType<typeof savedNumber>;

/** In the order of the numbers; the resources that were replaced and are still to be deleted have theirs as well. */
export function savedNumbers(state: StackState): SavedNumber[] {
  const steps = openSteps(state);
  return state.resources
    .filter(({ kind }) => isOfNumbers(kind))
    .flatMap((saved) => {
      const all = stateIn(saved.outputs);
      const callers = new Map(callersOf(saved, state).flatMap((one) => one.numbers.map((number) => [number, one])));
      const stopped = steps.find(({ urn }) => urn === saved.urn)?.operation;
      return [...(declaredIn(saved.outputs) ?? [])].map(([number, label]) =>
        savedNumber(number, label, partOf(all, [number]), callers.get(number), saved, state, stopped),
      );
    })
    .sort((one, other) => (one.number < other.number ? -1 : 1));
}

function savedNumber(
  number: string,
  label: string,
  own: NumbersState,
  callers: Callers | undefined,
  { kind, name, urn, outputs, isLeftover }: SavedResource,
  { stack, project }: StackState,
  stopped: string | undefined,
) {
  const { endpoint, workspaceId, accountSid, inboundWebhookUrl, previousInboundAgents } = outputs;
  const [since] = own.unapplied === undefined ? timeOf(outputs.since) : [];
  return {
    number,
    label: label || undefined,
    stack,
    project,
    resource: { kind, name, urn },
    /** Was its resource replaced, and is it still to be deleted? */
    isReplaced: isLeftover,
    /** What was under way when a run was stopped: callers may have what is saved, or what was sent. */
    stopped,
    endpoint,
    workspaceId,
    accountSid,
    /** What its callers have, or may have, and what is wanted beside it, in percent. */
    have: callers?.have.map(percentsIn) ?? [],
    wanted: percentsIn(callers?.wanted),
    /** What is declared, in percent. */
    split: percentsIn(own.inboundAgents),
    splitBefore: percentsIn(splitIn(previousInboundAgents)),
    rollout: rolloutIn(outputs.rollout),
    since,
    outboundAgent: outboundKey(own),
    webhook: typeof inboundWebhookUrl === "string" ? withoutQuery(inboundWebhookUrl) : undefined,
    isTimeRoutingEnabled: own.isTimeRoutingEnabled,
    unapplied: unappliedIn(own),
  };
}

/** Why the number may not have what is declared, what it got last from this resource, and what later requests may have left. */
function unappliedIn({ unapplied: [missed] = [] }: NumbersState) {
  return (
    missed && {
      reason: missed.reason,
      applied: percentsIn(missed.applied?.inboundAgents),
      maybe: splitsLeft(missed).map(percentsIn),
    }
  );
}
