import type { InDoubt } from "../numbers/plan";
import { isOfNumbers, type PostedKind, postedAs, type ResourceKind } from "../platform/kinds";
import { type Message, messageOf, subject } from "./message";

/** Messages about what is posted once, and never again by itself: the row of its kind has its nouns. */

export const staysOnPlatform = ({ kind, what, where }: InDoubt, who: string): Message =>
  messageOf(
    "AGP-063",
    who,
    `removed from the state only; the ${what} stays in ${where}, because the API cannot delete ${postedAs(kind).noun}s.`,
  );

export const alreadyEnded = (noun: string, who: string, id: string, status: number): Message =>
  messageOf(
    "AGP-062",
    who,
    `${noun} ${JSON.stringify(id)} counts as ended: the platform returned ${status} to the request to end it.`,
  );

/** What is true after a POST of unknown outcome. */
export const mayExist = ({ kind, what, where }: InDoubt): string =>
  `The ${what} may have been ${postedAs(kind).begun} ${where}, and is not sent again by itself.`;

/** The two ways out of an unknown outcome. @param id of the unresolved resource */
export const howToResolve = ({ kind }: InDoubt, who: string, id: string): string =>
  [`Check ${postedAs(kind).place}, then set one of these arguments on ${who}:`, ...waysToResolve(kind, id)].join("\n");

/** The argument for one that exists. */
export const adoptArgument = (kind: PostedKind): string => `adopt: "<${postedAs(kind).idName}>"`;

/** The argument for one that does not exist. @param id of the unresolved resource */
export const retryArgument = (id: string): string => `retryUnresolved: "${id}"`;

export const waysToResolve = (kind: PostedKind, id: string): string[] => [
  `if it exists:          ${adoptArgument(kind)}`,
  `if it does not exist:  ${retryArgument(id)}   (sends once)`,
];

export const stillUnresolved = (it: InDoubt, who: string, id: string): Message =>
  messageOf("AGP-041", who, `unresolved since an earlier run. ${mayExist(it)}`, howToResolve(it, who, id));

/** A process of an earlier run began the create, and did not end it. */
export const createInterrupted = (who: string, it: InDoubt, id: string): Message =>
  messageOf(
    "AGP-041",
    who,
    `an earlier run ended while it was creating this resource, so nothing was sent now. ${mayExist(it)}`,
    howToResolve(it, who, id),
  );

export const unresolvedForgotten = (it: InDoubt, who: string): Message =>
  messageOf(
    "AGP-041",
    who,
    `removed from the state, although its outcome is unknown; nothing was sent. ${mayExist(it)}`,
    `Check ${postedAs(it.kind).place}.`,
  );

export const refreshReadsNothing = (kind: string): Message =>
  messageOf("AGP-066", kind, "refresh changes nothing: the API has no read endpoint.");

export const importReadsNothing = (kind: ResourceKind, id: string): Message =>
  messageOf(
    "AGP-007",
    subject(kind, id),
    "the API has no read endpoint, so nothing can be imported by its id alone.",
    isOfNumbers(kind)
      ? "Write an import file with `npx pulumi-agent-platform takeover --import`, then run `pulumi import --file`."
      : `Declare it with adopt: ${JSON.stringify(id)}. That records it, and sends nothing.`,
  );

export const adoptsItself = (who: string, fields: readonly string[], id: string): Message =>
  messageOf(
    "AGP-001",
    who,
    `a change of ${fields.join(", ")} replaces this resource, but adopt names the one that would be replaced (${JSON.stringify(id)}), so nothing would be sent.`,
    "To send a new one, remove adopt. To keep the old one, undo the change.",
  );

export const adoptedElsewhere = (noun: string, who: string, id: string): Message =>
  messageOf(
    "AGP-061",
    who,
    `not ended: another resource of the program has ${noun} ${JSON.stringify(id)}. The ${noun} continues.`,
  );

export const twoResolutions = (): Message =>
  messageOf(
    "AGP-001",
    undefined,
    "adopt and retryUnresolved are both set.",
    "Keep only adopt if it exists, or only retryUnresolved if it does not.",
  );
