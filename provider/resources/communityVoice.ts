import type { Input } from "@pulumi/pulumi";
import { z } from "zod";
import { placeOf, samePlace } from "../core/endpoint";
import { integer, oneOf, optional, type Problem, plainText, required } from "../core/inputs";
import * as messages from "../core/messages";
import type { AddCommunityVoiceRequest, Voice } from "../core/operations";
import { same } from "../core/same";
import type { Settings } from "../core/settings";
import { isUnknown } from "../core/unknown";
import { checkPosted } from "./checkPosted";
import { judgeFreeze, refuseFrozen } from "./judge";
import { type Checked, type Created, type Diff, type Lifecycle, ResourceError, type Session } from "./lifecycle";
import { readSaved } from "./saved";
import {
  diffUnresolved,
  isSettled,
  type Marked,
  type Posted,
  refuseOwnId,
  type Settling,
  saveUnresolved,
} from "./unresolved";

export const ACTOR_TYPES = ["platform_admin", "provider_admin", "tenant_admin", "end_user"] as const;

/**
 * The arguments of a {@link CommunityVoice} (interface 4.3). There is no call to change a voice: every change but that of `adopt` and
 * `retryUnresolved` replaces, which adds another voice and leaves the old one in the library.
 */
export interface CommunityVoiceArgs {
  /** Workspace whose library gets the voice, an integer. @default the setting `agent-platform:workspaceId` @change replaces */
  workspaceId?: Input<number | undefined>;
  /** The provider that the voice comes from, any text. Its values, the interface does not show. @change replaces */
  voiceProvider: Input<string>;
  /** The voice's id at its provider. @change replaces */
  providerVoiceId: Input<string>;
  /** Name of the voice in the library. @change replaces */
  voiceName: Input<string>;
  /** The public user at the provider who shares the voice. @change replaces */
  publicUserId: Input<string>;
  /**
   * Privileged actor: sent as a header whose name the setting `agent-platform:actorTypeHeader` gives.
   * @default the header is not sent
   * @change replaces
   */
  actorType?: Input<(typeof ACTOR_TYPES)[number] | undefined>;
  /**
   * Provider scope of a privileged request: a header, named by `agent-platform:providerScopeHeader`.
   * @default the header is not sent
   * @change replaces
   */
  providerScope?: Input<string | undefined>;
  /**
   * Tenant or workspace context: a header, named by `agent-platform:workspaceContextHeader`. Needed by `platform_admin` and `provider_admin`.
   * @default the header is not sent
   * @change replaces
   */
  workspaceContext?: Input<string | undefined>;
  /**
   * The voiceId of a voice that is in the library already: nothing is sent. Read at create or while unresolved.
   * @default the voice is added
   * @change none; while the voice is unresolved it replaces, and nothing is sent
   */
  adopt?: Input<string | undefined>;
  /**
   * The unresolved id whose one retry is allowed (after a request of unknown outcome).
   * @default nothing is sent again
   * @change none; while the voice is unresolved and this is its id, it replaces, and the request is sent once
   */
  retryUnresolved?: Input<string | undefined>;
}

export interface VoiceInputs extends Settling {
  workspaceId: number;
  voiceProvider: string;
  providerVoiceId: string;
  voiceName: string;
  publicUserId: string;
  actorType?: string | undefined;
  providerScope?: string | undefined;
  workspaceContext?: string | undefined;
}

export interface VoiceState extends VoiceInputs, Marked, Partial<Answered> {
  endpoint: string;
  account?: string | undefined;
}

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
});

const REPLACES = [
  "workspaceId",
  "voiceProvider",
  "providerVoiceId",
  "voiceName",
  "publicUserId",
  "actorType",
  "providerScope",
  "workspaceContext",
] as const;

const HEADERS = {
  actorType: "actorTypeHeader",
  providerScope: "providerScopeHeader",
  workspaceContext: "workspaceContextHeader",
} as const;

const posted = ({ voiceName, workspaceId }: Pick<VoiceInputs, "voiceName" | "workspaceId">): Posted => ({
  kind: "voice",
  who: messages.subject(KIND, isUnknown(voiceName) ? "(not known yet)" : voiceName),
  where: `workspace ${workspaceId}`,
  code: "AGP-041",
});

function check(
  olds: Readonly<Record<string, unknown>> | undefined,
  news: Readonly<Record<string, unknown>>,
  settings: Settings,
): Checked<VoiceInputs> {
  const { value, checked } = checkPosted(schema, olds, news, settings);
  if (value === undefined) return checked;
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

function diff(id: string, olds: VoiceState, news: VoiceInputs, settings: Settings): Diff {
  if (olds.unresolved) return diffUnresolved(id, news, posted(olds));
  // An unknown value is reported as a replacement: the other way round a preview shows an update and the `up` posts again.
  const replaces = REPLACES.filter((field) => !same(olds[field], news[field]));
  refuseOwnId(id, news, replaces, posted(olds).who);
  const isElsewhere = !samePlace(olds, settings);
  return {
    changes: replaces.length > 0,
    replaces,
    deleteBeforeReplace: false,
    notes: isElsewhere ? [messages.movedElsewhere(posted(olds).who, olds, settings)] : [],
    trips: replaces.length > 0 ? judgeFreeze(settings) : [],
  };
}

async function create(inputs: VoiceInputs, session: Session): Promise<Created<VoiceState>> {
  const place = placeOf(session.settings);
  if (inputs.adopt !== undefined) return { id: inputs.adopt, state: { ...inputs, voiceId: inputs.adopt, ...place } };
  refuseFrozen(posted(inputs).who, session);
  const outcome = await session.client().addCommunityVoice(toRequest(inputs));
  if (outcome.outcome === "unknown") throw saveUnresolved(outcome.failure, inputs, posted(inputs), session);
  if (outcome.outcome === "rejected") throw refused(outcome.failure, inputs, session);
  if (outcome.issues.length > 0) session.warn(messages.answerIssues(posted(inputs).who, outcome.issues));
  const voice = outcome.answer as Voice;
  return { id: voice.voiceId, state: { ...inputs, ...toOutputs(voice), ...place } };
}

const toRequest = ({ adopt: _, retryUnresolved: __, ...request }: VoiceInputs): AddCommunityVoiceRequest => request;

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
  if (olds.unresolved) session.warn(messages.stillUnresolved("voice", posted(olds).who, posted(olds).where, id));
  return olds;
}

/** The platform shows no way to remove a voice: only the state forgets it. */
async function remove(id: string, state: VoiceState, session: Session): Promise<void> {
  const { who, where } = posted(state);
  if (!state.unresolved) session.warn(messages.voiceStays(who, state.workspaceId));
  else if (!isSettled(id, session)) session.warn(messages.unresolvedForgotten("voice", who, where));
}

export const communityVoice: Lifecycle<VoiceInputs, VoiceState> = {
  kind: KIND,
  who: (inputs) => posted(inputs).who,
  readState: (saved, id) => readSaved<VoiceState>(KIND, saved, id, ["voiceName", "endpoint"]),
  check,
  diff,
  create,
  update,
  delete: remove,
};
