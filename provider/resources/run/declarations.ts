import type { Routing } from "../../core/routing/routing";

/** What check notes: which numbers and posted things the running program declares. */

/** A resource of the running program, as check gets it. */
export interface Declaration {
  readonly urn: string;
  /** Numbers, and the keys of what it adopts. */
  readonly keys: readonly string[];
  /** What it binds to its numbers. */
  readonly routing?: Routing | undefined;
}

/** The resource that declares a key. */
export interface Holder {
  readonly urn: string;
  readonly routing: Routing | undefined;
  /** Is it certain that the platform has what is declared? */
  isConfirmed: boolean;
}

/** A number that another resource of the program has declared before. */
export interface Taken {
  readonly number: string;
  readonly by: Holder;
}

/** The key of what a delete may end. No number has a line break, so no number has the same key. */
export const postedKey = (noun: string, id: string): string => `${noun}\n${id}`;
const isPosted = (key: string): boolean => key.includes("\n");

export type Declarations = ReturnType<typeof newDeclarations>;

export function newDeclarations() {
  /** The first resource that has declared a key. */
  const holders = new Map<string, Holder>();
  const keysOf = new Map<string, readonly string[]>();
  let meetsUnknown = false;

  return {
    holderOf: (key: string): Holder | undefined => holders.get(key),
    hold: (key: string, holder: Holder): void => void holders.set(key, holder),
    isChecked: (urn: string): boolean => keysOf.has(urn),
    /** The platform has what the resource declares, but for the numbers that are excepted. */
    confirm(urn: string, except: ReadonlySet<string>): void {
      for (const key of keysOf.get(urn) ?? []) {
        const holder = holders.get(key);
        if (holder?.urn === urn && !except.has(key)) {
          holder.isConfirmed = true;
        }
      }
    },

    // --- what an edge and the lifecycles call
    calls: {
      /** Notes what a resource declares. Returns the first of its numbers that another resource has declared before. */
      declare({ urn, keys, routing }: Declaration): Taken | undefined {
        keysOf.set(urn, keys);
        let taken: Taken | undefined;
        for (const key of keys) {
          const by = holders.get(key);
          if (by === undefined || by.urn === urn) {
            holders.set(key, { urn, routing, isConfirmed: false });
          } else if (!isPosted(key)) {
            taken ??= { number: key, by };
          }
        }
        return taken;
      },
      /** Was any resource checked? A destroy asks for none. */
      isDeclaring: (): boolean => keysOf.size > 0,
      meetUnknown(): void {
        meetsUnknown = true;
      },
      /** Has a check met an unknown value? They occur only in a preview. */
      hasMetUnknown: (): boolean => meetsUnknown,
    },
  };
}
