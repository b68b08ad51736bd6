import { createApi } from "../api/exchange";
import type { Api } from "../api/operations";
import type { Previewed } from "../base/engine";
import type { World } from "../base/world";
import type { Posted } from "../config/kinds";
import type { Settings } from "../config/settings";
import { isInternational } from "../routing/group";
import type { Routing } from "../routing/routing";
import { type Message, ResourceError, render } from "../words/message";
import { type Declared, Ledger, numberPlace, type PlacedNumber } from "./ledger";
import { clientRefused, tokenMissing } from "./messages";
import type { Plan } from "./plan";

/** What a resource of the running program declares: no delete of this run clears such a number, or ends such a chat. */
export interface Declares {
  readonly numbers?: readonly string[];
  /** What it gives to its numbers. */
  readonly routing?: Previewed<Routing> | undefined;
  /** The key of the chat that it adopts. */
  readonly adopts?: string | undefined;
}

/** A resource that stays, or that the engine replaces. No create hears from the engine what it replaces, and no delete hears what stays. */
export interface Known<State = object> {
  readonly id: string;
  /** Its state before this run, of a replacement that of its original; undefined if it is new. */
  readonly olds: State | undefined;
  /** The inputs that diff judged, or create got. */
  readonly news: object;
}

/** The key of what a delete may end. */
export const postedKey = (noun: string, id: string): string => `${noun} ${id}`;

/** What a run remembers about one resource. */
interface Remembered {
  /** What its check declared; undefined before that check. */
  readonly declared: Declaration | undefined;
  /** Set once diff has asked the engine to replace it. */
  readonly replaced: Replaced | undefined;
  readonly progress: Progress;
}

interface Declaration {
  /** Its numbers as they stand in the ledger; none for a voice or a chat. */
  readonly entries: readonly Declared[];
  readonly adopts: string | undefined;
}

interface Replaced {
  readonly original: Known;
  /** The original's numbers that this resource no longer declares. */
  readonly leaves: readonly PlacedNumber[];
}

/**
 * How far the run has got with a resource. `awaited`: check passed it as new or as a replacement, and its create has not started. `kept`: diff
 * keeps it, or its create succeeded. `doubtful`: its POST may have been carried out, so each further call fails with the same error.
 */
type Progress =
  | { readonly at: "checked" | "awaited" | "creating" }
  | { readonly at: "kept"; readonly kept: Known }
  | { readonly at: "doubtful"; readonly doubt: Error };

const UNKNOWN_RESOURCE: Remembered = { declared: undefined, replaced: undefined, progress: { at: "checked" } };

/**
 * One run: its settings, the world, and what the engine does not tell. check, diff, create and update note it; a delete asks for it, because the
 * engine creates before it deletes: the delete of a renamed resource must not clear the number that its new name has just been given. A run has
 * one provider process, so this is its memory. Only `note…` changes it, and none of them can fail a call whose request was sent.
 */
export class Run {
  readonly settings: Settings;
  readonly world: World;
  readonly ledger = new Ledger<Declared>();
  #hasMetUnknown = false;
  #isPreview = false;
  #hasFailed = false;
  /** By URN. */
  readonly #resources = new Map<string, Remembered>();
  /** The numbers that deletes have given up, by their keys. */
  readonly #lost = new Set<string>();
  readonly #printed = new Set<string>();
  #api: Api | undefined;

  constructor(settings: Settings, world: World) {
    this.settings = settings;
    this.world = world;
  }

  /** The operations of the platform. Throws if no token is set: only a call that sends needs one. */
  api(): Api {
    if (this.#api !== undefined) {
      return this.#api;
    }
    const { accessToken, baseUrl } = this.settings;
    if (accessToken === undefined) {
      throw new ResourceError(tokenMissing(this.settings));
    }
    const { proxy, problem } = this.world.chooseProxy(baseUrl);
    if (problem !== undefined) {
      throw new ResourceError(clientRefused(problem));
    }
    this.#api = createApi(this.settings, accessToken, this.world, proxy);
    return this.#api;
  }

