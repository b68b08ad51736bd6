import { newDeclarations } from "./run/declarations";
import { newReleases } from "./run/release";
import { newReplacements } from "./run/replacements";
import { newSending } from "./run/sending";

/**
 * What a run remembers, by its phases: check, diff, create and update write it. A delete reads it, because the engine creates before it
 * deletes: the delete of a renamed resource must not clear the number that its new name has just been given. A run has one provider process, so
 * this is its memory.
 * @param hasProgramFailed asked before a delete sends anything; it throws if that cannot be known
 */
export function newRun(hasProgramFailed: () => boolean) {
  const declarations = newDeclarations();
  const replacements = newReplacements(declarations);
  const sending = newSending(declarations, replacements);
  const releases = newReleases(declarations, replacements, sending, hasProgramFailed);
  return { ...declarations.calls, ...replacements.calls, ...sending.calls, ...releases };
}

export type Run = ReturnType<typeof newRun>;
