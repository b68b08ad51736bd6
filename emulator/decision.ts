import type { IncomingHttpHeaders } from "node:http";
import type { ErrorBody, Profile } from "./profile";
import type { Account } from "./store";

/** What one request asks, once it is known to be well formed and authorized. */
export interface Ask {
  readonly account: Account;
  readonly profile: Profile;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
  /** Fixes every identifier that the platform makes up. */
  readonly seed: number;
  readonly now: () => Date;
}

/**
 * What the platform would answer, and how its state would change. They are apart so that a fault can have the response without the
 * change, or the change without the response.
 */
export interface Decision {
  readonly answer: Answer;
  readonly commit?: () => void;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isEmpty(value: unknown): boolean {
  return value === "" || (Array.isArray(value) && value.length === 0);
}

// --- what is refused

/** A number is the status itself, a word is one of the error responses of section 7. */
type Because = "invalid" | "constraint" | number;

/** Why the platform does not act. */
export class Refusal extends Error {
  readonly because: Because;

  constructor(because: Because, message: string) {
    super(message);
    this.because = because;
  }
}

/** Refuses the request if the condition does not hold. */
export function demand(condition: boolean, because: Because, message: string): asserts condition {
  if (!condition) {
    throw new Refusal(because, message);
  }
}

/** Whether a value is one that a field takes. */
type FieldType = (value: unknown) => boolean;

/** Null counts as left out. */
export function demandFields(
  { body }: Ask,
  because: Because,
  types: Readonly<Record<string, FieldType>>,
  required: readonly string[] = [],
): void {
  for (const [field, isRight] of Object.entries(types)) {
    const value = body[field] ?? undefined;
    demand(value !== undefined || !required.includes(field), because, `${field} is required`);
    demand(value === undefined || isRight(value), because, `${field} has the wrong type`);
  }
}

/** Refuses a request that speaks of an account or a workspace that is not the token's own. */
export function demandOwn({ body, profile, account }: Ask): void {
  const isForeign =
    (typeof body.accountSid === "string" && body.accountSid !== account.accountSid) ||
    (typeof body.workspaceId === "number" && body.workspaceId !== account.workspaceId);
  demand(profile.foreignAccount === "accept" || !isForeign, 403, "this token opens another account or workspace");
}

// --- what is answered

/** What the platform answers: `body` is sent as JSON, `text` as it is, neither as an empty body. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

const statuses = {
  "400/404/422": { invalid: 400, constraint: 422 },
  "401/403/409": { invalid: 401, constraint: 409 },
} as const;

export function statusOf({ because }: Refusal, profile: Profile): number {
  return typeof because === "number" ? because : statuses[profile.errorStatuses][because];
}

const html = "text/html; charset=utf-8";

function escapeHtml(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** An error in the form that the profile chose (section 7 shows one form, for one operation). */
export function errorAnswer(status: number, message: string, form: ErrorBody, headers: Answer["headers"] = {}): Answer {
  switch (form) {
    case "error":
      return { status, body: { error: message }, headers };
    case "message":
      return { status, body: { message }, headers };
    case "text":
      return { status, text: message, headers: { "Content-Type": "text/plain; charset=utf-8", ...headers } };
    case "html":
      return {
        status,
        text: `<!doctype html>\n<html><head><title>${status}</title></head><body><h1>${escapeHtml(message)}</h1></body></html>\n`,
        headers: { "Content-Type": html, ...headers },
      };
    case "none":
      return { status, headers };
  }
}
