import type { Profile } from "./profile";
import type { Account } from "./store";

/** A request that is well formed and authorized. */
export interface ApiRequest {
  readonly account: Account;
  readonly profile: Profile;
  readonly body: Readonly<Record<string, unknown>>;
  /** The seed for the IDs that the platform generates, such as chat IDs. */
  readonly seed: number;
  readonly now: () => Date;
}

/**
 * The platform's decision on a request. The response and the change (`commit`) are separate, so that a fault can let
 * one happen without the other.
 */
export interface Decision {
  readonly response: PlatformResponse;
  readonly commit?: () => void;
  /** The ID of the chat or voice that `commit` creates. */
  readonly createdId?: string;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isEmpty(value: unknown): boolean {
  return value === "" || (Array.isArray(value) && value.length === 0);
}

// --- refusals

/** Thrown if the platform refuses a request. The response then has this status and message. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Refuses the request unless the condition holds. */
export function demand(condition: boolean, status: number, message: string): asserts condition {
  if (!condition) {
    throw new Refusal(status, message);
  }
}

/** Checks the type of a request field: returns true if the field's value has the right type. */
export type FieldType = (value: unknown) => boolean;

/**
 * Refuses the request if a required field is missing or a field has the wrong type. A field that is null counts as
 * missing.
 */
export function demandFields(
  { body }: ApiRequest,
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

/**
 * A response from the platform. `body` is sent as JSON, and `text` is sent as is. If neither is set, the response has
 * an empty body.
 */
export interface PlatformResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** Returns an error response in the form that the interface specifies, `{ error }` (docs/interface.md, section 4.1). */
export function errorResponse(
  status: number,
  error: string,
  headers: PlatformResponse["headers"] = {},
): PlatformResponse {
  return { status, body: { error }, headers };
}
