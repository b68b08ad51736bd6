import type { Client } from "../api/operations";
import type { Routing } from "../routing/fields";
import { type Endpoint, existsOnce } from "../routing/group";
import type { Assignment } from "../routing/routing";
import type { Posted } from "../stack/platform";
import type { Settings } from "../stack/settings";
import type { Message } from "../words/message";
import { type Declared, Ledger, numberPlace, type PlacedNumber } from "./ledger";
import type { Plan } from "./reason";

/** What calls may use of the world. The edge makes one for each provider process. */
export interface Session {
  readonly settings: Settings;
  readonly concurrency: number;
  /** Throws if no token is set: only a call that sends needs one. */
  client(): Client;
  /** Prints a warning once a run, however often the engine calls. Never throws. */
  readonly warn: (message: Message) => void;
  /** What this run remembers. */
  readonly run: Memory;
  newId(prefix: string): string;
  wait(ms: number): Promise<void>;
  /** Is there a program whose process marks its failure? */
  readonly expectsProgramMark: boolean;
  /** The time of day, ISO 8601 in UTC. */
  time(): string;
}

/** What a resource of the running program declares: no delete of this run clears such a number, or ends such a chat. */
export interface Declares {
  readonly numbers?: readonly string[];
  /** What it gives to its numbers. */
  readonly routing?: Routing | undefined;
  /** The key of the chat that it adopts. */
  readonly adopts?: string | undefined;
}

/** A resource that stays, or that the engine replaces. The engine tells neither its create nor a delete about it. */
export interface Known<State = object> {
  readonly id: string;
  /** Its state before this run, of a replacement that of its original; undefined if it is new. */
  readonly olds: State | undefined;
  /** The inputs that diff judged, or create got. */
  readonly news: object;
}

/** The key of what a delete may end. */
export const postedKey = (noun: string, id: string): string => `${noun} ${id}`;

/** What a run remembers of one resource. */
interface Remembered {
  /** The entries of its numbers in the ledger; none for a voice or a chat. Undefined before its check. */
  entries?: readonly Declared[];
  adopts?: string | undefined;
  /** Has a check passed it as new or as a replacement, and has its create not begun? */
  isAwaited?: boolean;
  /** What it replaces, if diff has asked for that. */
  original?: Known;
  /** The numbers of the original that are no longer declared here. */
  leaves?: readonly PlacedNumber[];
  /** What the run goes on with. */
  continued?: Known | undefined;
  /** What its create threw after its POST may have been carried out: if the engine calls it again, it must not send a second one. */
  doubt?: Error;
}

/**
 * What a run remembers: its ledger, and of each resource what the engine does not tell. check, diff, create and update write it; a delete reads
 * it, because the engine creates before it deletes: the delete of a renamed resource must not clear the number that its new name has just been
 * given. A run has one provider process, so this is its memory, and nothing here can fail a call whose request was sent.
 */
export class Memory {
  readonly ledger = new Ledger<Declared>();
  /** Asked before a delete sends anything. It throws if that cannot be known. */
  readonly hasProgramFailed: () => boolean;
  /** Has a check met an unknown value? They occur only in a preview. */
  hasMetUnknown = false;
  /** With `--continue-on-error` deletes still come, although it is not known what a failed resource, and what depends on it, declares. */
  hasFailed = false;
  /** By URN. */
  readonly #resources = new Map<string, Remembered>();
  /** The numbers that deletes have given up, by their keys. */
  readonly #lost = new Set<string>();

  constructor(hasProgramFailed: () => boolean) {
    this.hasProgramFailed = hasProgramFailed;
  }

  /** What is remembered of a resource; nothing if a transform of the program has removed its URN. */
  of(urn = ""): Remembered {
    const it = this.#resources.get(urn) ?? {};
    if (urn !== "") {
      this.#resources.set(urn, it);
    }
    return it;
  }

  // --- check

  /** Notes what a resource declares. Returns the first of its numbers that another resource has declared before, with that one's entry. */
  declare(urn: string, { numbers = [], routing, adopts }: Declares, { endpoint }: Endpoint): Declared | undefined {
    const place = numberPlace({ endpoint, ...routing });
    const entries = numbers.map(
      (number): Declared => ({ number, place, owner: urn, routing, assigned: "unconfirmed" }),
    );
    Object.assign(this.of(urn), { entries, adopts });
    const [taken] = entries.flatMap((entry) => this.ledger.declare(entry) ?? []);
    return taken;
  }

