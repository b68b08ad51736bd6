/**
 * Everything that the provider uses from the outside world, such as the clock and the network. Tests pass their own
 * world, so no test has to sleep.
 */
export interface World {
  readonly clock: Clock;
  /** The proxy that the environment sets for the base URL, or why it can't be used. */
  chooseProxy(baseUrl: string): { readonly proxy?: ProxyServer; readonly problem?: string };
  openTransport(proxy: ProxyServer | undefined, attemptMs: number, concurrency: number): Transport;
  /** A unique ID with this prefix. */
  newId(prefix: string): string;
  /** Prints a line that does not belong to the result of a call. */
  print(line: string): void;
  readonly marks: Marks;
  /** How many requests may be in progress at once. */
  readonly concurrency: number;
  /** The maximum number of attempts per operation, not counting attempts that got a 429. */
  readonly attempts: number;
}

/** Time and randomness. */
export interface Clock {
  /** Monotonic milliseconds, used to measure every duration. */
  now(): number;
  /** Milliseconds since 1970, for HTTP dates and saved times. This clock may jump. */
  wallClock(): number;
  /** From 0 up to, but not including, 1. */
  random(): number;
  delay(milliseconds: number): Promise<void>;
}

/** The proxy for requests. Its `url` may contain a user name and password, so only `host` is ever shown. */
export interface ProxyServer {
  readonly url: URL;
  /** `host:port`, as shown in messages. */
  readonly host: string;
}

/** The methods of the interface. */
export type Method = "PUT" | "POST";

export interface HttpRequest {
  readonly method: Method;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result of one attempt. */
export type HttpReply = HttpResponse | NoResponse;

export interface HttpResponse {
  readonly came: "response";
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly bytes: Uint8Array;
  /** How the body ended. If it isn't `whole`, `bytes` holds only the beginning of the body. */
  readonly body: "whole" | "tooLarge" | "cut" | "timedOut" | "undecodable";
}

export interface NoResponse {
  readonly came: "nothing";
  /** How far the connection got. Request bytes can only have been sent if this is `open`. */
  readonly reached: "nowhere" | "tcp" | "open";
  readonly timedOut: boolean;
  readonly code: string;
  /** The status from a proxy that refused to connect to the platform. */
  readonly proxyStatus?: number | undefined;
}

export interface ReplyHeaders {
  readonly retryAfter: string | undefined;
  readonly date: string | undefined;
  readonly location: string | undefined;
  readonly contentType: string | undefined;
  readonly requestId: string | undefined;
}

/** The request contains the token, so never log it, show it or attach it to anything. */
export type Transport = (request: HttpRequest, timeoutMs: number) => Promise<HttpReply>;

/** Marks by which the processes of a run share facts. */
export interface Marks {
  /** Whether the program runs in a separate process, which records its own failure. */
  readonly isProgramWatched: boolean;
  /**
   * Whether the program has failed. Throws if this can't be determined, because the folder where such failures are
   * recorded can't be written or isn't private to this user.
   */
  hasFailed(): boolean;
  /** Marks that this process checks the program's resources. */
  markChecking(): void;
  /**
   * Whether another running process has checked resources of this program. If so, this process doesn't know everything
   * that the program declares. Throws if this can't be determined.
   */
  isCheckedElsewhere(): boolean;
}
