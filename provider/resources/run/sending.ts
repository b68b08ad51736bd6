import type { ClearMode, Routing } from "../../core/routing/routing";
import type { Declarations } from "./declarations";
import type { Replacement, Replacements } from "./replacements";

/** What create and update note: which requests were applied, and that something failed. */

/** What create and update may use of the run. All of it is memory, so nothing here can fail a call whose request was sent. */
export interface SendingRun {
  /** The way of clearing that worked in this run. */
  clearedWith: ClearMode | undefined;
  /** Has this run printed the warning that responses list no agents? */
  isUnverifiedTold: boolean;
  /** A request is about to be sent. Until it is applied, the delete of another resource must not clear the number. */
  assigning(number: string): void;
  answered(number: string, routing: Routing): void;
  /** The number has what its resource declares. */
  assigned(number: string): void;
  /** A new one may have the id of the one that it replaces, if the platform continues that one: then no delete of this run ends it. */
  declarePosted(urn: string, key: string): void;
  /**
   * What a create of this run threw after its POST may have been carried out, by URN. A resource hook may ask the engine to call that create
   * again: it must not send a second POST.
   */
  readonly unresolved: Map<string, Error>;
}

export type SentInRun = ReturnType<typeof newSending>;

export function newSending(declarations: Declarations, replacements: Replacements) {
  const lastSent = new Map<string, Routing>();
  let hasFailed = false;

  const calls = {
    clearedWith: undefined as ClearMode | undefined,
    isUnverifiedTold: false,
    unresolved: new Map<string, Error>(),
    created(urn: string, id: string, inputs: object, replaced: Replacement | undefined): void {
      replacements.goOn(urn, id, inputs, replaced);
      declarations.confirm(urn, new Set());
    },
    assigning(number: string): void {
      const { urn = "", routing } = declarations.holderOf(number) ?? {};
      declarations.hold(number, { urn, routing, isConfirmed: false });
    },
    answered(number: string, routing: Routing): void {
      lastSent.set(number, routing);
    },
    assigned(number: string): void {
      const holder = declarations.holderOf(number);
      if (holder !== undefined) {
        holder.isConfirmed = true;
      }
    },
    declarePosted(urn: string, key: string): void {
      declarations.hold(key, { urn, routing: undefined, isConfirmed: true });
    },
    /** With `--continue-on-error` the deletes still come, although the program did not declare what depends on the failed resource. */
    failed(): void {
      hasFailed = true;
    },
  } satisfies SendingRun & Record<string, unknown>;

  return {
    calls,
    /** The routing that a request of this run has sent for a number last. */
    lastSent: (number: string): Routing | undefined => lastSent.get(number),
    hasFailed: (): boolean => hasFailed,
  };
}
