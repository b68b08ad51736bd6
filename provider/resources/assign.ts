import { defined } from "../core/equality";
import * as messages from "../core/messages";
import type { Failure, NumberRecord, PlatformIds } from "../core/operations";
import { type Binding, type Cleared, clearModes, type Routing, toBody, toClear } from "../core/routing";
import type { ClearMode } from "../core/settings";
import { type Before, missed, type Unapplied } from "../core/state";
import { type Mismatch, stillBound, type Verdict, verify } from "../core/verify";
import type { Session } from "./lifecycle";

/** One number, assigned and cleared: what a single assignment and each number of a group go through. */

export interface Task {
  readonly number: string;
  /** What is to be bound. */
  readonly routing: Routing;
  /** What was bound, as far as we know: what it has and `routing` has not is cleared. */
  readonly held: Routing;
}

export type Assigned =
  | { result: "applied"; verdict: Verdict; isVerified: boolean; issues: string[] }
  /** The platform accepted the request and shows something else. */
  | { result: "different"; verdict: Verdict; cleared: Binding[]; tried: ClearMode[]; issues: string[] }
  | { result: "rejected" | "unknown"; failure: Failure };

/** A platform may show a routing only some time after it took it (assumption 37): this long is waited before it counts as different. */
const STALE_WAITS_MS = [500, 1500];

/** Sends the PUT, tries the ways of clearing where something is to go, and compares the answer with what was asked. */
export async function assign(task: Task, session: Session): Promise<Assigned> {
  const cleared = toClear(task.held, task.routing);
  const put = { task, cleared, mode: "null", session } as const;
  const isNothing = cleared.bindings.length === 0 && cleared.extraFields.length === 0;
  return isNothing ? retryStale(put) : clearWithFallbacks(put);
}

/** One request: what it binds, and what it clears in which way. */
interface Put {
  readonly task: Task;
  readonly cleared: Cleared;
  readonly mode: ClearMode;
  readonly session: Session;
}

/** Why a way of clearing is not the last word: the next one is tried. */
type ClearFailure = "refused" | "left" | "unseen";

async function clearWithFallbacks(first: Put): Promise<Assigned> {
  const { cleared, session } = first;
  const modes = clearModes(session.settings.clearWith, session.memory.clearedWith);
  const failures: Partial<Record<ClearFailure, Assigned>> = {};
  let taken: ClearMode | undefined;
  let isNoneAccepted = false;
  for (const mode of modes) {
    const assigned = await putOnce({ ...first, mode });
    const failure = clearFailureOf(assigned, cleared, failures.left !== undefined);
    if (failure === undefined) {
      return concludeClearing(assigned, failures, { ...first, mode });
    }
    // Of refusals the first one tells the platform's own objection; of the rest the last one tells what is shown now.
    if (failure === "refused") {
      failures.refused ??= assigned;
    } else {
      failures[failure] = assigned.result === "different" ? { ...assigned, tried: modes } : assigned;
    }
    if (failure === "left") {
      taken ??= mode;
    }
    isNoneAccepted ||= failure === "unseen" && mode !== "omit";
  }
  if (failures.left === undefined || taken === undefined) {
    return leastBadFailure(failures, isNoneAccepted);
  }
  // All of it may have been shown too early.
  const retried = await retryStale({ ...first, mode: taken }, failures.left);
  return retried.result === "different" ? { ...retried, tried: modes } : retried;
}

/** Who refuses every word for "none" may do so because it must not be: to leave a field out and see nothing proves nothing. */
function leastBadFailure(
  { unseen, refused }: Partial<Record<ClearFailure, Assigned>>,
  isNoneAccepted: boolean,
): Assigned {
  if (refused === undefined || unseen === undefined) {
    return (unseen ?? refused) as Assigned;
  }
  return isNoneAccepted ? unseen : inDoubt(refused);
}

/** Shown as bound a moment ago and not shown any more is gone; never shown may be still there. */
function clearFailureOf(assigned: Assigned, cleared: Cleared, wasLeft: boolean): ClearFailure | undefined {
  if (isRefusedForm(assigned)) {
    return "refused";
  }
  if (assigned.result === "different") {
    return stillBound(assigned.verdict, cleared.bindings).length > 0 ? "left" : undefined;
  }
  return isUnseen(assigned) && !wasLeft ? "unseen" : undefined;
}

