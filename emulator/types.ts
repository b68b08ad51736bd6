import type { Fault, FaultHandle } from "./faults";
import type { Clock } from "./platform";
import type { ProfileChoice } from "./profile";
import type { LoggedRequest } from "./requestLog";
import type { PostedLists, Routing } from "./store";

/** How an emulator is started. */
export interface EmulatorOptions {
  /** The port on 127.0.0.1. @default 0, a free one */
  readonly port?: number;
  /** The access token. @default a made-up one */
  readonly token?: string;
  /** How the platform behaves if the interface is silent. @default {} */
  readonly profile?: ProfileChoice;
  /** Fixes identifiers and simulated calls. @default 1 */
  readonly seed?: number;
  /** The clock for dates and the rate limit. @default the machine's */
  readonly clock?: Clock;
  /** Called when a request has its response, or its connection has ended. */
  readonly onRequest?: (request: LoggedRequest) => void;
}

/** A number and its routing. */
export interface NumberView extends Routing {
  readonly number: string;
  readonly accountSid: string;
  readonly workspaceId: number;
}

/** A running emulator, with one account. */
export interface Emulator extends PostedLists {
  /** The base URL, without a slash at its end. */
  readonly url: string;
  readonly port: number;
  /** The access token. */
  readonly token: string;
  readonly accountSid: string;
  readonly workspaceId: number;
  /** Every request that arrived, oldest first. The list is live: an entry gets its status with its response. */
  readonly requests: readonly LoggedRequest[];
  /** The routing of each number now. */
  readonly numbers: ReadonlyMap<string, NumberView>;
  /** The routing of a number now; undefined if it was never assigned. */
  routing(number: string): Routing | undefined;
  /** Simulates so many inbound calls to a number: who answers how many. */
  calls(number: string, count: number): Record<string, number>;
  /** Lets a fault meet the requests to come. */
  inject(fault: Fault): FaultHandle;
  /** Takes every fault away. Requests that wait still wait. */
  clearFaults(): void;
  /** Another profile from now on; switches that it leaves out have their defaults. The state stays. */
  setProfile(profile: ProfileChoice): void;
  /** Another token from now on: the former one gets a 401. */
  setToken(token: string): void;
  /** Empties the log; counting starts again at 0. */
  clearRequests(): void;
  /** Resolves with the log when so many requests have arrived since the start or `clearRequests()`, and were acted upon. */
  waitForRequests(count: number): Promise<readonly LoggedRequest[]>;
  /** Closes the port and every connection: whoever connects is refused. The state stays. */
  stopListening(): Promise<void>;
  /** Opens the same port again. */
  listenAgain(): Promise<void>;
  /** Closes everything at once, open connections too. */
  close(): Promise<void>;
}
