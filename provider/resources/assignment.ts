import { type Body, ladder, toBody } from "../core/clearing";
import * as messages from "../core/messages";
import type { Failure, NumberAnswer, NumberRecord, Outcome } from "../core/operations";
import { type Binding, type Cleared, clearedFrom, type Routing, toClear } from "../core/routing";
import type { ClearMode } from "../core/settings";
import { type Mismatch, stillBound, type Verdict, verify } from "../core/verify";
import type { Session } from "./lifecycle";

/** One number, assigned and cleared: what a single assignment and each number of a group go through. */

export interface Task {
  number: string;
  /** What is to be bound. */
  routing: Routing;
  /** What was bound, as far as we know: what it has and `routing` has not is cleared. */
  before: Routing;
}

export type Assigned =
  | { result: "applied"; verdict: Verdict; isVerified: boolean; issues: string[] }
  /** The platform accepted the request and shows something else. */
  | { result: "different"; verdict: Verdict; cleared: Binding[]; tried: ClearMode[]; issues: string[] }
  | { result: "rejected" | "unknown"; failure: Failure };

/** A platform may show a routing only some time after it took it (assumption 37): this long is waited before it counts as different. */
const STALE_WAITS_MS = [500, 1500];

/** Sends the PUT, climbs the ways of clearing where something is to go, and compares the answer with what was asked. */
export async function assign(task: Task, session: Session): Promise<Assigned> {
  const cleared = toClear(task.before, task.routing);
  if (cleared.bindings.length === 0 && cleared.extraFields.length === 0) return settled(task, cleared, "null", session);
  return climb(task, cleared, session);
}

/** Why a way of clearing is not the last word: the next one is tried. */
type Doubt = "refused" | "left" | "unseen";

async function climb(task: Task, cleared: Cleared, session: Session): Promise<Assigned> {
  const modes = ladder(session.settings.clearWith, session.memory.clearedWith);
  const doubtful: Partial<Record<Doubt, Assigned>> = {};
  let taken: ClearMode | undefined;
  let isTold = false;
  for (const mode of modes) {
    const assigned = await attempt(task, cleared, mode, session);
    const doubt = doubtOf(assigned, cleared, doubtful.left !== undefined);
    if (doubt === undefined)
      return concludeClimb(assigned, doubtful, () => settled(task, cleared, mode, session, assigned), mode, session);
    // Of refusals the first one tells the platform's own objection; of the rest the last one tells what is shown now.
    if (doubt !== "refused")
      doubtful[doubt] = assigned.result === "different" ? { ...assigned, tried: modes } : assigned;
    else doubtful.refused ??= assigned;
    if (doubt === "left") taken ??= mode;
    isTold ||= doubt === "unseen" && mode !== "omit";
  }
  if (doubtful.left === undefined || taken === undefined) return leastDoubtful(doubtful, isTold);
  // All of it may have been shown too early.
  const settledLeft = await settled(task, cleared, taken, session, doubtful.left);
  return settledLeft.result === "different" ? { ...settledLeft, tried: modes } : settledLeft;
}

/** Who refuses every word for "none" may do so because it must not be: to leave a field out and see nothing proves nothing. */
function leastDoubtful({ unseen, refused }: Partial<Record<Doubt, Assigned>>, isTold: boolean): Assigned {
  if (refused === undefined || unseen === undefined) return (unseen ?? refused) as Assigned;
  return isTold ? unseen : inDoubt(refused);
}

/** Shown as bound a moment ago and not shown any more is gone; never shown may be still there. */
function doubtOf(assigned: Assigned, cleared: Cleared, wasLeft: boolean): Doubt | undefined {
  if (isRefusedForm(assigned)) return "refused";
  if (assigned.result === "different") return leavesBound(assigned, cleared) ? "left" : undefined;
  return isUnseen(assigned) && !wasLeft ? "unseen" : undefined;
}

function concludeClimb(
  assigned: Assigned,
  earlier: Partial<Record<Doubt, Assigned>>,
  settle: () => Promise<Assigned>,
  mode: ClearMode,
  session: Session,
): Promise<Assigned> | Assigned {
  if (assigned.result === "applied" && assigned.isVerified) session.memory.clearedWith = mode;
  if (assigned.result === "different") return settle();
  return earlier.left !== undefined || earlier.unseen !== undefined ? inDoubt(assigned) : assigned;
}

/** An earlier way was taken, with all that it bound: a refusal of this one does not mean that the number is as it was. */
const inDoubt = (assigned: Assigned): Assigned =>
  assigned.result === "rejected" ? { ...assigned, result: "unknown" } : assigned;

const isUnseen = (assigned: Assigned): boolean => assigned.result === "applied" && assigned.verdict.unseen.length > 0;

/**
 * A number that stays with another declaration of the running program: its agents are not touched, and what else only the
 * old declaration bound goes. Undefined where there is nothing to send.
 */
export function handOver(number: string, before: Routing, session: Session): Task | undefined {
  const now = session.memory.applied.get(number);
  const { inboundAgents: _, ...others } = before;
  if (now === undefined) return bindAgain(number, others, session);
  const cleared = clearedFrom(others, now);
  return cleared.bindings.length + cleared.extraFields.length === 0
    ? undefined
    : { number, routing: now, before: others };
}

