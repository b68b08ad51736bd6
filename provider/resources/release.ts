import { defined } from "../core/equality";
import { judgeFreeze } from "../core/guards";
import * as messages from "../core/messages";
import { clearedFrom, isNothingToClear, leftBehind, type OnDelete, type Routing } from "../core/routing";
import { assign, conclude, keepSecret, type NotApplied, type Task } from "./assign";
import type { Session } from "./lifecycle";

/** How a number is let go: a single one that is deleted, and each one of a group or of those that left it. */

/** What a delete does with a number: whether another resource keeps it, and what there is to send. */
export interface Release {
  readonly isKept: boolean;
  /**
   * Why it is not let go now: its new holder was refused or failed in this run, so that what only this resource knows of the number
   * would be lost; or another resource failed, and nobody knows what the program declares behind it.
   */
  readonly withheld?: string | undefined;
  readonly task?: Task | undefined;
  /** What it holds, where another provider process declares it: that one is asked to see to the rest. */
  readonly asks?: Routing | undefined;
}

/** The one place where that is decided. `fallback` is what a number gets where nobody declares it. */
export function planRelease(number: string, held: Routing, fallback: Routing, session: Session): Release {
  switch (session.declared.whereIs(number)) {
    case "here":
      return keep(number, held, session);
    case "elsewhere":
      return { isKept: true, asks: held };
    case "gone":
      return { isKept: true, withheld: messages.DECLARER_GONE };
    case "left out":
      return { isKept: true, withheld: messages.LEFT_OUT };
    default:
  }
  if (isNothingToClear(held, fallback)) {
    return { isKept: false };
  }
  return session.declared.hasFailed()
    ? { isKept: false, withheld: messages.RUN_FAILED }
    : { isKept: false, task: { number, routing: fallback, held } };
}

const keep = (number: string, held: Routing, session: Session): Release =>
  session.memory.unconfirmed.has(number)
    ? { isKept: true, withheld: messages.UNCONFIRMED }
    : { isKept: true, task: taskForKept(number, held, session) };

/** What came of letting a number go: not begun, and why; or what the platform made of it. */
export interface Released {
  readonly withheld?: string | undefined;
  readonly notApplied?: NotApplied | undefined;
}

export async function carryOut(number: string, release: Release, who: string, session: Session): Promise<Released> {
  const { withheld, task, asks } = release;
  const why = withheld ?? (asks && (await session.declared.askDeclarer(number, asks, who)));
  return why === undefined
    ? { notApplied: task && conclude(who, await assign(task, session), session) }
    : { withheld: why };
}

/** Answers another provider process of the run, which lets go of a number that this one declares. */
export function answerRelease(
  number: string,
  held: Routing,
  who: string,
  session: Session,
): Promise<string | undefined> {
  return session.inTurn(number, async () => {
    // Which of these values are secret, only the other process knows.
    keepSecret([number], Object.keys(held), session);
    const { withheld, task } = keep(number, held, session);
    if (withheld !== undefined || task === undefined) {
      return withheld;
    }
    if (judgeFreeze(session.settings).length > 0 && session.settings.bypass === undefined) {
      return messages.HOLDER_FROZEN;
    }
    const notApplied = conclude(who, await assign(task, session), session);
    return (
      notApplied && messages.notSentAgain("failure" in notApplied ? messages.causeText(notApplied.failure) : undefined)
    );
  });
}

/** What a number gets that is let go: the fallback, in the account and workspace that it was assigned in. */
export const fallbackOf = (
  { onDelete }: { onDelete?: OnDelete | undefined },
  { accountSid, workspaceId }: Routing,
): Routing => ({ ...defined({ accountSid, workspaceId }), ...leftBehind(onDelete) });

/**
 * A number that stays with another declaration of the running program: its agents are not touched, and what else only the
 * old declaration bound goes. Undefined where there is nothing to send.
 */
function taskForKept(number: string, held: Routing, session: Session): Task | undefined {
  const { applied, wanted } = session.memory;
  const now = applied.get(number);
  const { inboundAgents: _, ...others } = held;
  if (now !== undefined) {
    const cleared = clearedFrom(others, now);
    const isNothing = cleared.bindings.length + cleared.extraFields.length === 0;
    return isNothing ? undefined : { number, routing: now, held: others };
  }
  // The other declaration sent nothing in this run, since for the engine it is unchanged: but a run that broke off may have left the
  // number to the one that goes now.
  const routing = wanted.get(number)?.(number);
  return routing && { number, routing, held: others };
}
