import type { Profile } from "./profile";
import type { Account } from "./store";

/** What one request asks, once it is known to be well formed and authorized. */
export interface Ask {
  readonly account: Account;
  readonly profile: Profile;
  readonly body: Readonly<Record<string, unknown>>;
  /** Fixes every identifier that the platform makes up. */
  readonly seed: number;
  readonly now: () => Date;
}

/**
 * The platform's response, and how its state would change. They are apart so that a fault can have the response without the
 * change, or the change without the response.
 */
export interface Decision {
  readonly response: PlatformResponse;
  readonly commit?: () => void;
  /** The identifier of the chat or the voice that a commit makes. */
  readonly made?: string;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isEmpty(value: unknown): boolean {
  return value === "" || (Array.isArray(value) && value.length === 0);
}

// --- what is refused

/** Why the platform does not act. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Refuses the request if the condition does not hold. */
export function demand(condition: boolean, status: number, message: string): asserts condition {
  if (!condition) {
    throw new Refusal(status, message);
  }
}

/** Whether a value is one that a field takes. */
export type FieldType = (value: unknown) => boolean;

/** Null counts as left out. */
export function demandFields(
  { body }: Ask,
  types: Readonly<Record<string, FieldType>>,
  required: readonly string[] = [],
): void {
  for (const [field, isRight] of Object.entries(types)) {
    const value = body[field] ?? undefined;
    demand(value !== undefined || !required.includes(field), 400, `${field} is required`);
    demand(value === undefined || isRight(value), 400, `${field} has the wrong type`);
  }
}

// --- the response

/** What the platform sends back: `body` is sent as JSON, `text` as it is, neither as an empty body. */
export interface PlatformResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** An error as section 7 shows it, for one operation. */
export function errorResponse(
  status: number,
  error: string,
  headers: PlatformResponse["headers"] = {},
): PlatformResponse {
  return { status, body: { error }, headers };
}
