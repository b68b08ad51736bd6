/** What the provider uses of the world outside of it. `systemWorld` is the real one; a test brings its own, so that nothing sleeps. */
export interface World {
  readonly clock: Clock;
  /** The proxy that the environment names for the base URL, or why it cannot be used. */
  chooseProxy(baseUrl: string): { readonly proxy?: ProxyServer; readonly problem?: string };
  openTransport(proxy: ProxyServer | undefined, attemptMs: number, concurrency: number): Transport;
  /** A name that nothing else has, with these letters in front. */
  newId(prefix: string): string;
  /** Prints a line that is not the result of a call. */
  print(line: string): void;
  readonly marks: Marks;
  /** How many requests may be in progress at once. */
  readonly concurrency: number;
  /** How often one operation is sent at most, without those that got a 429. */
  readonly attempts: number;
}

/** Time and chance. */
export interface Clock {
  /** Milliseconds that never run backwards: every duration is measured by it. */
  now(): number;
  /** Milliseconds since 1970, for HTTP dates and for what is saved (a clock may jump). */
  wallClock(): number;
  /** From 0 up to, but without, 1. */
  random(): number;
  delay(milliseconds: number): Promise<void>;
}

/** The proxy that requests go through. Its `url` may hold a user name and a password, so it is never shown; `host` is. */
export interface ProxyServer {
  readonly url: URL;
  /** `host:port`, as messages name it. */
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

/** What came back from one attempt. */
export type HttpReply = HttpResponse | NoResponse;

export interface HttpResponse {
  readonly came: "response";
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly bytes: Uint8Array;
  /** How the body ended. If it is not "whole", `bytes` is its beginning. */
  readonly body: "whole" | "tooLarge" | "cut" | "timedOut" | "undecodable";
}

export interface NoResponse {
  readonly came: "nothing";
  /** How far the connection got. Bytes of the request can only have left after "open". */
  readonly reached: "nowhere" | "tcp" | "open";
  readonly timedOut: boolean;
  readonly code: string;
  /** The status of a proxy that opened no way to the platform. */
  readonly proxyStatus?: number | undefined;
}

export interface ReplyHeaders {
  readonly retryAfter: string | undefined;
  readonly date: string | undefined;
  readonly location: string | undefined;
  readonly contentType: string | undefined;
  readonly requestId: string | undefined;
}

/** The request holds the token, so it is never logged, shown or attached to anything. */
export type Transport = (request: HttpRequest, timeoutMs: number) => Promise<HttpReply>;

/** What the processes of a run tell each other. */
export interface Marks {
  /** Is there a program whose process marks its failure? */
  readonly isProgramWatched: boolean;
  /** Has the program failed? Throws if that cannot be known, because the folder is foreign or full. */
  hasFailed(): boolean;
  /** This process knows what the program declares. */
  markChecking(): void;
  /** Does another process know it, which has not ended? Throws if that cannot be known. */
  isCheckedElsewhere(): boolean;
}
