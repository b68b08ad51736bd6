import type { Code } from "../core/codes";
import { placeOf } from "../core/endpoint";
import * as messages from "../core/messages";
import type { Failure } from "../core/operations";
import { same } from "../core/same";
import { isUnknown } from "../core/unknown";
import { type Diff, ResourceError, SavedError, type Session } from "./lifecycle";

/**
 * A POST whose outcome nobody knows. It is saved as such and never sent again by itself; the operator settles it with
 * `adopt` or `retryUnresolved`. Both ask for a replacement, because only a create can give the engine a new id.
 */
export interface Settling {
  /** The id of what exists already: nothing is sent. Read at create or while unresolved; later it is no change. */
  adopt?: string | undefined;
  /** The unresolved id whose one retry is allowed. */
  retryUnresolved?: string | undefined;
}

/** Two answers to one question: which is meant, nobody can know. */
export const contradictions = ({ adopt, retryUnresolved }: Settling): messages.Message[] =>
  adopt !== undefined && retryUnresolved !== undefined ? [messages.twoAnswers()] : [];

/** What goes on with these inputs: what they adopt, and what they adopted at create, as long as nothing replaces it. */
export function adoptedBy<Inputs extends Settling>(
  olds: Readonly<Record<string, unknown>> | undefined,
  news: Inputs,
  replacing: readonly (keyof Inputs & string)[],
): string[] {
  const isReplaced = replacing.some((field) => !same(olds?.[field], news[field]));
  const ids = [news.adopt, isReplaced ? undefined : olds?.adopt];
  return ids.filter((id): id is string => typeof id === "string" && !isUnknown(id));
}

export interface Marked {
  unresolved?: true | undefined;
}

/** What is posted: its words in messages, and its code. */
export interface Posted {
  kind: "voice" | "chat";
  who: string;
  where: string;
  code: Code;
}

/** The diff of an entry that is unresolved: a replacement where the operator has answered, and else no more than a reminder. */
export function diffUnresolved(id: string, news: Settling, posted: Posted): Diff {
  const answer = answerTo(id, news);
  return {
    changes: true,
    replaces: answer === undefined ? [] : [answer],
    deleteBeforeReplace: false,
    notes: answer === undefined ? [messages.stillUnresolved(posted.kind, posted.who, posted.where, id)] : [],
    trips: [],
    settles: answer !== undefined,
  };
}

function answerTo(id: string, { adopt, retryUnresolved }: Settling): "adopt" | "retryUnresolved" | undefined {
  if (adopt !== undefined && !isUnknown(adopt)) return "adopt";
  return retryUnresolved === id ? "retryUnresolved" : undefined;
}

/** A replacement that adopts the very id that it replaces sends nothing, and goes on with a chat that it has just ended. */
export function refuseOwnId<Inputs extends Settling>(
  id: string,
  news: Inputs,
  replaces: readonly (keyof Inputs & string)[],
  who: string,
): void {
  // A value that is not known yet may turn out to be the same.
  const changed = replaces.filter((field) => !isUnknown(news[field]));
  if (news.adopt === id && changed.length > 0) throw new ResourceError(messages.adoptsItself(who, changed, id));
}

/** Is this delete the second half of a replacement that settled the entry? Then nothing is left to say. */
export const isSettled = (id: string, session: Session): boolean => session.memory.settled.has(id);

/** Saves what nobody knows, and says what may exist. */
export function saveUnresolved(failure: Failure, inputs: object, posted: Posted, session: Session): SavedError {
  const { settings } = session;
  const id = session.newId("unresolved");
  const message = messages.unknownOutcome(posted.code, failure, {
    who: posted.who,
    action: "create",
    truth: messages.unresolved(posted.kind, posted.who, posted.where, id),
    tokenSource: settings.tokenSource,
    endpoint: settings.endpoint,
  });
  return new SavedError(message, id, { ...inputs, ...placeOf(settings), unresolved: true });
}
