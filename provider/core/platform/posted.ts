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
  /** How the report names it. */
  readonly title: string;
  /** Where people look for it. */
  readonly place: string;
  /** Arguments whose change replaces, and so posts again. */
  readonly replaces: readonly string[];
  /** Arguments that are saved and never sent by a change. */
  readonly recorded: readonly string[];
  /** After a POST that was refused: nothing exists. */
  readonly refused: string;
  readonly maybe: Maybe;
  readonly sends: Sends;
  readonly caveat: Caveat;
}

/** A delete ends it, by a request. So a revert ends one that was adopted, which may be older than the program. */
interface Ending {
  readonly end: End;
  readonly caveat: { readonly adopted: string };
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
  /** How doctor and report say it: the subject and the verb before `{where}`. */
  readonly inBrief: string;
  /** What to look at, before the next `pulumi up`. */
  readonly look: string;
}

/** What a create sends, in the report. */
interface Sends {
  /** Its field among the counted requests. */
  readonly count: string;
  readonly one: string;
  readonly many: string;
  /** Does a create reach somebody, so that it can never be taken back? */
  readonly isLoud: boolean;
  /** The family of cards, and how the headline names several of them. */
  readonly family: string;
  readonly together: string;
  readonly first: string;
  readonly again: string;
  readonly againBy: string;
  /** Under the title of a create. */
  readonly note?: string;
  /** Under the title of a change that sends nothing. */
  readonly changeNote?: string;
}

/** What a revert of the pull request cannot take back. */
interface Caveat {
  readonly made: string;
  readonly gone: string;
  readonly adopted?: string;
}

interface End {
  readonly method: string;
  /** The code of an unknown outcome. */
  readonly code: Code;
  /** Its field among the counted requests. */
  readonly count: string;
  readonly one: string;
  readonly many: string;
}

interface Stays {
  /** The message of a delete. */
  readonly code: Code;
  readonly deleted: string;
  /** The report's notes of a replacement, where `{id}` is the id in brackets, and of a delete. */
  readonly replacedNote: string;
  readonly deletedNote: string;
}

export const POSTED = {
  CommunityVoice: {
    noun: "voice",
    idName: "voiceId",
    foundBy: "voiceName",
    what: 'voice "{value}"',
    title: "the voice {value}",
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
    sends: {
      count: "voices",
      one: "adds a voice",
      many: "add voices",
      isLoud: false,
      family: "voice",
      together: "Adds {count} voices",
      first: "Adds the voice {value} to {where}'s library",
      again: "Adds a second voice: {value}",
      againBy: "Adds a second voice to {where}'s library; the first one stays there.",
      note: "The API cannot change or delete it afterwards.",
    },
    caveat: {
      made: "a revert leaves the new voice in the library: the API cannot delete voices",
      gone: "a revert adds another voice to the library",
    },
    stays: {
      code: "AGP-063",
      deleted: "the {what} stays in the library of {where}, because the API cannot delete voices.",
      replacedNote: "The current voice{id} stays in {where}'s library: the API cannot change or delete voices.",
      deletedNote:
        "The voice stays in {where}'s library: the API cannot delete voices. It is removed from the state only.",
    },
  },
  SmsChat: {
    noun: "chat",
    idName: "chatId",
    foundBy: "toNumber",
    what: "chat to {value}",
    title: "the chat with {value}",
    place: "the workspace's chats",
    replaces: ["workspaceId", "agentId", "fromNumber", "toNumber", "sendKey"],
    recorded: ["metadata", "serviceDynamicVariables"],
    refused: "No chat was started. Nothing is saved.",
    maybe: {
      code: "AGP-042",
      created: "The {what} may have been started in {where}: a message may have been sent.",
      exists: "The {what} may still be open in {where}",
      inBrief: "the chat may or may not have been started in",
      look: "the chats of {where}",
    },
    sends: {
      count: "messages",
      one: "sends an SMS",
      many: "send an SMS each",
      isLoud: true,
      family: "message",
      together: "{count} chats are sent",
      first: "Sends an SMS to {value}",
      again: "Sends an SMS again: {value}",
      againBy: "Sends an SMS to {value} again, and {end}.",
      changeNote: "The API cannot change a chat that has started.",
    },
    caveat: {
      made: "a revert ends the new chat; its SMS has already been sent",
      gone: "a revert sends another SMS",
      adopted: "a revert ends the adopted chat",
    },
    end: { method: "POST", code: "AGP-043", count: "ends", one: "ends a chat", many: "end a chat each" },
  },
} as const satisfies Readonly<Record<string, Posted>>;

export type PostedKind = keyof typeof POSTED;
export const POSTED_KINDS = Object.keys(POSTED) as PostedKind[];

/** The row of a kind, without what is special about one kind. */
export const postedAs = (kind: PostedKind): Posted => POSTED[kind];

export type PostedFamily = (typeof POSTED)[PostedKind]["sends"]["family"];

type EndOf<Row> = Row extends { readonly end: { readonly count: infer Count } } ? Count : never;
export type PostCount = (typeof POSTED)[PostedKind]["sends"]["count"] | EndOf<(typeof POSTED)[PostedKind]>;

/** The requests that the report counts, in the order in which it names them: first what makes, then what ends. */
export const POST_COUNTS = [
  ...POSTED_KINDS.map((kind): Counted => ({ method: "POST", ...POSTED[kind].sends })),
  ...Object.values(POSTED).flatMap((row): Counted[] => ("end" in row ? [row.end] : [])),
];
interface Counted extends Pick<End, "method" | "one" | "many"> {
  readonly count: PostCount;
}

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
  piecesOf(text)
    .map((piece) => (typeof piece === "string" ? piece : slots[piece.slot]))
    .join("");

/** What is between the slots of a text, and the names of the slots. */
export const piecesOf = (text: string): (string | { readonly slot: string })[] =>
  text.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? part : { slot: part }));
