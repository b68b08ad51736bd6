import type { CallsOptions } from "./calls";
import type { Fault, FaultFilter, FaultHandle } from "./faults";
import type { Clock, TokenAccount } from "./platform";
import type { PostedLists } from "./posted";
import type { Profile, ProfileName } from "./profile";
import type { LoggedRequest } from "./requestLog";
import type { Routing } from "./store";

/** A named profile, or the switches that differ from the default one. */
export type ProfileChoice = ProfileName | (string & {}) | Readonly<Partial<Profile>>;

/** How an emulator is started. */
export interface EmulatorOptions {
  /** The port on 127.0.0.1. @default 0, a free one */
  readonly port?: number;
  /** The access token of the first account. @default a made-up one */
  readonly token?: string;
  /** Further tokens and their accounts; tokens with the same `accountSid` open the same account. */
  readonly tokens?: Readonly<Record<string, TokenAccount>>;
  /** How the platform behaves if the interface is silent. @default "default" */
  readonly profile?: ProfileChoice;
  /** Fixes identifiers and simulated calls. @default 1 */
  readonly seed?: number;
  /** The workspace of every account that names none. @default 42 */
  readonly workspaceId?: number;
  /** The first account. @default made from the seed */
  readonly accountSid?: string;
  /** How long every response takes that no fault meets; the platform acts before. @default 0 */
  readonly latencyMs?: number;
  /** A path before `/api`, as a base URL may have one. @default "" */
  readonly basePath?: string;
  /** The clock for dates and the rate limit. @default the machine's */
  readonly clock?: Clock;
  /** Called when a request has been answered, or its connection is gone. */
  readonly onRequest?: (request: LoggedRequest) => void;
}

/** Which account is meant. */
export interface OfAccount {
  /** A token of the account. @default the emulator's `token` */
  readonly token?: string;
}

/** A number and what is bound to it. */
export interface NumberView extends Routing {
  readonly number: string;
  readonly accountSid: string;
  readonly workspaceId: number;
}

/** The whole state as JSON; it holds no token. */
export interface EmulatorDump {
  readonly profile: Readonly<Partial<Profile>>;
  readonly requests: number;
  readonly accounts: readonly (PostedLists & {
    readonly accountSid: string;
    readonly workspaceId: number;
    readonly numbers: readonly NumberView[];
  })[];
}

/** A running emulator. Its numbers, and what was posted, are those of the first account. */
export interface Emulator extends PostedLists {
  /** The base URL, without a slash at its end. */
  readonly url: string;
  readonly port: number;
  /** The access token of the first account. */
  readonly token: string;
  /** Every request that arrived, oldest first. The list is live: an entry gets its status when it is answered. */
  readonly requests: readonly LoggedRequest[];
  /** What is bound to each number of the first account now. */
  readonly numbers: ReadonlyMap<string, NumberView>;
  /** The whole profile in force. */
  readonly profile: Readonly<Profile>;
  /** What is bound to a number now; undefined if it was never assigned. */
  routing(number: string, of?: OfAccount): Routing | undefined;
  /** What an account owns. Throws for a token that opens none. */
  account(
    of?: OfAccount,
  ): Pick<Emulator, "numbers"> & PostedLists & { readonly accountSid: string; readonly workspaceId: number };
  /** Simulates so many inbound calls to a number: who answers how many. */
  calls(number: string, count: number, options?: CallsOptions & OfAccount): Record<string, number>;
  /** Lets a fault meet the requests to come. */
  inject(fault: Fault): FaultHandle;
  /** Takes every fault away. Requests that are held stay held. */
  clearFaults(): void;
  /** Holds every request that matches from now on, until `release()`. */
  pause(filter?: Pick<FaultFilter, "operation" | "number" | "applied">): void;
  /** Lets go of what `pause()` holds, and holds nothing more. */
  release(): void;
  /** Another profile from now on; switches that it leaves out have their defaults. The state stays. */
  setProfile(profile: ProfileChoice): void;
  /** A further token, of an account that exists or of a new one. */
  addToken(token: string, account?: TokenAccount): void;
  /** A token that is answered with 401 from now on. */
  revokeToken(token: string): void;
  /** Empties the log; counting starts again at 0. */
  clearRequests(): void;
  /** Resolves with the log when so many requests have arrived since the start or `clearRequests()`, and were acted upon. */
  waitForRequests(count: number): Promise<readonly LoggedRequest[]>;
  /** Closes the port and every connection: whoever connects is refused. The state stays. */
  stopListening(): Promise<void>;
  /** Opens the same port again. */
  listenAgain(): Promise<void>;
  /** The whole state, to print or to compare. */
  dump(): EmulatorDump;
  /** Closes everything at once, open connections too. */
  close(): Promise<void>;
}
