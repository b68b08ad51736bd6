import { mkdirSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { defined } from "../../provider/core/common/equality";
import type { NamedRollout } from "../../provider/core/routing/rollouts";
import { UsageError } from "../errors";
import { writeText } from "../io";
import { runPulumi } from "../pulumi/cli";
import { ROLLOUTS } from "../stack/rollout";
import { inLine } from "./edit";
import { editedText } from "./file";
import { configFileArgs, pathOf, readFileAt, readRollout, type StackRollout } from "./stackFile";

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
): Promise<Rewritten<Next>> {
  const next = decide(rollout);
  if (next === undefined) {
    return { rollout, next, note: undefined };
  }
  const text = editedText(rollout, next);
  if (isDry || (await isWritten(rollout, next, text))) {
    return { rollout, next, note: text === undefined ? byPulumi(rollout) : undefined };
  }
  const { workspace, stack, name } = rollout;
  return rewrite(await readRollout(workspace, stack, name), decide, isDry);
}

const byPulumi = ({ file, name }: StackRollout): string =>
  `Pulumi writes all rollouts of the stack into ${file.shown}, because ${name} cannot be edited in place there.`;

/** False if the file is no longer as it was read. @param text of the file; if it is undefined, Pulumi writes the file */
function isWritten(rollout: StackRollout, next: NamedRollout, text: string | undefined): Promise<boolean> {
  const { workspace, stack, file } = rollout;
  const { io } = workspace;
  const path = pathOf(workspace, stack);
  return alone(path, async () => {
    if (readFileAt(path, io).text !== file.text) {
      return false;
    }
    if (text === undefined) {
      await writeByPulumi(rollout, next);
    } else {
      writeText(text, file.shown, io);
    }
    return true;
  });
}

/**
 * As a text first: if a map replaces a map, Pulumi leaves comments between the lines that break the file. As a map, it is edited in place the
 * next time. If that fails, the text is right as well.
 */
async function writeByPulumi({ workspace, stack, file, name, all }: StackRollout, next: NamedRollout): Promise<void> {
  const objectValue = { ...all, [name]: defined(next) };
  const value = JSON.stringify(objectValue);
  const set = (...args: string[]) =>
    runPulumi(["config", ...args, "--stack", stack, ...configFileArgs(workspace)], workspace.io);
  await set("set", ROLLOUTS, value).catch((error: unknown) => {
    const byHand = `Write this by hand into ${file.shown}: ${name}: ${inLine(next)}`;
    throw error instanceof UsageError ? new UsageError(`${error.message} ${byHand}`) : error;
  });
  const json = JSON.stringify({ [ROLLOUTS]: { value, objectValue, secret: false } });
  await set("set-all", "--json", json).catch(() => undefined);
}

const PATIENCE = 5000;

/**
 * Only one process of this machine at a time does this with the file. One that has not ended after five seconds was killed: nobody waits for it
 * any longer. Without a folder for the lock there is none.
 */
async function alone<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const lock = join(tmpdir(), `agent-platform-${Buffer.from(path).toString("base64url").slice(-120)}.lock`);
  for (let waited = 0; waited < PATIENCE && !isMade(lock); waited += 10) {
    await setTimeout(10);
  }
  try {
    return await work();
  } finally {
    try {
      rmdirSync(lock);
    } catch {
      // Nobody has made it, or another process took it for left over.
    }
  }
}

/** False if another process has it. */
function isMade(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EEXIST";
  }
}
