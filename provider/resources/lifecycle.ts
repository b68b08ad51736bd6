import type { ZodType } from "zod";
import type { Code } from "../core/codes";
import type { Violation } from "../core/guards";
import { type Message, render } from "../core/messages";
import type { NumbersText } from "../core/numberList";
import type { Client } from "../core/operations";
import type { Plan } from "../core/plan";
import type { Routing } from "../core/routing";
import type { ClearMode, Settings } from "../core/settings";

/** Properties as the engine has them. */
export type Props = Readonly<Record<string, unknown>>;

/** What check found: the canonical inputs, what is wrong with the program's, and what deserves a warning. */
export interface Checked<Inputs> {
  readonly inputs: Inputs;
  readonly failures: Message[];
  readonly warnings: Message[];
  /** What the guards refuse of a new resource; a change is judged in diff, which knows what was applied. */
  readonly violations: Violation[];
  /** Numbers that the running program declares by these inputs, and chats that it adopts: no delete of this run clears or ends one. */
  readonly declares: string[];
  /** What they bind to one of those. */
  readonly routingFor?: ((number: string) => Routing) | undefined;
}

export interface Created<State> {
  id: string;
  state: State;
}

/** A resource of the running program, as the engine knows it. */
export interface Declarer {
  readonly urn: string;
  /** Are its numbers secret? */
  readonly isSecret: boolean;
}

/** Which provider process of the run declares a number: this one, another one, one that has ended, or none though the program does. */
type Whereabouts = "here" | "elsewhere" | "gone" | "left out";

/** Which numbers the running program declares, and which chats it adopts (create comes before delete). */
export interface Declared {
  /** Throws where the other provider processes of the run cannot be told. */
  declareAll(numbers: readonly string[], by?: Declarer): void;
  /** The first of these numbers that another resource declared before, where the edge says who its callers are. */
  declaredBefore(
    numbers: readonly string[],
    by: Declarer,
  ): { readonly number: string; readonly first: Declarer } | undefined;
  /** Throws where it cannot be known what the other provider processes of the run declare: then nothing may be cleared. */
  whereIs(number: string): Whereabouts | undefined;
  /** Asks the process that declares the number to see that it holds what is declared there. The answer is why it may not. */
  askDeclarer(number: string, held: Routing, who: string): Promise<string | undefined>;
  /** Check has passed these numbers of a new resource or of a replacement, whose create comes next. */
  awaitCreate(numbers: NumbersText): void;
  beginCreate(numbers: NumbersText): void;
  /** Has one of them not begun? A delete then comes in the middle of the run, when nobody knows yet what else the program declares. */
  awaitsCreate(): boolean;
  /** A create or an update of this run failed: what the program would have declared behind it, nobody has seen. */
  noteFailure(): void;
  hasFailed(): boolean;
}

/** A resource that the engine is about to replace: its create finds here what stands, its delete whether the create came first. */
export interface Replacement<State = object> {
  readonly id: string;
  readonly olds: State;
  /** The inputs that diff judged. */
  readonly news: object;
  /** Were the guards of the whole resource judged in diff? */
  readonly isJudged: boolean;
}

/** What the program declares under an id, and its state of an earlier run; without one it went on from the state of its original. */
export interface Successor {
  readonly numbers: NumbersText;
  readonly knew?: object | undefined;
}

/** What a lifecycle may use of the world; the Pulumi edge makes one for each provider process. */
export interface Session {
  readonly settings: Settings;
  /** Throws where no token is set: only a call that sends needs one. */
  client(): Client;
  /** Once a run, however often the engine calls. */
  warn(message: Message): void;
  /** A line that does not stay: progress of long work. */
  progress(text: string): void;
  /** Called around work on that many numbers: where they are thousands, memory that is no longer in use is freed. */
  collectGarbage(numbers: number): void;
  readonly declared: Declared;
  /** Work on one number is done in order within the process. */
  inTurn<T>(number: string, work: () => Promise<T>): Promise<T>;
  newId(prefix: string): string;
  wait(ms: number): Promise<void>;
  now(): number;
  readonly memory: {
    /** The way of clearing that the platform was seen to take in this run. */
    clearedWith?: ClearMode | undefined;
    /** What this run assigned to each number. */
    applied: Map<string, Routing>;
    /** What the running program binds to each number, as far as this process has seen it pass its guards. */
    wanted: Map<string, (number: string) => Routing>;
    /** By number: arguments of a resource that has it, or had it, whose values are secret. No message shows one. */
    secretArguments: Map<string, readonly string[]>;
    /** Numbers that a resource of this program declares and that a guard or the platform has not let it have yet. */
    unconfirmed: Set<string>;
    /** Replacements that diff asked for and create has not begun, by the numbers of what replaces. */
    replacing: Map<NumbersText, Replacement>;
    /** Is anything unknown to check, as in a preview? */
    meetsUnknown: boolean;
    /** By id: a replaced group keeps its id, and its original lets go of the numbers alone that its successor does not declare. */
    successors: Map<string, Successor>;
    /** Ids of unresolved entries that this run resolves, so that their delete says nothing. */
    resolvedIds: Set<string>;
    /** Has check been asked for anything? Then the program runs. */
    isDeclaring: boolean;
    /** By id: the inputs of each voice and chat that the program goes on with, whether or not it adopted that. */
    keptPosts: Map<string, object>;
    /** An unverified answer is told once a run. */
    unverifiedTold: boolean;
  };
}

/**
 * One resource: a pure check and diff, and the calls that send. The engine's own words: olds are what is saved, news what is wanted.
 */
export interface Lifecycle<Inputs, State> {
  readonly kind: string;
  /** What the arguments must be, whatever the settings and the saved state say. */
  readonly schema: ZodType;
  /** What messages call it: the engine does not tell the resource's name, and an id may say nothing to a reader. */
  who(inputs: Inputs): string;
  /** Reads what the engine saved, of this or an earlier release; throws a ResourceError where it makes no sense. */
  readState(saved: Props, id: string): State;
  check(olds: Props | undefined, news: Props, settings: Settings): Checked<Inputs>;
  /** What an `up` would do. */
  diff(id: string, olds: State, news: Inputs, settings: Settings): Plan;
  /** Why, where the inputs alone do not show it: one line each. */
  explain(id: string, olds: State, news: Inputs, plan: Plan): Message[];
  /** The numbers that the inputs declare, a line each. Absent where a resource is not about numbers. */
  numbersText?(inputs: Inputs): NumbersText;
  /** `replaced` is what stands, where diff has asked for a replacement: the engine tells create nothing of it. */
  create(inputs: Inputs, session: Session, replaced?: Replacement<State>): Promise<Created<State>>;
  update(id: string, olds: State, news: Inputs, session: Session): Promise<State>;
  delete(id: string, state: State, session: Session): Promise<void>;
}

/** What a user sees of a failure. The engine's host prints `${error}: ${error.stack}` for check, diff, read and delete: so that reads `error: <message>`. */
export class ResourceError extends Error {
  readonly code: Code;
  constructor(...messages: readonly [Message, ...Message[]]) {
    const text = messages.map(render).join("\n");
    super(text);
    this.name = "ResourceError";
    this.code = messages[0].code;
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
