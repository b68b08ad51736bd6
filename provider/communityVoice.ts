import type * as pulumi from "@pulumi/pulumi";
import type { Input } from "@pulumi/pulumi";
import { defineResource, type ResourceClass } from "./engine/defineResource";

/**
 * The arguments of a {@link CommunityVoice} (interface 4.3). There is no call to change a voice: every change but that of `adopt` and
 * `retryUnresolved` replaces, which adds another voice and leaves the old one in the library.
 */
export interface CommunityVoiceArgs {
  /** Workspace whose library gets the voice, an integer. Set it here or as a setting. @default the setting `agent-platform:workspaceId` @change replaces */
  readonly workspaceId?: Input<number | undefined>;
  /** The provider that the voice comes from, any text. @change replaces */
  readonly voiceProvider: Input<string>;
  /** The voice's id at its provider. @change replaces */
  readonly providerVoiceId: Input<string>;
  /** Name of the voice in the library. @change replaces */
  readonly voiceName: Input<string>;
  /** The public user at the provider who published the voice. @change replaces */
  readonly publicUserId: Input<string>;
  /**
   * Privileged actor, in a header that `agent-platform:voiceHeaders` names.
   * @default the header is not sent
   * @change replaces
   */
  readonly actorType?: Input<"platform_admin" | "provider_admin" | "tenant_admin" | "end_user" | undefined>;
  /**
   * Provider scope of a privileged request, in such a header.
   * @default the header is not sent
   * @change replaces
   */
  readonly providerScope?: Input<string | undefined>;
  /**
   * Tenant or workspace context, in such a header. Needed by `platform_admin` and `provider_admin`.
   * @default the header is not sent
   * @change replaces
   */
  readonly workspaceContext?: Input<string | undefined>;
  /**
   * The voiceId of a voice that is in the library already: nothing is sent. Read at create or while unresolved.
   * @default the voice is added
   * @change none; while the voice is unresolved it replaces, and nothing is sent
   */
  readonly adopt?: Input<string | undefined>;
  /**
   * The unresolved id whose one retry is allowed (after a request of unknown outcome).
   * @default nothing is sent again
   * @change none; while the voice is unresolved and this is its id, it replaces, and the request is sent once
   */
  readonly retryUnresolved?: Input<string | undefined>;
}

/**
 * A community voice in a workspace's library (interface 4.3). The API cannot change or delete one: every
 * change replaces, and a delete leaves the voice in the library and says so. Its id is the voiceId. Its outputs are what the
 * platform returned when it was added (interface 2.5); they are never read again.
 */
export interface CommunityVoice extends pulumi.CustomResource {
  readonly workspaceId: pulumi.Output<number>;
  readonly voiceProvider: pulumi.Output<string>;
  readonly providerVoiceId: pulumi.Output<string>;
  readonly voiceName: pulumi.Output<string>;
  readonly publicUserId: pulumi.Output<string>;
  /** The voice in the library: what an agent refers to. */
  readonly voiceId: pulumi.Output<string>;
  /** Name of the voice, in the platform's words. */
  readonly name: pulumi.Output<string | undefined>;
  /** Gender of the voice. */
  readonly gender: pulumi.Output<string | undefined>;
  /** Language of the voice. */
  readonly language: pulumi.Output<string | undefined>;
  /** Accent of the voice. */
  readonly accent: pulumi.Output<string | undefined>;
  /** What the library says of the voice. */
  readonly description: pulumi.Output<string | undefined>;
  /** Provider of the voice, in the platform's words. */
  readonly provider: pulumi.Output<string | undefined>;
  /** Address of a sample of the voice. */
  readonly previewUrl: pulumi.Output<string | undefined>;
  /** Another place to hear it. */
  readonly playbackOverrideUrl: pulumi.Output<string | undefined>;
  /** Tags of the voice, a list of text. */
  readonly tags: pulumi.Output<string[] | undefined>;
  /** When the platform says that it was added (ISO 8601). */
  readonly createdAt: pulumi.Output<string | undefined>;
  /** When the platform says that it was changed last (ISO 8601). */
  readonly updatedAt: pulumi.Output<string | undefined>;
  /** The platform that has the voice: origin and path of the base URL. */
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
