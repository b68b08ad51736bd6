import type { OperationKind } from "./retry";

/** One HTTP request, ready to be sent. It holds the token, so it is never logged, shown or attached to anything. */
export interface WireRequest {
  kind: OperationKind;
  method: "PUT" | "POST";
  url: URL;
  headers: Record<string, string>;
  body: string;
}

/** What came back from one attempt, before anyone has judged it. */
export type Reply =
  | {
      came: "answer";
      status: number;
      headers: ReplyHeaders;
      bytes: Uint8Array;
      /** How the body ended; all but "whole" are cut at `bytes`. */
      body: "whole" | "tooLarge" | "cut" | "timedOut" | "undecodable";
    }
  | {
      came: "nothing";
      /** How far the connection got. Bytes of the request can only have left after "open". */
      reached: "nowhere" | "tcp" | "open";
      timedOut: boolean;
      code: string;
    };

export interface ReplyHeaders {
  retryAfter: string[];
  date: string | undefined;
  location: string | undefined;
  contentType: string | undefined;
  requestId: string | undefined;
}

export type Transport = (request: WireRequest, timeoutMs: number) => Promise<Reply>;

/** Answers of the interface are a few kilobytes; counted after decompression, so that a gzip bomb is cut as well. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** The code of a connection that a 101 has taken out of HTTP. */
export const SWITCHED_PROTOCOLS = "ERR_SWITCHED_PROTOCOLS";
