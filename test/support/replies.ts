import type { HttpResponse, NoResponse } from "../../provider/base/world";

/** Replies like those that the client's transport returns, for tests without a network. */

export function response(status: number, body = "{}", retryAfter?: string): HttpResponse {
  const headers = {
    retryAfter,
    date: undefined,
    location: undefined,
    contentType: "application/json",
    requestId: undefined,
  };
  return { came: "response", status, headers, bytes: Buffer.from(body), body: "whole" };
}

export const silence = (reached: "nowhere" | "tcp" | "open", code: string): NoResponse => ({
  came: "nothing",
  reached,
  timedOut: false,
  code,
});
