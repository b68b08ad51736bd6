import type { InDoubt } from "../numbers/plan";
import { isOfNumbers, type PostedKind, postedAs, type ResourceKind } from "../platform/kinds";
import { remedyOf } from "./codes";
import { type Message, say, subject } from "./message";

/** Messages about what is posted once, and never again by itself: the row of its kind has its nouns. */

/** A resource whose delete sends nothing. */
export const stays = ({ kind, what, where }: InDoubt, who: string): Message =>
  say(
    "AGP-063",
    who,
    `removed from the state only; the ${what} stays in ${where}, because the API cannot delete ${postedAs(kind).noun}s.`,
  );

export const alreadyEnded = (noun: string, who: string, id: string, status: number): Message =>
  say(
    "AGP-062",
    who,
    `${noun} ${JSON.stringify(id)} counts as ended: the platform returned ${status} to the request to end it.`,
  );

const mayExist = ({ kind, what, where }: InDoubt): string =>
  `The ${what} may have been ${postedAs(kind).begun} ${where}`;

/** What may exist, and the two ways to resolve it: lines of a message. */
export const unresolved = (it: InDoubt, who: string, id: string): string[] => [
  `${mayExist(it)}. It will not be retried automatically. Check ${postedAs(it.kind).place}, then set ONE of these arguments on ${who}:`,
  ...waysToResolve(it.kind, id),
];

/** The argument for one that exists. */
export const adoptArgument = (kind: PostedKind): string => `adopt: "<${postedAs(kind).idName}>"`;

/** The argument for one that does not exist. @param id of the unresolved resource */
export const retryArgument = (id: string): string => `retryUnresolved: "${id}"`;

export const waysToResolve = (kind: PostedKind, id: string): string[] => [
  `if it exists:          ${adoptArgument(kind)}`,
  `if it does not exist:  ${retryArgument(id)}   (sends once)`,
];

export function stillUnresolved(it: InDoubt, who: string, id: string): Message {
  const [first, ...rest] = unresolved(it, who, id);
  return say("AGP-041", who, `unresolved since an earlier run. ${first}`, ...rest);
}

export const unresolvedForgotten = (it: InDoubt, who: string): Message =>
  say(
    "AGP-041",
    who,
    `removed from the state although its outcome is still unknown; nothing was sent. ${mayExist(it)}: check ${postedAs(it.kind).place}.`,
  );

export const refreshReadsNothing = (kind: string): Message =>
  say("AGP-066", kind, "refresh changes nothing: the API has no read endpoint.");

export const importReadsNothing = (kind: ResourceKind, id: string): Message =>
  say(
    "AGP-007",
    subject(kind, id),
    `the API has no read endpoint, so nothing can be imported by its id alone. ${
      isOfNumbers(kind)
        ? remedyOf("AGP-007")
        : `Declare it with adopt: ${JSON.stringify(id)}. That records it, and sends nothing.`
    }`,
  );

export const adoptsItself = (who: string, fields: readonly string[], id: string): Message =>
  say(
    "AGP-001",
    who,
    `a change of ${fields.join(", ")} replaces this resource, but adopt names the one that would be replaced (${JSON.stringify(id)}), so nothing would be sent. ` +
      "To send a new one, remove adopt. To keep the old one, undo the change.",
  );

export const adoptedElsewhere = (noun: string, who: string, id: string): Message =>
  say(
    "AGP-061",
    who,
    `not ended: another resource of the program has ${noun} ${JSON.stringify(id)}. The ${noun} continues.`,
  );

/** The end of one whose outcome is unknown. */
export const mayHaveEnded = (noun: string, id: string): string[] => [
  `The ${noun} ${JSON.stringify(id)} may or may not have ended.`,
];

export const twoResolutions = (): Message =>
  say(
    "AGP-001",
    undefined,
    "adopt and retryUnresolved are both set. Keep only adopt if it exists, or only retryUnresolved if it does not.",
  );
