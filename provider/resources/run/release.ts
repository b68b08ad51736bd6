import * as messages from "../../core/messages";
import type { Posted } from "../../core/platform/posted";
import { boundFields, clearedByMove, isNothingCleared, type Routing, type Task } from "../../core/routing/routing";
import { type Declarations, type LocalHolder, postedKey } from "./declarations";
import type { Heard, RunFile } from "./heard";
import type { Continued } from "./replacements";

/** What a delete asks: what the program declares, and so what may be cleared or ended. */

/** What a delete does with a number, and the request for that, if it needs one. */
export type Release =
  | { readonly does: "clear"; readonly task: Task }
  | { readonly does: "nothing"; readonly task?: undefined }
  /** Another resource of this provider declares it. The task clears what only the deleted resource had bound. */
  | { readonly does: "keep"; readonly task?: Task | undefined }
  | { readonly does: "postpone"; readonly why: string; readonly task?: undefined };

interface Known {
  readonly declarations: Declarations;
  /** The routing that a request of this run has sent for a number last. */
  readonly lastSent: ReadonlyMap<string, Routing>;
  readonly continuedAs: (id: string) => Continued | undefined;
}

export function newReleases({ declarations, lastSent, continuedAs }: Known, file: RunFile) {
  /** For a number that another resource of this process declares: its agents stay, and what else only the deleted resource had bound is cleared. */
  function keptHere(number: string, held: Routing, { isConfirmed, routing: declared }: LocalHolder): Release {
    if (!isConfirmed) {
      return { does: "postpone", why: messages.UNCONFIRMED };
    }
    const sent = lastSent.get(number);
    if (sent !== undefined && isNothingCleared(clearedByMove(held, sent))) {
      return { does: "keep" };
    }
    // If the new holder sent nothing in this run, the engine takes it for unchanged. But the deleted resource may have sent its routing
    // after it, in an earlier run that broke off. So the routing of the new holder is sent again.
    const routing = sent ?? declared;
    const { inboundAgents: _, ...others } = held;
    return { does: "keep", task: routing && { number, routing, held: others } };
  }

  function released(number: string, held: Routing, scope: Routing): Release {
    const here = declarations.holderOf(number);
    if (here !== undefined) {
      return keptHere(number, held, here);
    }
    file.refuseIfUnusable();
    const [heard, key] = [file.heard(), declarations.hashOf(number)];
    if (heard.holdersOf(key).length > 0 || heard.mayBeHeld(key)) {
      return { does: "postpone", why: messages.DECLARER_GONE };
    }
    if (boundFields(held).length === 0) {
      return { does: "nothing" };
    }
    return { does: "clear", task: { number, routing: scope, held } };
  }

  return {
    /** Is a create still to come? Then the delete comes in the middle of the run, when it is not known what else the program declares. */
    isMidway: (): boolean => file.heard().awaitsCreate && !file.heard().hasFailed,
    /** What all processes of the run have told. */
    heard: (): Heard => file.heard(),
    noteRemoved(count: number): void {
      file.announce({ removes: count });
    },
    /** Is another resource going on with this one, or is that unknown? If neither, it may be ended. */
    keepsPosted({ noun, foundBy }: Pick<Posted, "noun" | "foundBy">, id: string): "continues" | "unknown" | undefined {
      const key = postedKey(noun, id);
      // A number, or something else that was posted, may have the same id.
      const isContinued = foundBy in (continuedAs(id)?.inputs ?? {});
      if (isContinued || declarations.holderOf(key) !== undefined) {
        return "continues";
      }
      file.refuseIfUnusable();
      const hash = declarations.hashOf(key);
      const holders = file.heard().holdersOf(hash);
      if (holders.length > 0) {
        return holders.some(({ pid }) => file.isAlive(pid)) ? "continues" : "unknown";
      }
      return file.heard().mayBeHeld(hash) ? "unknown" : undefined;
    },
    /** Decides what a delete does with a number, and nothing else decides it. @param scope the account and workspace that it was assigned in */
    release(number: string, held: Routing, scope: Routing): Release {
      const release = released(number, held, scope);
      // Of a run in which something failed it is not known what the program declares, so no delete of it sends anything.
      return release.task !== undefined && file.heard().hasFailed
        ? { does: "postpone", why: messages.RUN_FAILED }
        : release;
    },
  };
}
