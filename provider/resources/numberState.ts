import { samePlace } from "../core/endpoint";
import * as messages from "../core/messages";
import { either, type OnDelete, type Routing, routingOf } from "../core/routing";
import { defined, same } from "../core/same";
import { describe, type Split } from "../core/traffic";
import { isUnknown } from "../core/unknown";
import { type Assigned, grave, type PlatformIds, platformIds } from "./assignment";
import type { ProgramGuardInputs } from "./judge";
import { ResourceError, SavedError, type Session } from "./lifecycle";

/** What is saved of a number, and what an answer makes of it. */

export const KIND = "NumberAssignment";

export interface NumberInputs extends Routing, ProgramGuardInputs {
  number: string;
  onDelete?: OnDelete | undefined;
  triggers?: unknown;
  /** Which platform: from the settings, so that a changed base URL is a change that a reviewer sees. */
  endpoint: string;
  account?: string | undefined;
}

export interface NumberState extends NumberInputs {
  platformIds?: PlatformIds | undefined;
  /** The split that was applied before this one: going back to it is never refused. */
  previousInboundAgents?: Split | undefined;
  /** Why the platform may hold something else than this state says. */
  unapplied?: Unapplied | undefined;
}

export type Unapplied = "unknown" | "different";

export const who = (number: string): string => messages.subject(KIND, isUnknown(number) ? "(not known yet)" : number);

export function conclude(
  inputs: NumberInputs,
  olds: NumberState | undefined,
  assigned: Assigned,
  session: Session,
): NumberState {
  const action = olds === undefined ? "create" : "update";
  switch (assigned.result) {
    case "rejected":
      throw new ResourceError(
        messages.rejected(assigned.failure, { ...context(inputs, action, session), truth: unchangedText(olds) }),
      );
    case "unknown":
      throw new SavedError(
        messages.unknownOutcome("AGP-040", assigned.failure, {
          ...context(inputs, action, session),
          truth: messages.numberUnknownOutcome(splitText(olds), splitText(inputs)),
          remedy: "Saved as not applied: the next `pulumi up` sends it again, which does no harm twice.",
        }),
        inputs.number,
        stateOf(inputs, olds, { ...eitherOf(inputs, olds), unapplied: "unknown" }, undefined),
      );
    case "different":
      return concludeDifferent(inputs, olds, assigned, session);
    case "applied":
      return stateOf(inputs, olds, inputs, platformIds(inputs.number, assigned.verdict.record));
  }
}

function concludeDifferent(
  inputs: NumberInputs,
  olds: NumberState | undefined,
  { verdict, cleared, tried }: Extract<Assigned, { result: "different" }>,
  session: Session,
): NumberState {
  const ids = platformIds(inputs.number, verdict.record);
  const errors = grave(verdict.mismatches, cleared, session);
  if (errors.length === 0) {
    session.warn(
      messages.mismatched(who(inputs.number), verdict.mismatches, "Told only: agent-platform:onMismatch decides."),
    );
    return stateOf(inputs, olds, inputs, ids);
  }
  const left = errors.filter(({ field }) => (cleared as readonly string[]).includes(field));
  // What is still bound stays in the state, so that the next run clears it.
  const stillThere = Object.fromEntries(left.map(({ field }) => [field, olds?.[field as keyof NumberState]]));
  // A split that is not shown may be there all the same: it stays in the state, so that it is cleared one day.
  const isShown = Object.keys(verdict.shown ?? {}).length > 0 && !cleared.includes("inboundAgents");
  const shown = isShown ? { inboundAgents: verdict.shown } : {};
  const message =
    left.length > 0
      ? messages.stillBound(who(inputs.number), left, tried)
      : messages.mismatched(who(inputs.number), verdict.mismatches, messages.MISMATCH_REMEDY);
  throw new SavedError(
    message,
    inputs.number,
    stateOf(inputs, olds, { ...inputs, ...shown, ...stillThere, unapplied: "different" }, ids),
  );
}

/** Of an outcome that nobody knows, the number may hold the one or the other; at another platform it never held what was here. */
function eitherOf(inputs: NumberInputs, olds: NumberState | undefined): NumberInputs & Partial<NumberState> {
  if (olds === undefined || !samePlace(olds, inputs)) return inputs;
  return { ...inputs, ...olds, ...either(routingOf(inputs), routingOf(olds)) };
}

/** Outputs are lean: the inputs, and what they do not say. */
function stateOf(
  inputs: NumberInputs,
  olds: NumberState | undefined,
  held: NumberInputs & Partial<NumberState>,
  ids: PlatformIds | undefined,
): NumberState {
  const { previousInboundAgents: _, unapplied: __, ...oldInputs } = olds ?? {};
  const isSameSplit = same(olds?.inboundAgents, held.inboundAgents);
  return defined({
    ...held,
    number: inputs.number,
    endpoint: inputs.endpoint,
    account: inputs.account,
    platformIds: ids ?? (olds !== undefined && samePlace(olds, inputs) ? olds.platformIds : undefined),
    previousInboundAgents: isSameSplit
      ? olds?.previousInboundAgents
      : (oldInputs as Partial<NumberState>).inboundAgents,
    unapplied: held === inputs ? undefined : held.unapplied,
  });
}

export function context(inputs: NumberInputs, action: string, { settings }: Session) {
  return {
    who: who(inputs.number),
    action,
    tokenSource: settings.tokenSource,
    endpoint: settings.endpoint,
    workspaceId: inputs.workspaceId,
  };
}

const splitText = (routing: Routing | undefined): string =>
  routing?.inboundAgents === undefined ? "what it had" : describe(routing.inboundAgents);

const unchangedText = (olds: NumberState | undefined): string =>
  olds === undefined ? "Nothing is saved." : `The number keeps its routing (${splitText(olds)}).`;
