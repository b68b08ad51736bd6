import { type Failure, isUnsent } from "../api/operations";
import type { InDoubt } from "../numbers/plan";
import { type PostedKind, postedAs } from "../platform/kinds";
import { type Code, remedyOf } from "./codes";
import { type Message, messageOf } from "./message";
import { attemptsText, causeText, failureCode, type PlatformAccess, remedyFor, STAYS } from "./requests";

/** Messages about what is posted once, and never again by itself: the row of its kind has its nouns. */

/** What is true after a POST of unknown outcome. */
const mayExist = ({ kind, what, where }: InDoubt): string =>
  `The ${what} may have been ${postedAs(kind).begun} ${where}, and is not sent again by itself.`;

/** The two ways out of an unknown outcome. @param id of the unresolved resource */
const howToResolve = ({ kind }: InDoubt, who: string, id: string): string =>
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

export const unresolvedForgotten = (it: InDoubt, who: string): Message =>
  messageOf(
    "AGP-041",
    who,
    `removed from the state, although its outcome is unknown; nothing was sent. ${mayExist(it)}`,
    `Check ${postedAs(it.kind).place}.`,
  );

// --- requests that failed

/** A POST that did not end well. */
export interface FailedPost {
  readonly outcome: "rejected" | "unknown";
  readonly failure: Failure;
}

/** What is saved, and how an unknown outcome is told: its message has a code of its own, because it is no failure. */
interface PostWords {
  readonly action: "create" | "delete";
  readonly saved: string;
  readonly ifUnknown: { readonly code: Code; readonly truth: string; readonly remedy: string };
}

function failedPost(
  who: string,
  { outcome, failure }: FailedPost,
  target: PlatformAccess,
  { action, saved, ifUnknown }: PostWords,
): Message {
  const code = failureCode(outcome, failure);
  const [cause, remedy] = [causeText(failure), remedyFor(code, failure, target)];
  if (outcome === "rejected") {
    const how = isUnsent(failure) ? "not sent" : "rejected";
    return messageOf(code, who, [`${action} ${how}: ${cause}.`, attemptsText(failure), saved], remedy);
  }
  const lines = [`${action}: outcome unknown; ${cause}.`, attemptsText(failure), ifUnknown.truth];
  // The address that the platform redirects from is wrong, whatever became of the request.
  const remedies = failure.cause === "redirected" ? `${remedy}\n${ifUnknown.remedy}` : ifUnknown.remedy;
  return messageOf(ifUnknown.code, who, lines, remedies);
}

/** @param id of the unresolved resource */
export const createFailed = (
  who: string,
  failed: FailedPost,
  target: PlatformAccess,
  it: InDoubt,
  id: string,
): Message =>
  failedPost(who, failed, target, {
    action: "create",
    saved: "Nothing is saved.",
    ifUnknown: { code: "AGP-041", truth: mayExist(it), remedy: howToResolve(it, who, id) },
  });

/** @param what `chat "chat_1"` */
export const endFailed = (who: string, failed: FailedPost, target: PlatformAccess, what: string): Message =>
  failedPost(who, failed, target, {
    action: "delete",
    saved: STAYS,
    ifUnknown: {
      code: "AGP-043",
      truth: `The resource stays in the state, and the ${what} may or may not have ended.`,
      remedy: remedyOf("AGP-043"),
    },
  });

export const twoResolutions = (): Message =>
  messageOf(
    "AGP-001",
    undefined,
    "adopt and retryUnresolved are both set.",
    "Keep only adopt if it exists, or only retryUnresolved if it does not.",
  );

export const adoptsItself = (who: string, fields: readonly string[], id: string): Message =>
  messageOf(
    "AGP-001",
    who,
    `a change of ${fields.join(", ")} replaces this resource, but adopt names the one that would be replaced (${JSON.stringify(id)}), so nothing would be sent.`,
    "To send a new one, remove adopt. To keep the old one, undo the change.",
  );

// --- deletes

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

export const adoptedElsewhere = (noun: string, who: string, id: string): Message =>
  messageOf(
    "AGP-061",
    who,
    `not ended: another resource of the program has ${noun} ${JSON.stringify(id)}. The ${noun} continues.`,
  );
