import type { Plan } from "../../core/change/plan";
import type { Declarations } from "./declarations";

/** What diff notes: which resources the engine replaces, and which go on under their id. */

/** A resource that the engine is about to replace: its create finds here what the engine does not tell it. */
export interface Replacement<State = object> {
  readonly id: string;
  readonly olds: State;
  /** The inputs that diff judged. */
  readonly news: object;
  /** Have the guards judged it in diff, as a change? */
  readonly isJudged: boolean;
}

/** The resource that the program goes on with under an id. */
export interface Continued {
  readonly urn: string;
  readonly inputs: object;
  /** Its state before this run; of a replacement, that of its original. */
  readonly stateBefore: object | undefined;
}

export type Replacements = ReturnType<typeof newReplacements>;

export function newReplacements(declarations: Declarations) {
  const replacing = new Map<string, Replacement>();
  const replacedIds = new Set<string>();
  const continued = new Map<string, Continued>();
  const awaited = new Set<string>();

  function forgetContinued(urn: string): void {
    for (const [id, one] of continued) {
      if (one.urn === urn) {
        continued.delete(id);
      }
    }
  }

  return {
    /** The resource that was created goes on under this id. */
    goOn(urn: string, id: string, inputs: object, replaced: Replacement | undefined): void {
      continued.set(id, { urn, inputs, stateBefore: replaced?.olds });
    },

    /** Has a check of a new resource, or of a replacement, passed whose create has not begun? */
    areAwaited: (): boolean => awaited.size > 0,

    // --- what an edge and the lifecycles call
    calls: {
      /** The check has passed, and the create comes next. */
      awaitCreate: (urn: string): void => void awaited.add(urn),
      /** The original, if diff has asked for a replacement. */
      replacementOf: (urn: string): Replacement | undefined => replacing.get(urn),
      /** The replacement was refused, so no create will come. */
      dropReplacement: (urn: string): boolean => replacing.delete(urn),
      /**
       * Notes what diff tells the engine about a resource. At a refresh the engine also asks for a diff of resources that it then deletes. No
       * check has declared those, so nothing is noted.
       */
      noteDiff(urn: string, diffed: Replacement, { replaces, binds }: Plan): void {
        if (!declarations.isChecked(urn)) {
          return;
        }
        if (replaces.length > 0) {
          replacing.set(urn, diffed);
          replacedIds.add(diffed.id);
          continued.delete(diffed.id);
          return;
        }
        continued.set(diffed.id, { urn, inputs: diffed.news, stateBefore: diffed.olds });
        if (binds !== undefined) {
          declarations.confirm(urn, new Set(binds));
        }
      },
      /**
       * The create begins. Returns the original if diff asked for a replacement. If not, the resource is new, or the operator has forced its
       * replacement with `--replace`: then no resource goes on under the id of the original.
       */
      begin(urn: string): Replacement | undefined {
        const replaced = replacing.get(urn);
        replacing.delete(urn);
        if (replaced === undefined) {
          forgetContinued(urn);
        }
        awaited.delete(urn);
        return replaced;
      },
      /** The resource that the program goes on with under the id of one that is deleted. */
      continuedAs: (id: string): Continued | undefined => continued.get(id),
      /** Has diff replaced it in this run? If it was unresolved, the operator has resolved it, so its delete gives no warning. */
      isReplaced: (id: string): boolean => replacedIds.has(id),
    },
  };
}
