import * as messages from "../../core/messages";
import type { Posted } from "../../core/platform/posted";
import { boundFields, clearedByMove, isNothingCleared, type Routing, type Task } from "../../core/routing/routing";
import { type Declarations, type Holder, postedKey } from "./declarations";
import type { Replacements } from "./replacements";
import type { SentInRun } from "./sending";

/** What a delete asks: what the program declares, and so what may be cleared or ended. */

/** What a delete does with a number, and the request for that, if it needs one. */
export type Release =
  /** Nothing declares it. */
  | { readonly does: "clear"; readonly task: Task }
  /** Another resource declares it, and has assigned it. The task clears what only the deleted resource had bound. */
  | { readonly does: "keep"; readonly task?: Task | undefined }
  /** The platform may not have what the program declares, or it is not known what that is. The next run decides. */
  | { readonly does: "wait"; readonly why: string; readonly task?: undefined }
  /** Nothing declares it, and it has nothing to clear. */
  | { readonly does: "nothing"; readonly task?: undefined };

/** A number of a deleted resource. */
export interface Deleted {
  readonly number: string;
  /** What the platform may have for it. */
  readonly held: Routing;
  /** The account and workspace that it was assigned in. */
  readonly scope: Routing;
}

export function newReleases(
  declarations: Declarations,
  replacements: Replacements,
  sending: SentInRun,
  hasProgramFailed: () => boolean,
) {
  const lost = new Set<string>();

  /** Another resource declares the number: its agents stay, and what else only the deleted resource had bound is cleared. */
  function kept({ number, held }: Deleted, { isConfirmed, routing: declared }: Holder): Release {
    if (!isConfirmed) {
      return { does: "wait", why: messages.UNCONFIRMED };
    }
    const sent = sending.lastSent(number);
    if (sent !== undefined && isNothingCleared(clearedByMove(held, sent))) {
      return { does: "keep" };
    }
    // If the new holder sent nothing in this run, the engine takes it for unchanged. But the deleted resource may have sent its routing
    // after it, in an earlier run that broke off. So the routing of the new holder is sent again.
    const routing = sent ?? declared;
    const { inboundAgents: _, ...others } = held;
    return { does: "keep", task: routing && { number, routing, held: others } };
  }

  function released(one: Deleted): Release {
    const { number, held, scope } = one;
    const holder = declarations.holderOf(number);
    if (holder !== undefined) {
      return kept(one, holder);
    }
    return boundFields(held).length === 0
      ? { does: "nothing" }
      : { does: "clear", task: { number, routing: scope, held } };
  }

  /** Has the program failed, or another resource? Then it is not known what the program declares. */
  const hasFailed = (): boolean => sending.hasFailed() || hasProgramFailed();

  return {
    hasFailed,
    /** Is a create still to come? Then the delete comes in the middle of the run, when it is not known what else the program declares. */
    isMidway: (): boolean => replacements.areAwaited() && !hasFailed(),
    /** How many numbers have lost their agents in this run, beside these. Several deletes may hold one number. */
    lostBeside: (numbers: readonly string[]): number => lost.size - numbers.filter((one) => lost.has(one)).length,
    noteLost: (numbers: readonly string[]): void => numbers.forEach((one) => void lost.add(one)),
    /** Does another resource go on with this one? If not, it may be ended. */
    keepsPosted({ noun, foundBy }: Pick<Posted, "noun" | "foundBy">, id: string): boolean {
      // A number, or something else that was posted, may have the same id.
      const isContinued = foundBy in (replacements.calls.continuedAs(id)?.inputs ?? {});
      return isContinued || declarations.holderOf(postedKey(noun, id)) !== undefined;
    },
    /** Decides what a delete does with its numbers, and nothing else decides it. No delete of a run in which something failed sends anything. */
    release(numbers: readonly Deleted[]): ReadonlyMap<string, Release> {
      const releases = new Map(numbers.map((one) => [one.number, released(one)]));
      const sends = [...releases.values()].some(({ task }) => task !== undefined);
      for (const [number, { task }] of sends && hasFailed() ? releases : []) {
        if (task !== undefined) {
          releases.set(number, { does: "wait", why: messages.RUN_FAILED });
        }
      }
      return releases;
    },
  };
}
