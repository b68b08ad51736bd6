import type { CannotThrow } from "../core/common/cannotThrow";
import type { Settings } from "../core/config/settings";
import type * as messages from "../core/messages";
import { newDeclarations } from "./run/declarations";
import type { RunFile } from "./run/heard";
import { newReleases } from "./run/release";
import { newReplacements } from "./run/replacements";
import { newSending } from "./run/sending";

/**
 * What a run remembers, by its phases: check, diff, create and update write it. A delete reads it, because the engine creates before it
 * deletes: the delete of a renamed resource must not clear the number that its new name has just been given.
 */
export function newRun(settings: Settings, file: RunFile, warn: CannotThrow<(message: messages.Message) => void>) {
  const declarations = newDeclarations(settings, file);
  const replacements = newReplacements(declarations, file);
  const sending = newSending(declarations, replacements, file, warn);
  const { continuedAs } = replacements.calls;
  const releases = newReleases({ declarations, lastSent: sending.lastSent, continuedAs }, file);
  return { ...declarations.calls, ...replacements.calls, ...sending.calls, ...releases };
}

export type Run = ReturnType<typeof newRun>;