/**
 * The other declaration sent nothing in this run, since for the engine it is unchanged: but a run that broke off may have left the
 * number to the one that goes now. What another provider's process has checked is not known here.
 */
function bindAgain(number: string, before: Routing, session: Session): Task | undefined {
  const wanted = session.memory.wanted.get(number);
  return wanted && { number, routing: wanted(number), before };
}

/** A platform may refuse one way of writing "none" and take another. */
const isRefusedForm = (assigned: Assigned): boolean =>
  assigned.result === "rejected" &&
  assigned.failure.cause === "refused" &&
  REFUSED_FORMS.has(assigned.failure.exchange.status ?? 0);
const REFUSED_FORMS = new Set([200, 201, 202, 400, 422]);

type Different = Extract<Assigned, { result: "different" }>;

const leavesBound = ({ verdict }: Different, cleared: Cleared): boolean =>
  stillBound(verdict, cleared.bindings).length > 0;

/** Repeats a PUT whose answer contradicts it, for an answer may be stale; the same body does no harm twice. */
async function settled(
  task: Task,
  cleared: Cleared,
  mode: ClearMode,
  session: Session,
  first?: Assigned,
): Promise<Assigned> {
  let assigned = first ?? (await attempt(task, cleared, mode, session));
  for (const ms of STALE_WAITS_MS) {
    if (assigned.result !== "different" || !mayBeStale(assigned.verdict)) return assigned;
    await session.wait(ms);
    const next = await attempt(task, cleared, mode, session);
    if (next.result === "rejected" || next.result === "unknown") return assigned;
    assigned = next;
  }
  return assigned;
}

/** An import error, or another workspace, does not go away by waiting. */
const mayBeStale = ({ mismatches, record }: Verdict): boolean =>
  record !== undefined &&
  mismatches.some(({ field }) => field !== "platformImportError" && field !== "workspaceId" && field !== "accountSid");

async function attempt(
  { number, routing, before }: Task,
  cleared: Cleared,
  mode: ClearMode,
  session: Session,
): Promise<Assigned> {
  const body: Body = toBody(routing, cleared, mode);
  const outcome: Outcome<NumberAnswer> = await session.client().assignNumber({ number, ...body });
  if (outcome.outcome !== "applied") return { result: outcome.outcome, failure: outcome.failure };
  session.memory.applied.set(number, routing);
  const verdict = verify(number, routing, cleared.bindings, before, outcome.answer ?? {});
  const { issues } = outcome;
  return verdict.mismatches.length === 0
    ? { result: "applied", verdict, isVerified: verdict.isShown, issues }
    : { result: "different", verdict, cleared: cleared.bindings, tried: [mode], issues };
}

/** Which differences stop the run, and which are only told: `onMismatch`, else errors for what callers would hear. */
export function grave(mismatches: readonly Mismatch[], cleared: readonly Binding[], session: Session): Mismatch[] {
  const { onMismatch } = session.settings;
  if (onMismatch !== undefined) return onMismatch === "error" ? [...mismatches] : [];
  const isGrave = ({ field }: Mismatch) =>
    field === "inboundAgents" ||
    field === "platformImportError" ||
    // The version that is shown may be the one that the platform picks where none is given.
    (field !== "outboundAgentVersion" && (cleared as readonly string[]).includes(field));
  return mismatches.filter(isGrave);
}

/** The warnings that an applied PUT leaves behind. */
export function tell(who: string, assigned: Assigned, session: Session): void {
  if (assigned.result !== "applied" && assigned.result !== "different") return;
  if (assigned.issues.length > 0) session.warn(messages.answerIssues(who, assigned.issues));
  if (assigned.result === "applied" && !assigned.isVerified) tellUnverified(who, session);
}

function tellUnverified(who: string, session: Session): void {
  if (session.memory.unverifiedTold) return;
  session.memory.unverifiedTold = true;
  session.warn(messages.unverified(who));
}

/** What of the platform's record the inputs do not say (interface 2.2). */
export interface PlatformIds {
  /** Id of the number's record, an integer. */
  id?: number | undefined;
  /** What the platform calls the phone number. */
  phoneNumberSid?: string | undefined;
  /** What the platform calls the application behind it. */
  applicationSid?: string | undefined;
  /** The number that an extension belongs to; absent where it is the number itself. */
  baseNumber?: string | undefined;
}

export function platformIds(number: string, record: NumberRecord | undefined): PlatformIds | undefined {
  if (record === undefined) return undefined;
  const ids = {
    id: record.id ?? undefined,
    phoneNumberSid: record.phoneNumberSid ?? undefined,
    applicationSid: record.applicationSid ?? undefined,
    baseNumber: record.baseNumber === number ? undefined : (record.baseNumber ?? undefined),
  };
  const known = Object.entries(ids).filter(([, value]) => value !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

/** The account and workspace of a state, so that a clearing PUT names them too. */
export const scopeOf = ({ accountSid, workspaceId }: Routing): Routing => ({
  ...(accountSid === undefined ? {} : { accountSid }),
  ...(workspaceId === undefined ? {} : { workspaceId }),
});
