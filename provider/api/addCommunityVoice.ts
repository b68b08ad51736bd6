import * as z from "zod";
import { wire } from "../base/schemas";
import { CONTEXT_FIELDS, type VoiceHeaders } from "../config/settings";
import { secretsIn } from "./body";
import { bodyWithNames, type Operation, requestTo, SHOWN } from "./operation";
import { dateTime, readNew, wireText } from "./response";

const NAME = "POST /api/voices/community";

/**
 * Adds a voice to a library (interface 4.3). Never resent after an unknown outcome, because the voice may already
 * exist.
 */
export const addCommunityVoice: Operation<AddCommunityVoiceRequest, Voice> = {
  name: NAME,
  call: (request, { baseUrl, voiceHeaders = {} }) => ({
    ...requestTo(NAME, baseUrl),
    // The interface doesn't name these headers (4.3), so their names come from a setting. If no name is set for a
    // header, `check` refuses a value for it.
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
  }),
};

/** The last three fields are sent as headers. The names of those headers come from the settings. */
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

/** A voice (interface 2.5). A voice without an ID can't be saved. */
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
