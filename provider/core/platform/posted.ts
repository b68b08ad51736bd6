/**
 * The kinds of resources that a POST makes: one row each. The lifecycle, the messages, the report and the doctor read it, and none of them asks
 * for a kind by its name.
 */
export interface Posted {
  /** A small letter, in the singular. */
  readonly noun: string;
  /** The field of the response with the new id. */
  readonly idName: string;
  /** The argument by which people find it on the platform. */
  readonly foundBy: string;
  /** How messages name it, by the value of that argument. */
  readonly named: (value: string) => string;
  /** What a POST has done to it, before the workspace. */
  readonly begun: string;
  /** Where people look for it. */
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
    place: "the workspace's chats",
    replaces: ["workspaceId", "agentId", "fromNumber", "toNumber", "sendKey"],
    recorded: ["metadata", "serviceDynamicVariables"],
    ends: true,
  },
} as const satisfies Readonly<Record<string, Posted>>;

export type PostedKind = keyof typeof POSTED;
export const POSTED_KINDS = Object.keys(POSTED) as PostedKind[];

/** The row of a kind, without what is special about one kind. */
export const postedAs = (kind: PostedKind): Posted => POSTED[kind];
