import { samePlace } from "../core/endpoint";
import {
  byCause,
  type FleetInputs,
  type FleetState,
  formerOf,
  isTouched,
  type Missed,
  type Shortfall,
} from "../core/fleet";
import * as messages from "../core/messages";
import { firstOf } from "../core/numbers";
import type { OnDelete } from "../core/routing";
import { defined, same } from "../core/same";
import type { Split } from "../core/traffic";
import { isUnknown } from "../core/unknown";
import type { Sent } from "./fleet";
import type { ProgramGuardInputs } from "./judge";
import { ResourceError, SavedError, type Session } from "./lifecycle";

/** What is saved of a group, and what a run makes of it. */

export const KIND = "NumberGroup";

export interface GroupInputs extends FleetInputs, ProgramGuardInputs {
  maxFailures?: number | undefined;
  onDelete?: OnDelete | undefined;
}

export interface GroupState extends FleetState, ProgramGuardInputs {
  maxFailures?: number | undefined;
  previousInboundAgents?: Split | undefined;
}

/** The provider is not told the resource's name: the first number and the count stand for it. */
export function who(text: string): string {
  if (isUnknown(text)) return messages.subject(KIND, "(not known yet)");
  const { first, count } = firstOf(text);
  return `${messages.subject(KIND, first)}${count < 2 ? "" : ` and ${count - 1} more`}`;
}

export function fail(
  id: string,
  inputs: GroupInputs,
  olds: GroupState | undefined,
  sent: Sent,
  session: Session,
): never {
  const truth = isUntouched(sent) ? (olds === undefined ? "forgotten" : "untouched") : "saved";
  const message = failedMessage(who(inputs.numbers), sent, truth, inputs.workspaceId, session);
  // Nothing was applied: the engine keeps the state that it has, or none.
  if (truth !== "saved") throw new ResourceError(message);
  throw new SavedError(message, id, stateOf(inputs, olds, sent));
}

/** Does every number certainly hold what it held before? */
const isUntouched = ({ applied, cleared, missed }: Sent): boolean =>
  applied === 0 &&
  cleared === 0 &&
  missed.every(({ shortfall }) => shortfall === "rejected" || shortfall === "not sent");

export function failedMessage(
  label: string,
  { applied, cleared, missed, stopped }: Sent,
  truth: messages.GroupTruth,
  workspaceId: number | undefined,
  { settings: { tokenSource, endpoint } }: Session,
): messages.Message {
  const all = applied + cleared + missed.length;
  return messages.groupFailed(label, byCause(missed), { all, stopped, truth, tokenSource, endpoint, workspaceId });
}

export function stateOf(inputs: GroupInputs, olds: GroupState | undefined, sent: Sent | undefined): GroupState {
  const isSameSplit = same(olds?.inboundAgents, inputs.inboundAgents);
  return defined({
    ...inputs,
    previousInboundAgents: isSameSplit ? olds?.previousInboundAgents : olds?.inboundAgents,
    ...(sent === undefined ? {} : open(inputs, olds, sent)),
  });
}

function markOf(
  { number, isLeaving, shortfall }: Missed,
  inputs: GroupInputs,
  olds: GroupState | undefined,
): Shortfall {
  if (isLeaving) return "leaving";
  const isAsBefore = shortfall === "rejected" || shortfall === "not sent";
  const wasTouched = olds !== undefined && samePlace(olds, inputs) && isTouched(number, olds);
  return isAsBefore && !wasTouched ? "untouched" : shortfall;
}

function open(inputs: GroupInputs, olds: GroupState | undefined, { missed }: Sent): Partial<GroupState> {
  return {
    unapplied: Object.fromEntries(missed.map((one) => [one.number, markOf(one, inputs, olds)])),
    ...formerOf(
      olds,
      inputs,
      missed.map(({ number }) => number),
    ),
  };
}
