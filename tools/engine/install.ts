import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { hasCli, placeProviderScript } from "./cli";
import { lock } from "./lock";

/** Puts a CLI into `<stage>/bin`; it stops and throws when `signal` says so. */
export type FillStage = (stage: string, signal: AbortSignal, say: (line: string) => void) => Promise<void>;

/** The process was told to end: no reason to try the next way. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

const stagePrefix = ".stage-";

/**
 * Fills a folder beside the final one and renames it into place when it is whole. So a failed or killed installation
 * leaves nothing that looks like a CLI, whatever the lock does; the lock only spares a second process the same work.
 */
export async function install(
  versionFolder: string,
  fill: FillStage,
  say: (line: string) => void,
): Promise<"installed" | "was there"> {
  const bin = join(versionFolder, "bin");
  mkdirSync(versionFolder, { recursive: true });
  const unlock = await lock(join(versionFolder, ".lock"), say);
  try {
    if (hasCli(bin)) {
      return "was there";
    }
    removeLeftovers(versionFolder);
    await untilSignalled((signal) => fillAndPlace(versionFolder, bin, (stage) => fill(stage, signal, say)), unlock);
    return "installed";
  } finally {
    unlock();
  }
}

async function fillAndPlace(versionFolder: string, bin: string, fill: (stage: string) => Promise<void>) {
  const stage = mkdtempSync(join(versionFolder, stagePrefix));
  try {
    await fill(stage);
    const filled = join(stage, "bin");
    if (!hasCli(filled)) {
      throw new Error("it ended without an error and without a CLI");
    }
    placeProviderScript(filled);
    // A folder that holds only half a CLI makes way; it goes with the stage.
    if (existsSync(bin) && !hasCli(bin)) {
      renameSync(bin, join(stage, "incomplete"));
    }
    if (!existsSync(bin)) {
      renameSync(filled, bin);
    }
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** What a process left that was killed and could not clean up. */
function removeLeftovers(versionFolder: string): void {
  for (const name of readdirSync(versionFolder)) {
    if (name.startsWith(stagePrefix)) {
      rmSync(join(versionFolder, name), { recursive: true, force: true });
    }
  }
}

/** Ctrl-C and termination stop the work, which then cleans up; after that the signal does what it would have done. */
export async function untilSignalled(work: (signal: AbortSignal) => Promise<void>, unlock: () => void): Promise<void> {
  const stop = new AbortController();
  const signals = ["SIGINT", "SIGTERM"] as const;
  const received: NodeJS.Signals[] = [];
  const onSignal = (signal: NodeJS.Signals) => {
    received.push(signal);
    stop.abort();
  };
  for (const signal of signals) {
    process.on(signal, onSignal);
  }
  try {
    await work(stop.signal);
  } finally {
    for (const signal of signals) {
      process.off(signal, onSignal);
    }
    const [signal] = received;
    if (signal) {
      unlock();
      process.kill(process.pid, signal);
    }
  }
  if (received.length > 0) {
    throw new Interrupted(`stopped by ${received[0]}`);
  }
}
