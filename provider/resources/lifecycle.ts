import type { Code } from "../core/codes";
import type { Message } from "../core/messages";
import type { Client } from "../core/operations";
import type { Routing } from "../core/routing";
import type { ClearMode, Settings } from "../core/settings";

/** What check found: the canonical inputs, what is wrong with the program's, and what deserves a warning. */
export interface Checked<Inputs> {
  inputs: Inputs;
  failures: Message[];
  warnings: Message[];
  /** Guards that stop the change; an override turns them into a warning. */
  trips: Message[];
  /** Numbers that the running program declares by these inputs, and chats that it adopts: no delete of this run clears or ends one. */
  declares: string[];
  /** What they bind to one of those. */
  routingFor?: ((number: string) => Routing) | undefined;
}

export interface Diff {
  changes: boolean;
  replaces: string[];
  /** Is the old one to be gone before the new one is made? */
  deleteBeforeReplace: boolean;
  /** Why, where the inputs alone do not show it: one line each. */
  notes: Message[];
  trips: Message[];
  /** Does the replacement settle an unresolved entry? */
  settles?: boolean | undefined;
}

export interface Created<State> {
  id: string;
  state: State;
}

/** Which numbers the running program declares, and which chats it adopts (create comes before delete). */
export interface Declared {
  declareAll(numbers: readonly string[]): void;
  isDeclared(number: string): boolean;
}

/** What a lifecycle may use of the world; the Pulumi edge makes one for each provider process. */
export interface Session {
  settings: Settings;
  /** Throws where no token is set: only a call that sends needs one. */
  client(): Client;
  /** Once a run, however often the engine calls. */
  warn(message: Message): void;
  /** A line that does not stay: progress of long work. */
  progress(text: string): void;
  /** Called around work on that many numbers: where they are thousands, memory that is no longer in use is freed. */
  sweep(numbers: number): void;
  declared: Declared;
  /** Work on one number is done in order within the process. */
  inTurn<T>(number: string, work: () => Promise<T>): Promise<T>;
  newId(prefix: string): string;
  wait(ms: number): Promise<void>;
  now(): number;
  memory: {
    /** The way of clearing that the platform was seen to take in this run. */
    clearedWith?: ClearMode | undefined;
    /** What this run assigned to each number. */
    applied: Map<string, Routing>;
    /** What the running program binds to each number, as far as this process has checked it. */
    wanted: Map<string, (number: string) => Routing>;
    /** Ids of unresolved entries that this run settles, so that their delete says nothing. */
    settled: Set<string>;
    /** An unverified answer is told once a run. */
    unverifiedTold: boolean;
  };
}

/**
 * One resource: a pure check and diff, and the calls that send. The engine's own words: olds are what is saved, news what is wanted.
 */
export interface Lifecycle<Inputs, State> {
  kind: string;
  /** What messages call it: the engine does not tell the resource's name, and an id may say nothing to a reader. */
  who(inputs: Inputs): string;
  /** Reads what the engine saved, of this or an earlier release; throws a ResourceError where it makes no sense. */
  readState(saved: Readonly<Record<string, unknown>>, id: string): State;
  check(
    olds: Readonly<Record<string, unknown>> | undefined,
    news: Readonly<Record<string, unknown>>,
    settings: Settings,
  ): Checked<Inputs>;
  diff(id: string, olds: State, news: Inputs, settings: Settings): Diff;
  create(inputs: Inputs, session: Session): Promise<Created<State>>;
  update(id: string, olds: State, news: Inputs, session: Session): Promise<State>;
  delete(id: string, state: State, session: Session): Promise<void>;
}

/** What a user sees of a failure. The engine's host prints `${error}: ${error.stack}` for check, diff, read and delete: so that reads `error: <message>`. */
export class ResourceError extends Error {
  readonly code: Code;
  constructor({ code, text }: Message) {
    super(text);
    this.name = "ResourceError";
    this.code = code;
    this.stack = text;
  }
  override toString(): string {
    return "error";
  }
}

/** A failure after which something may exist: the resource is saved, with what is known of it. */
export class SavedError extends ResourceError {
  readonly id: string;
  readonly state: object;
  constructor(message: Message, id: string, state: object) {
    super(message);
    this.name = "SavedError";
    this.id = id;
    this.state = state;
  }
}
