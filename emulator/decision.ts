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
export type Decision = { readonly answer: Answer; readonly commit?: () => void } | { readonly refusal: Refusal };

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isEmpty(value: unknown): boolean {
  return value === "" || (Array.isArray(value) && value.length === 0);
}

/** Whether a request speaks of an account or a workspace that is not the token's own. */
export function foreignRefusal({ body, profile, account }: Ask): Refusal | undefined {
  if (profile.foreignAccount === "accept") {
    return undefined;
  }
  const foreign =
    (typeof body.accountSid === "string" && body.accountSid !== account.accountSid) ||
    (typeof body.workspaceId === "number" && body.workspaceId !== account.workspaceId);
  return foreign ? { because: 403, message: "this token opens another account or workspace" } : undefined;
}

// --- what is answered

/** What the platform answers: `body` is sent as JSON, `text` as it is, neither as an empty body. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** Why the platform does not act; a number is the very status, a word is one of the three error responses of section 7. */
export interface Refusal {
  readonly because: "invalid" | "unknown" | "constraint" | number;
  readonly message: string;
}

const statuses = {
  "400/404/422": { invalid: 400, unknown: 404, constraint: 422 },
  "401/403/409": { invalid: 401, unknown: 403, constraint: 409 },
} as const;

export function statusOf(refusal: Refusal, profile: Profile): number {
  return typeof refusal.because === "number" ? refusal.because : statuses[profile.errorStatuses][refusal.because];
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
