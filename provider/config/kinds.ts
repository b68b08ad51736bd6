/**
 * A kind of resource that a POST creates. The lifecycle, the messages, the report and doctor read its row instead of
 * testing for its name.
 */
export interface Posted {
  readonly noun: string;
  /** The response field with the new ID. */
  readonly idName: string;
  /** The argument by which people find the resource on the platform. */
  readonly foundBy: string;
  readonly named: (value: string) => string;
  /** What a POST does, completed by the workspace, as in `added to workspace 42`. */
  readonly created: string;
  /** What its POST does, as in `retryUnresolved … (sends the SMS, once)`. */
  readonly sends: string;
  /**
   * What a preview says the next run does: the code, and the end of a sentence that starts with `pulumi up`. `name` is
   * missing if it's secret or unknown.
   */
  readonly ahead: { readonly code: "AGP-067" | "AGP-069"; readonly does: (name: string | undefined) => string };
  /** Where on the platform people look for the resource. */
  readonly place: string;
  /** Arguments that, when changed, replace the resource and so POST again. */
  readonly replaces: readonly string[];
  /** Arguments that, when changed, are saved but not sent. */
  readonly recorded: readonly string[];
  /** Whether a delete also ends the resource on the platform. Otherwise it stays there after its delete. */
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
