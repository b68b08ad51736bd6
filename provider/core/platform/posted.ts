import type { Code } from "../common/codes";

/**
 * The kinds of resources that a POST makes: one row each. The lifecycle, the messages, the report and the doctor read it, and none of them asks
 * for a kind by its name. In its texts `{value}` is the value of `foundBy`, `{what}` is `what` filled in, and `{where}` is the workspace.
 */
export type Posted = Common & (Ending | Staying);

interface Common {
  /** A small letter, in the singular. */
  readonly noun: string;
  /** The field of the response with the new id. */
  readonly idName: string;
  /** The argument by which people find it on the platform. */
  readonly foundBy: string;
  /** How messages name it. */
  readonly what: string;
  /** Where people look for it. */
  readonly place: string;
  /** Arguments whose change replaces, and so posts again. */
  readonly replaces: readonly string[];
  /** Arguments that are saved and never sent by a change. */
  readonly recorded: readonly string[];
  /** After a POST that was refused: nothing exists. */
  readonly refused: string;
  readonly maybe: Maybe;
}

/** A delete ends it, by a request. */
interface Ending {
  readonly end: End;
  readonly stays?: undefined;
}

/** It stays on the platform when its resource goes. */
interface Staying {
  readonly stays: Stays;
  readonly end?: undefined;
}

/** What is said of one that may exist, because the outcome of its POST is unknown. */
interface Maybe {
  /** The code of that message. */
  readonly code: Code;
  readonly created: string;
  readonly exists: string;
  /** How doctor says it: the subject and the verb before `{where}`. */
  readonly inBrief: string;
  /** What to look at, before the next `pulumi up`. */
  readonly look: string;
}

interface End {
  /** The code of an unknown outcome. */
  readonly code: Code;
}

interface Stays {
  /** The message of a delete. */
  readonly code: Code;
  readonly deleted: string;
}

export const POSTED = {
  CommunityVoice: {
    noun: "voice",
    idName: "voiceId",
    foundBy: "voiceName",
    what: 'voice "{value}"',
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
    refused: "No voice was added. Nothing is saved.",
    maybe: {
      code: "AGP-041",
      created: "The {what} may have been added to {where}.",
      exists: "The {what} may exist in {where}",
      inBrief: "the voice may or may not be in",
      look: 'the voice library of {where} for "{value}"',
    },
    stays: {
      code: "AGP-063",
      deleted: "the {what} stays in the library of {where}, because the API cannot delete voices.",
    },
  },
  SmsChat: {
    noun: "chat",
    idName: "chatId",
    foundBy: "toNumber",
    what: "chat to {value}",
    place: "the workspace's chats",
    replaces: ["workspaceId", "agentId", "fromNumber", "toNumber", "sendKey"],
    recorded: ["metadata", "serviceDynamicVariables"],
    refused: "No chat was started. Nothing is saved.",
    maybe: {
      code: "AGP-041",
      created: "The {what} may have been started in {where}: a message may have been sent.",
      exists: "The {what} may still be open in {where}",
      inBrief: "the chat may or may not have been started in",
      look: "the chats of {where}",
    },
    end: { code: "AGP-043" },
  },
} as const satisfies Readonly<Record<string, Posted>>;

export type PostedKind = keyof typeof POSTED;
export const POSTED_KINDS = Object.keys(POSTED) as PostedKind[];

/** The row of a kind, without what is special about one kind. */
export const postedAs = (kind: PostedKind): Posted => POSTED[kind];

/** Something of each kind, by its row. */
export const ofPosted = <T>(take: (row: Posted) => T): Record<PostedKind, T> =>
  Object.fromEntries(POSTED_KINDS.map((kind) => [kind, take(POSTED[kind])])) as Record<PostedKind, T>;

/** `voices and chats`, of all kinds. */
export const postedNouns = (word: "and" | "or", ending: "s" | "" = "s"): string =>
  listed(
    POSTED_KINDS.map((kind) => `${POSTED[kind].noun}${ending}`),
    word,
  );

/** `a voice or a chat`, of all kinds. */
export const onePosted = (): string =>
  listed(
    POSTED_KINDS.map((kind) => `a ${POSTED[kind].noun}`),
    "or",
  );

const listed = (nouns: readonly string[], word: string): string =>
  [nouns.slice(0, -1).join(", "), ...nouns.slice(-1)].join(` ${word} `);

/** A text of a row with its slots filled in. */
export const filled = (text: string, slots: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (_, slot: string) => slots[slot] ?? "");
