/**
 * Describes a kind of resource that a POST creates. The lifecycle, messages, report and doctor use these values instead
 * of comparing the kind's name.
 */
export interface Posted {
  readonly noun: string;
  /** The response field with the new ID. */
  readonly idName: string;
  /** The argument that identifies the resource for people who look for it on the platform. */
  readonly foundBy: string;
  readonly named: (value: string) => string;
  /** A phrase for a successful POST, followed by the workspace, as in `added to workspace 42`. */
  readonly created: string;
  /** The effect of the POST, as a phrase in the advice to retry, such as `retryUnresolved … (sends the SMS, once)`. */
  readonly sends: string;
  /**
   * What a preview says about a pending POST: the error code, and the words that follow `pulumi up`. `name` is
   * undefined if it is secret or unknown.
   */
  readonly ahead: { readonly code: "AGP-067" | "AGP-069"; readonly does: (name: string | undefined) => string };
  /** The place on the platform where people find the resource. */
  readonly place: string;
  /** Changing any of these arguments replaces the resource and therefore sends another POST. */
  readonly replaces: readonly string[];
  /** Arguments that, when changed, are saved but not sent. */
  readonly recorded: readonly string[];
  /** Whether a delete also ends the resource on the platform. Otherwise, the resource stays on the platform. */
  readonly ends: boolean;
}

export const POSTED = {
  CommunityVoice: {
    noun: "voice",
    idName: "voiceId",
    foundBy: "voiceName",
    named: (value) => `voice "${value}"`,
    created: "added to",
    sends: "adds the voice",
    ahead: {
      code: "AGP-069",
      does: (name) => `adds ${name === undefined ? "a voice" : `the voice "${name}"`}, which the API cannot remove`,
    },
    place: "the voice library",
    replaces: [
      "workspaceId",
      "voiceProvider",
      "providerVoiceId",
      "voiceName",
      "publicUserId",
      "actorType",
      "providerScope",
      "workspaceContext",
    ],
    recorded: [],
    ends: false,
  },
  SmsChat: {
    noun: "chat",
    idName: "chatId",
    foundBy: "toNumber",
    named: (value) => `chat to ${value}`,
    created: "started in",
    sends: "sends the SMS",
    ahead: { code: "AGP-067", does: (name) => `sends an SMS to ${name ?? "a number that is secret or not known yet"}` },
    place: "the workspace's chats",
    replaces: ["workspaceId", "agentId", "fromNumber", "toNumber", "sendKey"],
    recorded: ["metadata", "serviceDynamicVariables"],
    ends: true,
  },
} as const satisfies Readonly<Record<string, Posted>>;

export type PostedKind = keyof typeof POSTED;

export const NUMBER_KINDS: readonly NumbersKind[] = ["NumberAssignment", "NumberGroup"];

export const POSTED_KINDS = Object.keys(POSTED) as PostedKind[];

export const postedAs = (kind: PostedKind): Posted => POSTED[kind];

/** The kinds of resources. Their names and types are in every saved state, so they must not change. */
export type NumbersKind = "NumberAssignment" | "NumberGroup";

export type ResourceKind = NumbersKind | PostedKind;

export const KINDS: readonly ResourceKind[] = [...NUMBER_KINDS, ...POSTED_KINDS];

export const isOfNumbers = (kind: ResourceKind): kind is NumbersKind => !(kind in POSTED);

/** A kind's type in the state. */
export const dynamicType = (kind: ResourceKind): string => `pulumi-nodejs:dynamic/agent-platform:${kind}`;

/**
 * The property with the provider's source text, which the SDK's provider process runs. Without it, a resource can't be
 * refreshed or deleted.
 */
export const PROVIDER = "__provider";

/** The provider's source as saved in the state. This line is the same on every machine and in every release. */
export const providerText = (kind: ResourceKind): string =>
  `exports.handler = () => require("pulumi-agent-platform/handlers").${kind[0]?.toLowerCase()}${kind.slice(1)}`;
