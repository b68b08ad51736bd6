import { same } from "../base/json";
import type { PostedKind } from "../config/kinds";
import type { PlacedNumber } from "./ledger";
import type { Violation } from "./violation";

/** Why a number may not have what is declared. `different`: the platform accepted the request and shows something else. `not sent`: the run stopped before it. */
export const UNAPPLIED_REASONS = ["rejected", "unknown", "different", "not sent"] as const;

export type UnappliedReason = (typeof UNAPPLIED_REASONS)[number];

/**
 * What a run would do with a resource. numbers/plan.ts decides it for numbers, posts/lifecycle.ts for voices and chats. diff tells it to the
 * engine, create, update and delete carry it out, and the report puts it into words.
 */
export interface Plan {
  /** Is there anything to do, even if it is only to record a value? */
  readonly changes: boolean;
  /** Properties whose change makes the engine create a replacement and delete the original at the end of the run. */
  readonly replaces: readonly string[];
  /** Numbers that get a PUT; undefined if they are not known yet. */
  readonly assigns: readonly string[] | undefined;
  /** The numbers of `assigns` that are new here: the routing that they have today is overwritten. */
  readonly joins: readonly string[];
  /** Numbers that are no longer declared here. */
  readonly leaves: readonly string[];
  /** The numbers of `leaves` that the delete of the original clears, unless another resource declares them by then. */
  readonly clears: readonly PlacedNumber[];
  /** The split to which calls return by the change. */
  readonly returnsTo?: ReturnTarget | undefined;
  /** Is what was posted ended? */
  readonly ends: boolean;
  readonly reasons: readonly Reason[];
}

/** A plan, and what the guards refuse of it. */
export interface JudgedPlan extends Plan {
  readonly violations: readonly Violation[];
}

/** Why a run does something that the change of the inputs does not show, or does not do what they seem to ask for. */
export type Reason =
  /** Numbers that an earlier run did not apply. */
  | { readonly why: "unapplied"; readonly count: number; readonly reasons: readonly UnappliedReason[] }
  | { readonly why: "endpoint"; readonly from: string; readonly to: string }
  | { readonly why: "restart"; readonly agent: string; readonly at: string }
  | { readonly why: "membership"; readonly joins: readonly string[]; readonly clears: readonly string[] }
  | { readonly why: "notMoved"; readonly from: string; readonly to: string }
  | { readonly why: "recorded"; readonly fields: readonly string[]; readonly noun: string }
  /** For a preview alone: the run itself sends it. `what` is absent if it is secret or not known yet. */
  | { readonly why: "posts"; readonly kind: PostedKind; readonly what: string | undefined }
  | { readonly why: "unresolved"; readonly post: InDoubt; readonly id: string };

/** What was posted and may exist. */
export interface InDoubt {
  readonly kind: PostedKind;
  /** How people find it: `chat to +15557654321`, or the noun alone if the number is secret. */
  readonly what: string;
  readonly where: string;
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
 * The split to which a change returns: that of the stable agent of the rollout, as an abort does, or the split before. An agent that was aborted does
 * not return: it starts again, whatever the split before was.
 */
export type ReturnTarget = "stable" | "previous";
