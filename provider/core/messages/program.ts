import { existsOnce } from "../endpoint";
import { NAMESPACE, type UnknownSetting } from "../settings";
import { type Message, say } from "./message";

// --- said by the program, before the engine has heard of a resource

export interface DeclaredTwice {
  readonly number: string;
  readonly isSecret: boolean;
  /** As `NumberAssignment "support"`. */
  readonly holders: readonly [string, string];
}

export function declaredTwice({ number, isSecret, holders }: DeclaredTwice): Message {
  const noun = existsOnce(number) ? "number" : "extension";
  const what = isSecret ? `a secret ${noun}` : `${noun} ${number}`;
  return say(
    "AGP-003",
    undefined,
    `${what} is declared twice: by ${holders.join(" and by ")}. Remove one of them: otherwise they overwrite each other in every run.`,
  );
}

/** Keys of a stack's config. */
export const noSuchSettings = (unknown: readonly UnknownSetting[]): Message =>
  say(
    "AGP-015",
    undefined,
    unknown
      .map(({ key, meant }) => {
        const remove = `\`pulumi config rm ${NAMESPACE}:${key}\``;
        return meant === undefined
          ? `${NAMESPACE}:${key} is not a setting, and nothing reads it. Run ${remove}.`
          : `${NAMESPACE}:${key} is not a setting, and nothing reads it. Did you mean ${NAMESPACE}:${meant}? Set that, and run ${remove}.`;
      })
      .join("\n"),
  );

/** Arguments of an explicit provider. */
export const noSuchArguments = (name: string, unknown: readonly UnknownSetting[]): Message =>
  say(
    "AGP-015",
    undefined,
    unknown
      .map(({ key, meant }) => {
        const hint = meant === undefined ? "Remove it." : `Did you mean ${meant}?`;
        return `AgentPlatform "${name}": ${key} is not a setting, and nothing reads it. ${hint}`;
      })
      .join("\n"),
  );

/** The token of the environment may be another account's: an explicit provider never takes it. */
export const tokenNotNamed = (name: string): Message =>
  say(
    "AGP-013",
    undefined,
    `AgentPlatform "${name}": give exactly one of accessToken and accessTokenEnv. An explicit provider never takes the token of the environment.`,
  );

/** Beside the errors at the resources, which say what is wrong. */
export const programNotValid = (): Message =>
  say("AGP-001", undefined, "The program is not valid. Fix the errors at its resources, then rerun.");
