import { causeText } from "../core/messages";
import type { Cause, Failure, Outcome } from "../core/platform/operations";

/** A request that cannot be sent. Nothing was sent. Its stack is its message, because the engine prints stacks. */
export class InvalidRequestError extends TypeError {
  constructor(message: string) {
    super(message);
    this.name = "InvalidRequestError";
    this.stack = message;
  }
}

/** Options that are not valid. */
export class InvalidOptionsError extends TypeError {
  constructor(message: string) {
    super(message);
    this.name = "InvalidOptionsError";
    this.stack = message;
  }
}

/** A failed exchange as an error. Every field is safe to print: there is no request, header, body or token in it. */
export class PlatformError extends Error {
  /** What to branch on. */
  override readonly cause: Cause;
  /** `unknown`: the platform may have done it. */
  readonly outcome: "rejected" | "unknown";
  /** Method and path template, such as `PUT /api/numbers/{number}/agent`. */
  readonly operation: string;
  /** HTTP status of the last response; undefined if none came. */
  readonly status: number | undefined;
  /** All that is known of it. */
  readonly failure: Failure;

  constructor(outcome: "rejected" | "unknown", failure: Failure) {
    super(`${outcome}${outcome === "unknown" ? " outcome" : ""}: ${causeText(failure)}`);
    this.name = "PlatformError";
    this.cause = failure.cause;
    this.outcome = outcome;
    this.operation = failure.exchange.operation;
    this.status = failure.exchange.status;
    this.failure = failure;
  }
}

/** The response of an outcome, or a thrown PlatformError. `undefined` is a 2xx without a usable body: applied, unverified. */
export function unwrap<Answer>(outcome: Outcome<Answer>): Answer | undefined {
  if (outcome.outcome === "applied") {
    return outcome.answer;
  }
  throw new PlatformError(outcome.outcome, outcome.failure);
}