  /** Prints a warning once a run, however often the engine calls. Never throws: what was sent before it still has to be saved. */
  warn(message: Message): void {
    const line = render(message);
    if (this.#printed.has(line)) {
      return;
    }
    this.#printed.add(line);
    try {
      this.world.print(line);
    } catch {
      // The engine takes no more output, so the warning is lost.
    }
  }

  /** The time of day, ISO 8601 in UTC. */
  time(): string {
    return new Date(this.world.clock.wallClock()).toISOString();
  }

  #remembered(urn: string): Remembered {
    return this.#resources.get(urn) ?? UNKNOWN_RESOURCE;
  }

  #note(urn: string, news: Partial<Remembered>): void {
    this.#resources.set(urn, { ...this.#remembered(urn), ...news });
  }

  /** Doubt is final: no later call of this run may send the POST again. */
  #advance(urn: string, progress: Progress): void {
    if (this.#remembered(urn).progress.at !== "doubtful") {
      this.#note(urn, { progress });
    }
  }

  /** A resource has failed. With `--continue-on-error` deletes still come, and it is not known what it, and what depends on it, declares. */
  noteFailed(): void {
    this.#hasFailed = true;
  }

  // --- check

  /** A check has met an unknown value. They occur only in a preview. */
  noteUnknown(): void {
    this.#hasMetUnknown = true;
  }

  get hasMetUnknown(): boolean {
    return this.#hasMetUnknown;
  }

  /** The program says that nothing will be sent. */
  notePreview(): void {
    this.#isPreview = true;
  }

  get isPreview(): boolean {
    return this.#isPreview;
  }

  #entriesOf(urn: string, { numbers = [], routing }: Declares): Declared[] {
    const place = numberPlace({ endpoint: this.settings.endpoint, ...routing });
    return numbers.map((number) => ({ number, place, owner: urn, routing, assigned: "unconfirmed" }));
  }

  /** Another resource's entry for the first of these numbers that it has already declared. */
  declaredElsewhere(urn: string, declares: Declares): Declared | undefined {
    const [taken] = this.#entriesOf(urn, declares).flatMap((entry) => this.ledger.declaredFirst(entry) ?? []);
    return taken;
  }

  /** Notes what a resource declares. */
  noteDeclared(urn: string, declares: Declares): void {
    const entries = this.#entriesOf(urn, declares);
    this.#note(urn, { declared: { entries, adopts: declares.adopts } });
    for (const entry of entries) {
      this.ledger.declare(entry);
    }
  }

  /** Was any resource checked? A destroy asks for none. */
  isDeclaring(): boolean {
    return this.#has(({ declared }) => declared !== undefined);
  }

  /** Was this resource checked? A refresh asks for a diff without a check. */
  isDeclared(urn: string): boolean {
    return this.#remembered(urn).declared !== undefined;
  }

  /** A check has passed the resource as new or as a replacement, so its create is to come. */
  noteAwaited(urn: string): void {
    this.#advance(urn, { at: "awaited" });
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
    const { declared } = this.#remembered(urn);
    if (declared === undefined) {
      return;
    }
    if (replaces.length > 0) {
      this.#note(urn, { replaced: { original: diffed, leaves: clears } });
      return;
    }
    this.#advance(urn, { at: "kept", kept: diffed });
    if (assigns !== undefined) {
      noteUnchanged(declared.entries, new Set(assigns));
    }
  }

  /** The resource that this one replaces, if diff has asked for that. */
  originalOf(urn: string): Known | undefined {
    return this.#remembered(urn).replaced?.original;
  }

  // --- create and update

  noteCreating(urn: string): void {
    this.#advance(urn, { at: "creating" });
  }

  /** The create has ended: the resource stays. */
  noteCreated(urn: string, created: Known): void {
    this.#advance(urn, { at: "kept", kept: created });
    noteUnchanged(this.#remembered(urn).declared?.entries ?? [], new Set());
  }

  /** The create has failed after its POST may have been carried out. If the engine calls it again, it must not send a second one. */
  noteDoubt(urn: string, doubt: Error): void {
    this.#advance(urn, { at: "doubtful", doubt });
  }

  /** What the create of this resource threw, if its POST may have been carried out. */
  doubtOf(urn: string): Error | undefined {
    const { progress } = this.#remembered(urn);
    return progress.at === "doubtful" ? progress.doubt : undefined;
  }

  /** A request for the number is sent, or was applied. The delete of another resource must not clear the number in between. */
  noteAssigned(number: string, routing: Routing, assigned: Declared["assigned"]): void {
    const { endpoint } = this.settings;
    for (const declared of this.ledger.declaring(number, numberPlace({ endpoint, ...routing }))) {
      declared.assigned = assigned;
    }
  }

  // --- delete

  /** Has the program failed, or another resource? Then it is not known what the program declares. Throws if that cannot be known. */
  isUncertain(): boolean {
    return this.#hasFailed || this.world.marks.hasFailed();
  }

  /** Is a create still to come? Then the delete comes in the middle of the run, when it is not known what else the program declares. */
  isMidway(): boolean {
    return this.#has(({ progress }) => progress.at === "awaited") && !this.isUncertain();
  }

  /** A delete gives up these numbers, and no resource declares them. It counts even if its requests then fail. */
  noteLost(lost: readonly PlacedNumber[]): void {
    for (const { number, place } of lost) {
      // A number that two originals have counts once.
      this.#lost.add(isInternational(number) ? number : JSON.stringify([number, place.accountSid, place.workspaceId]));
    }
  }

  /**
   * Notes what leaves the resources that diff has replaced; returns how many numbers the run loses so far. The engine does not announce its other
   * deletes, so what they lose counts as soon as they come. What is noted stays: if it exceeds the limit, each later delete is refused as well.
   */
  noteLosses(): number {
    for (const { replaced } of this.#resources.values()) {
      const leaves = replaced?.leaves ?? [];
      this.noteLost(leaves.filter(({ number, place }) => this.ledger.declaredBy(number, place) === undefined));
    }
    return this.#lost.size;
  }

  /** The resource that keeps the id of one that is deleted. */
  continuedAs(id: string): Known | undefined {
    return [...this.#resources.values()].map(keptOf).find((kept) => kept?.id === id);
  }

  /**
   * Does a resource keep this one: another one, or its replacement, if the platform gave that the same id? If not, it may be ended. A number, or
   * something else that was posted, may have the same id.
   */
  keepsPosted({ noun, foundBy }: Pick<Posted, "noun" | "foundBy">, id: string): boolean {
    const key = postedKey(noun, id);
    return this.#has((resource) => {
      const kept = keptOf(resource);
      return resource.declared?.adopts === key || (kept?.id === id && foundBy in kept.news);
    });
  }

  /** Has diff replaced it in this run? If it was unresolved, the operator has resolved it, so its delete gives no warning. */
  isReplaced(id: string): boolean {
    return this.#has(({ replaced }) => replaced?.original.id === id);
  }

  #has(test: (resource: Remembered) => boolean): boolean {
    return [...this.#resources.values()].some(test);
  }
}

const keptOf = ({ progress }: Remembered): Known | undefined => (progress.at === "kept" ? progress.kept : undefined);

/** The platform has what a resource declares, but for the numbers that are excepted. */
function noteUnchanged(entries: readonly Declared[], except: ReadonlySet<string>): void {
  for (const declared of entries) {
    if (declared.assigned === "unconfirmed" && !except.has(declared.number)) {
      declared.assigned = "unchanged";
    }
  }
}
