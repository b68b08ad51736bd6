import type { Failure } from "../api/failure";
import type { PlatformIds } from "../routing/types";
import type { UnappliedReason } from "../run/plan";
import type { Code } from "../words/codes";
import type { Mismatch, Verdict } from "./verify";

/** The result of one number's request. */
export type NumberResult = AppliedNumber | FailedNumber;

interface SentNumber {
  readonly number: string;
  /** The platform's identifiers for the number, if the response has any. */
  readonly platformIds?: PlatformIds | undefined;
}

interface AppliedNumber extends SentNumber {
  readonly became: "applied";
  readonly cause?: undefined;
}

/** A number that may not have received the requested routing, and why. */
export interface FailedNumber extends SentNumber {
  readonly became: UnappliedReason;
  readonly cause: FailureCause;
  /** How the response differs from the request. Absent if the platform did not accept the request. */
  readonly verdict?: Verdict | undefined;
}

/** Why a number's request failed or was not sent. Numbers with the same code and text are reported together. */
export interface FailureCause {
  /** The error code, if the failure has one. */
  readonly code?: Code | undefined;
  readonly text: string;
  /** The advice for this failure. If absent, the message shows the advice for `mismatch` or for the error code. */
  readonly remedy?: string | undefined;
  /** The field of the first mismatch between request and response. Set only if the platform accepted the request. */
  readonly mismatch?: Mismatch["field"] | undefined;
  /** How the request failed. Absent if no request was sent, or if the platform accepted the request. */
  readonly failure?: Failure | undefined;
}

export const isFailed = (result: NumberResult): result is FailedNumber => result.became !== "applied";

/** Whether the run tried to send a request for the number, even if the request never reached the platform. */
export const isTried = ({ became, cause }: NumberResult): boolean =>
  became !== "not sent" || cause?.failure !== undefined;

/** Whether the request may have changed the number on the platform. */
export const mayHaveChanged = ({ became }: NumberResult): boolean => became !== "rejected" && became !== "not sent";

/** Whether the request failed with an HTTP response, either from the platform or from a proxy. */
export const hasErrorResponse = ({ cause }: NumberResult): boolean => cause?.failure?.exchange.status !== undefined;
