import { InvalidRequestError } from "../client/errors";
import { type FleetInputs, type FleetState, heldBy, type Missed, type Plan, routingFor, scopeIn } from "../core/fleet";
import * as messages from "../core/messages";
import type { Cause, Failure } from "../core/operations";
import { type Binding, bindsAnything, type OnDelete, type Routing } from "../core/routing";
import type { Mismatch } from "../core/verify";
import { type Assigned, assign, grave, handOver, scopeOf, tell } from "./assignment";
import type { Session } from "./lifecycle";

/** Many numbers sent: one goes first, the rest with bounded concurrency, removals last. */

export interface Sent {
  /** How many numbers got their routing, and how many that left were cleared. */
  applied: number;
  cleared: number;
  missed: Missed[];
  /** Not cleared, because the running program declares them elsewhere by now, or because the platform does not know them. */
  kept: string[];
  gone: string[];
  /** Why the rest was not sent. */
  stopped?: string | undefined;
}

export interface Order {
  who: string;
  inputs: FleetInputs & { maxFailures?: number | undefined };
  olds: FleetState | undefined;
  session: Session;
}

interface Run extends Order {
  sent: Sent;
  /** How many numbers in a row got no answer. */
  silent: number;
  report: (done: number) => void;
  /** What a number gets that leaves from an account and workspace. */
  fallbackIn: (scope: Routing) => Routing;
}

/** What a number lacks, and why; undefined where all is well. */
type Lack = Omit<Missed, "number" | "isLeaving"> | undefined;
type Work = (number: string, run: Run) => Promise<Lack>;

export async function sendAll({ send, clear }: Pick<Plan, "send" | "clear">, order: Order): Promise<Sent> {
  const { session } = order;
  // A token that is missing is one sentence, and not one for each number.
  session.client();
  const count = send.length + clear.length;
  session.sweep(count);
  const sent: Sent = { applied: 0, cleared: 0, missed: [], kept: [], gone: [] };
  const run: Run = {
    ...order,
    sent,
    silent: 0,
    report: progressOf(order.who, count, session),
    fallbackIn: fallbackOf(order.inputs.onDelete),
  };
  const { concurrency } = session.settings;
  const scouted = await scout(send, run);
  await each(send, scouted, concurrency, (number) => take(number, false, put, run));
  // Where nothing else is sent, the first removal shows whether the token is taken, and which way of clearing.
  const first = send.length === 0 ? Math.min(1, clear.length) : 0;
  for (const number of clear.slice(0, first)) await take(number, true, release, run);
  await each(clear, first, concurrency, (number) => take(number, true, release, run));
  session.sweep(count);
  if (sent.kept.length > 0) session.warn(messages.keptNumbers(order.who, sent.kept));
  if (sent.gone.length > 0) session.warn(messages.goneNumbers(order.who, sent.gone));
  return sent;
}

/** How many numbers go one by one while none is applied: a fault may be the first number's own. */
const SCOUTS = 3;

/** The first number shows what the platform makes of the routing, before the rest gets it. The answer is how many were tried. */
async function scout(numbers: readonly string[], run: Run): Promise<number> {
  const { sent } = run;
  for (const number of numbers.slice(0, SCOUTS)) {
    await take(number, false, putFirst, run);
    if (sent.applied > 0 || sent.stopped !== undefined) break;
  }
  const { missed } = sent;
  if (missed.length === SCOUTS && missed.every(({ failure }) => failure?.cause !== "notFound"))
    stop(run, `the first ${SCOUTS} numbers failed`);
  return sent.applied + missed.length;
}

/** One number, and what follows from its end. */
async function take(number: string, isLeaving: boolean, work: Work, run: Run): Promise<void> {
  const { sent, session } = run;
  const lack: Lack =
    sent.stopped === undefined
      ? await session.inTurn(number, () => work(number, run)).catch(thrown)
      : { shortfall: "not sent", cause: sent.stopped };
  run.silent = lack?.failure !== undefined && SILENT.has(lack.failure.cause) ? run.silent + 1 : 0;
  if (lack !== undefined) {
    sent.missed.push({ number, isLeaving, ...lack });
    stopAfter(lack, run);
  } else if (isLeaving) sent.cleared += 1;
  else sent.applied += 1;
  run.report(sent.applied + sent.cleared + sent.missed.length);
}

/** A request that cannot be made is not sent; of anything else nobody knows how far it got. */
function thrown(error: unknown): Lack {
  const cause = error instanceof Error ? error.message : String(error);
  return { shortfall: error instanceof InvalidRequestError ? "not sent" : "unknown", cause };
}

/** What is true of one number is true of all: the token, its rights, and the connection. */
const OF_ALL: ReadonlySet<Cause> = new Set(["unauthenticated", "forbidden", "redirected", "tls", "stopped"]);
/** No answer may be one number's own; many in a row are the platform's. */
const SILENT: ReadonlySet<Cause> = new Set(["unreachable", "noAnswer", "serverError", "rateLimited"]);
const LEAST_SILENT = 5;

