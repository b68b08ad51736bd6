import { type Api, createApi } from "../api/exchange";
import type { Previewed } from "../base/engine";
import type { World } from "../base/world";
import type { Posted } from "../config/kinds";
import type { Settings } from "../config/settings";
import type { Routing } from "../routing/routing";
import { type Message, ResourceError, render } from "../words/message";
import { type Declared, type Entry, Ledger, numberPlace, type PlacedNumber } from "./ledger";
import { clientRefused, tokenMissing } from "./messages";
import type { Plan } from "./plan";

/**
 * What a resource of the running program declares. Deletes in this run must not clear its numbers or end the chat that
 * it adopts.
 */
export interface Declares {
  readonly numbers?: readonly string[];
  /** The routing that the resource assigns to its numbers. */
  readonly routing?: Previewed<Routing> | undefined;
  /** The key, made by `postedKey`, of the voice or chat that the resource adopts. */
  readonly adopts?: string | undefined;
}

/**
 * A resource that this run keeps or replaces. The run remembers it, because the engine doesn't tell a create which
 * resource it replaces, or a delete which resources stay.
 */
export interface KnownResource<State = object> {
  readonly id: string;
  /** The saved state before this run; for a replacement, the state of the original. Undefined for a new resource. */
  readonly olds: State | undefined;
  /** The inputs passed to diff or create. */
  readonly news: object;
}

/**
 * Returns a key for a voice or chat. The key includes the noun, because IDs are unique only within one kind of
 * resource.
 */
export const postedKey = (noun: string, id: string): string => `${noun} ${id}`;

/** What a run remembers about one resource. */
interface Remembered {
  /** What the resource declared when the engine called check. Undefined if check hasn't run for the resource. */
  readonly declared: Declaration | undefined;
  /** Set once diff has asked the engine to replace the resource. */
  readonly replaced: Replaced | undefined;
  readonly progress: Progress;
}

interface Declaration {
  /** The ledger entries of the resource's numbers. Empty for a voice or a chat. */
  readonly entries: readonly Declared[];
  readonly adopts: string | undefined;
}

interface Replaced {
  readonly original: KnownResource;
  /** The numbers that are cleared when the original is deleted, unless another resource declares them. */
  readonly leaves: readonly PlacedNumber[];
}

/**
 * How far a resource has got in this run.
 * - `none`: nothing is known yet, for example before diff.
 * - `createPending`: the resource is new or a replacement, and its create hasn't started.
 * - `creating`: its create has started, and may have failed.
 * - `kept`: diff keeps the resource, or its create succeeded.
 * - `unknown`: the outcome of its POST is unknown, so a further create or update throws the same error.
 */
type Progress =
  | { readonly at: "none" | "createPending" | "creating" }
  | { readonly at: "kept"; readonly kept: KnownResource }
  | { readonly at: "unknown"; readonly error: Error };

const UNKNOWN_RESOURCE: Remembered = { declared: undefined, replaced: undefined, progress: { at: "none" } };

/**
 * The settings and memory of one run. The engine passes one resource at a time, so each call records here what later
 * deletes need to know. A provider process serves only one run.
 */
export class Run {
  readonly settings: Settings;
  readonly world: World;
  readonly ledger = new Ledger<Declared>();
  #hasUnknownInputs = false;
  #isPreview = false;
  #hasFailed = false;
  /** What the run remembers about each resource, by URN. */
  readonly #resources = new Map<string, Remembered>();
  /** The numbers that lose their agents in this run. */
  readonly #lost = new Ledger<Entry<symbol>>();
  readonly #printed = new Set<string>();
  #api: Api | undefined;

  constructor(settings: Settings, world: World) {
    this.settings = settings;
    this.world = world;
  }

  /**
   * Returns the platform's API. Throws if there is no access token. This isn't checked earlier, because only calls that
   * send a request need a token.
   */
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
   * Prints a warning, but only once per run, even if several calls cause it. Never throws, because the result of
   * requests that were already sent must still be saved.
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
      // Drop the warning if the engine no longer accepts output.
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

