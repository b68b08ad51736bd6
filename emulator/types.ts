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
  /** Determines IDs and simulated calls. @default 1 */
  readonly seed?: number;
  /** The clock for dates and the rate limit. @default the machine's */
  readonly clock?: Clock;
  /** Called after a response is sent or its connection is closed. */
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
  /** All requests so far, oldest first. The list is live: an entry's status is set when its response is sent. */
  readonly requests: readonly LoggedRequest[];
  /** The current routing of each number. */
  readonly numbers: ReadonlyMap<string, NumberView>;
  /** A number's current routing. Undefined if it was never assigned. */
  routing(number: string): Routing | undefined;
  /** Simulates `count` inbound calls to a number, and counts them by agent. */
  calls(number: string, count: number): Record<string, number>;
  /** Injects a fault into future requests. */
  inject(fault: Fault): FaultHandle;
  /** Removes all faults. Requests that are on hold stay on hold. */
  clearFaults(): void;
  /** Changes the profile. Switches that are left out get their defaults. The state is kept. */
  setProfile(profile: ProfileChoice): void;
  /** Changes the token. The old one gets a 401. */
  setToken(token: string): void;
  /** Clears the log. Indexes and `waitForRequests` start at 0 again. */
  clearRequests(): void;
  /**
   * Waits until this many requests have been processed since the start or the last `clearRequests()`. Resolves with the
   * log.
   */
  waitForRequests(count: number): Promise<readonly LoggedRequest[]>;
  /** Closes the port and all connections, so new connections are refused. The state is kept. */
  stopListening(): Promise<void>;
  /** Listens on the same port again. */
  listenAgain(): Promise<void>;
  /** Closes the emulator at once, including open connections. */
  close(): Promise<void>;
}
