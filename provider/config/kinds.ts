/**
 * The differences between the two kinds of resources that a POST creates, voices and chats. Other code can read these
 * fields instead of comparing the kind's name.
 */
export interface Posted {
  readonly noun: string;
  /** The field of the response that contains the ID of the new voice or chat. */
  readonly idName: string;
  /** The argument by which people find the resource on the platform, such as the name of a voice. */
  readonly foundBy: string;
  readonly named: (value: string) => string;
  /** A phrase for messages: `added to` in `The voice "Ada" may have been added to workspace 42.` */
  readonly created: string;
  /** A phrase for messages about sending the POST again, such as `sends the SMS` in `(sends the SMS, once)`. */
  readonly sends: string;
  /** A sentence for messages. It says that a POST whose outcome is unknown isn't sent again automatically. */
  readonly notRepeated: string;
  /**
   * How a preview announces the POST. `does` returns the words after `pulumi up`, such as `sends an SMS to
   * +15557654321`. A secret or unknown `name` is undefined.
   */
  readonly ahead: { readonly code: "AGP-067" | "AGP-069"; readonly does: (name: string | undefined) => string };
  /** The place on the platform where people find the resource. */
  readonly place: string;
  /** Changing any of these arguments replaces the resource and therefore sends another POST. */
  readonly replaces: readonly string[];
  /** Changes to these arguments are saved in the state but not sent, because the API cannot change the resource. */
  readonly recorded: readonly string[];
  /** Whether deleting the resource also ends the chat on the platform. A voice stays on the platform. */
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
    notRepeated: "The voice will not be added again automatically.",
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
    notRepeated: "No second SMS will be sent automatically.",
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

/** The kinds of number resources. The name of every kind is in the saved states, so it must not change. */
export type NumbersKind = "NumberAssignment" | "NumberGroup";

export type ResourceKind = NumbersKind | PostedKind;

export const KINDS: readonly ResourceKind[] = [...NUMBER_KINDS, ...POSTED_KINDS];

export const isOfNumbers = (kind: ResourceKind): kind is NumbersKind => !(kind in POSTED);

/** A kind's type token, as in URNs and saved states. */
export const dynamicType = (kind: ResourceKind): string => `pulumi-nodejs:dynamic/agent-platform:${kind}`;

/**
 * The property with the provider's source code, which the SDK's provider process evaluates. Without it, a saved
 * resource can't be refreshed or deleted.
 */
export const PROVIDER = "__provider";

/**
 * Returns the provider's source code. It must be the same on every machine and in every release, so that upgrading the
 * package doesn't change any resource.
 */
export const providerText = (kind: ResourceKind): string =>
  `exports.handler = () => require("pulumi-agent-platform/handlers").${kind[0]?.toLowerCase()}${kind.slice(1)}`;
