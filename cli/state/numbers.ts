import { isOfNumbers } from "../../provider/config/kinds";
import { outboundKey, placeInState, unappliedOf, uncertainSplits } from "../../provider/numbers/state";
import { configuredRollout, splitOf } from "../../provider/routing/rollout";
import type { Rollout } from "../../provider/routing/types";
import type { StackConfig } from "../pulumi/config";
import { partOf, type SavedResource, type StackState, stateIn } from "../pulumi/state";
import { membersIn, percentagesIn, splitIn, withoutQuery } from "../pulumi/values";
import { type Callers, callersOf, hasSplit } from "./callers";
import { ledgerOf, openOperations } from "./resources";
import { configRollouts, rolloutIn } from "./stackRollout";
import { timeOf } from "./time";

/**
 * What a saved state and the config say about one number. `show --json` prints all of it, and `show` and the board
 * render it.
 */
export type SavedNumber = ReturnType<typeof savedNumbers>[number];

/**
 * Returns every number in the state, sorted by number. Numbers of replaced resources that are still to be deleted are
 * included.
 * @param config shows which split each rollout should have. The state doesn't always show this, because it may not
 * record a change that was refused or that couldn't be sent
 */
export function savedNumbers(state: StackState, config: StackConfig) {
  const operations = openOperations(state);
  const rollouts = configRollouts(config);
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
      const entry = saved.isLeftover ? undefined : configuredRollout(rollout?.name ?? "", rollouts);
      return [...(membersIn(outputs) ?? [])].map(([number, label]) => {
        const part = partOf(inputs, [number]);
        const declaring = ledger.declaring(number, placeInState(number, inputs)).map(({ owner }) => owner.saved);
        const [missed] = part.unapplied ?? [];
        const { current = [], wanted } = callers.get(number) ?? {};
        // If the last change wasn't applied to the number, the state doesn't say when the number received its current
        // split, or which split it had before that.
        const isBehind = wanted !== undefined;
        const [since] = isBehind ? [] : timeOf(outputs.since);
        return {
          number,
          label: label || undefined,
          stack: state.stack,
          project: state.project,
          resource: { kind, name, urn },
          /**
           * Whether the resource is only waiting to be deleted, because it was replaced or because a later run assigned
           * the number to another resource.
           */
          isReplaced: saved.isLeftover || declaring.some((other) => hasReplaced(other, saved, number)),
          /**
           * The operation on this resource that a stopped run left pending, such as `updating`. The number may have the
           * saved routing, or the routing that this operation sent.
           */
          stopped: operations.find((pending) => pending.urn === urn)?.operation,
          endpoint,
          workspaceId,
          accountSid,
          /**
           * The splits that may be in effect for the number, in percent. `wanted` is the split that the number should
           * have. It is set only if the number may not have that split yet.
           */
          current: current.map(percentagesIn),
          ...wantedNow({ current, wanted }, rollout, entry, saved.isLeftover),
          /** The resource's declared split according to the saved state, in percent. It may not have been applied. */
          split: percentagesIn(part.inboundAgents),
          splitBefore: isBehind ? undefined : percentagesIn(splitIn(previousInboundAgents)),
          since,
          outboundAgent: outboundKey(part),
          webhook: typeof inboundWebhookUrl === "string" ? withoutQuery(inboundWebhookUrl) : undefined,
          isTimeRoutingEnabled: part.isTimeRoutingEnabled,
          /**
           * Set if the number may lack its declared routing. `applied` is the last split that was applied, and `maybe`
           * lists those that later requests may have applied.
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

/**
 * Takes the number's rollout and wanted split from the config if the number may lack the configured split, for example
 * after `promote` without `--up`, and otherwise from the state.
 * @param saved the number's rollout in the state
 * @param entry the same rollout in the config
 */
function wantedNow(
  { current, wanted }: Omit<Callers, "numbers">,
  saved: Rollout | undefined,
  entry: Rollout | undefined,
  isLeftover: boolean,
) {
  // A replaced resource no longer declares a split for its numbers, because it is only waiting to be deleted.
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

/** Describes a number that no resource declares any more, except a replaced resource that hasn't been deleted yet. */
export const NOT_UNASSIGNED = "no longer declared, and not unassigned yet";

/**
 * Whether the resource `other` has taken over the number: a run has assigned the number to `other` since `saved` was
 * last changed.
 */
const hasReplaced = (other: SavedResource, saved: SavedResource, number: string): boolean =>
  (other.modified ?? 0) > (saved.modified ?? 0) && !unappliedOf(stateIn(other.outputs)).has(number);
