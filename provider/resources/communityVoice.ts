import * as z from "zod";
import { resourceLabel } from "../core/label";
import * as messages from "../core/messages";
import type { AddCommunityVoiceRequest, Voice } from "../core/operations";
import { oneOf, optional, type Problem, plainText, required } from "../core/schemas";
import { CONTEXT_FIELDS, CONTEXT_HEADERS, type Settings } from "../core/settings";
import { ACTOR_TYPES } from "./args";
import { type PostInputs, postLifecycle, postShape, type SavedPost } from "./posts";

export interface VoiceInputs extends AddCommunityVoiceRequest, PostInputs {}

export type VoiceState = SavedPost<VoiceInputs, Voice>;

const KIND = "CommunityVoice";

export const communityVoice = postLifecycle<VoiceInputs, Voice>({
  kind: KIND,
  noun: "voice",
  foundBy: { argument: "voiceName", phrase: (name) => `voice "${name}"` },
  idName: "voiceId",
  schema: z.strictObject({
    ...postShape,
    voiceProvider: required(plainText),
    providerVoiceId: required(plainText),
    voiceName: required(plainText),
    publicUserId: required(plainText),
    actorType: optional(oneOf(ACTOR_TYPES)),
    providerScope: optional(plainText),
    workspaceContext: optional(plainText),
    adopt: optional(plainText),
  }),
  problems,
  post: (client, inputs) => client.addCommunityVoice(inputs),
  code: "AGP-041",
  refused: "No voice was added. Nothing is saved.",
  /** The API cannot delete voices, so a delete only removes the resource from the state. */
  remove: async (_id, state, session, what) =>
    session.warn(messages.voiceStays(resourceLabel(KIND, state), what, state.workspaceId)),
});

/** The interface demands a context for admins, and does not show the names of the headers (4.3). */
function problems(inputs: VoiceInputs, settings: Settings): Problem[] {
  const isAdmin = inputs.actorType === "platform_admin" || inputs.actorType === "provider_admin";
  const unnamed = CONTEXT_FIELDS.filter(
    (field) => inputs[field] !== undefined && settings[CONTEXT_HEADERS[field]] === undefined,
  );
  return [
    ...(isAdmin && inputs.workspaceContext === undefined
      ? [{ path: "workspaceContext", rule: `must be given with the actor type "${inputs.actorType}"` }]
      : []),
    ...unnamed.map((field) => ({
      path: field,
      rule: `needs the name of its header: set agent-platform:${CONTEXT_HEADERS[field]}`,
    })),
  ];
}
