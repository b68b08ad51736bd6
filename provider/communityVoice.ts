import type * as pulumi from "@pulumi/pulumi";
import type { Input } from "@pulumi/pulumi";
import { defineResource, type ResourceClass } from "./engine/defineResource";

/**
 * The arguments of a {@link CommunityVoice} (interface 4.3). The API cannot change a voice, so every change except to
 * `adopt` and `retryUnresolved` replaces the resource, which adds another voice and leaves the old one in the library.
 */
export interface CommunityVoiceArgs {
  /**
   * The ID (an integer) of the workspace whose library the voice is added to. Set the ID here or in the settings.
   * @default the `agent-platform:workspaceId` setting
   * @change replaces
   */
  readonly workspaceId?: Input<number | undefined>;
  /**
   * The name of the voice provider that the voice comes from. The API does not specify the possible names, so they are
   * not checked against a list.
   * @change replaces
   */
  readonly voiceProvider: Input<string>;
  /** The ID of the voice at its voice provider. @change replaces */
  readonly providerVoiceId: Input<string>;
  /** The name of the voice in the library. @change replaces */
  readonly voiceName: Input<string>;
  /** The voice provider's ID for the public user who published the voice. @change replaces */
  readonly publicUserId: Input<string>;
  /**
   * The type of the user who adds the voice. It is sent in the header that the `agent-platform:voiceHeaders` setting
   * names for this argument.
   * @default the header is not sent
   * @change replaces
   */
  readonly actorType?: Input<"platform_admin" | "provider_admin" | "tenant_admin" | "end_user" | undefined>;
  /**
   * The ID of a provider scope, for a user with privileged access to several tenants. The API does not define provider
   * scopes or specify their possible IDs. The ID is sent in the header that the setting `agent-platform:voiceHeaders`
   * names for this argument.
   * @default the header is not sent
   * @change replaces
   */
  readonly providerScope?: Input<string | undefined>;
  /**
   * The tenant or workspace that the request is about. It is sent in the header that the setting
   * `agent-platform:voiceHeaders` names for this argument. Required for the actor types `platform_admin` and
   * `provider_admin`.
   * @default the header is not sent
   * @change replaces
   */
  readonly workspaceContext?: Input<string | undefined>;
  /**
   * The `voiceId` of a voice that is already in the library. If set, the resource records that voice, and no request is
   * sent. Set this when you create the resource, or later if the voice is unresolved (AGP-041). At any other time,
   * changing this argument alone has no effect.
   * @default the voice is added
   * @change none; while it is unknown whether the voice was added, setting this replaces the resource and sends nothing
   */
  readonly adopt?: Input<string | undefined>;
  /**
   * Adds an unresolved voice by repeating its request. Set this to the ID in the AGP-041 message, but only after you
   * have found that the voice was not added.
   * @default nothing is sent again
   * @change none; while it is unknown whether the voice was added, setting this to the resource's ID replaces the
   * resource and sends the request once
   */
  readonly retryUnresolved?: Input<string | undefined>;
}

/**
 * A community voice in a workspace's library (interface 4.3). The API cannot change or delete a voice. Therefore, every
 * change except to `adopt` and `retryUnresolved` adds another voice, and a delete only warns that the voice stays in
 * the library. The resource's ID is the `voiceId`. The outputs hold the response to the request that added the voice
 * (interface 2.5), and are never updated later.
 */
export interface CommunityVoice extends pulumi.CustomResource {
  readonly workspaceId: pulumi.Output<number>;
  readonly voiceProvider: pulumi.Output<string>;
  readonly providerVoiceId: pulumi.Output<string>;
  readonly voiceName: pulumi.Output<string>;
  readonly publicUserId: pulumi.Output<string>;
  /** The ID of the voice in the library. Agents refer to the voice by this ID. */
  readonly voiceId: pulumi.Output<string>;
  /** The name of the voice, as the platform returned it. */
  readonly name: pulumi.Output<string | undefined>;
  /** Gender of the voice. */
  readonly gender: pulumi.Output<string | undefined>;
  /** Language of the voice. */
  readonly language: pulumi.Output<string | undefined>;
  /** Accent of the voice. */
  readonly accent: pulumi.Output<string | undefined>;
  /** The library's description of the voice. */
  readonly description: pulumi.Output<string | undefined>;
  /** The voice provider, as the platform returned it. */
  readonly provider: pulumi.Output<string | undefined>;
  /** The URL of a sample of the voice. */
  readonly previewUrl: pulumi.Output<string | undefined>;
  /** As the platform returned it. The API does not specify what this URL is for. */
  readonly playbackOverrideUrl: pulumi.Output<string | undefined>;
  /** The tags of the voice. */
  readonly tags: pulumi.Output<string[] | undefined>;
  /** When the voice was added, according to the platform (ISO 8601). */
  readonly createdAt: pulumi.Output<string | undefined>;
  /** When the voice was last changed, according to the platform (ISO 8601). */
  readonly updatedAt: pulumi.Output<string | undefined>;
  /** The base URL (origin and path) of the platform that the voice belongs to. */
  readonly endpoint: pulumi.Output<string>;
}

export const CommunityVoice: ResourceClass<CommunityVoiceArgs, CommunityVoice> = defineResource("CommunityVoice", {
  workspaceId: undefined,
  voiceProvider: undefined,
  providerVoiceId: undefined,
  voiceName: undefined,
  publicUserId: undefined,
  voiceId: undefined,
  name: undefined,
  gender: undefined,
  language: undefined,
  accent: undefined,
  description: undefined,
  provider: undefined,
  previewUrl: undefined,
  playbackOverrideUrl: undefined,
  tags: undefined,
  createdAt: undefined,
  updatedAt: undefined,
  endpoint: undefined,
});