function concludeClearing(
  assigned: Assigned,
  earlier: Partial<Record<ClearFailure, Assigned>>,
  put: Put,
): Promise<Assigned> | Assigned {
  if (assigned.result === "applied" && assigned.isVerified) {
    put.session.memory.clearedWith = put.mode;
  }
  if (assigned.result === "different") {
    return retryStale(put, assigned);
  }
  return earlier.left !== undefined || earlier.unseen !== undefined ? inDoubt(assigned) : assigned;
}

/** An earlier way was taken, with all that it bound: a refusal of this one does not mean that the number is as it was. */
const inDoubt = (assigned: Assigned): Assigned =>
  assigned.result === "rejected" ? { ...assigned, result: "unknown" } : assigned;

const isUnseen = (assigned: Assigned): boolean => assigned.result === "applied" && assigned.verdict.unseen.length > 0;

/** Assigns a number that the program declares, and remembers whether its declaration can be relied on. */
export async function bind(
  task: Task,
  who: string,
  session: Session,
  blocking?: Blocking,
): Promise<{ assigned: Assigned; notApplied: NotApplied | undefined }> {
  const { memory } = session;
  // Until it is applied, whoever else still holds the number must not let go of it.
  memory.unconfirmed.add(task.number);
  const assigned = await assign(task, session);
  const notApplied = conclude(who, assigned, session, blocking);
  if (notApplied === undefined) {
    memory.unconfirmed.delete(task.number);
  }
  return { assigned, notApplied };
}

/** A platform may refuse one way of writing "none" and take another. */
const isRefusedForm = (assigned: Assigned): boolean =>
  assigned.result === "rejected" &&
  assigned.failure.cause === "refused" &&
  REFUSED_FORMS.has(assigned.failure.exchange.status ?? 0);
const REFUSED_FORMS = new Set([200, 201, 202, 400, 422]);

/** Repeats a PUT whose answer contradicts it, for an answer may be stale; the same body does no harm twice. */
async function retryStale(put: Put, first?: Assigned): Promise<Assigned> {
  let assigned = first ?? (await putOnce(put));
  for (const ms of STALE_WAITS_MS) {
    if (assigned.result !== "different" || !mayBeStale(assigned.verdict)) {
      return assigned;
    }
    await put.session.wait(ms);
    const next = await putOnce(put);
    if (next.result === "rejected" || next.result === "unknown") {
      return assigned;
    }
    assigned = next;
  }
  return assigned;
}

/** An import error, or another workspace, does not go away by waiting. */
const mayBeStale = ({ mismatches, record }: Verdict): boolean =>
  record !== undefined &&
  mismatches.some(({ field }) => field !== "platformImportError" && field !== "workspaceId" && field !== "accountSid");

async function putOnce({ task, cleared, mode, session }: Put): Promise<Assigned> {
  const { number, routing, held } = task;
  const outcome = await session.client().assignNumber({ number, ...toBody(routing, cleared, mode) });
  if (outcome.outcome !== "applied") {
    return { result: outcome.outcome, failure: outcome.failure };
  }
  session.memory.applied.set(number, routing);
  const seen = verify(number, routing, cleared.bindings, held, outcome.answer ?? {});
  const mismatches = messages.withoutSecrets(seen.mismatches, session.memory.secretArguments.get(number));
  const verdict = { ...seen, mismatches };
  const { issues } = outcome;
  return mismatches.length === 0
    ? { result: "applied", verdict, isVerified: verdict.isShown, issues }
    : { result: "different", verdict, cleared: cleared.bindings, tried: [mode], issues };
}

/** What responses about these numbers show of these arguments, no message does. */
export function keepSecret(
  numbers: readonly string[],
  secretArguments: readonly string[] | undefined,
  { memory }: Session,
): void {
  // Of most groups nothing is secret, and they may have 50,000 numbers.
  if (secretArguments === undefined || secretArguments.length === 0) {
    return;
  }
  for (const number of numbers) {
    const known = memory.secretArguments.get(number) ?? [];
    memory.secretArguments.set(number, [...new Set([...known, ...secretArguments])]);
  }
}

