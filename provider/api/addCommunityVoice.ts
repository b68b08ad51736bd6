import * as z from "zod";
import { wire } from "../base/schemas";
import { CONTEXT_FIELDS, type VoiceHeaders } from "../config/settings";
import { bodyWithNames, type Call, type CallSettings, requestTo, SHOWN, secretsIn } from "./operation";
import { dateTime, readNew, wireText } from "./response";

/**
 * Adds a community voice to a workspace's library (docs/interface.md, section 4.3). Never resent after an unknown
 * outcome, because the voice may already be there.
 */
export const addCommunityVoice = (
  request: AddCommunityVoiceRequest,
  { baseUrl, voiceHeaders = {} }: CallSettings,
): Call<Voice> => ({
  ...requestTo("POST /api/voices/community", baseUrl),
  // The interface doesn't name these headers, so the setting `voiceHeaders` names them. `check` has already refused an
  // argument whose header has no name.
  headers: Object.fromEntries(
    CONTEXT_FIELDS.map((field) => [voiceHeaders[field], request[field]]).filter(
      ([name, value]) => name !== undefined && value !== undefined,
    ),
  ),
  body: bodyWithNames<AddCommunityVoiceRequest, keyof VoiceHeaders>(request, {
    workspaceId: "workspaceId",
    voiceProvider: "voiceProvider",
    providerVoiceId: "providerVoiceId",
    voiceName: "voiceName",
    publicUserId: "publicUserId",
  }),
  secrets: secretsIn(request, SHOWN),
  read: (body) => readNew(body, voice, "voiceId"),
});

/**
 * The arguments of a community voice. `actorType`, `providerScope` and `workspaceContext` are sent as headers, all
 * others in the body.
 */
export interface AddCommunityVoiceRequest {
  readonly workspaceId: number;
  readonly voiceProvider: string;
  readonly providerVoiceId: string;
  readonly voiceName: string;
  readonly publicUserId: string;
  readonly actorType?: string | undefined;
  readonly providerScope?: string | undefined;
  readonly workspaceContext?: string | undefined;
}

/**
 * A voice as the platform returns it (docs/interface.md, section 2.5). The voice's ID is required, because it becomes
 * the resource's ID in the state.
 */
export type Voice = z.output<typeof voice> & { readonly voiceId: string };

const voice = z.object({
  voiceId: wireText,
  name: wireText,
  gender: wireText,
  language: wireText,
  accent: wireText,
  description: wireText,
  provider: wireText,
  previewUrl: wireText,
  playbackOverrideUrl: wireText,
  tags: wire(z.array(z.string())),
  createdAt: dateTime,
  updatedAt: dateTime,
});
