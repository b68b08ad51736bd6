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
/** The error of a call that must fail. It never shows the token. */
export async function failureOf(
  call: Promise<unknown>,
  type: abstract new (...args: never) => ResourceError = ResourceError,
): Promise<ResourceError> {
  const error = await rejectionAs(type, call);
  assert.doesNotMatch(`${error.message} ${error.stack}`, new RegExp(TOKEN), "the error holds the token");
  return error;
}

/** A refusal of every request, in the interface's form. */
export const refusal = (status: number, error = "no, thank you", headers = {}): Fault => ({
  kind: "status",
  status,
  body: JSON.stringify({ error }),
  headers: { "content-type": "application/json", ...headers },
  times: "always",
});

/** The code of each message, such as AGP-001. */
export const codesOf = (texts: readonly string[]): string[] => texts.map((text) => text.slice(0, 7));

/** The code of each refusal and the argument it names, as in `AGP-001 adopt`. */
export const headsOf = (refusals: readonly string[]): string[] =>
  refusals.map((text) => text.replace(/^(AGP-\d+ [^ ]*[^ .:]).*$/s, "$1"));

/**
 * Asserts that each refusal starts with its code, its argument and, where it may be shown, the value, as in
 * `AGP-001 workspaceId ("42")`. The rest of the wording is in words/testdata/messages.txt.
 */
export function assertRefused(refusals: readonly string[], starts: readonly string[]): void {
  const isRefused = refusals.map((text, index) => text.startsWith(`${starts[index]} `));
  assert.ok(
    refusals.length === starts.length && isRefused.every(Boolean),
    `expected refusals that start with\n${starts.join("\n")}\ninstead of\n${refusals.join("\n")}`,
  );
}
