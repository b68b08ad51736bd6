/** Decides whether and when a failed attempt is repeated. Pure: all that it needs is in the question. */

/** The kinds of failures that the decision tells apart. */
export type RetryClass =
  | "rateLimited" /* 429: nothing ran */
  | "unreachable" /* no connection: nothing was sent */
  | "unknown" /* sent, and perhaps carried out */
  | "final"; /* a clear no */

export interface RetryQuestion {
  /** May it be sent again after an unknown outcome? */
  readonly isRepeatable: boolean;
  readonly retryClass: RetryClass;
  /** Attempts so far that got no 429, this one included. */
  readonly attempts: number;
  /** Attempts so far that got a 429, this one included. */
  readonly got429: number;
  readonly attemptLimit: number;
  readonly elapsedMs: number;
  readonly deadlineMs: number;
  /** How long one attempt may take. */
  readonly attemptMs: number;
  readonly retryAfterMs: number | undefined;
  /** From 0 up to 1. */
  readonly random: number;
}

/** How long to wait before the next attempt. After the last one, `waitMs` is what the wait would have been. */
export interface RetryDecision {
  readonly waitMs: number;
  readonly isLast: boolean;
}

const BACKOFF_BASE_MS = 1000;
const BACKOFF_CAP_MS = 16_000;
const FLOOR_MS = 200;
const FLOOR_CAP_MS = 8000;

function doubled(start: number, times: number, cap: number): number {
  return Math.min(cap, start * 2 ** times);
}

/** Full jitter: a random wait between nothing and a limit that doubles, so that many clients do not send at the same moment. */
function backoff(attempt: number, random: number): number {
  return random * doubled(BACKOFF_BASE_MS, attempt - 1, BACKOFF_CAP_MS);
}

/** `Retry-After` counts, but not below a floor that doubles: a platform that always says 0 would otherwise be asked without a pause. */
function waitAfter(question: RetryQuestion, repeats: number): number {
  const asked = question.retryAfterMs ?? backoff(repeats, question.random);
  const isToldToWait = question.retryClass === "rateLimited" || question.retryAfterMs !== undefined;
  return isToldToWait ? Math.max(asked, doubled(FLOOR_MS, repeats - 1, FLOOR_CAP_MS)) : asked;
}

function mayRepeat({ isRepeatable, retryClass }: RetryQuestion): boolean {
  return retryClass !== "final" && !(retryClass === "unknown" && !isRepeatable);
}

/** A POST that is cut short may have been carried out. So it is repeated after a clean refusal only if there is time for a whole attempt. */
function endsTooLate({ isRepeatable, elapsedMs, attemptMs, deadlineMs }: RetryQuestion, waitMs: number): boolean {
  const startMs = elapsedMs + waitMs;
  return startMs >= deadlineMs || (!isRepeatable && startMs + attemptMs > deadlineMs);
}

export function decide(question: RetryQuestion): RetryDecision {
  if (!mayRepeat(question)) {
    return { waitMs: 0, isLast: true };
  }
  const waitMs = waitAfter(question, question.retryClass === "rateLimited" ? question.got429 : question.attempts);
  return { waitMs, isLast: question.attempts >= question.attemptLimit || endsTooLate(question, waitMs) };
}

/** Milliseconds since 1970 of a date as HTTP writes it. */
export function parseHttpDate(text: string): number | undefined {
  const date = text.endsWith(" GMT") ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}

/** Retry-After in milliseconds: seconds or an HTTP date. Garbage counts as none. */
export function parseRetryAfter(text: string, wallClockMs: number): number | undefined {
  if (/^\d{1,12}$/.test(text)) {
    return Number(text) * 1000;
  }
  const date = parseHttpDate(text);
  return date === undefined ? undefined : Math.max(0, date - wallClockMs);
}
