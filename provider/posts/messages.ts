import { attemptsText, causeText, type Failure, failureCode, type PlatformAccess, remedyFor } from "../api/failure";
import { postedAs } from "../config/kinds";
import { howToResolve, invalid, mayExist, NO_ACTION, STAYS } from "../run/messages";
import type { UncertainPost } from "../run/plan";
import { type Code, remedyOf } from "../words/codes";
import { type Message, messageOf } from "../words/message";

export const workspaceMissing = (): Message =>
  invalid({ path: "workspaceId", rule: "is required, here or as agent-platform:workspaceId" });

export const unresolvedForgotten = (post: UncertainPost, label: string): Message =>
  messageOf(
    "AGP-041",
    label,
    `removed from the state, although the outcome of its POST is unknown. Nothing was sent. ${mayExist(post)}`,
    `Check ${postedAs(post.kind).place}.`,
  );

function failedPost(
  label: string,
  failure: Failure,
  target: PlatformAccess,
  {
    action,
    ifNotDone,
    ifUnknown,
  }: {
    readonly action: "create" | "delete";
    /** What happens to the saved state if the request was not carried out, as a sentence for the message. */
    readonly ifNotDone: string;
    /**
     * Describes an unknown outcome, which doesn't count as a failure: the error code, a sentence on what may have
     * happened (`status`), and the remedy.
     */
    readonly ifUnknown: { readonly code: Code; readonly status: string; readonly remedy: string };
  },
): Message {
  const { outcome } = failure;
  const code = failureCode(failure);
  const [cause, remedy] = [causeText(failure), remedyFor(code, failure, target)];
  if (outcome !== "unknown") {
    return messageOf(code, label, [`${action} ${outcome}: ${cause}.`, attemptsText(failure), ifNotDone], remedy);
  }
  const lines = [`the outcome of the ${action} is unknown; ${cause}.`, attemptsText(failure), ifUnknown.status];
  // A redirect means that the configured address is wrong, so show that remedy as well.
  const remedies = failure.cause === "redirected" ? `${remedy}\n${ifUnknown.remedy}` : ifUnknown.remedy;
  return messageOf(ifUnknown.code, label, lines, remedies);
}

/** @param id of the unresolved resource */
export const createFailed = (
  label: string,
  failure: Failure,
  target: PlatformAccess,
  post: UncertainPost,
  id: string,
): Message =>
  failedPost(label, failure, target, {
    action: "create",
    ifNotDone: `No ${postedAs(post.kind).noun} was created, and nothing was saved.`,
    ifUnknown: { code: "AGP-041", status: mayExist(post), remedy: howToResolve(post, label, id) },
  });

/** @param what `chat "chat_1"` */
export const endFailed = (label: string, failure: Failure, target: PlatformAccess, what: string): Message =>
  failedPost(label, failure, target, {
    action: "delete",
    ifNotDone: STAYS,
    ifUnknown: {
      code: "AGP-043",
      status: `The resource stays in the state, and the ${what} may or may not have ended.`,
      remedy: remedyOf("AGP-043"),
    },
  });

export const twoResolutions = (): Message =>
  messageOf(
    "AGP-001",
    undefined,
    "adopt and retryUnresolved cannot both be set.",
    "If the voice or chat exists, remove retryUnresolved. If it does not, remove adopt.",
  );

export const adoptsItself = (label: string, fields: readonly string[], id: string): Message =>
  messageOf(
    "AGP-001",
    label,
    `changing ${fields.join(" and ")} replaces this resource, but adopt is still set to the old voice or chat (${JSON.stringify(id)}), so no new one would be created.`,
    "To create a new voice or chat, remove adopt; a new chat sends an SMS. To keep the existing one, undo the change.",
  );

export const staysOnPlatform = ({ kind, name, place }: UncertainPost, label: string): Message =>
  messageOf(
    "AGP-063",
    label,
    `removed from the state only; the ${name} stays in ${place}, because the API cannot delete ${postedAs(kind).noun}s.`,
  );

export const alreadyEnded = (noun: string, label: string, id: string, status: number): Message =>
  messageOf(
    "AGP-061",
    label,
    `${noun} ${JSON.stringify(id)} is treated as ended, because the platform returned ${status} when asked to end it.`,
    `${NO_ACTION} If this is unexpected, check the base URL.`,
  );

export const adoptedElsewhere = (noun: string, label: string, id: string): Message =>
  messageOf(
    "AGP-061",
    label,
    `${noun} ${JSON.stringify(id)} is kept, because another resource in the program declares the same ${noun}.`,
    NO_ACTION,
  );
