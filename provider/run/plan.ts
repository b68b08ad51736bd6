import { same } from "../base/json";
import type { PostedKind } from "../config/kinds";
import type { PlacedNumber } from "./ledger";
import type { Violation } from "./violation";

/**
 * Why a number may not have what is declared. `different`: the platform accepted the request but shows something else.
 * `not sent`: the run stopped before sending it.
 */
export const UNAPPLIED_REASONS = ["rejected", "unknown", "different", "not sent"] as const;

export type UnappliedReason = (typeof UNAPPLIED_REASONS)[number];

/**
 * What a run would do with a resource. numbers/plan.ts decides this for numbers, posts/lifecycle.ts for voices and
 * chats. diff reports it to the engine; create, update and delete carry it out; the report describes it.
 */
export interface Plan {
  /** Is there anything to do, even if only to record a value? */
  readonly changes: boolean;
  /** Properties whose change makes the engine create a replacement and delete the original at the end of the run. */
  readonly replaces: readonly string[];
  /** Numbers to send a PUT for; undefined if they aren't known yet. */
  readonly assigns: readonly string[] | undefined;
  /** Numbers in `assigns` that are new here; their current routing is overwritten. */
  readonly joins: readonly string[];
  /** Numbers that are no longer declared here. */
  readonly leaves: readonly string[];
  /** Numbers in `leaves` that the original's delete clears, unless another resource declares them by then. */
  readonly clears: readonly PlacedNumber[];
  /** The split that this change returns calls to. */
  readonly rollbackTo?: RollbackTarget | undefined;
  /** Does this end the posted voice or chat? */
  readonly ends: boolean;
  readonly reasons: readonly Reason[];
}

/** A plan, plus what the guards refuse in it. */
export interface JudgedPlan extends Plan {
  readonly violations: readonly Violation[];
}

/** Why a run does something the input change doesn't show, or doesn't do what the inputs seem to ask for. */
export type Reason =
  /** Numbers that an earlier run did not apply. */
  | { readonly why: "unapplied"; readonly count: number; readonly reasons: readonly UnappliedReason[] }
  | { readonly why: "endpoint"; readonly from: string; readonly to: string }
  | { readonly why: "restart"; readonly agent: string; readonly at: string }
  | { readonly why: "membership"; readonly joins: readonly string[]; readonly clears: readonly string[] }
  | { readonly why: "notMoved"; readonly from: string; readonly to: string }
  | { readonly why: "recorded"; readonly fields: readonly string[]; readonly noun: string }
  /** Used only in previews, because the run itself sends it. `what` is absent if secret or not known yet. */
  | { readonly why: "posts"; readonly kind: PostedKind; readonly name: string | undefined }
  | { readonly why: "unresolved"; readonly post: UncertainPost; readonly id: string };

/** A posted voice or chat that may exist. */
export interface UncertainPost {
  readonly kind: PostedKind;
  /** How people find it: `chat to +15557654321`, or the noun alone if the number is secret. */
  readonly name: string;
  readonly place: string;
}

export const NOTHING: Plan = {
  changes: false,
  replaces: [],
  assigns: [],
  joins: [],
  leaves: [],
  clears: [],
  ends: false,
  reasons: [],
};

export const changedFields = (fields: readonly string[], olds: object, news: object): string[] =>
  fields.filter((field) => !same(Reflect.get(olds, field), Reflect.get(news, field)));

/**
 * The split that a change returns to: the rollout's stable agent (as after an abort), or the previous split. Bringing
 * back an aborted agent is a new start rather than a return, whatever the split was before.
 */
export type RollbackTarget = "stable" | "previous";
