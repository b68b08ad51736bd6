import assert from "node:assert/strict";
import type { Fault } from "../../emulator";
import { steady } from "./miniStack";
import { rejectionAs } from "./rejected";

export const TOKEN = "an-access-token";

/** What an operator reads of a call that fails, without what differs from run to run. */
export async function said(call: Promise<unknown>): Promise<string> {
  const error = await rejectionAs(Error, call);
  assert.doesNotMatch(`${error.message} ${error.stack}`, new RegExp(TOKEN), "the error holds the token");
  return steady(error.message);
}

/** A refusal of every request, in the interface's form. */
export const refusal = (status: number, error = "no, thank you", headers = {}): Fault => ({
  kind: "status",
  status,
  body: JSON.stringify({ error }),
  headers: { "content-type": "application/json", ...headers },
  times: "always",
});
