/** A kind of resource that a POST makes. The lifecycle, the messages, the report and the doctor read its row, and do not ask for its name. */
export interface Posted {
  readonly noun: string;
  /** The field of the response with the new id. */
  readonly idName: string;
  /** The argument by which people find it on the platform. */
  readonly foundBy: string;
  readonly named: (value: string) => string;
  /** What a POST does. A message names the workspace after it: `added to workspace 42`. */
  readonly begun: string;
  /** What the next run does, for a preview: the code, and the sentence behind `pulumi up`. `what` names it, unless its name is secret or unknown. */
  readonly ahead: { readonly code: "AGP-067" | "AGP-069"; readonly does: (name: string | undefined) => string };
  /** The place on the platform that people search for it. */
  readonly place: string;
  /** Arguments whose change replaces, and so posts again. */
  readonly replaces: readonly string[];
  /** Arguments that are saved and never sent by a change. */
  readonly recorded: readonly string[];
  /** Does a delete end it, by a request? If not, it stays on the platform when its resource goes. */
  readonly ends: boolean;
}

export const POSTED = {
  CommunityVoice: {
    noun: "voice",
    idName: "voiceId",
    foundBy: "voiceName",
    named: (value) => `voice "${value}"`,
    begun: "added to",
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
    begun: "started in",
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

/** The kinds of resources. Every saved state has their names and types, so they must not change. */
export type NumbersKind = "NumberAssignment" | "NumberGroup";

export type ResourceKind = NumbersKind | PostedKind;

export const KINDS: readonly ResourceKind[] = [...NUMBER_KINDS, ...POSTED_KINDS];

export const isOfNumbers = (kind: ResourceKind): kind is NumbersKind => !(kind in POSTED);

/** The type of a kind in a state. */
export const dynamicType = (kind: ResourceKind): string => `pulumi-nodejs:dynamic/agent-platform:${kind}`;

/** The property with the provider's text. The SDK's provider process runs that text. Without it, it can neither refresh nor delete a resource. */
export const PROVIDER = "__provider";

/** The whole provider in the state: one constant line, the same on every machine and in every release. */
export const providerText = (kind: ResourceKind): string =>
  `exports.handler = () => require("pulumi-agent-platform/handlers").${kind[0]?.toLowerCase()}${kind.slice(1)}`;
