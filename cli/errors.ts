import { tokenAsSecret, withhold } from "../provider/base/secrets";
import { nearest } from "../provider/base/spelling";
import { printableLines } from "../provider/base/text";
import { type Environment, TOKEN_ENV } from "../provider/config/settings";
import { ISSUE_TRACKER, manifest } from "./package";

/** Why a command ended early, and what it prints then. */

/**
 * The arguments are wrong, or what they name cannot be read, such as a file or a stack: one sentence, exit code 2, and nothing was done.
 */
export class UsageError extends Error {}

/** What is wrong with a command's arguments, in one sentence; undefined for any other error. */
export function usageProblem(error: unknown, options: readonly string[]): string | undefined {
  if (error instanceof UsageError) {
    return error.message;
  }
  // `parseArgs` of Node throws a TypeError with a code of its own.
  if (!(error instanceof Error) || !String(Reflect.get(error, "code")).startsWith("ERR_PARSE_ARGS")) {
    return undefined;
  }
  const [, unknown] = /^Unknown option '--?([^']*)'/.exec(error.message) ?? [];
  if (unknown === undefined) {
    return error.message;
  }
  const suggestion = nearest(unknown, options);
  return `The option --${unknown} does not exist.${suggestion === undefined ? "" : ` Did you mean --${suggestion}?`}`;
}

/** A bug has an exit code of its own, which no command gives a meaning: to a pipeline it must not look like one that waits or is blocked. */
export const BUG_CODE = 70;

/** The text of an unexpected error. The access token is never part of it. */
export function bugReport(error: unknown, { env }: { readonly env: Environment }): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `pulumi-agent-platform: this is a bug. ${printableLines(withhold(text, tokenAsSecret(env[TOKEN_ENV] ?? "")))}

Please report it to ${ISSUE_TRACKER}, with the lines above and these:
  pulumi-agent-platform ${manifest().version}, Node ${process.versions.node}, ${process.platform} ${process.arch}
`;
}
