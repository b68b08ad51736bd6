import type { Fault, FaultHandle } from "./faults";
import type { Clock } from "./platform";
import type { ProfileChoice } from "./profile";
import type { LoggedRequest } from "./requestLog";
import type { PostedLists, Routing } from "./store";

/** Options for starting an emulator. */
export interface EmulatorOptions {
  /** The port on 127.0.0.1. @default 0, which picks a free port */
  readonly port?: number;
  /** The access token. @default a generated one */
  readonly token?: string;
  /** How the platform behaves where the interface does not specify it. @default {} */
  readonly profile?: ProfileChoice;
  /** Determines the generated IDs and the simulated calls, so a test gets the same ones in every run. @default 1 */
  readonly seed?: number;
  /** The clock for dates in responses and for the rate limit. @default the machine's clock */
  readonly clock?: Clock;
  /** Called for each request, after its response is sent or its connection is closed. */
  readonly onRequest?: (request: LoggedRequest) => void;
}

/** A number with its routing. */
export interface NumberView extends Routing {
  readonly number: string;
  readonly accountSid: string;
  readonly workspaceId: number;
}

/** A running emulator with one account. */
export interface Emulator extends PostedLists {
  /** The base URL, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** The access token. */
  readonly token: string;
  readonly accountSid: string;
  readonly workspaceId: number;
  /**
   * All requests since the start or the last `clearRequests()`, oldest first. The list is live: an entry's status is
   * set when its response is sent.
   */
  readonly requests: readonly LoggedRequest[];
  /** The current routing of each number. */
  readonly numbers: ReadonlyMap<string, NumberView>;
  /** A number's current routing. Undefined if it was never assigned. */
  routing(number: string): Routing | undefined;
  /** Simulates `count` inbound calls to a number and counts them by agent. */
  calls(number: string, count: number): Record<string, number>;
  /** Injects a fault into future requests. */
  inject(fault: Fault): FaultHandle;
  /**
   * Removes all faults, so that they don't affect later requests. A request on hold keeps waiting until you call
   * `release()` on the fault's handle.
   */
  clearFaults(): void;
  /** Changes the profile. Switches that are left out get their defaults. Numbers, voices and chats are kept. */
  setProfile(profile: ProfileChoice): void;
  /** Changes the access token. From then on, a request with the old token gets a 401. */
  setToken(token: string): void;
  /** Clears the log of requests, so that indexes and the count for `waitForRequests` start at 0 again. */
  clearRequests(): void;
  /**
   * Waits until this many requests have been processed since the start or the last `clearRequests()`. Resolves with the
   * log.
   */
  waitForRequests(count: number): Promise<readonly LoggedRequest[]>;
  /** Closes the port and all connections, as if the platform were down. Numbers, voices and chats are kept. */
  stopListening(): Promise<void>;
  /** Listens on the same port again, after `stopListening()`. */
  listenAgain(): Promise<void>;
  /** Closes the emulator at once, including open connections. */
  close(): Promise<void>;
}