  /**
   * Records a resource's progress. Does nothing if the outcome of the resource's POST is unknown: the run has to
   * remember that, so that no later call sends the POST again.
   */
  #advance(urn: string, progress: Progress): void {
    if (this.#remembered(urn).progress.at !== "unknown") {
      this.#note(urn, { progress });
    }
  }

  /**
   * Records that a resource has failed. With `--continue-on-error`, deletes still run afterwards, but send nothing (see
   * `hasFailed`).
   */
  noteFailed(): void {
    this.#hasFailed = true;
  }

  // --- check

  /** Records that check received an unknown value, which happens only in a preview. */
  noteUnknownInputs(): void {
    this.#hasUnknownInputs = true;
  }

  get hasUnknownInputs(): boolean {
    return this.#hasUnknownInputs;
  }

  /** Records that this run is a preview, as the program reports in a hidden input. */
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

  /** If another resource has already declared one of these numbers in this run, returns the entry of that resource. */
  declaredElsewhere(urn: string, declares: Declares): Declared | undefined {
    const [taken] = this.#entriesOf(urn, declares).flatMap((entry) => this.ledger.earlierDeclaration(entry) ?? []);
    return taken;
  }

  /** Records what a resource declares, and adds its numbers to the ledger. */
  noteDeclared(urn: string, declares: Declares): void {
    const entries = this.#entriesOf(urn, declares);
    this.#note(urn, { declared: { entries, adopts: declares.adopts } });
    for (const entry of entries) {
      this.ledger.declare(entry);
    }
  }

  /** Whether the run has checked any resource. A destroy checks none. */
  isDeclaring(): boolean {
    return this.#has(({ declared }) => declared !== undefined);
  }

  /** Whether check has run for this resource. In a refresh, the engine calls diff without check. */
  isDeclared(urn: string): boolean {
    return this.#remembered(urn).declared !== undefined;
  }

  /** Records that the engine is going to call create, because check found that the resource is new or a replacement. */
  noteCreatePending(urn: string): void {
    this.#advance(urn, { at: "createPending" });
  }

  // --- diff

  /** Records whether diff keeps or replaces a resource. */
  noteDiff(
    urn: string,
    diffed: KnownResource,
    { replaces, assigns, clears }: Pick<Plan, "replaces" | "assigns" | "clears">,
  ): void {
    const { declared } = this.#remembered(urn);
    // Ignore a resource that check hasn't seen. In a refresh, the engine calls diff even for resources that it then
    // deletes.
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

  /** Returns the resource that this one replaces, if diff has asked for a replacement. */
  originalOf(urn: string): KnownResource | undefined {
    return this.#remembered(urn).replaced?.original;
  }

  // --- create and update

  noteCreating(urn: string): void {
    this.#advance(urn, { at: "creating" });
  }

  /** Records that the create succeeded, so the resource stays. */
  noteCreated(urn: string, created: KnownResource): void {
    this.#advance(urn, { at: "kept", kept: created });
    noteUnchanged(this.#remembered(urn).declared?.entries ?? [], new Set());
  }

  /**
   * Records that the POST of a failed create may have been carried out, so that a repeated create doesn't send another.
   */
  noteUnknownOutcome(urn: string, error: Error): void {
    this.#advance(urn, { at: "unknown", error });
  }

  /** If the outcome of the resource's POST is unknown, returns the error that its create threw. */
  unknownOutcomeOf(urn: string): Error | undefined {
    const { progress } = this.#remembered(urn);
    return progress.at === "unknown" ? progress.error : undefined;
  }

  /** Records the status of a number's request. While it is `unconfirmed`, deletes leave the number to a later run. */
  noteAssigned(number: string, routing: Routing, assigned: Declared["assigned"]): void {
    const { endpoint } = this.settings;
    for (const declared of this.ledger.declaring(number, numberPlace({ endpoint, ...routing }))) {
      declared.assigned = assigned;
    }
  }

  // --- delete

  /**
   * Whether the program or a resource has failed. If so, not everything that the program declares is known. Throws if
   * it can't be determined whether the program has failed.
   */
  hasFailed(): boolean {
    return this.#hasFailed || this.world.marks.hasFailed();
  }

  /**
   * Whether a create is still pending. A delete that runs before that create can't know every number that the program
   * declares.
   */
  isMidRun(): boolean {
    return this.#has(({ progress }) => progress.at === "createPending") && !this.hasFailed();
  }

  /** Records numbers that lose their agents in this run. A number counts even if the request that clears it fails. */
  noteLost(lost: readonly PlacedNumber[]): void {
    for (const { number, place } of lost) {
      // Count a number once, even if two deletes clear it. Keep an account or a workspace that only one of them names,
      // so that the entry doesn't match the same extension elsewhere.
      const known = this.#lost.declaredBy(number, place);
      this.#lost.declare({ number, place: { ...known?.place, ...place }, owner: known?.owner ?? Symbol(number) });
    }
  }

  /**
   * Records the numbers that lose their agents in replacements, even before the originals are deleted. Returns how many
   * numbers lose their agents in this run, as far as is known.
   */
  noteLosses(): number {
    for (const { replaced } of this.#resources.values()) {
      const leaves = replaced?.leaves ?? [];
      this.noteLost(leaves.filter(({ number, place }) => this.ledger.declaredBy(number, place) === undefined));
    }
    return this.#lost.size;
  }

  /** Returns the resource that now has a deleted resource's ID: a group's replacement, for example, keeps that ID. */
  successorOf(id: string): KnownResource | undefined {
    return [...this.#resources.values()].map(keptOf).find((kept) => kept?.id === id);
  }

  /** Whether a resource in this run keeps or adopts this voice or chat. If so, a delete must not end the chat. */
  isPostKept({ noun, foundBy }: Pick<Posted, "noun" | "foundBy">, id: string): boolean {
    const key = postedKey(noun, id);
    return this.#has((resource) => {
      const kept = keptOf(resource);
      // Also require the `foundBy` argument, because a voice and a chat may have the same ID.
      return resource.declared?.adopts === key || (kept?.id === id && foundBy in kept.news);
    });
  }

  /** Whether diff has asked the engine, in this run, to replace the resource that has this ID. */
  isReplaced(id: string): boolean {
    return this.#has(({ replaced }) => replaced?.original.id === id);
  }

  #has(test: (resource: Remembered) => boolean): boolean {
    return [...this.#resources.values()].some(test);
  }
}

const keptOf = ({ progress }: Remembered): KnownResource | undefined =>
  progress.at === "kept" ? progress.kept : undefined;

/**
 * Marks the ledger entries of a resource as `unchanged`, unless a request was already applied for them in this run.
 * @param except the numbers that still need a request
 */
function noteUnchanged(entries: readonly Declared[], except: ReadonlySet<string>): void {
  for (const declared of entries) {
    if (declared.assigned === "unconfirmed" && !except.has(declared.number)) {
      declared.assigned = "unchanged";
    }
  }
}
