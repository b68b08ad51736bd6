/** Time and chance as the client sees them; tests bring their own, so that nothing sleeps. */
export interface Clock {
  /** Milliseconds that never run backwards: every duration is measured by it. */
  now(): number;
  /** Milliseconds since 1970, for HTTP dates alone (a clock may jump). */
  wallClock(): number;
  /** From 0 up to, but without, 1. */
  random(): number;
  delay(milliseconds: number): Promise<void>;
}

export interface HttpRequest {
  readonly method: "PUT" | "POST";
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
export interface RunMarks {
  /** Has the program failed? Throws if that cannot be known, because the folder is foreign or full. */
  hasFailed(): boolean;
  /** This process knows what the program declares. */
  markChecking(): void;
  /** Does another process know it, which has not ended? Throws if that cannot be known. */
  isCheckedElsewhere(): boolean;
}
