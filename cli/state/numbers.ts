import { isOfNumbers } from "../../provider/config/kinds";
import { outboundKey, placeInState, unappliedOf, uncertainSplits } from "../../provider/numbers/state";
import { type Rollouts, splitOf } from "../../provider/routing/rollout";
import type { Rollout } from "../../provider/routing/types";
import { ROLLOUTS, type StackConfig } from "../pulumi/config";
import { partOf, type SavedResource, type StackState, stateIn } from "../pulumi/state";
import { membersIn, percentagesIn, splitIn, withoutQuery } from "../pulumi/values";
import { type Callers, callersOf, hasSplit } from "./callers";
import { ledgerOf, openSteps } from "./resources";
import { rolloutIn, rolloutsIn } from "./stackRollout";
import { timeOf } from "./time";

/**
 * Collects the facts that a state contains about each of its numbers. `show --json` prints them, and `show` and the
 * board render them.
 */
export type SavedNumber = ReturnType<typeof savedNumbers>[number];

/**
 * Sorted by number. Includes the numbers of replaced resources that are still to be deleted.
 * @param config tells what a rollout asks for, because a request that was refused or found no connection leaves no
 * trace in the state
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
      const inputs = stateIn(outputs);
      const callers = new Map(
        callersOf(saved, state).flatMap((group) => group.numbers.map((number) => [number, group])),
      );
      const rollout = rolloutIn(outputs.rollout);
      const entry = saved.isLeftover ? undefined : entryNamed(rollout?.name, rollouts);
      return [...(membersIn(outputs) ?? [])].map(([number, label]) => {
        const part = partOf(inputs, [number]);
        const declaring = ledger.declaring(number, placeInState(number, inputs)).map(({ owner }) => owner.saved);
        const [missed] = part.unapplied ?? [];
        const { current = [], wanted } = callers.get(number) ?? {};
        // If the last change wasn't applied to the number, the state doesn't record when its current split was applied
        // or which split came before.
        const isBehind = wanted !== undefined;
        const [since] = isBehind ? [] : timeOf(outputs.since);
        return {
          number,
          label: label || undefined,
          stack: state.stack,
          project: state.project,
          resource: { kind, name, urn },
          /** Whether the resource was replaced but not yet deleted. */
          isReplaced: saved.isLeftover || declaring.some((other) => hasReplaced(other, saved, number)),
          /**
           * The operation that a stopped run left pending. Callers may reach the saved routing or the routing that it
           * sent.
           */
          stopped: steps.find((step) => step.urn === urn)?.operation,
          endpoint,
          workspaceId,
          accountSid,
          /** The splits that the number's callers may reach, in percent, and the declared split if it differs. */
          current: current.map(percentagesIn),
          ...wantedNow({ current, wanted }, rollout, entry, saved.isLeftover),
          /** The declared split, in percent. */
          split: percentagesIn(part.inboundAgents),
          splitBefore: isBehind ? undefined : percentagesIn(splitIn(previousInboundAgents)),
          since,
          outboundAgent: outboundKey(part),
          webhook: typeof inboundWebhookUrl === "string" ? withoutQuery(inboundWebhookUrl) : undefined,
          isTimeRoutingEnabled: part.isTimeRoutingEnabled,
          /**
           * Why the number may lack its declared routing, which routing was applied last, and which ones later requests
           * may have applied.
           */
          unapplied: missed && {
            reason: missed.reason,
            applied: percentagesIn(missed.applied?.inboundAgents),
            maybe: uncertainSplits(missed).map(percentagesIn),
          },
        };
      });
    })
    .sort((left, right) => (left.number < right.number ? -1 : 1));
}

/** Returns a rollout from the config in the form in which the state stores it. */
function entryNamed(name: string | undefined, rollouts: Rollouts): Rollout | undefined {
  const { promote: _, ...entry } = rollouts[name ?? ""] ?? {};
  return "stable" in entry ? { name, ...entry } : undefined;
}

/**
 * Returns the declared split, if it differs from the splits that the number may have.
 * @param saved its rollout in the state
 * @param entry the config's entry for that rollout
 */
function wantedNow(
  { current, wanted }: Omit<Callers, "numbers">,
  saved: Rollout | undefined,
  entry: Rollout | undefined,
  isLeftover: boolean,
) {
  // A number that waits to be unassigned has no declared split.
  if (isLeftover) {
    return { wanted: undefined, rollout: saved };
  }
  const isToSend = entry !== undefined && !hasSplit({ current }, splitOf(entry));
  return { wanted: percentagesIn(isToSend ? splitOf(entry) : wanted), rollout: isToSend ? entry : saved };
}

/** Lists each number once. A number of a replaced resource is listed only if no other resource declares it. */
export function listed(numbers: readonly SavedNumber[]): SavedNumber[] {
  const declared = new Set(numbers.filter(({ isReplaced }) => !isReplaced).map(({ number }) => number));
  return numbers.filter(({ isReplaced, number }) => !isReplaced || !declared.has(number));
}

/** Marks a number that only a replaced resource still manages. */
export const NOT_UNASSIGNED = "no longer declared, and not unassigned yet";

/** Whether a later run assigned the number to the other resource, so that this one is only waiting to be deleted. */
const hasReplaced = (other: SavedResource, saved: SavedResource, number: string): boolean =>
  (other.modified ?? 0) > (saved.modified ?? 0) && !unappliedOf(stateIn(other.outputs)).has(number);