  /** Was any resource checked? A destroy asks for none. */
  isDeclaring(): boolean {
    return this.#has(({ entries }) => entries !== undefined);
  }

  // --- diff

  /**
   * Notes what diff tells the engine about a resource. At a refresh the engine also asks for a diff of resources that it then deletes. No
   * check has declared those, so nothing is noted.
   */
  noteDiff(
    urn: string,
    diffed: Known,
    { replaces, assigns, clears }: Pick<Plan, "replaces" | "assigns" | "clears">,
  ): void {
    const it = this.of(urn);
    if (it.entries === undefined) {
      return;
    }
    if (replaces.length > 0) {
      it.original = diffed;
      it.leaves = clears;
      return;
    }
    it.continued = diffed;
    if (assigns !== undefined) {
      confirmAll(it, new Set(assigns));
    }
  }

  // --- create and update

  /**
   * The create begins. Returns the original if diff asked for a replacement. If not, the resource is new, or the operator has forced its
   * replacement with `--replace`: then no resource keeps the id of the original.
   */
  begin(urn: string): Known | undefined {
    const it = this.of(urn);
    Object.assign(it, { isAwaited: false, continued: undefined });
    return it.original;
  }

  /** The create has ended: the resource stays. */
  created(urn: string, created: Known): void {
    const it = this.of(urn);
    it.continued = created;
    confirmAll(it, new Set());
  }

  /** A request for the number is sent, or was applied. The delete of another resource must not clear a number in between. */
  confirm({ number, routing }: Assignment, { endpoint }: Endpoint, assigned: Declared["assigned"]): void {
    for (const declared of this.ledger.declaring(number, numberPlace({ endpoint, ...routing }))) {
      declared.assigned = assigned;
    }
  }

  // --- delete

  /** Has the program failed, or another resource? Then it is not known what the program declares. */
  readonly isUncertain = (): boolean => this.hasFailed || this.hasProgramFailed();

  /** Is a create still to come? Then the delete comes in the middle of the run, when it is not known what else the program declares. */
  isMidway(): boolean {
    return this.#has(({ isAwaited }) => isAwaited === true) && !this.isUncertain();
  }

  /** A delete gives up these numbers, and no resource declares them. It counts even if its requests then fail. */
  noteLost(lost: readonly PlacedNumber[]): void {
    for (const one of lost) {
      this.#lost.add(lossKey(one));
    }
  }

  /**
   * How many numbers this run loses, as far as it is known: all that leave a resource that diff has replaced, and those of each delete that has
   * come until now. The engine does not announce the other deletes, so what they lose counts as soon as they come. It never becomes less: if it
   * exceeds the limit, each later delete is refused as well.
   */
  countLosses(): number {
    for (const { leaves = [] } of this.#resources.values()) {
      this.noteLost(leaves.filter(({ number, place }) => this.ledger.declaredBy(number, place) === undefined));
    }
    return this.#lost.size;
  }

  /** The resource that keeps the id of one that is deleted. */
  continuedAs(id: string): Known | undefined {
    return [...this.#resources.values()].find(({ continued }) => continued?.id === id)?.continued;
  }

  /**
   * Does a resource keep this one: another one, or its replacement, if the platform gave that the same id? If not, it may be ended. A number, or
   * something else that was posted, may have the same id.
   */
  keepsPosted({ noun, foundBy }: Pick<Posted, "noun" | "foundBy">, id: string): boolean {
    const key = postedKey(noun, id);
    return this.#has(({ continued, adopts }) => adopts === key || (continued?.id === id && foundBy in continued.news));
  }

  /** Has diff replaced it in this run? If it was unresolved, the operator has resolved it, so its delete gives no warning. */
  isReplaced(id: string): boolean {
    return this.#has(({ original }) => original?.id === id);
  }

  #has(test: (one: Remembered) => boolean): boolean {
    return [...this.#resources.values()].some(test);
  }
}

/** A number that two originals have counts once. */
const lossKey = ({ number, place: { accountSid, workspaceId } }: PlacedNumber): string =>
  existsOnce(number) ? number : JSON.stringify([number, accountSid, workspaceId]);

/** The platform has what the resource declares, but for the numbers that are excepted. */
function confirmAll({ entries = [] }: Remembered, except: ReadonlySet<string>): void {
  for (const declared of entries) {
    if (declared.assigned === "unconfirmed" && !except.has(declared.number)) {
      declared.assigned = "unchanged";
    }
  }
}
