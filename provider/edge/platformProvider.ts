import type { Message } from "../core/messages";
import { tokenNotNamed } from "../core/messages/program";

/** An explicit provider says where its token comes from, at a preview as well, which needs none. */
export function tokenRule(
  name: string,
  args: { readonly accessToken?: unknown; readonly accessTokenEnv?: unknown },
): Message | undefined {
  return isGiven(args.accessToken) === isGiven(args.accessTokenEnv) ? tokenNotNamed(name) : undefined;
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
