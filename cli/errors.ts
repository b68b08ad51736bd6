import { tokenAsSecret, withhold } from "../provider/base/secrets";
import { nearest } from "../provider/base/spelling";
import { printableLines } from "../provider/base/text";
import { type Environment, TOKEN_ENV } from "../provider/config/settings";
import { ISSUE_TRACKER, manifest } from "./package";

/** Errors that end a command early, and the text that the command then prints. */

/**
 * Thrown if a command can't continue, for example because of wrong arguments. The exit code is 2. Unless the message
 * says otherwise, nothing was done.
 */
export class UsageError extends Error {}

/**
 * Returns the message to print if the error is a UsageError or if `parseArgs` rejected the arguments. Returns undefined
 * for any other error.
 */
export function usageProblem(error: unknown, options: readonly string[]): string | undefined {
  if (error instanceof UsageError) {
    return error.message;
  }
  // `parseArgs` throws a TypeError whose code starts with ERR_PARSE_ARGS.
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

/**
 * The exit code after a bug in this package. No command returns it as a result, so a pipeline can't mistake a bug for a
 * blocked change.
 */
export const BUG_CODE = 70;

/** Returns the text that asks the user to report an unexpected error. The access token is removed from it. */
export function bugReport(error: unknown, { env }: { readonly env: Environment }): string {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `pulumi-agent-platform: this is a bug. ${printableLines(withhold(text, tokenAsSecret(env[TOKEN_ENV] ?? "")))}

Please report it to ${ISSUE_TRACKER}, with the lines above and these:
  pulumi-agent-platform ${manifest().version}, Node ${process.versions.node}, ${process.platform} ${process.arch}
`;
}
