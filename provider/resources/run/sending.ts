import { type CannotThrow, cannotThrow } from "../../core/common/cannotThrow";
import type * as messages from "../../core/messages";
import { boundFields, type ClearMode, type Routing } from "../../core/routing/routing";
import type { Declarations } from "./declarations";
import type { Reported, RunFile } from "./heard";
import type { newReplacements, Replacement } from "./replacements";

/** What create and update note: which requests were applied, and that something failed. */

/**
 * What create and update may use of the run. After a request each failure would be a loss: what was sent would not be saved, and a message
 * would be sent a second time. So nothing here can throw.
 */
export interface SendingRun {
  /** The way of clearing that worked in this run. */
  clearedWith: ClearMode | undefined;
  /** Has this run printed the warning that responses list no agents? */
  isUnverifiedTold: boolean;
  /** A request is about to be sent. Until it is applied, the delete of another resource must not clear the number. */
  readonly assigning: CannotThrow<(number: string) => void>;
  readonly answered: CannotThrow<(number: string, routing: Routing) => void>;
  /** The number has what its resource declares. */
  readonly assigned: CannotThrow<(number: string, routing: Routing) => void>;
  /** A new one may have the id of the one that it replaces, if the platform continues that one: then no delete of this run ends it. */
  readonly declarePosted: CannotThrow<(urn: string, key: string) => void>;
  /**
   * What a create of this run threw after its POST may have been carried out, by URN. A resource hook may ask the engine to call that create
   * again: it must not send a second POST.
   */
  readonly unresolved: Map<string, Error>;
  /** No message may show what the responses about these numbers say of these arguments. */
  readonly keepSecret: CannotThrow<(numbers: readonly string[], secretArguments: readonly string[]) => void>;
  secretFieldsOf(number: string): readonly string[] | undefined;
}

export function newSending(
  declarations: Declarations,
  replacements: ReturnType<typeof newReplacements>,
  file: RunFile,
  warn: CannotThrow<(message: messages.Message) => void>,
) {
  const lastSent = new Map<string, Routing>();
  const untold = new Map<string, string[]>();
  const secretFields = new Map<string, readonly string[]>();

  /** Tells the others after a request. A failure of that is a warning. */
  const report = (told: Reported): void => {
    const warning = file.report(told);
    if (warning !== undefined) {
      warn(warning);
    }
  };
  /** What follows a request: if it throws, it is not known what the others know, so no delete of this run may clear anything. */
  const afterRequest = <Given extends unknown[]>(work: (...given: Given) => void) =>
    cannotThrow(work, () => report({ failed: true }));

  const calls = {
    clearedWith: undefined as ClearMode | undefined,
    isUnverifiedTold: false,
    unresolved: new Map<string, Error>(),
    created: afterRequest((urn: string, id: string, inputs: object, replaced: Replacement | undefined) => {
      replacements.goOn(urn, id, inputs, replaced);
      declarations.confirm(urn, new Set());
    }),
    assigning: afterRequest((number: string) => {
      const { urn = "", routing } = declarations.holderOf(number) ?? {};
      declarations.hold(number, { urn, routing, isConfirmed: false });
    }),
    answered: afterRequest((number: string, routing: Routing) => {
      lastSent.set(number, routing);
    }),
    assigned: afterRequest((number: string, routing: Routing) => {
      const one = declarations.holderOf(number);
      if (one !== undefined) {
        one.isConfirmed = true;
      }
      const fields = JSON.stringify(boundFields(routing));
      const hashes = untold.get(fields) ?? [];
      untold.set(fields, hashes);
      hashes.push(declarations.hashOf(number));
    }),
    /** Tells the other processes what was assigned since the last call. */
    tellAssigned: afterRequest(() => {
      const told = [...untold];
      untold.clear();
      for (const [fields, applied] of told) {
        report({ applied, fields: JSON.parse(fields) });
      }
    }),
    declarePosted: afterRequest((urn: string, key: string) => {
      declarations.hold(key, { urn, routing: undefined, isConfirmed: true });
      report({ by: urn, started: declarations.hashOf(key) });
    }),
    /** With `--continue-on-error` the deletes still come, although the program did not declare what depends on the failed resource. */
    failed: afterRequest(() => report({ failed: true })),
    keepSecret: afterRequest((numbers: readonly string[], secretArguments: readonly string[]) => {
      // Most groups have no secret.
      for (const number of secretArguments.length > 0 ? numbers : []) {
        secretFields.set(number, [...new Set([...(secretFields.get(number) ?? []), ...secretArguments])]);
      }
    }),
    secretFieldsOf: (number: string): readonly string[] | undefined => secretFields.get(number),
  } satisfies SendingRun & Record<string, unknown>;

  return { calls, lastSent: lastSent as ReadonlyMap<string, Routing> };
}
