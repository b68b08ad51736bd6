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
  /** Prints a line that isn't part of a call's result, such as a warning. */
  print(line: string): void;
  readonly marks: Marks;
  /** How many requests may be in progress at once. */
  readonly concurrency: number;
  /** The maximum number of attempts per operation, not counting attempts that got a 429. */
  readonly attempts: number;
}

/** Time and randomness. */
export interface Clock {
  /** A monotonic clock in milliseconds, used to measure every duration. */
  now(): number;
  /** Milliseconds since 1970, for HTTP dates and saved times. This time may jump if the system's clock is set. */
  wallClock(): number;
  /** A random number from 0 up to, but not including, 1. */
  random(): number;
  delay(milliseconds: number): Promise<void>;
}

/** The proxy for requests. Its `url` may contain a user name and password, so only `host` is ever shown. */
export interface ProxyServer {
  readonly url: URL;
  /** `host:port`, as shown in messages. */
  readonly host: string;
}

/** The HTTP methods that the interface's operations use. */
export type Method = "PUT" | "POST";

export interface HttpRequest {
  readonly method: Method;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What came back for one attempt to send a request. */
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
  /**
   * How far the connection got: no connection, TCP only, or open (with TLS, if the URL uses https). Request bytes can
   * only have been sent if it was open.
   */
  readonly reached: "nowhere" | "tcp" | "open";
  readonly timedOut: boolean;
  readonly code: string;
  /** The status from a proxy that refused to open a tunnel to the platform. */
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

/** Marks are files by which the processes of a run (the program and its provider processes) signal each other. */
export interface Marks {
  /**
   * Whether the program's process leaves a mark if the program fails, so that `hasFailed` can find it. False if there
   * is no engine, as in a test.
   */
  readonly isProgramWatched: boolean;
  /** Whether the program's process has marked the run as failed. Throws if the folder for marks can't be used. */
  hasFailed(): boolean;
  /** Tells the run's other processes that this process checks resources. */
  markChecking(): void;
  /**
   * Whether another running provider process has checked resources in this run. If so, this process may not know
   * everything that the program declares. Throws if the folder for marks can't be used.
   */
  isCheckedElsewhere(): boolean;
}
