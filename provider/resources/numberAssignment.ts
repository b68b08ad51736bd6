import type { Input } from "@pulumi/pulumi";
import { z } from "zod";
import { samePlace } from "../core/endpoint";
import { numberId, optional, required, validate } from "../core/inputs";
import * as messages from "../core/messages";
import { bindsAnything, onDelete, routingOf, routingShape, sameRouting } from "../core/routing";
import { defined, same } from "../core/same";
import type { Settings } from "../core/settings";
import { holdsUnknown, isUnknown } from "../core/unknown";
import { type Assigned, assign, grave, handOver, scopeOf, tell } from "./assignment";
import { guardShape, judgeChange, judgeDeclared, judgeFallback, refuseFrozen } from "./judge";
import { type Checked, type Diff, type Lifecycle, ResourceError, type Session } from "./lifecycle";
import { conclude, context, KIND, type NumberInputs, type NumberState, type Unapplied, who } from "./numberState";
import type { RoutingArgs } from "./routingArgs";
import { readSaved } from "./saved";
import { withDefaults } from "./withDefaults";

/** The arguments of a {@link NumberAssignment} (interface 4.1). */
export interface NumberAssignmentArgs extends RoutingArgs {
  /**
   * Phone number (`+15551234567`) or extension to assign: text without control characters, at most 256; with `+` in international format.
   * @change replaces: the new one is assigned, then the old one cleared
   */
  number: Input<string>;
}

const schema = z.strictObject({
  number: required(numberId),
  ...routingShape,
  ...guardShape,
  onDelete: optional(onDelete),
  triggers: z.unknown().optional(),
});

const REPLACES = ["number"] as const;
/** Recorded, never sent: they speak to us, not to the platform. */
const LOCAL = ["weightTotal", "maxShift", "onDelete"] as const;

function check(
  olds: Readonly<Record<string, unknown>> | undefined,
  news: Readonly<Record<string, unknown>>,
  settings: Settings,
): Checked<NumberInputs> {
  const { value, problems } = validate(schema, news);
  const failures = problems.map((problem) => messages.invalid(problem));
  if (olds?.inboundAgents !== undefined && (news.inboundAgents ?? undefined) === undefined)
    failures.push(messages.inboundAgentsMissing());
  if (value === undefined)
    return { inputs: { ...news } as unknown as NumberInputs, failures, warnings: [], trips: [], declares: [] };
  const inputs = withDefaults(value, settings);
  const judged = judgeDeclared(inputs, settings, olds === undefined);
  return {
    inputs,
    failures: [...failures, ...judged.failures],
    warnings: inputs.inboundWebhookUrl?.startsWith("http:") ? [messages.insecureWebhook(who(inputs.number))] : [],
    trips: judged.trips,
    declares: isUnknown(inputs.number) ? [] : [inputs.number],
    routingFor: () => routingOf(inputs),
  };
}

function diff(_id: string, olds: NumberState, news: NumberInputs, settings: Settings): Diff {
  const replaces = REPLACES.filter((field) => olds[field] !== news[field] && !isUnknown(news[field]));
  const isSent = mustSend(olds, news);
  return {
    changes: isSent || replaces.length > 0 || LOCAL.some((field) => !same(olds[field], news[field])),
    replaces,
    deleteBeforeReplace: false,
    notes: notes(olds, news),
    trips: isSent && replaces.length === 0 ? judgeChange(olds, news, settings) : judgeFallback(olds, news, settings),
  };
}

function mustSend(olds: NumberState, news: NumberInputs): boolean {
  return (
    olds.unapplied !== undefined ||
    olds.number !== news.number ||
    !samePlace(olds, news) ||
    !sameRouting(olds, news) ||
    !same(olds.triggers, news.triggers) ||
    holdsUnknown(news.triggers)
  );
}

function notes(olds: NumberState, news: NumberInputs): messages.Message[] {
  return [
    ...(olds.unapplied === undefined ? [] : [messages.sentAgain(who(news.number), UNAPPLIED_WORDS[olds.unapplied])]),
    ...(samePlace(olds, news) ? [] : [messages.endpointChanged(who(news.number), olds, news)]),
  ];
}

