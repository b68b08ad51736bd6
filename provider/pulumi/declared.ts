import { createHash, hash } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type { Settings } from "../core/settings";
import type { Declared } from "../resources/lifecycle";

/**
 * Which numbers the running program declares. The engine creates before it deletes, so the delete of a renamed resource
 * would clear the number that its new name has just been given. Each provider instance has a process of its own; all
 * processes of a run get the engine's address as their argument, so a private file named by it is what they share.
 */

/** A number in international format exists once in the world, whatever token asks for it; an extension exists once an account. */
function keyOf(number: string, { endpoint, accessToken = "" }: Settings): string {
  const scope = number.startsWith("+") ? "" : accessToken;
  return hash("sha256", JSON.stringify([endpoint, scope, number]), "base64url").slice(0, 24);
}

export function declaredBy(settings: Settings, engineAddress: string | undefined): Declared {
  const own = new Set<string>();
  const shared = engineAddress === undefined ? undefined : unlessRefused(() => sharedFile(engineAddress));
  const isShared = shared === undefined ? () => false : readerOf(shared);
  return {
    declareAll(numbers) {
      const fresh = numbers.filter((number) => !own.has(number));
      for (const number of fresh) own.add(number);
      if (shared === undefined || fresh.length === 0) return;
      const lines = fresh.map((number) => `${process.pid} ${keyOf(number, settings)}\n`);
      unlessRefused(() => appendFileSync(shared, lines.join(""), { mode: 0o600 }));
    },
    isDeclared: (number) => own.has(number) || isShared(keyOf(number, settings)),
  };
}

/** A disk that is full, or a temp folder that is none, stops no run: each process then knows what it has declared itself. */
function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/**
 * Only where the folder is ours alone: another user must be able neither to read nor to plant a declaration. It is named by the
 * user's id, for in a container that id may have no name.
 */
function sharedFile(engineAddress: string): string | undefined {
  const folder = join(tmpdir(), `agent-platform-${process.getuid?.() ?? userInfo().username}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { mode, uid } = lstatSync(folder);
  const isOurs = process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);
  if (isOurs) unlessRefused(() => prune(folder));
  return isOurs ? join(folder, createHash("sha256").update(engineAddress).digest("hex").slice(0, 16)) : undefined;
}

const A_DAY_MS = 86_400_000;

/** Nobody tells a provider process that its run is over, so each one sweeps what runs of the days before left. */
function prune(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > A_DAY_MS) rmSync(file, { force: true });
  }
}

/**
 * Asked once for each number that is cleared, so only what was added since the last question is read. Addresses come back
 * in later runs: a line counts only while the process that wrote it lives, which is until its run ends.
 */
function readerOf(file: string): (key: string) => boolean {
  const keysOf = new Map<string, Set<string>>();
  let position = 0;
  let begun = "";

  function catchUp(): void {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= position) return;
    const part = readPart(file, position, size);
    position += part.length;
    const lines = (begun + part).split("\n");
    // Another process may be in the middle of a line.
    begun = lines.pop() ?? "";
    for (const line of lines) {
      const [pid = "", key = ""] = line.split(" ");
      const keys = keysOf.get(pid) ?? new Set<string>();
      keysOf.set(pid, keys.add(key));
    }
  }

  return (key) => {
    unlessRefused(catchUp);
    return [...keysOf].some(([pid, keys]) => keys.has(key) && isAlive(Number(pid)));
  };
}

function readPart(file: string, from: number, to: number): string {
  const part = Buffer.alloc(to - from);
  const descriptor = openSync(file, "r");
  try {
    return part.toString("latin1", 0, readSync(descriptor, part, 0, part.length, from));
  } finally {
    closeSync(descriptor);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
