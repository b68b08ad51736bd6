import { isOfNumbers } from "../../provider/config/kinds";
import { outboundKey, placeInState, splitsLeft, unappliedOf } from "../../provider/numbers/state";
import { type Rollouts, splitOf } from "../../provider/routing/rollout";
import type { Rollout } from "../../provider/routing/types";
import { ROLLOUTS, type StackConfig } from "../pulumi/config";
import { partOf, type SavedResource, type StackState, stateIn } from "../pulumi/state";
import { percentagesIn, shownMembers, splitIn, withoutQuery } from "../pulumi/values";
import { type Callers, callersOf, haveSplit } from "./callers";
import { ledgerOf, openSteps } from "./resources";
import { rolloutIn, rolloutsIn } from "./stackRollout";
import { timeOf } from "./time";

/** What a state says of each of its numbers, as values: `show --json` prints them, `show` and the board word them. */
export type SavedNumber = ReturnType<typeof savedNumbers>[number];

/**
 * In the order of the numbers; the resources that were replaced and are still to be deleted have theirs as well.
 * @param config says what a rollout wants: a request that was refused, or found no connection, has left nothing in the state
 */
export function savedNumbers(state: StackState, config: StackConfig) {
  const steps = openSteps(state);
  const rollouts = rolloutsIn(config[ROLLOUTS]?.value);
  const ledger = ledgerOf([state]);
  return state.resources
    .filter(({ kind }) => isOfNumbers(kind))
    .flatMap((saved) => {
      const { kind, name, urn, outputs } = saved;
      const { endpoint, workspaceId, accountSid, inboundWebhookUrl, previousInboundAgents } = outputs;
      const whole = stateIn(outputs);
      const callers = new Map(callersOf(saved, state).flatMap((one) => one.numbers.map((number) => [number, one])));
      const rollout = rolloutIn(outputs.rollout);
      const entry = saved.isLeftover ? undefined : entryNamed(rollout?.name, rollouts);
      return [...(shownMembers(outputs) ?? [])].map(([number, label]) => {
        const ofNumber = partOf(whole, [number]);
        const declaring = ledger.declaring(number, placeInState(number, whole)).map(({ owner }) => owner.saved);
        const [missed] = ofNumber.unapplied ?? [];
        const { have = [], wanted } = callers.get(number) ?? {};
        // Did the number not get the last split? Then the state knows neither since when it has its present one, nor the one before.
        const isBehind = wanted !== undefined;
        const [since] = isBehind ? [] : timeOf(outputs.since);
        return {
          number,
          label: label || undefined,
          stack: state.stack,
          project: state.project,
          resource: { kind, name, urn },
          /** Was its resource replaced, and is it still to be deleted? */
          isReplaced: saved.isLeftover || declaring.some((other) => hasReplaced(other, saved, number)),
          /** What was under way when a run was stopped: callers may have what is saved, or what was sent. */
          stopped: steps.find((step) => step.urn === urn)?.operation,
          endpoint,
          workspaceId,
          accountSid,
          /** What its callers have, or may have, and what is wanted beside it, in percent. */
          have: have.map(percentagesIn),
          ...wantedNow({ have, wanted }, rollout, entry),
          /** What is declared, in percent. */
          split: percentagesIn(ofNumber.inboundAgents),
          splitBefore: isBehind ? undefined : percentagesIn(splitIn(previousInboundAgents)),
          since,
          outboundAgent: outboundKey(ofNumber),
          webhook: typeof inboundWebhookUrl === "string" ? withoutQuery(inboundWebhookUrl) : undefined,
          isTimeRoutingEnabled: ofNumber.isTimeRoutingEnabled,
          /** Why the number may not have what is declared, what it got last from this resource, and what later requests may have left. */
          unapplied: missed && {
            reason: missed.reason,
            applied: percentagesIn(missed.applied?.inboundAgents),
            maybe: splitsLeft(missed).map(percentagesIn),
          },
        };
      });
    })
    .sort((one, other) => (one.number < other.number ? -1 : 1));
}

/** What the config says of a rollout, as a resource has it. */
function entryNamed(name: string | undefined, rollouts: Rollouts): Rollout | undefined {
  const { promote: _, ...entry } = rollouts[name ?? ""] ?? {};
  return "stable" in entry ? { name, ...entry } : undefined;
}

/**
 * What is wanted of a number beside what it has.
 * @param saved its rollout in the state
 * @param entry what the config says of that rollout
 */
function wantedNow({ have, wanted }: Omit<Callers, "numbers">, saved: Rollout | undefined, entry: Rollout | undefined) {
  const isToCome = entry !== undefined && !haveSplit({ have }, splitOf(entry));
  return { wanted: percentagesIn(isToCome ? splitOf(entry) : wanted), rollout: isToCome ? entry : saved };
}

/** Each number once that callers reach by this stack. A resource that was replaced has a number only as long as no other one declares it. */
export function listed(numbers: readonly SavedNumber[]): SavedNumber[] {
  const declared = new Set(numbers.filter(({ isReplaced }) => !isReplaced).map(({ number }) => number));
  return numbers.filter(({ isReplaced, number }) => !isReplaced || !declared.has(number));
}

/** Said of a number that only a replaced resource has. */
export const NOT_UNASSIGNED = "no longer declared, and not unassigned yet";

/** Did a later run assign the number to the other resource? Then this one is an original that is still to be deleted. */
const hasReplaced = (other: SavedResource, saved: SavedResource, number: string): boolean =>
  (other.modified ?? 0) > (saved.modified ?? 0) && !unappliedOf(stateIn(other.outputs)).has(number);
