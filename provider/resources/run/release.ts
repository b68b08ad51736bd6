import * as messages from "../../core/messages";
import type { Posted } from "../../core/platform/kinds";
import { boundFields, clearedByMove, isNothingCleared, type Routing, type Task } from "../../core/routing/routing";
import { type Holder, type Memory, postedKey } from "./memory";

/** What a delete asks: what the program declares, and so what may be cleared or ended. */

/** What a delete does with a number, and the request for that, if it needs one. */
export type Release =
  /** Nothing declares it. */
  | { readonly does: "clear"; readonly task: Task; readonly why?: undefined }
  /** Another resource declares it, and has assigned it. The task clears what only the deleted resource had bound. */
  | { readonly does: "keep"; readonly task?: Task | undefined; readonly why?: undefined }
  /** The platform may not have what the program declares, or it is not known what that is. The next run decides. */
  | { readonly does: "wait"; readonly why: string; readonly task?: undefined }
  /** Nothing declares it, and it has nothing to clear. */
  | { readonly does: "nothing"; readonly task?: undefined; readonly why?: undefined };

/** A number of a deleted resource. */
export interface Deleted {
  readonly number: string;
  /** What the platform may have for it. */
  readonly held: Routing;
  /** The account and workspace that it was assigned in. */
  readonly scope: Routing;
}

/** Has the program failed, or another resource? Then it is not known what the program declares. */
export const hasFailed = (run: Memory): boolean => run.hasFailed || run.hasProgramFailed();

/** Is a create still to come? Then the delete comes in the middle of the run, when it is not known what else the program declares. */
export const isMidway = (run: Memory): boolean => run.awaited.size > 0 && !hasFailed(run);

/** Does another resource go on with this one? If not, it may be ended. */
export function keepsPosted(run: Memory, { noun, foundBy }: Pick<Posted, "noun" | "foundBy">, id: string): boolean {
  // A number, or something else that was posted, may have the same id.
  const isContinued = foundBy in (run.continuedAs(id)?.news ?? {});
  return isContinued || run.holderOf(postedKey(noun, id)) !== undefined;
}

/** Decides what a delete does with its numbers, and nothing else decides it. No delete of a run in which something failed sends anything. */
export function release(run: Memory, numbers: readonly Deleted[]): ReadonlyMap<string, Release> {
  const releases = numbers.map((one) => [one.number, released(run, one)] as const);
  const isWaiting = releases.some(([, { task }]) => task !== undefined) && hasFailed(run);
  const wait: Release = { does: "wait", why: messages.RUN_FAILED };
  return new Map(releases.map(([number, one]) => [number, isWaiting && one.task !== undefined ? wait : one]));
}

function released(run: Memory, one: Deleted): Release {
  const { number, held, scope } = one;
  const holder = run.holderOf(number);
  if (holder !== undefined) {
    return kept(one, holder);
  }
  return boundFields(held).length === 0
    ? { does: "nothing" }
    : { does: "clear", task: { number, routing: scope, held } };
}

/** Another resource declares the number: its agents stay, and what else only the deleted resource had bound is cleared. */
function kept({ number, held }: Deleted, { has, routing }: Holder): Release {
  if (has === "not certain") {
    return { does: "wait", why: messages.UNCONFIRMED };
  }
  if (routing === undefined) {
    return { does: "keep" };
  }
  // If the new holder sent nothing in this run, the engine takes it for unchanged. But the deleted resource may have sent its routing
  // after it, in an earlier run that broke off. So the routing of the new holder is sent again.
  const isDone = has === "sent in this run" && isNothingCleared(clearedByMove(held, routing));
  const { inboundAgents: _, ...others } = held;
  return { does: "keep", task: isDone ? undefined : { number, routing, held: others } };
}
