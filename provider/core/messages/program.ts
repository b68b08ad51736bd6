import { NAMESPACE, type UnknownSetting } from "../config/settings";
import { existsOnce } from "../routing/numberList";
import { type Message, say } from "./message";

// --- messages that mostly the program prints, before the engine has heard of a resource

export interface DeclaredTwice {
  readonly number: string;
  /** The two resources, such as `NumberAssignment "support"`. */
  readonly holders: readonly [string, string];
}

export function declaredTwice({ number, holders }: DeclaredTwice): Message {
  const noun = existsOnce(number) ? "number" : "extension";
  return say(
    "AGP-003",
    undefined,
    `${noun} ${number} is declared twice: by ${holders.join(" and by ")}. Remove one of them: otherwise they overwrite each other in every run.`,
  );
}

export const noSplit = (): Message =>
  say("AGP-001", undefined, 'split takes a map from each agent to its weight: split({ "agent_front@12": 90 }).');

/** Keys of a stack's config. */
export function noSuchSettings(unknown: readonly UnknownSetting[]): Message {
  const lines = unknown.map(({ key, meant }) => {
    const hint = meant === undefined ? "Run" : `Did you mean ${NAMESPACE}:${meant}? Set that, and run`;
    return `${NAMESPACE}:${key} is not a setting, and nothing reads it. ${hint} \`pulumi config rm ${NAMESPACE}:${key}\`.`;
  });
  return say("AGP-015", undefined, lines.join("\n"));
}

/** Keys of the project's own namespace with the name of a guard. */
export const guardsOfProject = (project: string, keys: readonly string[]): Message =>
  say(
    "AGP-015",
    undefined,
    ...keys.map(
      (key) =>
        `${project}:${key} guards nothing: the setting is ${NAMESPACE}:${key}. Set that, unless your program reads ${project}:${key} itself.`,
    ),
  );

/** The text of `refusedForMistakes`. A report leaves it out, because it shows the mistakes. */
export const REFUSED_FOR_MISTAKES = / refused because of the (?:mistake|\d+ mistakes) above\. Nothing was sent\.$/;

/** The program has logged each mistake as an error of its own. */
export const refusedForMistakes = (count: number): Message =>
  say(
    "AGP-001",
    undefined,
    `refused because of ${count === 1 ? "the mistake" : `the ${count} mistakes`} above. Nothing was sent.`,
  );
