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

/** What a resource in the running program declares. No delete in this run clears these numbers or ends this chat. */
export interface Declares {
  readonly numbers?: readonly string[];
  /** The routing it assigns to its numbers. */
  readonly routing?: Previewed<Routing> | undefined;
  /** The key of the chat it adopts. */
  readonly adopts?: string | undefined;
}

/**
 * A resource that stays, or that the engine replaces. The engine doesn't tell create which resource it replaces, nor
 * delete which resources stay.
 */
export interface KnownResource<State = object> {
  readonly id: string;
  /** Its state before this run; for a replacement, the state of its original. Undefined if it is new. */
  readonly olds: State | undefined;
  /** The inputs passed to diff or create. */
  readonly news: object;
}

/** The key of a posted resource that a delete may end. */
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
  /** Its numbers' entries in the ledger; empty for a voice or a chat. */
  readonly entries: readonly Declared[];
  readonly adopts: string | undefined;
}

interface Replaced {
  readonly original: KnownResource;
  /** The original's numbers that this resource no longer declares. */
  readonly leaves: readonly PlacedNumber[];
}

/**
 * How far the run has got with a resource.
 * - `createPending`: check passed it as new or as a replacement, but its create hasn't started.
 * - `kept`: diff keeps it, or its create succeeded.
 * - `unknown`: its POST may have been carried out, so every further call fails with the same error.
 */
type Progress =
  | { readonly at: "checked" | "createPending" | "creating" }
  | { readonly at: "kept"; readonly kept: KnownResource }
  | { readonly at: "unknown"; readonly error: Error };

const UNKNOWN_RESOURCE: Remembered = { declared: undefined, replaced: undefined, progress: { at: "checked" } };

/**
 * One run: its settings, the world, and everything the engine doesn't tell us. check, diff, create and update record it
 * here; delete reads it. The engine creates before it deletes, so without this record the delete of a renamed resource
 * would clear a number that its new name has just been assigned. One provider process serves one run, so memory is
 * enough. Only the `note…` methods write to it, and none of them can fail a call whose request was sent.
 */
export class Run {
  readonly settings: Settings;
  readonly world: World;
  readonly ledger = new Ledger<Declared>();
  #hasUnknownInputs = false;
  #isPreview = false;
  #hasFailed = false;
  /** By URN. */
  readonly #resources = new Map<string, Remembered>();
  /** The keys of the numbers that deletes have given up. */
  readonly #lost = new Set<string>();
  readonly #printed = new Set<string>();
  #api: Api | undefined;

  constructor(settings: Settings, world: World) {
    this.settings = settings;
    this.world = world;
  }

  /** The platform's API. Throws if no token is set, because only calls that send a request need one. */
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

  /**
   * Prints a warning once per run, however often the engine calls. Never throws, because the result of requests already
   * sent must still be saved.
   */
  warn(message: Message): void {
    const line = render(message);
    if (this.#printed.has(line)) {
      return;
    }
    this.#printed.add(line);
    try {
      this.world.print(line);
    } catch {
      // The engine has stopped accepting output, so the warning is lost.
    }
  }

  /** The current time, ISO 8601 in UTC. */
  time(): string {
    return new Date(this.world.clock.wallClock()).toISOString();
  }

