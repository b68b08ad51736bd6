import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type FillStage, untilSignalled } from "./install";
import { lock } from "./lock";

/** Makes one executable in a folder of the machine, unless it is there. `fill` puts it into `<stage>/bin`. */
export async function placeOnce(
  directory: string,
  name: string,
  fill: FillStage,
  say: (line: string) => void,
): Promise<void> {
  const file = join(directory, name);
  if (existsSync(file)) {
    return;
  }
  mkdirSync(directory, { recursive: true });
  const unlock = await lock(join(directory, `.${name}-lock`), say);
  try {
    if (!existsSync(file)) {
      await untilSignalled((signal) => fillAndPlace(directory, name, (stage) => fill(stage, signal, say)), unlock);
    }
  } finally {
    unlock();
  }
}

/** Renamed into place when it is whole. */
async function fillAndPlace(directory: string, name: string, fill: (stage: string) => Promise<void>): Promise<void> {
  const stage = mkdtempSync(join(directory, ".stage-"));
  try {
    await fill(stage);
    renameSync(join(stage, "bin", name), join(directory, name));
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}
