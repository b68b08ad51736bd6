import type { ZodType } from "zod";
import type { Code } from "../core/codes";
import type { Violation } from "../core/guards";
import { type Message, render } from "../core/messages";
import type { Client } from "../core/operations";
import type { Plan } from "../core/plan";
import type { Routing } from "../core/routing";
import type { Settings } from "../core/settings";
import type { Replacement, Run } from "./run";

/** Properties as the engine has them. */
export type Props = Readonly<Record<string, unknown>>;

/** What check found: the canonical inputs, what is wrong with the program's, and what deserves a warning. */
export interface Checked<Inputs> {
  readonly inputs: Inputs;
  readonly failures: Message[];
  readonly warnings: Message[];
  /** What the guards refuse of a new resource; a change is judged in diff, which knows what was applied. */
  readonly violations: Violation[];
  /** Numbers that the running program declares by these inputs, and keys of chats that it adopts: no delete of this run clears or ends one. */
  readonly declares: string[];
  /** What they bind to one of those numbers. */
  readonly routingFor?: ((number: string) => Routing) | undefined;
}

export interface Created<State> {
  id: string;
  state: State;
}

/** What a lifecycle may use of the world; the Pulumi edge makes one for each provider process. */
export interface Session {
  readonly settings: Settings;
  /** Throws if no token is set: only a call that sends needs one. */
  client(): Client;
  /** Once a run, however often the engine calls. */
  warn(message: Message): void;
  /** A line that does not stay: progress of long work. */
  progress(text: string): void;
  /** What this run remembers. */
  readonly run: Run;
  /** Work on one number is done in order within the process. */
  inTurn<T>(number: string, work: () => Promise<T>): Promise<T>;
  newId(prefix: string): string;
  wait(ms: number): Promise<void>;
  now(): number;
  /** The time of day, ISO 8601 in UTC. */
  time(): string;
}

/**
 * One kind of resource: a pure check and diff, and the calls that send. The names are the engine's: `olds` is what is saved, `news` what is declared.
 */
export interface Lifecycle<Inputs, State> {
  readonly kind: string;
  /** The rules of the arguments that depend neither on settings nor on the saved state. */
  readonly schema: ZodType;
  /** Reads a saved state of this or an earlier release. Throws a ResourceError if it cannot be read. */
  readState(saved: Props, id: string): State;
  /** `isOwn`: the news are inputs from an earlier check, and not from a program. */
  check(olds: Props | undefined, news: Props, settings: Settings, isOwn?: boolean): Checked<Inputs>;
  /** What an `up` would do. */
  diff(id: string, olds: State, news: Inputs, settings: Settings): Plan;
  /** Reasons of the plan that the inputs do not show: one line each. */
  explain(id: string, olds: State, news: Inputs, plan: Plan): Message[];
  /** The argument that names its numbers; a voice or a chat has none. */
  readonly numbersArgument?: "number" | "numbers";
  /** `replaced` is the original if diff has asked for a replacement: the engine tells create nothing of it. */
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
