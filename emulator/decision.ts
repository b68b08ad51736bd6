import type { IncomingHttpHeaders } from "node:http";
import type { Profile } from "./profile";
import type { Answer, Refusal } from "./refusal";
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
