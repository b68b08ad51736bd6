import { isOfNumbers, type ResourceKind } from "../urn";
import { type Message, say, subject } from "./message";

/** Voices and chats: what is posted once, and never again by itself. */

export const voiceStays = (who: string, workspaceId: unknown): Message =>
  say(
    "AGP-063",
    who,
    `removed from the state only; it stays in the library of workspace ${workspaceId}, because the API cannot delete voices.`,
  );

export const alreadyEnded = (who: string, id: string, status: number): Message =>
  say(
    "AGP-065",
    who,
    `chat ${JSON.stringify(id)} counts as ended: the platform returned ${status} to the request to end it.`,
  );

/** What may exist, and the two ways to resolve it: lines of a message. */
export function unresolved(kind: "voice" | "chat", who: string, where: string, id: string): string[] {
  const what =
    kind === "voice"
      ? `The voice may have been added to ${where}.`
      : `The chat may have been started in ${where}: a message may have been sent.`;
  const place = kind === "voice" ? "the voice library" : "the workspace's chats";
  const idName = kind === "voice" ? "voiceId" : "chatId";
  return [
    `${what} It will not be retried automatically. Check ${place}, then set ONE of these arguments on ${who}:`,
    `if it exists:          adopt: "<${idName}>"`,
    `if it does not exist:  retryUnresolved: "${id}"   (sends once)`,
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
    `removed from the state although its outcome is still unknown; nothing was sent. ${
      kind === "voice"
        ? `A voice may exist in ${where}: check the voice library.`
        : `A chat may still be open in ${where}: check the workspace's chats.`
    }`,
  );

export const refreshReadsNothing = (kind: string): Message =>
  say(
    "AGP-066",
    kind,
    "refresh changes nothing: the API has no read endpoint. To resend a number's routing, change `triggers`.",
  );

export const importReadsNothing = (kind: ResourceKind, id: string): Message =>
  say(
    "AGP-007",
    subject(kind, id),
    `the API has no read endpoint, so nothing can be imported by its id alone. ${
      isOfNumbers(kind)
        ? "Write an import file with `npx pulumi-agent-platform takeover --import`, then run `pulumi import --file`."
        : `Declare it with adopt: ${JSON.stringify(id)}. That records it, and sends nothing.`
    }`,
  );

export const adoptsItself = (who: string, fields: readonly string[], id: string): Message =>
  say(
    "AGP-006",
    who,
    `a change of ${fields.join(", ")} replaces this resource, but adopt names the one that would be replaced (${JSON.stringify(id)}), so nothing would be sent. ` +
      "To send a new one, remove adopt. To keep the old one, undo the change.",
  );

export const adoptedElsewhere = (who: string, id: string): Message =>
  say("AGP-069", who, `not ended: another resource of the program has chat ${JSON.stringify(id)}. The chat continues.`);

export const twoAnswers = (): Message =>
  say(
    "AGP-005",
    undefined,
    "adopt and retryUnresolved are both set. Keep only adopt if it exists, or only retryUnresolved if it does not.",
  );