const UNAPPLIED_WORDS: Record<Unapplied, string> = {
  unknown: "the outcome of the request was not known",
  different: "the platform answered something else than was asked",
};

async function create(inputs: NumberInputs, session: Session): Promise<{ id: string; state: NumberState }> {
  return { id: inputs.number, state: await put(inputs, undefined, session) };
}

async function update(_id: string, olds: NumberState, news: NumberInputs, session: Session): Promise<NumberState> {
  if (!mustSend(olds, news)) return defined({ ...olds, ...pickLocal(news) });
  return put(news, olds, session);
}

const pickLocal = (news: NumberInputs) => Object.fromEntries(LOCAL.map((field) => [field, news[field]]));

/** Create and update are the same PUT. */
async function put(inputs: NumberInputs, olds: NumberState | undefined, session: Session): Promise<NumberState> {
  const { number } = inputs;
  refuseFrozen(who(number), session);
  session.declared.declareAll([number]);
  // Another platform knows nothing of what was bound here: there is nothing to clear there.
  const before = olds === undefined || !samePlace(olds, inputs) ? {} : routingOf(olds);
  const assigned = await session.inTurn(number, () => assign({ number, routing: routingOf(inputs), before }, session));
  tell(who(number), assigned, session);
  return conclude(inputs, olds, assigned, session);
}

/** Clears the bindings, or assigns the fallback; never a number that the running program still declares. */
async function remove(_id: string, state: NumberState, session: Session): Promise<void> {
  const { number } = state;
  if (state.endpoint !== session.settings.endpoint) {
    throw new ResourceError(messages.endpointDiffersAtDelete(who(number), state.endpoint, session.settings.endpoint));
  }
  await session.inTurn(number, async () => {
    if (session.declared.isDeclared(number)) return leave(state, session);
    const fallback = state.onDelete === undefined || state.onDelete === "clear" ? {} : state.onDelete;
    if (!bindsAnything(state) && !bindsAnything(fallback)) return;
    refuseFrozen(who(number), session);
    const assigned = await assign(
      { number, routing: { ...scopeOf(state), ...fallback }, before: routingOf(state) },
      session,
    );
    tell(who(number), assigned, session);
    concludeDelete(state, assigned, session);
  });
}

/** The engine creates before it deletes: what has just been assigned under another name stays. */
async function leave(state: NumberState, session: Session): Promise<void> {
  session.warn(messages.stillDeclared(who(state.number)));
  const task = handOver(state.number, routingOf(state), session);
  if (task === undefined) return;
  refuseFrozen(who(state.number), session);
  concludeDelete(state, await assign(task, session), session);
}

function concludeDelete(state: NumberState, assigned: Assigned, session: Session): void {
  if (assigned.result === "applied") return;
  if (assigned.result === "different") {
    const errors = grave(assigned.verdict.mismatches, assigned.cleared, session);
    if (errors.length > 0) {
      throw new ResourceError(messages.orKeep(messages.stillBound(who(state.number), errors, assigned.tried)));
    }
    return void session.warn(
      messages.mismatched(
        who(state.number),
        assigned.verdict.mismatches,
        "Told only: agent-platform:onMismatch decides.",
      ),
    );
  }
  const { failure, result } = assigned;
  // Gone at the platform is gone; but only in the platform's own words, for some proxy's 404 says nothing of the number.
  if (failure.cause === "notFound" && failure.isPlatformError)
    return void session.warn(messages.numberGone(who(state.number)));
  const details = {
    ...context(state, "delete", session),
    truth: "The resource stays in the state.",
  };
  throw new ResourceError(
    result === "rejected"
      ? messages.rejected(failure, details)
      : messages.unknownOutcome("AGP-040", failure, {
          ...details,
          truth: "The number may or may not have been cleared. The resource stays in the state.",
          remedy: messages.CLEAR_AGAIN,
        }),
  );
}

export const numberAssignment: Lifecycle<NumberInputs, NumberState> = {
  kind: KIND,
  who: ({ number }) => who(number),
  readState: (saved, id) => readSaved<NumberState>(KIND, saved, id, ["number", "endpoint"]),
  check,
  diff,
  create,
  update,
  delete: remove,
};
