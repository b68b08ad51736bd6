import * as z from "zod";
import { endpointOf } from "../core/endpoint";
import * as messages from "../core/messages";
import type { AddCommunityVoiceRequest, Voice } from "../core/operations";
import { type Plan, type PostedState, planPosted, type UnresolvedArgs } from "../core/plan";
import { integer, oneOf, optional, type Problem, plainText, required, secretArguments } from "../core/schemas";
import type { Settings } from "../core/settings";
import { ACTOR_TYPES } from "./args";
import { checkPosted } from "./checkPosted";
import { readSaved, refuseFrozen, subjectOf } from "./guarded";
import { type Checked, type Created, type Lifecycle, ResourceError, type Session } from "./lifecycle";
import { explainPosted, isResolved, type PostedResource, refuseOwnId, saveUnresolved } from "./unresolved";

export interface VoiceInputs extends UnresolvedArgs {
  readonly workspaceId: number;
  readonly voiceProvider: string;
  readonly providerVoiceId: string;
  readonly voiceName: string;
  readonly publicUserId: string;
  readonly actorType?: string | undefined;
  readonly providerScope?: string | undefined;
  readonly workspaceContext?: string | undefined;
  /** Arguments whose values are secret, so that no message shows one. */
  readonly secretArguments?: readonly string[] | undefined;
}

export interface VoiceState extends VoiceInputs, PostedState, Partial<Answered> {}

type Answered = { [Key in keyof Voice]: Exclude<Voice[Key], null> };

const KIND = "CommunityVoice";

const schema = z.strictObject({
  workspaceId: optional(integer),
  voiceProvider: required(plainText),
  providerVoiceId: required(plainText),
  voiceName: required(plainText),
  publicUserId: required(plainText),
  actorType: optional(oneOf(ACTOR_TYPES)),
  providerScope: optional(plainText),
  workspaceContext: optional(plainText),
  adopt: optional(plainText),
  retryUnresolved: optional(plainText),
  secretArguments: optional(secretArguments),
});

const HEADERS = {
  actorType: "actorTypeHeader",
  providerScope: "providerScopeHeader",
  workspaceContext: "workspaceContextHeader",
} as const;

const posted = ({ voiceName, workspaceId, secretArguments }: VoiceInputs): PostedResource => ({
  kind: "voice",
  who: subjectOf(KIND, "voiceName", voiceName, secretArguments),
  where: `workspace ${workspaceId}`,
  code: "AGP-041",
});

function check(
  olds: Readonly<Record<string, unknown>> | undefined,
  news: Readonly<Record<string, unknown>>,
  settings: Settings,
): Checked<VoiceInputs> {
  const { value, checked } = checkPosted(schema, olds, news, settings);
  if (value === undefined) {
    return checked;
  }
  const problems = actorProblems(value, settings).map((problem) => messages.invalid(problem, "AGP-004"));
  return { ...checked, failures: [...checked.failures, ...problems] };
}

/** The interface demands a context for admins, and does not show the names of the headers (4.3). */
function actorProblems(inputs: VoiceInputs, settings: Settings): Problem[] {
  const isAdmin = inputs.actorType === "platform_admin" || inputs.actorType === "provider_admin";
  const unnamed = (Object.keys(HEADERS) as (keyof typeof HEADERS)[]).filter(
    (field) => inputs[field] !== undefined && settings[HEADERS[field]] === undefined,
  );
  return [
    ...(isAdmin && inputs.workspaceContext === undefined
      ? [{ path: "workspaceContext", rule: `must be given with the actor type "${inputs.actorType}"` }]
      : []),
    ...unnamed.map((field) => ({
      path: field,
      rule: `needs the name of its header: set agent-platform:${HEADERS[field]}`,
    })),
  ];
}

function diff(id: string, olds: VoiceState, news: VoiceInputs, settings: Settings): Plan {
  const plan = planPosted(KIND, id, olds, news, settings);
  if (!olds.unresolved) {
    refuseOwnId(id, news, plan.replaces as (keyof VoiceInputs & string)[], posted(olds).who);
  }
  return plan;
}

async function create(inputs: VoiceInputs, session: Session): Promise<Created<VoiceState>> {
  const place = endpointOf(session.settings);
  if (inputs.adopt !== undefined) {
    return { id: inputs.adopt, state: { ...inputs, voiceId: inputs.adopt, ...place } };
  }
  refuseFrozen(posted(inputs).who, session);
  const outcome = await session.client().addCommunityVoice(toRequest(inputs));
  if (outcome.outcome === "unknown") {
    throw saveUnresolved(outcome.failure, inputs, posted(inputs), session);
  }
  if (outcome.outcome === "rejected") {
    throw refused(outcome.failure, inputs, session);
  }
  if (outcome.issues.length > 0) {
    session.warn(messages.answerIssues(posted(inputs).who, outcome.issues));
  }
  const voice = outcome.answer as Voice;
  return { id: voice.voiceId, state: { ...inputs, ...toOutputs(voice), ...place } };
}

function toRequest(inputs: VoiceInputs): AddCommunityVoiceRequest {
  const { adopt: _, retryUnresolved: __, secretArguments: ___, ...request } = inputs;
  return request;
}

const toOutputs = (voice: Voice): Answered =>
  Object.fromEntries(Object.entries(voice).filter(([, value]) => value !== null && value !== undefined)) as Answered;

function refused(
  failure: Parameters<typeof messages.rejected>[0],
  inputs: VoiceInputs,
  { settings }: Session,
): ResourceError {
  return new ResourceError(
    messages.rejected(failure, {
      who: posted(inputs).who,
      action: "create",
      truth: "No voice was added. Nothing is saved.",
      tokenSource: settings.tokenSource,
      endpoint: settings.endpoint,
      workspaceId: inputs.workspaceId,
    }),
  );
}

/** Only an unresolved entry, or one whose `adopt` came or went, is updated in place: nothing is ever sent. */
async function update(id: string, olds: VoiceState, _news: VoiceInputs, session: Session): Promise<VoiceState> {
  if (olds.unresolved) {
    session.warn(messages.stillUnresolved("voice", posted(olds).who, posted(olds).where, id));
  }
  return olds;
}

/** The API cannot delete voices: it is removed from the state only. */
async function remove(id: string, state: VoiceState, session: Session): Promise<void> {
  const { who, where } = posted(state);
  if (!state.unresolved) {
    session.warn(messages.voiceStays(who, state.workspaceId));
  } else if (!isResolved(id, session)) {
    session.warn(messages.unresolvedForgotten("voice", who, where));
  }
}

export const communityVoice: Lifecycle<VoiceInputs, VoiceState> = {
  kind: KIND,
  schema,
  who: (inputs) => posted(inputs).who,
  hidden: ({ secretArguments = [] }) => secretArguments,
  readState: (saved, id) => readSaved<VoiceState>(KIND, saved, id),
  check,
  diff,
  explain: (id, olds, _news, plan) => explainPosted(id, posted(olds), plan),
  create,
  update,
  delete: remove,
};