function stopAfter({ cause, failure, shortfall }: NonNullable<Lack>, run: Run): void {
  const { sent, inputs, session } = run;
  if (shortfall === "not sent") return;
  if (failure !== undefined && OF_ALL.has(failure.cause)) stop(run, cause);
  if (inputs.maxFailures !== undefined && sent.missed.length > inputs.maxFailures)
    stop(run, `more than maxFailures (${inputs.maxFailures}) failed`);
  if (run.silent >= Math.max(LEAST_SILENT, session.settings.concurrency))
    stop(run, `${run.silent} numbers in a row got no answer`);
}

function stop(run: Run, why: string): void {
  run.sent.stopped ??= `stopped: ${why}`;
}

const put: Work = (number, run) => assignOne(number, run, grave);

/** The first number is in the wrong place where account or workspace are not those asked for: the rest would follow it there. */
const putFirst: Work = async (number, run) => {
  const lack = await assignOne(number, run, contradicted);
  // A failed import is the number's own.
  if (lack?.mismatches?.some(({ field }) => field !== "platformImportError")) stop(run, lack.cause);
  return lack;
};

type Judge = (mismatches: readonly Mismatch[], cleared: readonly Binding[], session: Session) => Mismatch[];

const contradicted: Judge = (mismatches, cleared, session) => {
  const isScope = ({ field }: Mismatch) => field === "workspaceId" || field === "accountSid";
  const strict = session.settings.onMismatch === undefined ? mismatches.filter(isScope) : [];
  return [...grave(mismatches, cleared, session), ...strict];
};

async function assignOne(number: string, { who, inputs, olds, session }: Run, judge: Judge): Promise<Lack> {
  const before = heldBy(number, olds, inputs);
  const assigned = await assign({ number, routing: routingFor(number, inputs), before }, session);
  return lackOf(number, who, assigned, judge, session);
}

/** Takes the group's routing from one number, unless the running program declares it elsewhere by now. */
const release: Work = async (number, { who, olds, session, sent, fallbackIn }) => {
  if (olds === undefined) return undefined;
  const before = heldBy(number, olds, olds);
  if (session.declared.isDeclared(number)) {
    sent.kept.push(number);
    const task = handOver(number, before, session);
    return task && lackOf(number, who, await assign(task, session), grave, session);
  }
  const routing = fallbackIn(scopeIn(number, olds));
  if (!bindsAnything(before) && !bindsAnything(routing)) return undefined;
  const assigned = await assign({ number, routing, before }, session);
  const lack = lackOf(number, who, assigned, grave, session);
  // Gone at the platform is gone; but only in its own words, for some proxy's 404 says nothing of the number.
  if (lack?.failure?.cause !== "notFound" || !lack.failure.isPlatformError) return lack;
  sent.gone.push(number);
  return undefined;
};

/** One object for all that leave from one place: what a run assigned is remembered, of 50,000 numbers too. */
function fallbackOf(onDelete: OnDelete | undefined): Run["fallbackIn"] {
  const fallback: Routing = onDelete === undefined || onDelete === "clear" ? {} : onDelete;
  const known = new WeakMap<Routing, Routing>();
  return (scope) => {
    const routing = known.get(scope) ?? { ...scopeOf(scope), ...fallback };
    known.set(scope, routing);
    return routing;
  };
}

function lackOf(number: string, who: string, assigned: Assigned, judge: Judge, session: Session): Lack {
  tell(who, assigned, session);
  if (assigned.result === "applied") return undefined;
  if (assigned.result !== "different") {
    const { failure, result: shortfall } = assigned;
    return { shortfall, cause: causeOf(number, failure), failure };
  }
  const { mismatches } = assigned.verdict;
  const errors = judge(mismatches, assigned.cleared, session);
  if (errors.length > 0)
    return { shortfall: "different", cause: errors.map(messages.mismatchText).join("; "), mismatches: errors };
  session.warn(messages.mismatched(who, mismatches, "Told only: agent-platform:onMismatch decides."));
  return undefined;
}

/** A platform that names the number in its words says the same of each: the number is left out, so that it is one cause. */
const causeOf = (number: string, failure: Failure): string => messages.causeText(failure).replaceAll(number, "…");

/** A pool over the items from an index on: each worker takes the next one, so nothing is queued that is not under way. */
async function each<T>(items: readonly T[], from: number, workers: number, work: (item: T) => Promise<void>) {
  let next = from;
  const worker = async () => {
    while (next < items.length) await work(items[next++] as T);
  };
  await Promise.all(Array.from({ length: Math.min(workers, items.length - from) }, worker));
}

const PROGRESS_EVERY_MS = 3000;

/** At most a line every few seconds, and none for work that takes less. */
function progressOf(who: string, all: number, session: Session): (done: number) => void {
  const begun = session.now();
  let last = begun;
  return (done) => {
    const now = session.now();
    if (now - last < PROGRESS_EVERY_MS || done === all) return;
    last = now;
    session.progress(messages.progress(who, done, all, (now - begun) / 1000));
  };
}
