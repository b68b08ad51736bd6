import type { Code } from "../core/codes";
import { endpointOf } from "../core/endpoint";
import { same } from "../core/equality";
import * as messages from "../core/messages";
import type { Failure } from "../core/operations";
import type { Plan, UnresolvedArgs } from "../core/plan";
import { isUnknown } from "../core/schemas";
import { ResourceError, SavedError, type Session } from "./lifecycle";

/**
 * A POST whose outcome nobody knows. It is saved as such and never sent again by itself; the operator resolves it with
 * `adopt` or `retryUnresolved`. Both ask for a replacement, because only a create can give the engine a new id.
 */

/** Two answers to one question: which is meant, nobody can know. */
export const contradictions = ({ adopt, retryUnresolved }: UnresolvedArgs): messages.Message[] =>
  adopt !== undefined && retryUnresolved !== undefined ? [messages.twoAnswers()] : [];

/** What goes on with these inputs: what they adopt, and what they adopted at create, as long as nothing replaces it. */
export function adoptedBy<Inputs extends UnresolvedArgs>(
  olds: Readonly<Record<string, unknown>> | undefined,
  news: Inputs,
  replacing: readonly (keyof Inputs & string)[],
): string[] {
  const isReplaced = replacing.some((field) => !same(olds?.[field], news[field]));
  const ids = [news.adopt, isReplaced ? undefined : olds?.adopt];
  return ids.filter((id): id is string => typeof id === "string" && !isUnknown(id));
}

/** What is posted: its words in messages, and its code. */
export interface PostedResource {
  readonly kind: "voice" | "chat";
  readonly who: string;
  readonly where: string;
  code: Code;
}

/** What diff says of a voice or a chat: one line where nothing is sent although it may look so, or while it is unresolved. */
export function explainPosted(id: string, posted: PostedResource, { reasons }: Plan): messages.Message[] {
  const { kind, who, where } = posted;
  return reasons.map((reason) =>
    messages.isTold(reason)
      ? messages.reasonMessage(who, reason, false)
      : messages.stillUnresolved(kind, who, where, id),
  );
}

/** A replacement that adopts the very id that it replaces sends nothing, and goes on with a chat that it has just ended. */
export function refuseOwnId<Inputs extends UnresolvedArgs>(
  id: string,
  news: Inputs,
  replaces: readonly (keyof Inputs & string)[],
  who: string,
): void {
  // A value that is not known yet may turn out to be the same.
  const changed = replaces.filter((field) => !isUnknown(news[field]));
  if (news.adopt === id && changed.length > 0) {
    throw new ResourceError(messages.adoptsItself(who, changed, id));
  }
}

/** Is this delete the second half of a replacement that resolved the entry? Then nothing is left to say. */
export const isResolved = (id: string, session: Session): boolean => session.memory.resolvedIds.has(id);

/** Saves what nobody knows, and says what may exist. */
export function saveUnresolved(failure: Failure, inputs: object, posted: PostedResource, session: Session): SavedError {
  const { settings } = session;
  const id = session.newId("unresolved");
  const message = messages.unknownOutcome(posted.code, failure, {
    who: posted.who,
    action: "create",
    truth: messages.unresolved(posted.kind, posted.who, posted.where, id),
    tokenSource: settings.tokenSource,
    endpoint: settings.endpoint,
  });
  return new SavedError(message, id, { ...inputs, ...endpointOf(settings), unresolved: true });
}
