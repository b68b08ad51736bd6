import type { Settings } from "../../core/config/settings";
import { identityOf } from "../../core/routing/numberList";
import type { Routing } from "../../core/routing/routing";
import type { Holder, RunFile } from "./heard";

/** What check notes: which numbers and posted things the running program declares. */

/** A resource of the running program, as check gets it. */
export interface Declaration {
  readonly urn: string;
  /** Is its number secret, or are its numbers? */
  readonly isSecret: boolean;
  /** Numbers, and the keys of what it adopts. */
  readonly keys: readonly string[];
  /** What it binds to its numbers. */
  readonly routing?: Routing | undefined;
}

/** A number that another resource of the program has declared before. */
export interface Taken {
  readonly number: string;
  readonly by: Holder;
}

/** The key of what a delete may end. No number has a line break, so no number has the same key. */
export const postedKey = (noun: string, id: string): string => `${noun}\n${id}`;
const isPosted = (key: string): boolean => key.includes("\n");

/** The resource of this process that declares a key. */
export interface LocalHolder {
  readonly urn: string;
  readonly routing: Routing | undefined;
  /** Is it certain that the platform has what is declared? */
  isConfirmed: boolean;
}

export type Declarations = ReturnType<typeof newDeclarations>;

export function newDeclarations(settings: Settings, file: RunFile) {
  const holders = new Map<string, LocalHolder>();
  const keysOf = new Map<string, readonly string[]>();
  let meetsUnknown = false;

  // What was posted exists once on its platform, whatever token asks for it.
  const hashOf = (key: string): string =>
    file.keyOf(identityOf(key, settings.endpoint, isPosted(key) ? "" : (settings.accessToken ?? "")));

  return {
    hashOf,
    /** The resource of this process that declares a key. */
    holderOf: (key: string): LocalHolder | undefined => holders.get(key),
    hold: (key: string, holder: LocalHolder): void => void holders.set(key, holder),
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

    // --- what an edge calls
    calls: {
      /** Notes what a resource declares. Returns the first of its numbers that another resource declared before. */
      declare({ urn, isSecret, keys, routing }: Declaration): Taken | undefined {
        keysOf.set(urn, keys);
        for (const key of keys) {
          holders.set(key, { urn, routing, isConfirmed: false });
        }
        const hashes = keys.map(hashOf);
        file.announce({ by: urn, declares: hashes, ...(isSecret && { isSecret }) });
        const heard = file.heard();
        for (const [index, number] of keys.entries()) {
          const by = heard.firstHolderOf(hashes[index] as string);
          if (by !== undefined && by.urn !== urn && !isPosted(number)) {
            return { number, by };
          }
        }
        return undefined;
      },
      /** The check has passed, and the create comes next. */
      awaitCreate(urn: string): void {
        file.announce({ by: urn, awaitsCreate: true });
      },
      meetUnknown(): void {
        meetsUnknown = true;
      },
      /** Has a check met an unknown value? They occur only in a preview. */
      hasMetUnknown: (): boolean => meetsUnknown,
    },
  };
}
