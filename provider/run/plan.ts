import { same } from "../base/json";
import type { PostedKind } from "../config/kinds";
import type { PlacedNumber } from "./ledger";
import type { Violation } from "./violation";

/**
 * Why a number may not have its declared routing.
 * - `different`: the platform accepted the request, but its response differs from the request.
 * - `not sent`: no request reached the platform, for example because the run stopped early.
 */
export const UNAPPLIED_REASONS = ["rejected", "unknown", "different", "not sent"] as const;

export type UnappliedReason = (typeof UNAPPLIED_REASONS)[number];

/**
 * The planned actions for a resource. diff reports them to the engine; create, update and delete carry them out; the
 * report describes them.
 */
export interface Plan {
  /** Whether the resource changes at all, even if the change is only saved and not sent. */
  readonly changes: boolean;
  /**
   * The changed properties that make the engine create a replacement, and delete the original at the end of the run.
   */
  readonly replaces: readonly string[];
  /** The numbers that get a PUT. Undefined if a preview doesn't know them yet. */
  readonly assigns: readonly string[] | undefined;
  /** The numbers that join the resource. Their current routing is overwritten. */
  readonly joins: readonly string[];
  /** The numbers that the resource no longer declares. */
  readonly leaves: readonly string[];
  /** The numbers that are cleared when the replaced resource is deleted, unless another resource declares them. */
  readonly clears: readonly PlacedNumber[];
  /** The earlier split that this change restores, if it is a rollback. */
  readonly rollbackTo?: RollbackTarget | undefined;
  readonly reasons: readonly Reason[];
  /** The violations of the guards. */
  readonly violations: readonly Violation[];
}

/**
 * Tells the user something about the plan that the changed inputs don't show, for example that numbers are sent again
 * because they failed in an earlier run.
 */
export type Reason =
  /** An earlier run did not apply the routing to some numbers. */
  | { readonly why: "unapplied"; readonly count: number; readonly reasons: readonly UnappliedReason[] }
  | { readonly why: "endpoint"; readonly from: string; readonly to: string }
  | { readonly why: "restart"; readonly agent: string; readonly at: string }
  | { readonly why: "membership"; readonly joins: readonly string[]; readonly clears: readonly string[] }
  /** The base URL changed, but the voice or chat stays at the old address. */
  | { readonly why: "notMoved"; readonly from: string; readonly to: string }
  /** A voice's arguments changed as well as the base URL, so another voice is added at the new address. */
  | { readonly why: "voiceAddedElsewhere"; readonly from: string; readonly to: string }
  /** Changes to a chat's arguments that are saved in the state but not sent. */
  | { readonly why: "chatRecorded"; readonly fields: readonly string[] }
  /**
   * Announces a POST in a preview. `name` is the voice's name or the chat's phone number, or undefined if that is
   * secret or not known yet.
   */
  | { readonly why: "posts"; readonly kind: PostedKind; readonly name: string | undefined }
  | { readonly why: "unresolved"; readonly post: UncertainPost; readonly id: string };

/** Describes a voice or chat for messages. Most of these messages say that the outcome of the POST is unknown. */
export interface UncertainPost {
  readonly kind: PostedKind;
  /**
   * How messages name the voice or chat, for example `chat to +15557654321`. If the phone number is secret, only
   * `chat`.
   */
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
  reasons: [],
  violations: [],
};

export const changedFields = (fields: readonly string[], olds: object, news: object): string[] =>
  fields.filter((field) => !same(Reflect.get(olds, field), Reflect.get(news, field)));

/**
 * The split that a rollback restores.
 * - `stable`: all calls go to the stable agent of the saved rollout.
 * - `previous`: the split applied before the current one, unless it sends calls to an aborted agent again.
 */
export type RollbackTarget = "stable" | "previous";
