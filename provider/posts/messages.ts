import {
  attemptsText,
  causeText,
  type Failure,
  failureCode,
  fixFor,
  type PlatformAccess,
  remedyFor,
} from "../api/failure";
import { series } from "../base/text";
import { type PostedKind, postedAs } from "../config/kinds";
import { howToResolve, invalid, mayExist } from "../run/messages";
import type { UncertainPost } from "../run/plan";
import { type Code, remedyOf } from "../words/codes";
import { type Message, messageOf, NO_ACTION, STAYS } from "../words/message";

export const workspaceMissing = (): Message =>
  invalid({
    path: "workspaceId",
    rule: "is required: set it on this resource, or set agent-platform:workspaceId for the whole stack",
  });

export const unresolvedForgotten = (post: UncertainPost, label: string): Message => {
  const { noun, place, ends } = postedAs(post.kind);
  return messageOf(
    "AGP-041",
    label,
    [
      `removed from the state, although the outcome of its POST in an earlier run is still unknown. ${mayExist(post)}`,
      ...(ends ? [`No request was sent to end the ${noun}.`] : []),
    ].join(" "),
    `Check ${place}. If the ${noun} exists and no resource uses it (another resource may have adopted it, or ${ends ? "started" : "added"} it again), you can ${ends ? "end" : "remove"} it there.`,
  );
};

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
    /** A sentence for the message that says what happens to the saved state if the request was not carried out. */
    readonly ifNotDone: string;
    /**
     * What the message says if the outcome is unknown: the error code, a sentence on what may have happened (`status`),
     * and the remedy.
     */
    readonly ifUnknown: { readonly code: Code; readonly status: string; readonly remedy: string };
  },
): Message {
  const { outcome } = failure;
  const code = failureCode(failure);
  const cause = causeText(failure);
  if (outcome !== "unknown") {
    return messageOf(
      code,
      label,
      [`the ${action} was ${outcome}: ${cause}.`, attemptsText(failure), ifNotDone],
      remedyFor(code, failure, target),
    );
  }
  const lines = [`the outcome of the ${action} is unknown: ${cause}.`, attemptsText(failure), ifUnknown.status];
  if (failure.cause !== "redirected") {
    return messageOf(ifUnknown.code, label, lines, ifUnknown.remedy);
  }
  // Don't advise rerunning a delete that was redirected to another address: the old address would redirect it again,
  // and with the new one in the settings, the provider would refuse it.
  const isFutile = action === "delete" && failure.hint?.why === "elsewhere";
  // A redirect suggests a wrong base URL, so say how to fix that before the usual remedy.
  const fix = fixFor(code, failure, target);
  return messageOf(ifUnknown.code, label, lines, isFutile ? fix : `${fix}\n${ifUnknown.remedy}`);
}

/** @param id the ID under which the resource is saved if the outcome is unknown */
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
    ifUnknown: {
      code: "AGP-041",
      status: `${mayExist(post)} ${postedAs(post.kind).notRepeated}`,
      remedy: howToResolve(post, label, id),
    },
  });

export const endFailed = (label: string, failure: Failure, target: PlatformAccess, chatId: string): Message =>
  failedPost(label, failure, target, {
    action: "delete",
    ifNotDone: STAYS,
    ifUnknown: {
      code: "AGP-043",
      status: `The resource stays in the state, and the chat ${JSON.stringify(chatId)} may or may not have ended.`,
      remedy: remedyOf("AGP-043"),
    },
  });

export const twoResolutions = (): Message =>
  messageOf(
    "AGP-001",
    undefined,
    "adopt and retryUnresolved cannot both be set.",
    "If the voice or chat exists on the platform, remove retryUnresolved. If it does not, remove adopt.",
  );

export const adoptsItself = (label: string, kind: PostedKind, fields: readonly string[], id: string): Message => {
  const { noun, ends } = postedAs(kind);
  return messageOf(
    "AGP-001",
    label,
    `changing ${series(fields)} replaces this resource, but adopt is still set to the old ${noun} (${JSON.stringify(id)}), so no new ${noun} would be created.`,
    `To create a new ${noun}${ends ? ", which sends an SMS" : ""}, remove adopt. To keep the old ${noun}, undo the change.`,
  );
};

export const staysOnPlatform = ({ kind, name, place }: UncertainPost, label: string): Message =>
  messageOf(
    "AGP-063",
    label,
    `removed from the state only. The ${name} stays in ${place}, because the API cannot delete ${postedAs(kind).noun}s.`,
    `To remove the ${postedAs(kind).noun} there as well, use the platform's web application.`,
  );

export const alreadyEnded = (label: string, chatId: string, status: number): Message =>
  messageOf(
    "AGP-061",
    label,
    `chat ${JSON.stringify(chatId)} is treated as ended, because the platform returned ${status} when asked to end it.`,
    `${NO_ACTION} If this is unexpected, check the base URL.`,
  );

export const adoptedElsewhere = (noun: string, label: string, id: string): Message =>
  messageOf(
    "AGP-061",
    label,
    `${noun} ${JSON.stringify(id)} is kept, because another resource in the program declares the same ${noun}.`,
    NO_ACTION,
  );
