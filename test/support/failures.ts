import assert from "node:assert/strict";
import type { Fault } from "../../emulator";
import { ResourceError } from "../../provider/words/message";
import { rejectionAs } from "./rejected";

export const TOKEN = "an-access-token";

export function failureOf(call: Promise<unknown>): Promise<ResourceError>;
export function failureOf<E extends ResourceError>(
  call: Promise<unknown>,
  type: abstract new (...args: never) => E,
): Promise<E>;
/** Returns the error of a call that must fail. Asserts that the error doesn't contain the token. */
export async function failureOf(
  call: Promise<unknown>,
  type: abstract new (...args: never) => ResourceError = ResourceError,
): Promise<ResourceError> {
  const error = await rejectionAs(type, call);
  assert.doesNotMatch(`${error.message} ${error.stack}`, new RegExp(TOKEN), "the error contains the token");
  return error;
}

/** Returns a fault that makes the emulator refuse every request with an error in the API's format. */
export const refusal = (status: number, error = "no, thank you", headers = {}): Fault => ({
  kind: "status",
  status,
  body: JSON.stringify({ error }),
  headers: { "content-type": "application/json", ...headers },
  times: "always",
});

/** Returns the code of each message, such as AGP-001. */
export const codesOf = (messages: readonly string[]): string[] => messages.map((message) => message.slice(0, 7));

/** Returns each refusal's code and the argument that it names, as in `AGP-001 adopt`. */
export const headsOf = (refusals: readonly string[]): string[] =>
  refusals.map((refusal) => refusal.replace(/^(AGP-\d+ [^ ]*[^ .:]).*$/s, "$1"));

/**
 * Asserts that each refusal starts with its string in `starts`, such as `AGP-001 workspaceId ("42")`. The full wording
 * is in words/testdata/messages.txt.
 */
export function assertRefused(refusals: readonly string[], starts: readonly string[]): void {
  const matches = refusals.map((refusal, index) => refusal.startsWith(`${starts[index]} `));
  assert.ok(
    refusals.length === starts.length && matches.every(Boolean),
    `expected refusals that start with\n${starts.join("\n")}\ninstead of\n${refusals.join("\n")}`,
  );
}
