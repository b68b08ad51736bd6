import { isOfNumbers, type ResourceKind } from "../kinds";
import { type Message, say, subject } from "./message";

/** Messages about voices and chats, which are posted once, and never again by themselves. */

export const voiceStays = (who: string, what: string, workspaceId: unknown): Message =>
  say(
    "AGP-063",
    who,
    `removed from the state only; the ${what} stays in the library of workspace ${workspaceId}, because the API cannot delete voices.`,
  );

export const alreadyEnded = (who: string, id: string, status: number): Message =>
  say(
    "AGP-065",
    who,
    `chat ${JSON.stringify(id)} counts as ended: the platform returned ${status} to the request to end it.`,
  );

/** A voice or a chat that may exist. */
export interface InDoubt {
  readonly noun: "voice" | "chat";
  /** How people find it: `chat to +15557654321`, or the noun alone if the number is secret. */
  readonly what: string;
  readonly where: string;
}

const PLACES = { voice: "the voice library", chat: "the workspace's chats" };

/** What may exist, and the two ways to resolve it: lines of a message. */
export function unresolved({ noun, what, where }: InDoubt, who: string, id: string): string[] {
  const may =
    noun === "voice"
      ? `The ${what} may have been added to ${where}.`
      : `The ${what} may have been started in ${where}: a message may have been sent.`;
  return [
    `${may} It will not be retried automatically. Check ${PLACES[noun]}, then set ONE of these arguments on ${who}:`,
    ...waysToResolve(noun, id),
  ];
}

/** The argument for a voice or a chat that exists. */
export const adoptArgument = (noun: InDoubt["noun"]): string => `adopt: "<${noun}Id>"`;

/** The argument for one that does not exist. @param id of the unresolved resource */
export const retryArgument = (id: string): string => `retryUnresolved: "${id}"`;

export const waysToResolve = (noun: InDoubt["noun"], id: string): string[] => [
  `if it exists:          ${adoptArgument(noun)}`,
  `if it does not exist:  ${retryArgument(id)}   (sends once)`,
];

export function stillUnresolved(it: InDoubt, who: string, id: string): Message {
  const [first, ...rest] = unresolved(it, who, id);
  return say("AGP-044", who, `unresolved since an earlier run. ${first}`, ...rest);
}

export const unresolvedForgotten = ({ noun, what, where }: InDoubt, who: string): Message =>
  say(
    "AGP-044",
    who,
    `removed from the state although its outcome is still unknown; nothing was sent. The ${what} may ${
      noun === "voice" ? "exist" : "still be open"
    } in ${where}: check ${PLACES[noun]}.`,
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

export const endpointDiffersAtReplace = (who: string, saved: string, now: string): Message =>
  say(
    "AGP-060",
    who,
    `cannot be replaced: the chat that it would end was created against ${saved}; the settings point to ${now}.`,
    `Set agent-platform:baseUrl to ${saved} and run again, or remove the resource from the state with \`pulumi state delete\`: then a new chat is started, and the old one stays open.`,
  );

export const adoptedElsewhere = (who: string, id: string): Message =>
  say("AGP-069", who, `not ended: another resource of the program has chat ${JSON.stringify(id)}. The chat continues.`);

export const twoResolutions = (): Message =>
  say(
    "AGP-005",
    undefined,
    "adopt and retryUnresolved are both set. Keep only adopt if it exists, or only retryUnresolved if it does not.",
  );
