import { type Message, say } from "./message";

/** Voices and chats: what is posted once, and never again by itself. */

export const voiceStays = (who: string, workspaceId: unknown): Message =>
  say(
    "AGP-063",
    who,
    `stays in the library of workspace ${workspaceId}: the platform shows no way to remove a voice. Only the state forgets it.`,
  );

export const alreadyEnded = (who: string, id: string, status: number): Message =>
  say("AGP-065", who, `the platform answered ${status} to the end of chat ${JSON.stringify(id)}: counted as ended.`);

/** What may exist, and the two answers to it: lines of a message. */
export function unresolved(kind: "voice" | "chat", who: string, where: string, id: string): string[] {
  const what =
    kind === "voice"
      ? `The voice may have been added to ${where}.`
      : `The chat may have been started in ${where}: a message may have been sent.`;
  const place = kind === "voice" ? "the voice library" : "the workspace's chats";
  const idName = kind === "voice" ? "voiceId" : "chatId";
  return [
    `${what} It will not be sent again by itself. Look in ${place}, then write ONE of these arguments on ${who}:`,
    `it is there:      adopt: "<${idName}>"`,
    `it is not there:  retryUnresolved: "${id}"   (allows one retry of this attempt)`,
  ];
}

export const stillUnresolved = (kind: "voice" | "chat", who: string, where: string, id: string): Message =>
  say("AGP-044", who, ...withFirst("unresolved since an earlier run.", unresolved(kind, who, where, id)));

const withFirst = (sentence: string, [first, ...rest]: readonly string[]): string[] => [
  `${sentence} ${first}`,
  ...rest,
];

export const unresolvedForgotten = (kind: "voice" | "chat", who: string, where: string): Message =>
  say(
    "AGP-044",
    who,
    `was never resolved, and nothing is sent now. ${
      kind === "voice" ? `A voice may be left in ${where}.` : `A chat may still be open in ${where}.`
    } Look there.`,
  );

export const refreshReadsNothing = (kind: string): Message =>
  say(
    "AGP-066",
    kind,
    `the platform shows no read endpoint, so refresh leaves the state as it is. A change of \`triggers\` sends a number's routing again.`,
  );

export const importReadsNothing = (who: string): Message =>
  say(
    "AGP-007",
    who,
    `the platform has no call to read it, so nothing can be imported by its id alone. Write an import file with \`takeover --import\`, which says what it holds, and run \`pulumi import --file\`.`,
  );

export const adoptsItself = (who: string, fields: readonly string[], id: string): Message =>
  say(
    "AGP-006",
    who,
    `a change of ${fields.join(", ")} replaces it, and adopt names the one that is replaced (${JSON.stringify(id)}), so nothing would be sent. ` +
      "Remove adopt to send it anew, or take the change back.",
  );

export const adoptedElsewhere = (who: string, id: string): Message =>
  say("AGP-069", who, `not ended: the program adopts chat ${JSON.stringify(id)}. It goes on.`);

export const twoAnswers = (): Message =>
  say(
    "AGP-005",
    undefined,
    "adopt and retryUnresolved are both given: write adopt if it is there, and retryUnresolved if it is not.",
  );
