import { defined, same } from "../../provider/core/common/equality";
import type { NamedRollout } from "../../provider/core/routing/rollouts";
import { UsageError } from "../errors";
import { writeText } from "../io";
import { runPulumi } from "../pulumi/cli";
import { ROLLOUTS } from "../stack/rollout";
import { inLine } from "./edit";
import { configIn, editedText, writtenRollouts } from "./file";
import { alone, WRITE_SECONDS } from "./lock";
import { pathOf, readFileAt, readRollout, type StackRollout, stackArgs } from "./stackFile";

/** The edit of a file that others may edit, too. */

/** The rollout as it was read last, and what it becomes. */
interface Rewritten<Next> {
  readonly rollout: StackRollout;
  /** Undefined if nothing was wanted. */
  readonly next: Next | undefined;
  /** What an operator has to know of the edit; undefined if it was made in place. */
  readonly note: string | undefined;
}

/**
 * Writes what `decide` wants into the file. If another process has changed the file since it was read, it is read and decided again, so that
 * neither edit is lost.
 * @param isDry then nothing is written
 */
export async function rewrite<Next extends NamedRollout>(
  rollout: StackRollout,
  decide: (rollout: StackRollout) => Next | undefined,
  isDry: boolean,
  tries = MOST_WRITES,
): Promise<Rewritten<Next>> {
  const next = decide(rollout);
  if (next === undefined) {
    return { rollout, next, note: undefined };
  }
  const text = editedText(rollout, next);
  if (isDry || (await writeIfUnchanged(rollout, next, text))) {
    return { rollout, next, note: text === undefined ? byPulumi(rollout) : undefined };
  }
  const { workspace, stack, name, file } = rollout;
  if (text === undefined && tries === 1) {
    throw new UsageError(`${file.shown} was changed each time that Pulumi wrote it. ${byHand(rollout, next)}`);
  }
  const now = await readRollout(workspace, stack, name);
  return rewrite(now, decide, isDry, text === undefined ? tries - 1 : tries);
}

/** How often Pulumi writes the file, if another process that does not know the lock overwrites it. */
const MOST_WRITES = 3;

const byPulumi = ({ file, name }: StackRollout): string =>
  `Pulumi writes all rollouts of the stack into ${file.shown}, because ${name} cannot be edited in place there.`;

const byHand = ({ file, name }: StackRollout, next: NamedRollout): string =>
  `Write this by hand into ${file.shown}: ${name}: ${inLine(next)}`;

/**
 * False if the file is no longer as it was read, or does not have afterwards what Pulumi wrote.
 * @param text of the file; if it is undefined, Pulumi writes the file
 */
function writeIfUnchanged(rollout: StackRollout, next: NamedRollout, text: string | undefined): Promise<boolean> {
  const { workspace, stack, file } = rollout;
  const { io } = workspace;
  const path = pathOf(workspace, stack);
  return alone(path, async () => {
    if (readFileAt(path, io).text !== file.text) {
      return false;
    }
    if (text === undefined) {
      return writeByPulumi(rollout, next);
    }
    writeText(text, file.shown, io);
    return true;
  });
}

/**
 * As a text first: if a map replaces a map, Pulumi leaves comments between the lines that break the file. As a map, it is edited in place the
 * next time. If that fails, the text is right as well. Between the two the file is read again: what another process has written since then stays.
 */
async function writeByPulumi(rollout: StackRollout, next: NamedRollout): Promise<boolean> {
  const { workspace, stack, name, all } = rollout;
  const path = pathOf(workspace, stack);
  const rolloutsNow = () => {
    const now = readFileAt(path, workspace.io);
    return writtenRollouts({ file: now, config: configIn(now, {}) });
  };
  const objectValue = { ...all, [name]: defined(next) };
  const value = JSON.stringify(objectValue);
  const set = (...args: string[]) =>
    runPulumi(stackArgs(rollout, "config", ...args), { seconds: WRITE_SECONDS, ...workspace.io });
  await set("set", ROLLOUTS, value).catch((error: unknown) => {
    throw error instanceof UsageError ? new UsageError(`${error.message} ${byHand(rollout, next)}`) : error;
  });
  const written = rolloutsNow();
  if (!same(written, objectValue)) {
    return same(written[name], objectValue[name]);
  }
  const json = JSON.stringify({ [ROLLOUTS]: { value, objectValue, secret: false } });
  await set("set-all", "--json", json).catch(() => undefined);
  return same(rolloutsNow()[name], objectValue[name]);
}