/** Which differences stop the run, and which are only told: `onMismatch`, else errors for what callers would hear. */
export function blockingMismatches(
  mismatches: readonly Mismatch[],
  cleared: readonly Binding[],
  session: Session,
): Mismatch[] {
  const { onMismatch } = session.settings;
  if (onMismatch !== undefined) {
    return onMismatch === "error" ? [...mismatches] : [];
  }
  const isBlocking = ({ field }: Mismatch) =>
    field === "inboundAgents" ||
    field === "platformImportError" ||
    // The version that is shown may be the one that the platform picks where none is given.
    (field !== "outboundAgentVersion" && (cleared as readonly string[]).includes(field));
  return mismatches.filter(isBlocking);
}

/** A number that the platform was asked to assign or clear, and that does not certainly hold what was sent. */
export type NotApplied =
  | { reason: "rejected" | "unknown"; failure: Failure }
  | { reason: "different"; mismatches: Mismatch[]; verdict: Verdict; cleared: Binding[]; tried: ClearMode[] };

type Blocking = typeof blockingMismatches;

/** What an outcome means for its number: nothing where it was applied, or differs only in what deserves a warning. */
export function conclude(
  who: string,
  assigned: Assigned,
  session: Session,
  blocking: Blocking = blockingMismatches,
): NotApplied | undefined {
  if ("failure" in assigned) {
    return { reason: assigned.result, failure: assigned.failure };
  }
  if (assigned.issues.length > 0) {
    session.warn(messages.answerIssues(who, assigned.issues));
  }
  if (assigned.result === "applied") {
    if (!assigned.isVerified) {
      warnUnverified(who, session);
    }
    return undefined;
  }
  const { verdict, cleared, tried } = assigned;
  const mismatches = blocking(verdict.mismatches, cleared, session);
  if (mismatches.length > 0) {
    return { reason: "different", mismatches, verdict, cleared, tried };
  }
  session.warn(messages.mismatched(who, verdict.mismatches, messages.WARNED_ONLY));
  return undefined;
}

/** Gone at the platform is gone; but only in the platform's own words, for some proxy's 404 says nothing of the number. */
export const isGone = (notApplied: NotApplied): boolean =>
  "failure" in notApplied && notApplied.failure.cause === "notFound" && notApplied.failure.isPlatformError;

/** What is saved of a number that was not applied: what it got last, and what may be on it beside that. */
export function unappliedAfter({ routing, held }: Task, before: Before, notApplied: NotApplied): Unapplied {
  if ("failure" in notApplied) {
    return missed(notApplied.reason, routing, before);
  }
  const { verdict, cleared } = notApplied;
  // A split that is not shown may be there all the same: it stays in the state, so that it is cleared one day.
  const isShown = Object.keys(verdict.shown ?? {}).length > 0 && !cleared.includes("inboundAgents");
  const applied = isShown ? { ...routing, inboundAgents: verdict.shown } : routing;
  const left = stillBound(notApplied, cleared).map(({ field }) => field);
  const maybe = Object.fromEntries(Object.entries(held).filter(([field]) => (left as string[]).includes(field)));
  return defined({ reason: notApplied.reason, applied, maybe: left.length === 0 ? undefined : maybe });
}

function warnUnverified(who: string, session: Session): void {
  if (session.memory.unverifiedTold) {
    return;
  }
  session.memory.unverifiedTold = true;
  session.warn(messages.unverified(who));
}

export function platformIds(number: string, record: NumberRecord | undefined): PlatformIds | undefined {
  if (record === undefined) {
    return undefined;
  }
  const ids = defined({
    id: record.id ?? undefined,
    phoneNumberSid: record.phoneNumberSid ?? undefined,
    applicationSid: record.applicationSid ?? undefined,
    baseNumber: record.baseNumber === number ? undefined : (record.baseNumber ?? undefined),
  });
  return Object.keys(ids).length === 0 ? undefined : ids;
}
