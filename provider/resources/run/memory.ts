import { partsOf } from "../../core/common/urn";
import { Ledger, numberPlace } from "../../core/numbers/ledger";
import type { Plan } from "../../core/numbers/plan";
import type { Declared } from "../../core/numbers/release";
import type { Endpoint } from "../../core/platform/endpoint";
import type { Posted } from "../../core/platform/kinds";
import type { ClearMode, Routing, Task } from "../../core/routing/routing";

/** A resource of the running program, as check gets it. */
export interface Declaration extends Endpoint {
  readonly urn: string;
  readonly numbers: readonly string[];
  /** What it gives to its numbers. */
  readonly routing?: Routing | undefined;
  /** The key of the chat that it adopts. */
  readonly adopts?: string | undefined;
}

/** A resource that stays, or that the engine replaces: what the engine tells neither its create nor a delete. */
export interface Known<State = object> {
  readonly id: string;
  /** Its state before this run, of a replacement that of its original; undefined if it is new. */
  readonly olds: State | undefined;
  /** The inputs that diff judged, or create got. */
  readonly news: object;
}

/** The key of what a delete may end. */
export const postedKey = (noun: string, id: string): string => `${noun} ${id}`;

/**
 * What a run remembers: its ledger, and what the engine does not tell. check, diff, create and update write it; a delete reads it, because the
 * engine creates before it deletes: the delete of a renamed resource must not clear the number that its new name has just been given. A run has
 * one provider process, so this is its memory, and nothing here can fail a call whose request was sent.
 */
export class Memory {
  readonly ledger = new Ledger<Declared>();
  /** Asked before a delete sends anything. It throws if that cannot be known. */
  readonly hasProgramFailed: () => boolean;
  /** The way of clearing that worked in this run. */
  clearedWith: ClearMode | undefined;
  /** Has a check met an unknown value? They occur only in a preview. */
  hasMetUnknown = false;
  /** With `--continue-on-error` deletes still come, although it is not known what a failed resource, and what depends on it, declares. */
  hasFailed = false;
  /**
   * What a create of this run threw after its POST may have been carried out, by URN. A resource hook may ask the engine to call that create
   * again: it must not send a second POST.
   */
  readonly unresolved = new Map<string, Error>();
  /** Creates that a process of an earlier run began and did not end, by URN: their POST may have been carried out. */
  readonly interrupted = new Set<string>();
  /** Resources whose check has passed, new ones and replacements, and whose create has not begun. */
  readonly awaited = new Set<string>();
  /** The chats that a checked resource adopts. */
  readonly #adopted = new Set<string>();
  /** What was checked, by URN, voices and chats as well. The ledger has numbers alone, and finds an entry by its number and not by its resource. */
  readonly #declared = new Map<string, readonly Declared[]>();
  /** By the URN of the replacement. */
  readonly #replaced = new Map<string, Known>();
  /** What stays, by URN. */
  readonly #continued = new Map<string, Known>();

  constructor(hasProgramFailed: () => boolean) {
    this.hasProgramFailed = hasProgramFailed;
  }

  // --- check

  /** Notes what a resource declares. Returns the first of its numbers that another resource has declared before, with that one's entry. */
  declare({ urn, numbers, endpoint, routing, adopts }: Declaration): Declared | undefined {
    const at = numberPlace({ endpoint, ...routing });
    const entries = numbers.map((number): Declared => ({ number, at, owner: urn, routing, assigned: "unconfirmed" }));
    this.#declared.set(urn, entries);
    if (adopts !== undefined) {
      this.#adopted.add(adopts);
    }
    const [taken] = entries.flatMap((entry) => this.ledger.declare(entry) ?? []);
    return taken;
  }

  /** Was any resource checked? A destroy asks for none. */
  isDeclaring(): boolean {
    return this.#declared.size > 0;
  }

  /** Was a resource of this kind and name checked, also under another parent? */
  hasChecked(urn: string): boolean {
    const { kind, name } = partsOf(urn);
    return [...this.#declared.keys()].map(partsOf).some((one) => one.kind === kind && one.name === name);
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
  noteDiff(urn: string, diffed: Known, { replaces, assigns }: Pick<Plan, "replaces" | "assigns">): void {
    if (!this.#declared.has(urn)) {
      return;
    }
    if (replaces.length > 0) {
      this.#replaced.set(urn, diffed);
      return;
    }
    this.#continued.set(urn, diffed);
    if (assigns !== undefined) {
      this.#confirmAll(urn, new Set(assigns));
    }
  }

  // --- create and update

  /**
   * The create begins. Returns the original if diff asked for a replacement. If not, the resource is new, or the operator has forced its
   * replacement with `--replace`: then no resource keeps the id of the original.
   */
  begin(urn: string): Known | undefined {
    this.awaited.delete(urn);
    this.#continued.delete(urn);
    return this.#replaced.get(urn);
  }

  /** The create has ended: the resource stays. */
  created(urn: string, created: Known): void {
    this.#continued.set(urn, created);
    this.#confirmAll(urn, new Set());
  }

  /** A request for the number is sent, or was applied. The delete of another resource must not clear a number in between. */
  confirm({ number, routing }: Task, { endpoint }: Endpoint, assigned: Declared["assigned"]): void {
    for (const declared of this.ledger.declaring(number, numberPlace({ endpoint, ...routing }))) {
      declared.assigned = assigned;
    }
  }

  /** The platform has what the resource declares, but for the numbers that are excepted. */
  #confirmAll(urn: string, except: ReadonlySet<string>): void {
    for (const declared of this.#declared.get(urn) ?? []) {
      if (declared.assigned === "unconfirmed" && !except.has(declared.number)) {
        declared.assigned = "unchanged";
      }
    }
  }

  // --- delete

  /** Has the program failed, or another resource? Then it is not known what the program declares. */
  readonly isUncertain = (): boolean => this.hasFailed || this.hasProgramFailed();

  /** Is a create still to come? Then the delete comes in the middle of the run, when it is not known what else the program declares. */
  isMidway(): boolean {
    return this.awaited.size > 0 && !this.isUncertain();
  }

  /** The resource that keeps the id of one that is deleted. */
  continuedAs(id: string): Known | undefined {
    return [...this.#continued.values()].find((one) => one.id === id);
  }

  /**
   * Does a resource keep this one: another one, or its replacement, if the platform gave that the same id? If not, it may be ended. A number, or
   * something else that was posted, may have the same id.
   */
  keepsPosted({ noun, foundBy }: Pick<Posted, "noun" | "foundBy">, id: string): boolean {
    const isPosted = (one: Known) => one.id === id && foundBy in one.news;
    return [...this.#continued.values()].some(isPosted) || this.#adopted.has(postedKey(noun, id));
  }

  /** Has diff replaced it in this run? If it was unresolved, the operator has resolved it, so its delete gives no warning. */
  isReplaced(id: string): boolean {
    return [...this.#replaced.values()].some((one) => one.id === id);
  }
}