  #remembered(urn: string): Remembered {
    return this.#resources.get(urn) ?? UNKNOWN_RESOURCE;
  }

  #note(urn: string, news: Partial<Remembered>): void {
    this.#resources.set(urn, { ...this.#remembered(urn), ...news });
  }

  /** `unknown` is final: no later call in this run may send the POST again. */
  #advance(urn: string, progress: Progress): void {
    if (this.#remembered(urn).progress.at !== "unknown") {
      this.#note(urn, { progress });
    }
  }

  /**
   * A resource has failed. With `--continue-on-error`, deletes still run, but we no longer know what the failed
   * resource and its dependents declare.
   */
  noteFailed(): void {
    this.#hasFailed = true;
  }

  // --- check

  /** A check found an unknown value, which happens only in a preview. */
  noteUnknownInputs(): void {
    this.#hasUnknownInputs = true;
  }

  get hasUnknownInputs(): boolean {
    return this.#hasUnknownInputs;
  }

  /** Called when the program reports that this run is a preview. */
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
    const [taken] = this.#entriesOf(urn, declares).flatMap((entry) => this.ledger.earlierDeclaration(entry) ?? []);
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

  /** Was any resource checked? None is during a destroy. */
  isDeclaring(): boolean {
    return this.#has(({ declared }) => declared !== undefined);
  }

  /** Was this resource checked? During a refresh, the engine calls diff without check. */
  isDeclared(urn: string): boolean {
    return this.#remembered(urn).declared !== undefined;
  }

  /** check passed the resource as new or as a replacement, so its create will follow. */
  noteCreatePending(urn: string): void {
    this.#advance(urn, { at: "createPending" });
  }

  // --- diff

  /**
   * Records what diff tells the engine about a resource. During a refresh, the engine also diffs resources that it then
   * deletes. check never ran for those, so nothing is recorded.
   */
  noteDiff(
    urn: string,
    diffed: KnownResource,
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

  /** The resource that this one replaces, if diff asked for a replacement. */
  originalOf(urn: string): KnownResource | undefined {
    return this.#remembered(urn).replaced?.original;
  }

  // --- create and update

  noteCreating(urn: string): void {
    this.#advance(urn, { at: "creating" });
  }

  /** The create succeeded, so the resource stays. */
  noteCreated(urn: string, created: KnownResource): void {
    this.#advance(urn, { at: "kept", kept: created });
    noteUnchanged(this.#remembered(urn).declared?.entries ?? [], new Set());
  }

  /**
   * The create failed, but its POST may have been carried out. If the engine calls create again, it must not send a
   * second one.
   */
  noteUnknownOutcome(urn: string, error: Error): void {
    this.#advance(urn, { at: "unknown", error });
  }

  /** The error thrown by this resource's create, if its POST may have been carried out. */
  unknownOutcomeOf(urn: string): Error | undefined {
    const { progress } = this.#remembered(urn);
    return progress.at === "unknown" ? progress.error : undefined;
  }

  /**
   * Records that a request for the number is being sent or was applied, so that another resource's delete doesn't clear
   * the number in the meantime.
   */
  noteAssigned(number: string, routing: Routing, assigned: Declared["assigned"]): void {
    const { endpoint } = this.settings;
    for (const declared of this.ledger.declaring(number, numberPlace({ endpoint, ...routing }))) {
      declared.assigned = assigned;
    }
  }

  // --- delete

  /**
   * Has the program or a resource failed? If so, we don't know everything the program declares. Throws if we can't
   * tell.
   */
  hasFailed(): boolean {
    return this.#hasFailed || this.world.marks.hasFailed();
  }

  /** Is a create still pending? If so, the delete runs mid-run, before we know everything else the program declares. */
  isMidRun(): boolean {
    return this.#has(({ progress }) => progress.at === "createPending") && !this.hasFailed();
  }

  /** A delete gives up these numbers, and no resource declares them. They count even if its requests then fail. */
  noteLost(lost: readonly PlacedNumber[]): void {
    for (const { number, place } of lost) {
      // A number that belonged to two originals counts once.
      this.#lost.add(isInternational(number) ? number : JSON.stringify([number, place.accountSid, place.workspaceId]));
    }
  }

  /**
   * Counts the numbers this run loses so far, including those dropped by resources that diff replaced. The engine
   * doesn't announce its other deletes, so their losses count as each delete is called. Losses accumulate: once they
   * exceed the limit, every later delete is refused too.
   */
  noteLosses(): number {
    for (const { replaced } of this.#resources.values()) {
      const leaves = replaced?.leaves ?? [];
      this.noteLost(leaves.filter(({ number, place }) => this.ledger.declaredBy(number, place) === undefined));
    }
    return this.#lost.size;
  }

  /** The resource that keeps the ID of a deleted one. */
  successorOf(id: string): KnownResource | undefined {
    return [...this.#resources.values()].map(keptOf).find((kept) => kept?.id === id);
  }

  /**
   * Does another resource keep this one, or its own replacement (if the platform gave that the same ID)? If not, it may
   * be ended. IDs are unique only within a kind: a number or another kind of posted resource may have the same one.
   */
  isPostKept({ noun, foundBy }: Pick<Posted, "noun" | "foundBy">, id: string): boolean {
    const key = postedKey(noun, id);
    return this.#has((resource) => {
      const kept = keptOf(resource);
      return resource.declared?.adopts === key || (kept?.id === id && foundBy in kept.news);
    });
  }

  /**
   * Did diff replace it in this run? If it was unresolved, the operator has resolved it, so its delete needs no
   * warning.
   */
  isReplaced(id: string): boolean {
    return this.#has(({ replaced }) => replaced?.original.id === id);
  }

  #has(test: (resource: Remembered) => boolean): boolean {
    return [...this.#resources.values()].some(test);
  }
}

const keptOf = ({ progress }: Remembered): KnownResource | undefined =>
  progress.at === "kept" ? progress.kept : undefined;

/** Marks entries as unchanged, except the given numbers and those already confirmed. */
function noteUnchanged(entries: readonly Declared[], except: ReadonlySet<string>): void {
  for (const declared of entries) {
    if (declared.assigned === "unconfirmed" && !except.has(declared.number)) {
      declared.assigned = "unchanged";
    }
  }
}
