import type { Plan } from "../../core/numbers/plan";
import type { ClearMode, Routing } from "../../core/routing/routing";

/** A resource of the running program, as check gets it. */
export interface Declaration {
  readonly urn: string;
  /** Numbers, and the keys of what it adopts. */
  readonly keys: readonly string[];
  /** What it gives to its numbers. */
  readonly routing?: Routing | undefined;
}

/** The resource that declares a key. */
export interface Holder {
  readonly urn: string;
  readonly routing: Routing | undefined;
  /** Does the platform have what is declared? That is not certain from the moment before a request is sent until it is applied. */
  readonly has: "not certain" | "as before" | "sent in this run";
}

/** A number that another resource of the program has declared before. */
export interface Taken {
  readonly number: string;
  readonly by: Holder;
}

/** A resource that the program goes on with, or that the engine replaces: what the engine tells neither its create nor a delete. */
export interface Known<State = object> {
  readonly id: string;
  /** Its state before this run, of a replacement that of its original; undefined if it is new. */
  readonly olds: State | undefined;
  /** The inputs that diff judged, or create got. */
  readonly news: object;
}

/** The key of what a delete may end. No number has a line break, so no number has the same key. */
export const postedKey = (noun: string, id: string): string => `${noun}\n${id}`;
const isPosted = (key: string): boolean => key.includes("\n");

/**
 * What a run remembers. check, diff, create and update write it; a delete reads it, because the engine creates before it deletes: the delete
 * of a renamed resource must not clear the number that its new name has just been given. A run has one provider process, so this is its
 * memory, and nothing here can fail a call whose request was sent.
 */
export class Memory {
  /** Asked before a delete sends anything. It throws if that cannot be known. */
  readonly hasProgramFailed: () => boolean;
  /** The way of clearing that worked in this run. */
  clearedWith: ClearMode | undefined;
  /** Has a check met an unknown value? They occur only in a preview. */
  hasMetUnknown = false;
  /** With `--continue-on-error` the deletes still come, although it is not known what a refused or failed resource, and what depends on it, declares. */
  hasFailed = false;
  /**
   * What a create of this run threw after its POST may have been carried out, by URN. A resource hook may ask the engine to call that create
   * again: it must not send a second POST.
   */
  readonly unresolved = new Map<string, Error>();
  /** The numbers that have lost their agents. */
  lost: ReadonlySet<string> = new Set();
  /** Resources whose check has passed, new ones and replacements, and whose create has not begun. */
  readonly awaited = new Set<string>();
  /** The first resource that has declared a key. */
  readonly #holders = new Map<string, Holder>();
  readonly #keysOf = new Map<string, readonly string[]>();
  /** By the URN of the replacement. */
  readonly #replaced = new Map<string, Known>();
  /** What the program goes on with, by URN. */
  readonly #continued = new Map<string, Known>();

  constructor(hasProgramFailed: () => boolean) {
    this.hasProgramFailed = hasProgramFailed;
  }

  // --- check

  /** Notes what a resource declares. Returns the first of its numbers that another resource has declared before. */
  declare({ urn, keys, routing }: Declaration): Taken | undefined {
    this.#keysOf.set(urn, keys);
    let taken: Taken | undefined;
    for (const key of keys) {
      const by = this.#holders.get(key);
      if (by === undefined || by.urn === urn) {
        this.#holders.set(key, { urn, routing, has: "not certain" });
      } else if (!isPosted(key)) {
        taken ??= { number: key, by };
      }
    }
    return taken;
  }

  /** Was any resource checked? A destroy asks for none. */
  isDeclaring(): boolean {
    return this.#keysOf.size > 0;
  }

  // --- diff

  /** The original, if diff has asked for a replacement. */
  replacedBy(urn: string): Known | undefined {
    return this.#replaced.get(urn);
  }

  /**
   * Notes what diff tells the engine about a resource. At a refresh the engine also asks for a diff of resources that it then deletes. No
   * check has declared those, so nothing is noted.
   */
  noteDiff(urn: string, diffed: Known, { replaces, puts }: Pick<Plan, "replaces" | "puts">): void {
    if (!this.#keysOf.has(urn)) {
      return;
    }
    if (replaces.length > 0) {
      this.#replaced.set(urn, diffed);
      return;
    }
    this.#continued.set(urn, diffed);
    if (puts !== undefined) {
      this.#confirmAll(urn, new Set(puts));
    }
  }

  // --- create and update

  /**
   * The create begins. Returns the original if diff asked for a replacement. If not, the resource is new, or the operator has forced its
   * replacement with `--replace`: then no resource goes on under the id of the original.
   */
  begin(urn: string): Known | undefined {
    this.awaited.delete(urn);
    this.#continued.delete(urn);
    return this.#replaced.get(urn);
  }

  /** The resource that was created goes on under this id. */
  created(urn: string, created: Known): void {
    this.#continued.set(urn, created);
    this.#confirmAll(urn, new Set());
  }

  /** A request for the number is sent, or was applied. The delete of another resource must not clear a number in between. */
  confirm(number: string, has: Holder["has"]): void {
    const holder = this.#holders.get(number);
    if (holder !== undefined) {
      this.#holders.set(number, { ...holder, has });
    }
  }

  /** A new one may have the id of the one that it replaces, if the platform continues that one: then no delete of this run ends it. */
  declarePosted(urn: string, key: string): void {
    this.#holders.set(key, { urn, routing: undefined, has: "sent in this run" });
  }

  /** The platform has what the resource declares, but for the numbers that are excepted. */
  #confirmAll(urn: string, except: ReadonlySet<string>): void {
    for (const key of this.#keysOf.get(urn) ?? []) {
      const holder = this.#holders.get(key);
      if (holder?.urn === urn && holder.has === "not certain" && !except.has(key)) {
        this.#holders.set(key, { ...holder, has: "as before" });
      }
    }
  }

  // --- delete

  holderOf(key: string): Holder | undefined {
    return this.#holders.get(key);
  }

  /** The resource that the program goes on with under the id of one that is deleted. */
  continuedAs(id: string): Known | undefined {
    return [...this.#continued.values()].find((one) => one.id === id);
  }

  /** Has diff replaced it in this run? If it was unresolved, the operator has resolved it, so its delete gives no warning. */
  isReplaced(id: string): boolean {
    return [...this.#replaced.values()].some((one) => one.id === id);
  }
}
